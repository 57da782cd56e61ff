// Makes stand-ins: a small JPEG for each still and movie that the server knows, newest first and as many at once as
// there are cores, and posts them. The journal records which ones are missing, so none is forgotten and none is made
// twice.
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Components } from "../components.ts";
import { codeOrTextOf, isSystemError } from "../errors.ts";
import { isSame } from "../exact_times.ts";
import { readFileState } from "../file_state.ts";
import type { JournalEntry } from "../report.ts";
import { makeJpeg, probe } from "./ffmpeg.ts";

/** The log says how far it is after so many. */
const progressEvery = 100;
/** A file that changed less than so many milliseconds ago is probably still being written. */
const quiet = 5000;

export class StandIns {
  readonly #parts: Components;
  /** Whether the journal may have more than those that `make` has seen. */
  #due = true;
  #able: boolean | undefined;

  constructor(parts: Components) {
    this.#parts = parts;
    if (parts.options.noStandIns) this.#able = false; // the journal keeps them as missing
  }

  /** Is informed of the reports that the server has accepted. */
  delivered(entries: readonly JournalEntry[]): void {
    if (entries.some(({ stand_in }) => stand_in === "wanted")) this.#due = true;
  }

  /** Whether there may be something to make. */
  get due(): boolean {
    return this.#able !== false && this.#due;
  }

  /** Makes all that are wanted. Files that change at the moment stay for later. */
  async make(): Promise<void> {
    const { journal, log } = this.#parts;
    if (this.#able === false) return;
    this.#due = false;
    if (journal.wanted().next().done || !(await this.#probe())) return;
    const wanted = journal.wanted();
    let done = 0;
    const work = async (): Promise<void> => {
      for (const entry of wanted) {
        await this.#makeOne(entry);
        if (this.#able === false) return;
        if (++done % progressEvery === 0) log("stand_ins", { done });
      }
    };
    // The first that fails or ends early ends the list for all.
    const ended = await Promise.allSettled(Array.from({ length: availableParallelism() }, work));
    for (const one of ended) if (one.status === "rejected") throw one.reason;
  }

  async #probe(): Promise<boolean> {
    if (this.#able !== undefined) return this.#able;
    const { settings, signal, log } = this.#parts;
    const program = settings.ffmpeg;
    const version = await probe(program, signal);
    this.#able = version !== undefined;
    if (version === undefined) this.#stop("no ffmpeg that writes JPEGs was found");
    else log("ffmpeg", { program, version });
    return this.#able;
  }

  /** Set if no program makes pictures; the message is logged once. */
  #stop(reason: string): void {
    this.#able = false;
    const { log, settings } = this.#parts;
    log("ffmpeg", { program: settings.ffmpeg, missing: `no stand-ins are made: ${reason}` });
  }

  /**
   * Makes one. What changes at the moment is due later; what changed or vanished meanwhile is reported by others, and
   * wanted anew.
   */
  async #makeOne(entry: JournalEntry): Promise<void> {
    const { root, settings, signal, options } = this.#parts;
    const file = join(root, entry.path);
    const look = await readFileState(file);
    if (look.kind !== "file" || !isSame(entry, look.facts)) return;
    const age = Date.now() - Number(BigInt(entry.mtime_ns) / 1_000_000n);
    if (!options.once && age >= 0 && age < quiet) {
      this.#due = true;
      return;
    }
    let made: Buffer | string;
    try {
      made = await makeJpeg(settings.ffmpeg, file, signal);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#stop(codeOrTextOf(error));
      return;
    }
    const after = await readFileState(file);
    if (after.kind === "file" && isSame(entry, after.facts)) await this.#settle(entry, made);
  }

  /** Posts a stand-in, or notes that there is none. */
  async #settle(entry: JournalEntry, made: Buffer | string): Promise<void> {
    const { client, settings, journal, log, status } = this.#parts;
    const { path } = entry;
    let reason = typeof made === "string" ? made : undefined;
    if (typeof made !== "string") {
      const bytes = made.toString("base64");
      const answer = await client.call(
        "/storage/media-proxy",
        JSON.stringify({ filespace: settings.filespace, path, bytes }),
      );
      if (answer.status !== 200) reason = `the server answers ${answer.status}, ${answer.body.detail}`;
    }
    journal.settleStandIn(entry);
    if (reason === undefined) log("stand_in", { path, bytes: made.length });
    else log("no_stand_in", { path, reason });
    status.count("stand_ins", reason === undefined ? { made: 1 } : { impossible: 1 });
  }
}
