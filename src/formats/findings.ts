// Collects what a reader finds in one file: problems, which refuse it, and warnings, which do not. Bounds how often a file names things.
import { quoted } from "../spelling.ts";

/** One problem of a file: its place where it has one, and what is wrong there. */
export interface ReaderProblem {
  /** Counted from 1. */
  line?: number;
  /** The name of the column, in a file that has columns. */
  column?: string;
  message: string;
}

const maxProblems = 100;

function sentenceOf({ line, column, message }: ReaderProblem): string {
  const place = [line === undefined ? [] : `line ${line}`, column === undefined ? [] : `column ${column}`].flat();
  return place.length === 0 ? message : `${place.join(", ")}: ${message}`;
}

/** A file that cannot be read: up to 100 problems, and how many more there are. */
export class FormatError extends Error {
  readonly problems: readonly ReaderProblem[];
  readonly more: number;
  constructor(problems: readonly ReaderProblem[], more = 0) {
    const kept = problems.slice(0, maxProblems);
    const rest = more + problems.length - kept.length;
    super(kept.map(sentenceOf).join("\n") + (rest > 0 ? `\nand ${rest} more` : ""));
    this.name = "FormatError";
    this.problems = kept;
    this.more = rest;
  }
}

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

/** Reports the second and every further row of one key, with the line of the first. Answers whether the row is the first. */
export class Repeats {
  readonly #first = new Map<string, number>();
  readonly #findings: Findings;
  readonly #advice: string;

  constructor(findings: Findings, advice = "") {
    this.#findings = findings;
    this.#advice = advice;
  }

  isFirst(key: string, name: string, line: number): boolean {
    const first = this.#first.get(key);
    if (first === undefined) {
      this.#first.set(key, line);
      return true;
    }
    this.#findings.problem(`${quoted(name)} appears twice, first on line ${first}${this.#advice}`, { line });
    return false;
  }
}

/** More than any production needs: a script of 500 scenes with 50 elements each names 25,000. */
const maxMentions = 200_000;

/** Counts what one file names, each time that it names it. */
export class Mentions {
  #count = 0;

  /** Throws FormatError if the file names too much. */
  add(count = 1, place: FindingPlace = {}): void {
    this.#count += count;
    if (this.#count > maxMentions)
      refuse(
        `the file names scenes and elements more than ${maxMentions.toLocaleString("en")} times, the maximum`,
        place,
      );
  }
}
