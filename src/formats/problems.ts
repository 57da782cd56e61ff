// The type with which every reader of another program's file reports problems.

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
