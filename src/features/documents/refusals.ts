// The refusals of files: their sentences, their places, and how a client gets them.
import { CliError, conflict, type FileProblem, type Problem } from "../../core/errors.ts";
import { boundedWords, cut } from "../../core/wording.ts";

const positionOf = ({ line, column }: Problem): string =>
  [line === undefined ? [] : `line ${line}`, column === undefined ? [] : `column ${column}`].flat().join(", ");

/** A problem as a client gets it. */
export const fileProblem = (problem: Problem): FileProblem => ({
  file: problem.file === undefined ? null : cut(problem.file),
  place: boundedWords(problem.place ?? positionOf(problem)) || null,
  name: problem.name === undefined ? null : cut(problem.name),
  message: boundedWords(problem.message ?? problem.sentence),
  ...(problem.reason !== undefined && { reason: problem.reason }),
});

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

/** A refused update as the conflict of a request without documents: a sentence for each problem, by the name of the thing. */
export function conflictOf(error: unknown): unknown {
  if (!(error instanceof CliError)) return error;
  const sentences = error.problems.map(({ sentence }) => sentence.replace(/^\w+\[\d+\] \(([^)]*)\)/, "$1"));
  return conflict(`${sentences.join("; ") || error.message}; nothing was changed`);
}
