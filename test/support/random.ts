// Random numbers that are the same for the same seed. Every random test takes its own from one seed: 1, or the number
// in SEED. SEED=random chooses another one for the run.
import { randomInt } from "node:crypto";

// for the processes that this one starts, too
if (process.env.SEED === "random") process.env.SEED = String(randomInt(2 ** 31));
export const seed = Number(process.env.SEED ?? 1);
if (!Number.isSafeInteger(seed)) throw new Error(`SEED must be an integer or "random", not ${process.env.SEED}`);

/** Numbers from 0 to below 1 (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x100000000;
  };
}
