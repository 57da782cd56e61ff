// Collects what a reader finds in one file: problems, which refuse it, and warnings, which do not.
import { FormatError, type ReaderProblem } from "./problems.ts";

/** The place of a problem, as far as it is known. */
export type FindingPlace = Omit<ReaderProblem, "message">;
/** A sentence, or how to make it: finding a suggestion takes time, and a hostile file has a million problems. */
export type LazySentence = string | (() => string);

const maxKept = 100;

const byLine = (one: ReaderProblem, other: ReaderProblem): number => (one.line ?? 0) - (other.line ?? 0);

class Bounded {
  readonly kept: ReaderProblem[] = [];
  more = 0;

  add(message: LazySentence, place: FindingPlace): void {
    if (this.kept.length === maxKept) this.more++;
    else this.kept.push({ ...place, message: typeof message === "string" ? message : message() });
  }
}

/** Keeps 100 problems and 100 warnings, and counts the rest. */
export class Findings {
  readonly #problems = new Bounded();
  readonly #warnings = new Bounded();

  problem(message: LazySentence, place: FindingPlace = {}): void {
    this.#problems.add(message, place);
  }

  warn(message: LazySentence, place: FindingPlace = {}): void {
    this.#warnings.add(message, place);
  }

  /** In the order of their lines. */
  get warnings(): ReaderProblem[] {
    const { kept, more } = this.#warnings;
    const sorted = kept.toSorted(byLine);
    return more === 0 ? sorted : [...sorted, { message: `and ${more} more warnings` }];
  }

  /** Throws FormatError if there is a problem. */
  refuse(): void {
    const { kept, more } = this.#problems;
    if (kept.length > 0) throw new FormatError(kept.toSorted(byLine), more);
  }
}

/** Throws FormatError with one problem. */
export function refuse(message: string, place: FindingPlace = {}): never {
  throw new FormatError([{ ...place, message }]);
}
