// The spool: changed paths that the agent has not looked at yet, stored in the state while the server is not reachable. Its size is
// limited: when it is full, the folders of the oldest paths replace them and are walked completely. If the spool is lost, a full
// pass finds the same changes; with it, the agent reports recent changes first after a restart.
import type Database from "better-sqlite3";
import { parentOf, type ReportSource } from "./report.ts";

export interface Hint {
  path: string;
  source: ReportSource;
  /** Names came or went, not only bytes: a folder at this path is to be walked. */
  named: boolean;
  /** Hints were merged into this folder: it is walked with everything below it. */
  merged: boolean;
}

interface Waiters extends Hint {
  /** Milliseconds: when the first and the last hint came. */
  first: number;
  last: number;
}

export interface SpoolOptions {
  database: Database.Database;
  now(): number;
  /** Milliseconds for which nothing must happen at a path before it is looked at. */
  settle: number;
  /** Milliseconds after which it is looked at all the same. */
  patience: number;
  /** So many hints at the most. */
  most?: number;
}

export class Spool {
  readonly #options: Required<SpoolOptions>;
  /** In the order of their first hint. */
  #waiting = new Map<string, Waiters>();
  /** Paths whose hints are not in the database as they are here. */
  readonly #unwritten = new Set<string>();

  constructor(options: SpoolOptions) {
    this.#options = { most: 10_000, ...options };
    const rows = options.database.prepare<[], Pick<Hint, "path" | "source"> & { named: 0 | 1; merged: 0 | 1 }>(
      "SELECT path, source, named, merged FROM hints ORDER BY rowid",
    );
    for (const { named, merged, ...hint } of rows.all())
      this.add({ ...hint, named: named === 1, merged: merged === 1 });
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
      if (hint === undefined) continue;
      if (hint.last > since) hint.first = hint.last;
      else {
        this.#waiting.delete(path);
        this.#unwritten.add(path);
      }
    }
  }

  /** Brings the database up to date. Not synced: a power cut may take the newest hints. */
  save(): void {
    if (this.#unwritten.size === 0) return;
    const { database } = this.#options;
    const remove = database.prepare("DELETE FROM hints WHERE path = ?");
    const write = database.prepare(
      "INSERT INTO hints VALUES (@path, @source, @named, @merged) ON CONFLICT DO UPDATE SET named = @named, merged = @merged",
    );
    database.pragma("synchronous = NORMAL");
    database.transaction(() => {
      for (const path of this.#unwritten) {
        const hint = this.#waiting.get(path);
        if (hint === undefined) remove.run(path);
        else write.run({ ...hintOf(hint), named: Number(hint.named), merged: Number(hint.merged) });
      }
    })();
    database.pragma("synchronous = FULL");
    this.#unwritten.clear();
  }

  /** Replaces the deepest ones of the older half by their folders, again and again until half of the room is free. */
  #mergeOldest(): void {
    while (this.#waiting.size > this.#options.most / 2) {
      const hints = [...this.#waiting.values()];
      const older = hints.slice(0, Math.ceil(hints.length / 2));
      const deepest = older.reduce((most, { path }) => Math.max(most, depthOf(path)), 0);
      const merged = older.map((hint) =>
        depthOf(hint.path) < deepest ? hint : { ...hint, path: parentOf(hint.path), named: true, merged: true },
      );
      this.#waiting = withoutCovered([...merged, ...hints.slice(older.length)]);
      for (const { path } of [...older, ...merged]) this.#unwritten.add(path);
    }
  }
}

const depthOf = (path: string): number => (path === "" ? 0 : path.split("/").length);
const hintOf = ({ path, source, named, merged }: Hint): Hint => ({ path, source, named, merged });

/** Hints without those below a merged folder. */
function withoutCovered(hints: readonly Waiters[]): Map<string, Waiters> {
  const folders = new Set(hints.filter(({ merged }) => merged).map(({ path }) => path));
  const isCovered = (path: string): boolean => {
    for (let folder = path; folder !== ""; ) {
      folder = parentOf(folder);
      if (folders.has(folder)) return true;
    }
    return false;
  };
  const kept = new Map<string, Waiters>();
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
