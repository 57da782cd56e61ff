// The journal: the last report about every path that the server has. It is the agent's only record of the server's state. These
// rules keep it correct whenever the agent is killed:
//   1. An entry changes when the server has answered, never before. So whatever was not delivered still differs from the
//      disk, and the next look finds it again.
//   2. A batch is in the log, synced, before its first byte is sent, and stays the pending one until its answer is there too.
//      After a crash it is sent once more, with the same keys, before anything else, so an event that the server stored without
//      the agent learning of it is not lost.
//   3. There is one pending batch at the most. Looks are compared with what it makes of the journal, not with the journal alone.
//   4. Runs never change. The manifest names the runs and the log that count, and is replaced as one step; files that it does
//      not name are left over from a crash and are removed.
//   5. The server moves its own rows when a file move is done. So the paths of the move are forgotten: whatever the next look
//      shows there is reported, also if a batch that was under way says otherwise.
//   6. The keys of one path never repeat: an unknown path starts at `floor`, which is above every forgotten one.
// Memory holds the entries of the log, up to `mostRecent`, and an index of one path per block of each run; everything else is
// read from disk in order.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { AgentError } from "../errors.ts";
import { entryOf, type Report } from "../report.ts";
import { decodeEntries, type Entry, encodeEntry, orderOf } from "./entry.ts";
import { Log } from "./log.ts";
import { emptyManifest, type Identity, type Manifest, readManifest, removeStrays, writeManifest } from "./manifest.ts";
import { merge, Run, RunWriter } from "./run.ts";

type Frame =
  | { sent: Report[] }
  /** Indexes of the refused ones. */
  | { settled: number[] }
  /** Paths. */
  | { forgotten: string[] }
  /** A text of encodeEntry. */
  | { marked: string };

export interface JournalOptions {
  filespace: string;
  /** Looks and changes nothing, not even what a crash left. */
  readonly?: boolean;
  /** Entries in memory at which they become a run. */
  mostRecent?: number;
  /** Entries of paths that are gone, beyond which they are forgotten; never fewer than there are present ones. */
  mostGone?: number;
}

export class Journal {
  readonly #folder: string;
  readonly #options: Required<JournalOptions>;
  #manifest: Manifest;
  #runs: Run[];
  #log: Log<Frame> | undefined;
  #recent = new Map<string, Entry>();
  #pending: Report[] | undefined;
  /** Paths that were forgotten while the pending batch had no answer. */
  #forgotten = new Set<string>();
  #present: number;
  #clock: string;
  /** Runs that were merged while they were being read. */
  #retired: Run[] = [];
  #readers = 0;

