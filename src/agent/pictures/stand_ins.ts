// Makes stand-ins: a small JPEG for each still and movie that the server knows, newest first and as many at once as there are cores,
// and posts them. The journal records which ones are missing, so none is forgotten and none is made twice.
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { codeOf, isSystemError } from "../errors.ts";
import { lookAt } from "../look.ts";
import type { Shared } from "../parts.ts";
import type { JournalEntry } from "../report.ts";
import { isSame } from "../times.ts";
import { makeJpeg, probe } from "./ffmpeg.ts";

/** So many paths wait in memory; more are found in the journal. */
const mostWaiting = 10_000;
/** The log says how far it is after so many. */
const progressEvery = 100;
/** A file that changed less than so many milliseconds ago is probably still being written. */
const quiet = 5000;

export interface StandInsOptions extends Shared {
  program: string;
  /** Makes none; the journal keeps them as missing. */
  off: boolean;
  /** Whether files that change at the moment may wait for a later call of `make`. */
  patient: boolean;
}

/** Sorts paths with their times. */
const newestFirst = (paths: [string, bigint][]): [string, bigint][] =>
  paths.sort(([, a], [, b]) => (a === b ? 0 : a < b ? 1 : -1));

export class StandIns {
  readonly #options: StandInsOptions;
  /** Their modification times by path. */
  #waiting = new Map<string, bigint>();
  /** The journal may hold more than the ones that wait. */
  #more = true;
  #able: boolean | undefined;

  constructor(options: StandInsOptions) {
    this.#options = options;
    if (options.off) this.#able = false;
  }

  /** Is informed of the reports that the server has accepted. */
  delivered(entries: readonly JournalEntry[]): void {
    for (const { path, stand_in, mtime_ns } of entries) {
      if (stand_in !== "wanted") continue;
      if (this.#waiting.size < mostWaiting) this.#waiting.set(path, BigInt(mtime_ns));
      else this.#more = true;
    }
  }

  /** Whether there may be something to make. */
  get due(): boolean {
    return this.#able !== false && (this.#waiting.size > 0 || this.#more);
  }

  /** Makes all that are wanted. Files that change at the moment stay for later. */
  async make(): Promise<void> {
    if (this.#able === false) return;
    if (this.#waiting.size === 0) await this.#find();
    if (this.#waiting.size === 0 || !(await this.#probe())) return;
    const later: [string, bigint][] = [];
    while (this.due) {
      if (this.#waiting.size === 0) await this.#find();
      const queue = newestFirst([...this.#waiting]);
      this.#waiting.clear();
      let next = 0;
      const delayed = later.length;
      const work = async (): Promise<void> => {
        for (let at = next++; at < queue.length && this.#able !== false; at = next++) {
          const one = queue[at] as [string, bigint]; // safe: at is below the length
          const entry = this.#options.journal.get(one[0]);
          if (entry?.stand_in === "wanted" && !(await this.#makeOne(entry))) later.push(one);
          if ((at + 1) % progressEvery === 0)
            this.#options.log("stand_ins", { done: at + 1, waiting: queue.length - at - 1, more: this.#more });
        }
      };
      const stop = (error: unknown): never => {
        next = queue.length;
        throw error;
      };
      const workers = Array.from({ length: availableParallelism() }, () => work().catch(stop));
      const ended = await Promise.allSettled(workers);
      for (const one of ended) if (one.status === "rejected") throw one.reason;
      if (later.length - delayed === queue.length) break; // all of them change at the moment
    }
    for (const [path, time] of later) this.#waiting.set(path, time);
  }

  async #probe(): Promise<boolean> {
    if (this.#able !== undefined) return this.#able;
    const { program, signal, log } = this.#options;
    const version = await probe(program, signal);
    this.#able = version !== undefined;
    if (version === undefined) this.#stop("no ffmpeg that writes JPEGs was found");
    else log("ffmpeg", { program, version });
    return this.#able;
  }

  /** There is no program that makes any; said once. */
  #stop(reason: string): void {
    this.#able = false;
    const { log, program } = this.#options;
    log("ffmpeg", { program, missing: `no stand-ins are made: ${reason}` });
  }

  /** Looks through the journal for the newest ones that are wanted. */
  async #find(): Promise<void> {
    this.#more = false;
    let turn = 0;
    let found: [string, bigint][] = [];
    for (const { path, stand_in, mtime_ns } of this.#options.journal.scan()) {
      if (++turn % 5000 === 0) await setImmediate();
      this.#options.signal.throwIfAborted();
      if (stand_in !== "wanted") continue;
      found.push([path, BigInt(mtime_ns)]);
      if (found.length < 2 * mostWaiting) continue;
      found = newestFirst(found).slice(0, mostWaiting);
      this.#more = true;
    }
    if (found.length > mostWaiting) this.#more = true;
    for (const [path, time] of newestFirst(found).slice(0, mostWaiting)) this.#waiting.set(path, time);
  }

  /** Makes one; false if it is to be made later. What changed or vanished meanwhile is reported by others, and wanted anew. */
  async #makeOne(entry: JournalEntry): Promise<boolean> {
    const { root, program, signal, patient } = this.#options;
    const file = join(root, entry.path);
    const look = await lookAt(file);
    if (look.kind !== "file" || !isSame(entry, look.facts)) return true;
    const age = Date.now() - Number(BigInt(entry.mtime_ns) / 1_000_000n);
    if (patient && age >= 0 && age < quiet) return false;
    let made: Buffer | string;
    try {
      made = await makeJpeg(program, file, signal);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      this.#stop(codeOf(error));
      return false;
    }
    const after = await lookAt(file);
    if (after.kind !== "file" || !isSame(entry, after.facts)) return true;
    await this.#settle(entry, made);
    return true;
  }

  /** Posts a stand-in, or notes that there is none. */
  async #settle(entry: JournalEntry, made: Buffer | string): Promise<void> {
    const { client, filespace, journal, log, status } = this.#options;
    const { path } = entry;
    let reason = typeof made === "string" ? made : undefined;
    if (typeof made !== "string") {
      const bytes = made.toString("base64");
      const answer = await client.call("/storage/media-proxy", JSON.stringify({ filespace, path, bytes }));
      if (answer.status !== 200) reason = `the server answers ${answer.status}, ${answer.body.detail}`;
    }
    journal.settleStandIn(entry);
    if (reason === undefined) log("stand_in", { path, bytes: made.length });
    else log("no_stand_in", { path, reason });
    status.count("stand_ins", reason === undefined ? { made: 1 } : { impossible: 1 });
  }
}
