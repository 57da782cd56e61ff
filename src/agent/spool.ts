// The spool: changed paths that the agent has not looked at yet, stored on disk while the server is not reachable. Its size is
// limited: when it is full, the folders of the oldest paths replace them and are walked completely. If the spool is lost, a full
// pass finds the same changes; with it, the agent reports recent changes first after a restart.
import { appendFileSync, readFileSync } from "node:fs";
import { replaceFile } from "./disk.ts";
import type { Source } from "./report.ts";

export interface Hint {
  path: string;
  source: Source;
  /** Names came or went, not only bytes: a folder at this path is to be walked. */
  named: boolean;
  /** Hints were merged into this folder: it is walked with everything below it. */
  merged: boolean;
}

interface Waiting extends Hint {
  /** Milliseconds: when the first and the last hint came. */
  first: number;
  last: number;
}

export interface SpoolOptions {
  file: string;
  now(): number;
  /** Milliseconds for which nothing must happen at a path before it is looked at. */
  settle: number;
  /** Milliseconds after which it is looked at all the same. */
  patience: number;
  /** So many hints at the most. */
  most?: number;
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

export class Spool {
  readonly #options: Required<SpoolOptions>;
  /** In the order of their first hint. */
  #waiting = new Map<string, Waiting>();
  /** Lines in the file. */
  #lines = 0;
  /** Paths whose hints are not in the file yet. */
  readonly #unwritten = new Set<string>();

  constructor(options: SpoolOptions) {
    this.#options = { most: 10_000, ...options };
    const hints = readHints(options.file);
    for (const hint of hints) this.add(hint);
    this.#lines += hints.length;
    this.#unwritten.clear();
  }

  get size(): number {
    return this.#waiting.size;
  }

  add(hint: Hint): void {
    const now = this.#options.now();
    const known = this.#waiting.get(hint.path);
    if (known === undefined) this.#waiting.set(hint.path, { ...hint, first: now, last: now });
    else {
      known.last = now;
      if (known.named >= hint.named && known.merged >= hint.merged) return;
      known.named ||= hint.named;
      known.merged ||= hint.merged;
    }
    this.#unwritten.add(hint.path);
    if (this.#waiting.size > this.#options.most) this.#mergeOldest();
  }

  /** Hints that have settled, oldest first, at most `most` of them. They stay until `done`. */
  ready(most: number): Hint[] {
    const { now, settle, patience } = this.#options;
    const present = now();
    const found: Hint[] = [];
    for (const hint of this.#waiting.values()) {
      if (found.length === most) break;
      if (hint.last + settle <= present || hint.first + patience <= present) found.push(hintOf(hint));
    }
    return found;
  }

  /** Milliseconds until the next hint settles; undefined if there is none. */
  get wait(): number | undefined {
    const { now, settle, patience } = this.#options;
    let least: number | undefined;
    for (const { first, last } of this.#waiting.values()) {
      const due = Math.min(last + settle, first + patience);
      if (least === undefined || due < least) least = due;
    }
    return least === undefined ? undefined : Math.max(0, least - now());
  }

  /** These were looked at at `since` or later; what came after that stays. */
  done(hints: readonly Hint[], since: number): void {
    for (const { path } of hints) {
      const hint = this.#waiting.get(path);
      if (hint !== undefined && hint.last <= since) this.#waiting.delete(path);
      else if (hint !== undefined) hint.first = hint.last;
    }
  }

  /** Brings the file up to date. Not synced: a power cut may take the newest hints. */
  save(): void {
    const { file } = this.#options;
    const added = [...this.#unwritten].flatMap((path) => this.#waiting.get(path) ?? []);
    this.#unwritten.clear();
    const isLong = this.#lines + added.length > 2 * this.#waiting.size + 1000;
    if (isLong || (this.#waiting.size === 0 && this.#lines > 0)) {
      replaceFile(file, linesOf([...this.#waiting.values()]), false);
      this.#lines = this.#waiting.size;
    } else if (added.length > 0) {
      appendFileSync(file, linesOf(added), { mode: 0o600 });
      this.#lines += added.length;
    }
  }

  /** Replaces the deepest ones of the older half by their folders, again and again until half of the room is free. */
  #mergeOldest(): void {
    while (this.#waiting.size > this.#options.most / 2) {
      const hints = [...this.#waiting.values()];
      const older = hints.slice(0, Math.ceil(hints.length / 2));
      const deepest = Math.max(...older.map(({ path }) => depthOf(path)));
      const merged = older.map((hint) =>
        depthOf(hint.path) < deepest ? hint : { ...hint, path: parentOf(hint.path), named: true, merged: true },
      );
      this.#waiting = withoutCovered([...merged, ...hints.slice(older.length)]);
    }
    this.#lines = Number.POSITIVE_INFINITY; // the file is written anew
  }
}

const depthOf = (path: string): number => (path === "" ? 0 : path.split("/").length);
const hintOf = ({ path, source, named, merged }: Hint): Hint => ({ path, source, named, merged });
const linesOf = (hints: readonly Hint[]): string => hints.map((hint) => `${JSON.stringify(hintOf(hint))}\n`).join("");

/** Hints without those below a merged folder. */
function withoutCovered(hints: readonly Waiting[]): Map<string, Waiting> {
  const folders = new Set(hints.filter(({ merged }) => merged).map(({ path }) => path));
  const isCovered = (path: string): boolean => {
    for (let folder = path; folder !== ""; ) {
      folder = parentOf(folder);
      if (folders.has(folder)) return true;
    }
    return false;
  };
  const kept = new Map<string, Waiting>();
  for (const hint of hints) {
    if (isCovered(hint.path)) continue;
    const former = kept.get(hint.path);
    if (former === undefined) kept.set(hint.path, hint);
    else {
      former.last = Math.max(former.last, hint.last);
      former.merged ||= hint.merged;
      former.named ||= hint.named;
    }
  }
  return kept;
}

/** The hints of a spool's file; a line that is torn or none is passed over. */
function readHints(file: string): Hint[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    try {
      const { path, source, named, merged } = JSON.parse(line);
      return typeof path === "string" ? [{ path, source, named: named === true, merged: merged === true }] : [];
    } catch {
      return [];
    }
  });
}
