// How many random cases a property test tries: all of them with --all, the same few in every quick run.
import { isThorough } from "./proportion.ts";

/** fast-check's options for a property that has `all` cases with --all, and one in `share` otherwise. SEED chooses others. */
export function sampling(all: number, seed?: number, share = 6): { numRuns: number; seed?: number } {
  const chosen = process.env.SEED === undefined ? (seed ?? (isThorough ? undefined : 1)) : Number(process.env.SEED);
  const numRuns = isThorough ? all : Math.ceil(all / share);
  return chosen === undefined ? { numRuns } : { numRuns, seed: chosen };
}
