// The refusals of files: their sentences, their places, and how a client gets them.
import { CliError, conflict, type FileProblem, type Problem } from "../../core/errors.ts";
import { boundedWords, cut } from "../../core/wording.ts";
import { mistakeOf } from "./sections/problems.ts";

const positionOf = ({ line, column }: { line?: number | undefined; column?: string | undefined }): string =>
  [line === undefined ? [] : `line ${line}`, column === undefined ? [] : `column ${column}`].flat().join(", ");

/** A problem as a client gets it. */
const fileProblem = (problem: Problem): FileProblem => ({
  file: problem.file === undefined ? null : cut(problem.file),
  place: boundedWords(problem.place ?? positionOf(problem)) || null,
  name: problem.name === undefined ? null : cut(problem.name),
  message: boundedWords(problem.message ?? problem.sentence),
  ...(problem.reason !== undefined && { reason: problem.reason }),
  ...(problem.choices !== undefined && { choices: problem.choices }),
});

/** How many places of one mistake are named. */
const namedPlaces = 3;

/** The same problem at one or several places of a file. */
interface Mistake {
  /** The first ones. */
  problems: Problem[];
  count: number;
}

/** The mistakes of problems, each once, in the order of their first places. */
function mistakesOf(problems: readonly Problem[]): Mistake[] {
  const mistakes = new Map<string, Mistake>();
  for (const problem of problems) {
    const { file, place = "", column, message, sentence, again = 0 } = problem;
    const key = JSON.stringify([file, column, mistakeOf(place, message ?? sentence)]);
    const mistake = mistakes.get(key) ?? { problems: [], count: 0 };
    mistakes.set(key, mistake);
    mistake.count += 1 + again;
    if (mistake.problems.length < namedPlaces) mistake.problems.push(problem);
  }
  return [...mistakes.values()];
}

/** One sentence of a mistake: "list.csv, line 3, line 4, line 7 and 20 more, column Set: … (23 times)". */
function mistakeText({ problems, count }: Mistake): string {
  const [first = { sentence: "" }] = problems; // a mistake has a problem
  if (count === 1) return problemText(first);
  const { file, place, column, message, sentence } = first;
  const more = count > problems.length ? ` and ${count - problems.length} more` : "";
  const places = problems.map((one) => (place === undefined ? positionOf({ ...one, column: undefined }) : one.place));
  const where = [places.filter(Boolean).join(", ") + more, column === undefined ? "" : `column ${column}`];
  if (place !== undefined) return `${file}: ${where[0]} ${message ?? sentence} (${count} times)`;
  return `${[file, ...where].filter(Boolean).join(", ")}: ${sentence} (${count} times)`;
}

const fileMistake = ({ problems, count }: Mistake): FileProblem => {
  const [first, ...others] = problems.map(fileProblem) as [FileProblem, ...FileProblem[]]; // a mistake has a problem
  return count === 1 ? first : { ...first, count, places: [first, ...others].flatMap(({ place }) => place ?? []) };
};

/** How many mistakes the detail of a response names. */
const maxNamed = 20;

/**
 * The detail of a refusal and its problems, as a client gets them: one sentence for a mistake that repeats, with its
 * count and first three places. `more` is how many problems there are beside these.
 */
export function refusalIn(problems: readonly Problem[], more = 0): { detail: string; problems: FileProblem[] } {
  const mistakes = mistakesOf(problems);
  const named = mistakes.slice(0, maxNamed);
  const rest = problems.length + more - named.reduce((sum, { count }) => sum + count, 0);
  const detail = [...named.map(mistakeText), ...(rest > 0 ? [`and ${rest} more`] : [])].join("; ");
  return { detail, problems: mistakes.map(fileMistake) };
}

/** A problem with its file: "pink.fdx, line 3549: scene number 71F appears twice". */
export function problemText(problem: Problem): string {
  const text = [problem.file ?? "", positionOf(problem)].filter(Boolean).join(", ");
  return text === "" ? problem.sentence : `${text}: ${problem.sentence}`;
}

/** The error for an import that is refused. */
export const notImported = (
  why: string,
  problems: readonly Problem[] = [],
  lines: readonly string[] = [],
  more = 0,
): CliError => new CliError(`${why}; nothing was imported`, lines, problems, more);

/** The error for a file that an import cannot take. */
export const refusedFile = (file: string, sentence: string): CliError =>
  notImported(`${file}: ${sentence}`, [{ file, sentence }]);

/**
 * A refused update as the conflict of a request without documents: a sentence for each problem, by the name of the
 * thing.
 */
export function conflictOf(error: unknown): unknown {
  if (!(error instanceof CliError)) return error;
  const sentences = error.problems.map(({ sentence }) => sentence.replace(/^\w+\[\d+\] \(([^)]*)\)/, "$1"));
  return conflict(`${sentences.join("; ") || error.message}; nothing was changed`);
}
