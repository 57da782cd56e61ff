// Documents in one comparison: their problems, and what stays as it is stored.
import type { Problem } from "../../../core/errors.ts";
import { firstOf } from "../../../core/wording.ts";
import { notImported, problemText } from "../refusals.ts";
import { sectionNames } from "../sections/sections.ts";
import type { InputDocument } from "./read.ts";

/** A document with problems of its own in one comparison. */
export interface Source extends InputDocument {
  /**
   * Values that the update does not change: the thing, and a sentence that says what stays and which command changes
   * it.
   */
  kept: { thing: string; sentence: string }[];
}

export const asSource = (given: InputDocument): Source => ({
  ...given,
  problems: given.problems.copy(),
  kept: [],
});

/** A warning for each sentence about what stays, with the things that it is about. */
export const unchangedWarnings = ({ file, kept, cleaned = [] }: Source): string[] => [
  ...cleaned.map((sentence) => `${file}: ${sentence}`),
  ...[...Map.groupBy(kept, ({ sentence }) => sentence)].map(
    ([sentence, all]) => `${firstOf([...new Set(all.map(({ thing }) => thing))])}: ${sentence}`,
  ),
];

const sectionOrder = ["document", "document_version", "production", ...sectionNames];

/** A problem at the line of its file, if the reader of the file knows that, and otherwise at its place. */
function located(problem: Problem, origin: InputDocument["origin"]): Problem {
  const { place = "", message: _, sentence, ...rest } = problem;
  const { line, column } = origin?.(place) ?? {};
  if (line === undefined) return problem;
  const named = sentence.replace(/^\w+\[\d+\] \(([^)]*)\)/, "$1");
  return { ...rest, line, ...(column !== undefined && { column }), sentence: named };
}

/** Throws CliError with every problem of every document. */
export function refuseDocuments(sources: readonly Source[]): never {
  const found = sources.map(({ file, problems, document, unsound = document, unreadable = [], origin }) => {
    const described = problems.described(unsound, sectionOrder);
    return { file, problems: [...unreadable, ...described.map((one): Problem => ({ file, ...located(one, origin) }))] };
  });
  const more = sources.reduce((sum, { problems }) => sum + problems.more, 0);
  const bad = found.filter(({ problems }) => problems.length > 0);
  const problems = bad.flatMap(({ problems }) => problems);
  const count = problems.length + more === 1 ? "a problem" : `${problems.length + more} problems`;
  const onlyFile = bad.length === 1 ? bad[0]?.file : undefined;
  throw notImported(
    onlyFile === undefined ? `${bad.length} of ${sources.length} files have ${count}` : `${onlyFile} has ${count}`,
    problems,
    problems.map((one) => (onlyFile !== undefined && one.line === undefined ? one.sentence : problemText(one))),
    more,
  );
}
