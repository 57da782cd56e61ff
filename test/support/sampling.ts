// How many rounds or random cases a test tries: all of them with --all, the first few of them in a quick run; CASES=10
// tries ten times as many. The cases are those of the seed of random.ts.
import fc from "fast-check";
import { isThorough } from "./proportion.ts";
import { seed } from "./random.ts";

fc.configureGlobal({ seed });
const times = Number(process.env.CASES ?? 1);

/**
 * Whether the cases are known to try everything: those of another seed need not, unless there are ten times as many.
 */
export const triesAll = seed === 1 || times >= 10;

/** How many of `all` rounds a quick run does: one in `share`. */
export const some = (all: number, share = 6): number => (isThorough ? all : Math.ceil(all / share));

/** The rows that a test walks: all of them with --all, one in `share` in a quick run. */
export const sampleOf = <T>(rows: readonly T[], share = 6): T[] =>
  rows.filter((_, at) => isThorough || at % share === 0);

/** fast-check's options for a property that has `all` cases with --all, and one in `share` otherwise. */
export const sampling = (all: number, share = 6): { numRuns: number } => ({ numRuns: times * some(all, share) });

/** The seeds of `count` random cases, for a test that makes its cases itself. */
export const seedsOf = (count: number): number[] => Array.from({ length: times * count }, (_, at) => seed + at);

/** Tries a property without promises. fc.assert may return a promise, so that the linter asks for an await. */
export function assertProperty<T>(property: fc.IProperty<T>, parameters?: fc.Parameters<T>): void {
  void fc.assert(property, parameters);
}
