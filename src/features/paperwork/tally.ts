// Counts what a reader saw that has the marks of data, what it took, and what it named: whatever was seen must have
// been taken or named.

/** How many things of one kind a reader saw, took, and named in a warning. */
export interface Count {
  seen: number;
  taken: number;
  named: number;
}

/** By the name of the kind in the singular, such as "scene heading" or "row". */
export type Counts = Readonly<Record<string, Readonly<Count>>>;

/**
 * Counts for one file. `saw` belongs where the reader meets a thing, before it decides what that is; `took` where the
 * thing stands in the result, best from the result itself; `named` where a warning about it is added. A file that is
 * refused needs no counts.
 */
export class Tally {
  readonly #counts = new Map<string, Count>();

  #of(kind: string): Count {
    let count = this.#counts.get(kind);
    if (count === undefined) {
      count = { seen: 0, taken: 0, named: 0 };
      this.#counts.set(kind, count);
    }
    return count;
  }

  saw(kind: string, count = 1): void {
    this.#of(kind).seen += count;
  }

  took(kind: string, count = 1): void {
    this.#of(kind).taken += count;
  }

  named(kind: string, count = 1): void {
    this.#of(kind).named += count;
  }

  get counts(): Counts {
    return Object.fromEntries(this.#counts);
  }
}

/**
 * A sentence for each kind of which more was seen than was taken or named: nothing is lost in silence, even where a
 * reader is wrong.
 */
export const missingIn = (counts: Counts): string[] =>
  Object.entries(counts).flatMap(([kind, { seen, taken, named }]) => {
    const missing = seen - taken - named;
    return missing > 0 ? `${missing} of ${seen} in the file that look like a ${kind} were not read` : [];
  });
