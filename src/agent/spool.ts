// The spool: paths that changed and that the agent has not looked at yet. It is in memory, and its size is limited:
// what is lost with the process, or does not fit, a full pass finds.
import type { ReportSource } from "./report.ts";

export interface Hint {
  path: string;
  source: ReportSource;
  /** Names came or went, not only bytes: a folder at this path is to be walked. */
  named: boolean;
}

interface WaitingHint extends Hint {
  /** Milliseconds: when the first and the last hint came. */
  first: number;
  last: number;
}

export interface SpoolOptions {
  now(): number;
  /** Milliseconds for which nothing must happen at a path before it is looked at. */
  settle: number;
  /** Milliseconds after which it is looked at all the same. */
  patience: number;
  /** Is called with each hint that does not fit. */
  overflow(): void;
  /** So many hints at the most. */
  most?: number;
}

export class Spool {
  readonly #options: Required<SpoolOptions>;
  /** In the order of their first hint. */
  readonly #waiting = new Map<string, WaitingHint>();

  constructor(options: SpoolOptions) {
    this.#options = { most: 10_000, ...options };
  }

  get size(): number {
    return this.#waiting.size;
  }

  add(hint: Hint): void {
    const { now, most, overflow } = this.#options;
    const known = this.#waiting.get(hint.path);
    if (known !== undefined) {
      known.last = now();
      known.named ||= hint.named;
    } else if (this.#waiting.size === most) overflow();
    else this.#waiting.set(hint.path, { ...hint, first: now(), last: now() });
  }

  #dueAt({ first, last }: WaitingHint): number {
    return Math.min(last + this.#options.settle, first + this.#options.patience);
  }

  /** Hints that have settled, oldest first, at most `most` of them. They stay until `done`. */
  ready(most: number): Hint[] {
    const now = this.#options.now();
    return this.#waiting
      .values()
      .filter((hint) => this.#dueAt(hint) <= now)
      .take(most)
      .map(({ path, source, named }) => ({ path, source, named }))
      .toArray();
  }

  /** Milliseconds until the next hint settles; undefined if there is none. */
  get wait(): number | undefined {
    let least = Number.POSITIVE_INFINITY;
    for (const hint of this.#waiting.values()) least = Math.min(least, this.#dueAt(hint));
    return this.size === 0 ? undefined : Math.max(0, least - this.#options.now());
  }

  /** These were looked at at `since` or later; what came after that stays. */
  done(hints: readonly Hint[], since: number): void {
    for (const { path } of hints) {
      const hint = this.#waiting.get(path);
      if (hint === undefined) continue;
      if (hint.last > since) hint.first = hint.last;
      else this.#waiting.delete(path);
    }
  }
}
