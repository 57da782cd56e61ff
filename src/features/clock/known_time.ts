// What is known of the true time, from what the clock showed: with it, a clock that is wrong is told from a pause.
// docs/operating.md, "Health".
import { join } from "node:path";
import * as v from "valibot";
import { readRecord } from "../../core/store/files.ts";
import { day, minute } from "../../core/times.ts";

/** What counts as a jump, in milliseconds. */
export const tolerance = 5 * minute;
/** A clock that shows more than that after the known time is wrong, in milliseconds. */
const year = 365 * day;
/**
 * After so much running time a clock that went forward is believed, in milliseconds. One that is set back before then
 * was wrong, and is right again.
 */
const trial = 30 * day;

/** In milliseconds. */
export interface KnownTime {
  /**
   * The newest time that the clock showed while it was right; after a jump forward, the time that it would show without
   * the jump.
   */
  newest: number;
  /** How long this process has run since the jump forward. */
  tried: number;
  /** Whether the last look found that the clock was wrong. */
  wrong: boolean;
}

const clockName = "clock.json";
const recordSchema = v.object({
  clock: v.number(),
  settled: v.number(),
  newest: v.optional(v.number()),
  tried: v.optional(v.number(), 0),
  wrong: v.optional(v.boolean(), false),
});

export const recordFile = (folder: string): string => join(folder, clockName);
/** What the last look at the clock found; undefined if the directory was never served. */
export const clockRecord = (folder: string): v.InferOutput<typeof recordSchema> | undefined =>
  readRecord(recordFile(folder), recordSchema);

/** What is known if nothing is recorded but what the clock shows. */
export const knownFrom = (record: ReturnType<typeof clockRecord>, clock: number): KnownTime => ({
  newest: record?.newest ?? record?.clock ?? clock,
  tried: record?.tried ?? 0,
  wrong: record?.wrong ?? false,
});

const written = (time: number): string => new Date(time).toISOString();

/** Why the clock is wrong, as a sentence; undefined if it may be right. */
export function clockProblem({ newest }: Pick<KnownTime, "newest">, clock: number): string | undefined {
  if (clock < newest - tolerance)
    return `the clock shows ${written(clock)}, which is before ${written(newest)}, which it showed before; set it`;
  if (clock > newest + year)
    return `the clock shows ${written(clock)}, which is more than a year after ${written(newest)}, which it showed before; set it, or if it is right, stop the server and remove ${clockName}`;
  return undefined;
}

/**
 * What is known once the clock shows `clock`, when `ran` milliseconds have passed since the last look. A wrong clock
 * changes no time.
 */
export function afterLook(known: KnownTime, clock: number, ran: number): KnownTime {
  if (clockProblem(known, clock) !== undefined) return { ...known, wrong: true };
  const expected = known.newest + ran;
  const tried = known.tried + ran;
  const isBelieved = known.wrong || clock - expected <= tolerance || tried > trial;
  return isBelieved ? { newest: clock, tried: 0, wrong: false } : { newest: expected, tried, wrong: false };
}
