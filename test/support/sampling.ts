// How many rounds or random cases a test tries: all of them with --all, the same few in every quick run.
import { isThorough } from "./proportion.ts";

/** How many of `all` rounds or cases a quick run does: one in `share`. */
export const some = (all: number, share = 6): number => (isThorough ? all : Math.ceil(all / share));

/** fast-check's options for a property that has `all` cases with --all, and one in `share` otherwise. SEED chooses others. */
export function sampling(all: number, seed?: number, share = 6): { numRuns: number; seed?: number } {
  const chosen = process.env.SEED === undefined ? (seed ?? (isThorough ? undefined : 1)) : Number(process.env.SEED);
  const numRuns = some(all, share);
  return chosen === undefined ? { numRuns } : { numRuns, seed: chosen };
}