  private constructor(folder: string, options: Required<JournalOptions>, manifest: Manifest) {
    this.#folder = folder;
    this.#options = options;
    this.#manifest = manifest;
    this.#runs = manifest.runs.map((name) => new Run(join(folder, name)));
    ({ present: this.#present, clock: this.#clock } = manifest);
    const { frames, length } = Log.read<Frame>(join(folder, manifest.log));
    for (const frame of frames) this.#replay(frame);
    if (!options.readonly) this.#log = new Log(join(folder, manifest.log), length);
  }

  /**
   * Opens the journal in a folder, or starts one. Throws AgentError for the journal of another filespace, JournalDamage if
   * its files do not hold what was written.
   */
  static open(folder: string, options: JournalOptions): Journal {
    const full = { readonly: false, mostRecent: 20_000, mostGone: 200_000, ...options };
    if (!full.readonly) mkdirSync(folder, { recursive: true, mode: 0o700 });
    const stored = readManifest(folder);
    const manifest = stored ?? emptyManifest(options.filespace);
    if (stored === undefined && !full.readonly) writeManifest(folder, manifest);
    if (manifest.filespace !== options.filespace)
      throw new AgentError(
        `${folder} is the state of the filespace ${manifest.filespace}, not of ${options.filespace}; give another --state`,
      );
    if (!full.readonly) removeStrays(folder, manifest);
    return new Journal(folder, full, manifest);
  }

  /** The batch that was sent and has no answer yet. */
  get pending(): readonly Report[] | undefined {
    return this.#pending;
  }

  /** How many paths are present. */
  get present(): number {
    return this.#present;
  }

  /** The latest detected_at that was used; empty if none was. */
  get clock(): string {
    return this.#clock;
  }

  get floor(): number {
    return this.#manifest.floor;
  }

  /** Which folder the root was when it was last trusted. */
  get root(): Identity | null {
    return this.#manifest.root;
  }

  set root(root: Identity) {
    this.#replaceManifest({ root });
  }

  /** The last report about a path that the server has. */
  get(path: string): Entry | undefined {
    const recent = this.#recent.get(path);
    if (recent !== undefined) return recent;
    for (let at = this.#runs.length - 1; at >= 0; at--) {
      const entry = this.#runs[at]?.get(path);
      if (entry !== undefined) return entry;
    }
    return undefined;
  }

  /** The entries below a folder, "" for all, in order, as they are now; from the order `from` on. */
  *scan(folder = "", from = ""): Generator<Entry, undefined> {
    const below = folder === "" ? "" : `${orderOf(folder)}\0`;
    const start = from > below ? from : below;
    const recent = sortedEntries(this.#recent.values(), folder === "" ? "" : `${folder}/`, start);
    this.#readers++;
    try {
      for (const entry of merge([...this.#runs.map((run) => run.scan(start)), recent.values()])) {
        if (!orderOf(entry.path).startsWith(below)) return undefined;
        yield entry;
      }
    } finally {
      this.#readers--;
      this.#closeRetired();
    }
    return undefined;
  }

  /** Puts a batch on disk before it is sent. */
  begin(batch: Report[]): void {
    if (this.#pending !== undefined) throw new Error("a batch is pending already");
    this.#append({ sent: batch });
  }

  /** The server has answered the pending batch; `refused` are indexes of it. */
  settle(refused: readonly number[]): void {
    this.#append({ settled: [...refused] });
    if (this.#recent.size >= this.#options.mostRecent) this.#endLog();
  }

  /**
   * What the server has at these paths is not known any more: the next look at them is reported, whatever it shows. A move
   * that the server knows has changed its files in a way that no event did.
   */
  forget(paths: readonly string[]): void {
    this.#append({ forgotten: [...paths] });
  }

  /** Records that an entry's stand-in is settled, unless the entry has changed in the meantime. */
  settleStandIn({ path, size, mtime_ns }: Entry): void {
    const entry = this.get(path);
    if (entry?.stand_in !== "wanted" || entry.size !== size || entry.mtime_ns !== mtime_ns) return;
    this.#append({ marked: encodeEntry({ ...entry, stand_in: "settled" }) });
  }

  /** Merges runs of similar size until each is less than half of the one before. Others may read and write meanwhile. */
  async compact(): Promise<void> {
    for (;;) {
      const at = this.#runs.length - 2;
      const [older, younger] = [this.#runs[at], this.#runs[at + 1]];
      if (older === undefined || younger === undefined || older.count >= 2 * younger.count) return;
      await this.#mergeRuns(at, older, younger);
    }
  }

  close(): void {
    for (const run of [...this.#runs, ...this.#retired]) run.close();
    this.#log?.close();
  }

  #append(frame: Frame): void {
    this.#log?.append(frame);
    this.#replay(frame);
  }

  #replay(frame: Frame): void {
    if ("sent" in frame) {
      this.#pending = frame.sent;
      for (const { detected_at } of frame.sent) if (detected_at > this.#clock) this.#clock = detected_at;
    } else if ("settled" in frame) {
      const refused = new Set(frame.settled);
      for (const [index, report] of (this.#pending ?? []).entries())
        if (!this.#forgotten.has(report.path)) this.#take(report, refused.has(index));
      this.#pending = undefined;
      this.#forgotten.clear();
    } else if ("forgotten" in frame) for (const path of frame.forgotten) this.#forget(path);
    else for (const entry of decodeEntries(frame.marked)) this.#recent.set(entry.path, entry);
  }

  #take(report: Report, refused: boolean): void {
    const entry = entryOf(report, refused);
    this.#present += Number(entry.state === "present") - Number(report.former === "present");
    this.#recent.set(entry.path, entry);
  }

  #forget(path: string): void {
    const known = this.get(path);
    const pending = this.#pending?.findLast((report) => report.path === path);
    if (pending !== undefined) this.#forgotten.add(path);
    const returns = Math.max(known?.returns ?? this.floor, pending?.returns ?? 0) + 1;
    this.#present += Number(known?.state !== "present");
    this.#recent.set(path, { path, state: "present", size: -1, mtime_ns: "0", returns, stand_in: "none" });
  }

  #nextName(kind: "run" | "log"): string {
    return `${kind}-${this.#manifest.next++}`;
  }

  #replaceManifest(changes: Partial<Manifest>): void {
    const manifest = { ...this.#manifest, ...changes };
    writeManifest(this.#folder, manifest);
    this.#manifest = manifest;
  }

  /** The log's entries become a run, and a new log starts. Only while no batch is pending. */
  #endLog(): void {
    const name = this.#nextName("run");
    const writer = new RunWriter(join(this.#folder, name));
    for (const entry of sortedEntries(this.#recent.values())) writer.add(entry);
    const run = writer.finish();
    const former = this.#log;
    const log = this.#nextName("log");
    this.#log = new Log(join(this.#folder, log));
    const { runs } = this.#manifest;
    this.#replaceManifest({ runs: [...runs, name], log, present: this.#present, clock: this.#clock });
    this.#runs.push(run);
    this.#recent = new Map();
    former?.close();
    if (former !== undefined) rmSync(former.file, { force: true });
  }

  async #mergeRuns(at: number, older: Run, younger: Run): Promise<void> {
    const name = this.#nextName("run");
    const writer = new RunWriter(join(this.#folder, name));
    const forget = at === 0 && older.gone + younger.gone > Math.max(this.#options.mostGone, this.#present);
    let [floor, turn] = [this.#manifest.floor, 0];
    try {
      for (const entry of merge([older.scan(""), younger.scan("")])) {
        if (++turn % 2000 === 0) await setImmediate();
        if (forget && entry.state === "gone") floor = Math.max(floor, entry.returns + 1);
        else writer.add(entry);
      }
    } catch (error) {
      writer.abandon();
      throw error;
    }
    const run = writer.finish();
    const runs = this.#manifest.runs.with(at, name).toSpliced(at + 1, 1);
    this.#replaceManifest({ runs, floor });
    this.#runs.splice(at, 2, run);
    this.#retired.push(older, younger);
    this.#closeRetired();
  }

  #closeRetired(): void {
    if (this.#readers > 0) return;
    for (const run of this.#retired.splice(0)) {
      run.close();
      rmSync(run.file, { force: true });
    }
  }
}

/** Entries whose path starts with `prefix`, in order, from the order `from` on. */
function sortedEntries(entries: Iterable<Entry>, prefix = "", from = ""): Entry[] {
  const found: { order: string; entry: Entry }[] = [];
  for (const entry of entries) {
    if (!entry.path.startsWith(prefix)) continue;
    const order = orderOf(entry.path);
    if (order >= from) found.push({ order, entry });
  }
  return found.sort((a, b) => (a.order < b.order ? -1 : 1)).map(({ entry }) => entry);
}
