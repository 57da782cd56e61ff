// Makes stand-ins: a small JPEG for each still and movie that the server knows, one at a time, and posts them. The journal records
// which ones are missing, so none is forgotten and none is made twice.
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Client } from "../client.ts";
import { codeOf, isSystemError } from "../errors.ts";
import type { Entry } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import type { Log } from "../log.ts";
import { lookAt } from "../look.ts";
import type { StatusFile } from "../status.ts";
import { isSame } from "../times.ts";
import { makeJpeg, probe } from "./ffmpeg.ts";

/** So many paths wait in memory; more are found in the journal. */
const mostWaiting = 1000;
/** A file that changed less than so many milliseconds ago is probably still being written. */
const quiet = 5000;

export interface StandInsOptions {
  root: string;
  filespace: string;
  program: string;
  journal: Journal;
  client: Client;
  log: Log;
  status: StatusFile;
  signal: AbortSignal;
  /** Whether files that change at the moment may wait for a later call of `make`. */
  patient: boolean;
}

export class StandIns {
  readonly #options: StandInsOptions;
  #waiting = new Set<string>();
  /** The journal may hold more than the ones that wait. */
  #more = true;
  #able: boolean | undefined;

  constructor(options: StandInsOptions) {
    this.#options = options;
  }

  /** Is informed of the reports that the server has accepted. */
  delivered(entries: readonly Entry[]): void {
    for (const { path, stand_in } of entries) {
      if (stand_in !== "wanted") continue;
      if (this.#waiting.size < mostWaiting) this.#waiting.add(path);
      else this.#more = true;
    }
  }

  /** Whether there may be something to make. */
  get due(): boolean {
    return this.#able !== false && (this.#waiting.size > 0 || this.#more);
  }

  /** Makes all that are wanted. Files that change at the moment stay for later. */
  async make(): Promise<void> {
    if (this.#waiting.size === 0) await this.#find();
    if (this.#waiting.size === 0 || !(await this.#probe())) return;
    const later: string[] = [];
    while (this.due) {
      if (this.#waiting.size === 0) await this.#find();
      for (const path of [...this.#waiting]) {
        this.#waiting.delete(path);
        const entry = this.#options.journal.get(path);
        if (entry?.stand_in === "wanted" && !(await this.#makeOne(entry))) later.push(path);
        if (this.#able === false) return;
      }
    }
    for (const path of later) this.#waiting.add(path);
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

  /** Looks through the journal for wanted ones, until enough wait. */
  async #find(): Promise<void> {
    this.#more = false;
    let turn = 0;
    for (const { path, stand_in } of this.#options.journal.scan()) {
      if (++turn % 5000 === 0) await setImmediate();
      this.#options.signal.throwIfAborted();
      if (stand_in !== "wanted") continue;
      if (this.#waiting.size === mostWaiting) {
        this.#more = true;
        return;
      }
      this.#waiting.add(path);
    }
  }

  /** Makes one; false if it is to be made later. What changed or vanished meanwhile is reported by others, and wanted anew. */
  async #makeOne(entry: Entry): Promise<boolean> {
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
  async #settle(entry: Entry, made: Buffer | string): Promise<void> {
    const { client, filespace, journal, log, status } = this.#options;
    const { path } = entry;
    let reason = typeof made === "string" ? made : undefined;
    if (typeof made !== "string") {
      const bytes = made.toString("base64");
      const answer = await client.call("/storage/media-proxy", JSON.stringify({ filespace, path, bytes }));
      if (answer.status !== 200) reason = `the server answers ${answer.status}, ${answer.body.detail}`;
    }
    journal.settleStandIn(entry);
    const { stand_ins } = status.status;
    if (reason === undefined) {
      log("stand_in", { path, bytes: made.length });
      status.change({ stand_ins: { ...stand_ins, made: stand_ins.made + 1 } });
    } else {
      log("no_stand_in", { path, reason });
      status.change({ stand_ins: { ...stand_ins, impossible: stand_ins.impossible + 1 } });
    }
  }
}
