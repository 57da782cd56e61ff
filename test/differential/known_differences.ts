// The differences that are meant, each with its reason. A difference that none of them allows fails the comparison.
import type { Difference } from "./compare.ts";
import type { Step } from "./steps.ts";

export interface KnownDifference {
  reason: string;
  allows(difference: Difference, step: Step): boolean;
}

export const knownDifferences: readonly KnownDifference[] = [];

export const reasonOf = (difference: Difference, step: Step): string | undefined =>
  knownDifferences.find(({ allows }) => allows(difference, step))?.reason;
