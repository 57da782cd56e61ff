// The differences that are meant, each with its reason. A difference that none of them allows fails the comparison.
import type { Difference } from "./compare.ts";
import type { Step } from "./steps.ts";

export interface KnownDifference {
  reason: string;
  allows(difference: Difference, step: Step): boolean;
}

const sorted = (text: unknown): string => (String(text).match(/\d+(?:-\d+)*|\D+/g) ?? []).sort().join();

export const knownDifferences: readonly KnownDifference[] = [
  {
    reason: "a warning about days of one date names them in the order of their numbers, and not of their digits",
    allows: ({ where, former, present }) =>
      /warnings$/.test(where) && /^days .* are both on /.test(String(former)) && sorted(former) === sorted(present),
  },
];

export const reasonOf = (difference: Difference, step: Step): string | undefined =>
  knownDifferences.find(({ allows }) => allows(difference, step))?.reason;
