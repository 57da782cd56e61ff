// A pass: walks the tree, or a part of it, and the journal in the same order, and finds the differences. A possible delete is checked
// again at the end, when it is known whether the root is mounted correctly.

import type { Journal } from "./journal/journal.ts";
import { type Found, isAbsence } from "./look.ts";
import { type JournalEntry, orderOf } from "./report.ts";
import type { Tally } from "./root.ts";
import { isSame, refine } from "./times.ts";
import { type WalkOptions, type WalkStep, walk } from "./walk.ts";

/** So many missing paths are kept in memory; what is beyond them is for a further pass. */
const mostMissing = 50_000;
const mostVanished = 1000;

export interface PassOptions extends Omit<WalkOptions, "enters"> {
  journal: Journal;
  /** Whether to enter a folder; `known` says that the journal has files in it. All folders, if it is not given. */
  enters?(folder: string, known: boolean): boolean;
  /** Takes a chunk's files that differ from the journal, in order. */
  changed(files: Found[]): Promise<void>;
  /** Called between chunks. */
  between?(tally: PassProgress): Promise<void>;
}

export interface PassProgress extends Tally {
  /** Files met. */
  files: number;
}

export interface PassOutcome extends PassProgress {
  /** Paths of the journal that were not met, in order. */
  missing: string[];
  /** There are more of them. */
  more: boolean;
  /** Folders and files that could not be read. */
  unreadable: number;
  /** Folders that were gone when the walk came to them: some of them, to look at again. */
  vanished: string[];
}

/** The journal's side of the comparison: entries of files that the server has or refused, one after the other. */
class Known {
  readonly #journal: Journal;
  readonly #folder: string;
  #entries: Iterator<JournalEntry>;
  #entry: JournalEntry | undefined;

  constructor(journal: Journal, folder: string) {
    this.#journal = journal;
    this.#folder = folder;
    this.#entries = journal.scan(folder);
    this.advance();
  }

  get entry(): JournalEntry | undefined {
    return this.#entry;
  }

  advance(): void {
    do this.#entry = this.#entries.next().value;
    while (this.#entry?.state === "gone");
  }

  /** Goes behind everything below a folder. */
  skip(folder: string): void {
    const order = orderOf(folder);
    if (this.#entry === undefined || !orderOf(this.#entry.path).startsWith(`${order}\0`)) return;
    this.#entries.return?.();
    this.#entries = this.#journal.scan(this.#folder, folder);
    this.advance();
  }

  end(): void {
    this.#entries.return?.();
    this.#entry = undefined;
  }
}

class Comparison {
  readonly outcome: PassOutcome = {
    ...{ files: 0, known: 0, seen: 0, missing: [], more: false },
    ...{ unreadable: 0, vanished: [] },
  };
  readonly #known: Known;
  readonly #options: PassOptions;

  constructor(options: PassOptions) {
    this.#options = options;
    this.#known = new Known(options.journal, options.folder ?? "");
  }

  /** The entries before `order`, undefined for all: the walk did not meet them. */
  #miss(order: string | undefined): void {
    const { ignore } = this.#options;
    for (let { entry } = this.#known; entry !== undefined; entry = this.#known.entry) {
      if (order !== undefined && orderOf(entry.path) >= order) return;
      this.#known.advance();
      if (ignore.takesAnyOf(entry.path)) continue;
      this.outcome.known++;
      if (this.outcome.missing.length < mostMissing) this.outcome.missing.push(entry.path);
      else this.outcome.more = true;
    }
  }

  /** Counts a path that was met; answers what the journal knows of it. */
  #meet(path: string): JournalEntry | undefined {
    if (this.#known.entry?.path !== path) this.#miss(orderOf(path));
    const { entry } = this.#known;
    if (entry?.path !== path) return undefined;
    this.#known.advance();
    this.outcome.known++;
    this.outcome.seen++;
    return entry;
  }

  /** Whether the journal has files in the folder that the walk has come to. */
  knows(folder: string): boolean {
    const below = `${orderOf(folder)}\0`;
    this.#miss(below);
    return this.#known.entry !== undefined && orderOf(this.#known.entry.path).startsWith(below);
  }

  #cannotRead(folder: string, code: string): void {
    if (!isAbsence(code)) this.outcome.unreadable++;
    else if (this.outcome.vanished.length < mostVanished) this.outcome.vanished.push(folder);
  }

  /** The files of a step that differ. */
  take(step: WalkStep): Found[] {
    if (step.kind === "closed") {
      this.#miss(`${orderOf(step.folder)}\0`);
      if (step.code !== undefined) this.#cannotRead(step.folder, step.code);
      if (step.folder === (this.#options.folder ?? "")) this.#known.end();
      else this.#known.skip(step.folder);
      return [];
    }
    const unreadable = new Set(step.unreadable);
    const changed: Found[] = [];
    const met = [...step.files, ...step.unreadable.map((path) => ({ path, size: 0, mtime_ns: "0" }))];
    if (unreadable.size > 0) met.sort((a, b) => (orderOf(a.path) < orderOf(b.path) ? -1 : 1));
    for (const file of met) {
      const entry = this.#meet(file.path);
      if (unreadable.has(file.path)) this.outcome.unreadable++;
      else {
        this.outcome.files++;
        if (entry === undefined || !isSame(entry, file)) changed.push(file);
      }
    }
    return changed;
  }

  finish(): PassOutcome {
    this.#miss(undefined);
    return this.outcome;
  }

  end(): void {
    this.#known.end();
  }
}

/** Makes a pass; what is missing is for the caller to look at again. */
export async function runPass(options: PassOptions): Promise<PassOutcome> {
  const comparison = new Comparison(options);
  const { enters, ...rest } = options;
  const walked = enters ? { ...rest, enters: (folder: string) => enters(folder, comparison.knows(folder)) } : rest;
  try {
    for await (const step of walk(walked)) {
      const changed = comparison.take(step);
      if (changed.length > 0) await options.changed(await refine(options.root, changed));
      await options.between?.(comparison.outcome);
    }
    return comparison.finish();
  } finally {
    comparison.end();
  }
}
