// Compares the tree with the journal: the whole tree every few hours, and the folders of recent changes more often.
// Decides what may be reported as deleted.
import type { Components } from "./components.ts";
import { isGone } from "./file_state.ts";
import type { Identity } from "./journal/journal.ts";
import { type PassOptions, type PassOutcome, type PassProgress, runPass } from "./pass.ts";
import { type JournalEntry, parentOf, type ReportSource } from "./report.ts";
import { type RootState, reasonNotToTrustRoot, rootStateOf, type WalkCounts } from "./root_state.ts";
import type { Held } from "./status.ts";

/** So many folders in which something happened are looked at by each partial pass. */
const mostHot = 256;
const progressEvery = 5000;

const isSameRoot = (a: Identity | undefined, b: Identity | undefined): boolean =>
  a?.dev === b?.dev && a?.ino === b?.ino;

/**
 * Why the deletes of a full pass cannot be trusted, even if the root looks right: no file is there, or no known file.
 */
function reasonNotToTrustPass({ known, seen }: WalkCounts, held: Held | null): string | undefined {
  if (known > 1 && seen === 0) return `none of the ${known} known files is there`;
  return held !== null && held.deletes > 1 && known - seen >= held.deletes ? held.reason : undefined;
}

type Walk = Pick<PassOptions, "folder" | "enters" | "between"> & { source?: ReportSource };

export class Reconciler {
  readonly #parts: Components;
  /** Folders of the last events, oldest first. */
  readonly #hot = new Set<string>();
  /** The first full pass may report everything as deleted that is not there. */
  #confirmed: boolean;

  constructor(parts: Components) {
    this.#parts = parts;
    this.#confirmed = parts.options.confirmDeletes === true;
  }

  /** Is informed of the reports that the server has accepted. */
  delivered(entries: readonly JournalEntry[]): void {
    for (const { path } of entries) {
      const folder = parentOf(path);
      this.#hot.delete(folder);
      this.#hot.add(folder);
    }
    for (const folder of this.#hot) {
      if (this.#hot.size <= mostHot) return;
      this.#hot.delete(folder);
    }
  }

  rootState(): Promise<RootState> {
    return rootStateOf(this.#parts.root, this.#parts.ignore);
  }

  /** Why deletes cannot be trusted at the moment. */
  async doubt(): Promise<string | undefined> {
    const { status } = this.#parts;
    return this.#doubtOf(await this.rootState()) ?? status.status.held?.reason;
  }

  #doubtOf(rootState: RootState, tally?: WalkCounts): string | undefined {
    const { journal, status } = this.#parts;
    if (this.#confirmed && rootState.identity !== undefined) return undefined;
    const doubt = reasonNotToTrustRoot(rootState, journal.root, journal.present, tally);
    return doubt ?? (tally === undefined ? undefined : reasonNotToTrustPass(tally, status.status.held));
  }

  /** Stops reporting deletes, and says so once. `deletes` is how many a full pass would have reported. */
  hold(reason: string, deletes?: number): void {
    const { status, log } = this.#parts;
    const { held } = status.status;
    const counted = deletes ?? held?.deletes ?? 0;
    if (held?.reason === reason && held.deletes === counted) return;
    if (held?.reason !== reason) log("held", { reason, deletes: counted, consequence: "no delete is reported" });
    status.change({ held: { since: held?.since ?? new Date().toISOString(), reason, deletes: counted } });
    status.save();
  }

  #release(): void {
    const { status, log } = this.#parts;
    if (status.status.held === null) return;
    log("released", { consequence: "deletes are reported again" });
    status.change({ held: null });
    status.save();
  }

  /** Compares everything. `between` is called between chunks. Answers how many files were met. */
  async fullPass(between?: () => Promise<void>): Promise<PassOutcome> {
    const { log, status, journal } = this.#parts;
    const started = performance.now();
    let outcome: PassOutcome;
    do {
      const before = await this.rootState();
      outcome = await this.#pass({ folder: "", between: this.#reporting(between) });
      const after = await this.rootState();
      const steady = isSameRoot(before.identity, after.identity);
      const doubt = steady ? this.#doubtOf(after, outcome) : "the root changed during the pass";
      if (doubt !== undefined) {
        this.hold(doubt, outcome.known - outcome.seen);
        break;
      }
      if (after.identity !== undefined && !isSameRoot(journal.root ?? undefined, after.identity))
        journal.root = after.identity;
      this.#release();
      await this.#lookAgain(outcome.missing);
    } while (outcome.more);
    this.#confirmed = false;
    const { files, unreadable, not_utf8 } = outcome;
    log("pass", { kind: "full", files, unreadable, not_utf8, ms: Math.round(performance.now() - started) });
    status.change({ last_full_pass: new Date().toISOString(), files: journal.present, not_utf8 });
    return outcome;
  }

  /** Compares the names in the folders of the last events, in those above them, and in folders that are new. */
  async partialPass(between?: () => Promise<void>): Promise<PassOutcome> {
    const entered = new Set<string>();
    for (const folder of this.#hot) for (let above = folder; above !== ""; above = parentOf(above)) entered.add(above);
    const outcome = await this.#pass({
      folder: "",
      between,
      enters: (folder, known) => !known || entered.has(folder),
    });
    await this.#lookAgain(outcome.missing);
    return outcome;
  }

  /** Compares everything in a folder, because of a hint from `source`. */
  async folderPass(folder: string, source: ReportSource): Promise<void> {
    let outcome: PassOutcome;
    do {
      outcome = await this.#pass({ folder, source });
      await this.#lookAgain(outcome.missing, source);
    } while (outcome.more);
  }

  async #pass({ source = "reconciler", ...options }: Walk): Promise<PassOutcome> {
    const { reporter, sources } = this.#parts;
    const outcome = await runPass(this.#parts, {
      ...options,
      entered: (folder) => sources.entered(folder),
      async changed(files) {
        for (const { path, size, mtime_ns } of files) await reporter.look(path, { size, mtime_ns }, source);
      },
    });
    await reporter.drain();
    return outcome;
  }

  /** Logs how far a pass has come, now and then. */
  #reporting(between: (() => Promise<void>) | undefined) {
    let next = performance.now() + progressEvery;
    return async ({ files }: PassProgress): Promise<void> => {
      if (performance.now() > next) {
        next = performance.now() + progressEvery;
        this.#parts.log("progress", { files, known: this.#parts.journal.present });
      }
      await between?.();
    };
  }

  /** Looks once more at paths that a walk did not meet, and reports what is still not there. */
  async #lookAgain(paths: Iterable<string>, source: ReportSource = "reconciler"): Promise<void> {
    const { root, reporter, signal } = this.#parts;
    for (const path of paths) {
      signal.throwIfAborted();
      if (await isGone(root, path)) await reporter.look(path, undefined, source);
    }
    await reporter.drain();
  }
}
