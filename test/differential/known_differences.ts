// The differences that are meant, each with its reason. A difference that none of them allows fails the comparison.
import { isDeepStrictEqual } from "node:util";
import type { Difference } from "./compare.ts";
import type { Step } from "./steps.ts";

export interface KnownDifference {
  reason: string;
  allows(difference: Difference, step: Step): boolean;
}

const sorted = (text: unknown): string => (String(text).match(/\d+(?:-\d+)*|\D+/g) ?? []).sort().join();

/** A value without the times at which its things were changed last. */
const untimed = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null, (name, one) => (name === "updated_at" ? undefined : one)));

/** Rows of media without their ids, which their paths begin with. */
const withoutIds = (rows: unknown): unknown =>
  JSON.parse(JSON.stringify(rows), (name, one) => {
    if (name === "path") return String(one).replace(/^\d+/, "");
    return name === "id" ? undefined : one;
  });

const isUndo = (step: Step): boolean =>
  step.do === "command" ? step.argv[0] === "undo" : step.do === "call" && /\/undo(?:\?|$)/.test(step.path);

export const knownDifferences: readonly KnownDifference[] = [
  {
    reason: "a warning about days of one date names them in the order of their numbers, and not of their digits",
    allows: ({ where, former, present }) =>
      /warnings$/.test(where) && /^days .* are both on /.test(String(former)) && sorted(former) === sorted(present),
  },
  {
    reason: "a scene that a complete list of scenes omits gets the time of its change",
    allows: ({ where, former, present }, step) =>
      step.do === "import" &&
      step.query.exact === "true" &&
      /^(?:table nodes|export\.scenes)$/.test(where) &&
      isDeepStrictEqual(untimed(former), untimed(present)),
  },
  {
    reason: "an undo gives media their former ids",
    allows: ({ where, former, present }, step) =>
      isUndo(step) && where === "table media" && isDeepStrictEqual(withoutIds(former), withoutIds(present)),
  },
  {
    reason: "a sentence of activity may list its facts in another order, so the former program's export contradicts it",
    allows: ({ where, present }) =>
      where === "refusal by the present only" &&
      /activity\[\d+\].*\.summary contradicts what was recorded/.test(String(present)),
  },
];

export const reasonOf = (difference: Difference, step: Step): string | undefined =>
  knownDifferences.find(({ allows }) => allows(difference, step))?.reason;
