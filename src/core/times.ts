// Units of time, a time after another one, and when something is tried again. It imports nothing, because the storage
// agent imports it.

/** In milliseconds, like every duration whose name says nothing else. */
export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** The time `milliseconds` after another one, in the format of stored timestamps. */
export const later = (timestamp: string, milliseconds: number): string =>
  new Date(Date.parse(timestamp) + Math.round(milliseconds)).toISOString();

/** A moment in the format of stored timestamps. */
export const timestampAt = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** The present time of a clock, in the format of stored timestamps. */
export const timestampOf = ({ clock }: { clock(): number }): string => new Date(clock()).toISOString();

/**
 * A Retry-After header, which is seconds or a date (RFC 9110 section 10.2.3), in milliseconds from now, and at most
 * `most`. Undefined if there is none that can be read.
 */
export function retryAfterOf(
  header: string | null | undefined,
  now: number,
  most = Number.POSITIVE_INFINITY,
): number | undefined {
  const written = header?.trim() ?? "";
  const asked = /^\d{1,9}$/.test(written) ? Number(written) * 1000 : Date.parse(written) - now;
  return Number.isNaN(asked) ? undefined : Math.min(Math.max(asked, 0), most);
}

/** The time before the first further try, and the most before any, in milliseconds. */
export interface Backoff {
  first: number;
  most: number;
}

/** How many ids a millisecond has. */
const idsOfMillisecond = 1000;
/** The greatest id that a moment gives: half of what a number keeps, so that the ones after it are numbers, too. */
const greatestOfTime = 2 ** 52;

/**
 * The least id of what somebody sends at a moment. Ids that only counted would tell one vendor how much others send; of
 * these, two tell only how much time was between them. They grow with time, so what is ordered by id is in the order of
 * its making.
 */
export const leastIdAt = (now: string): number => Math.min(Date.parse(now) * idsOfMillisecond, greatestOfTime);

/**
 * Milliseconds to wait after `failures` in a row: a time that doubles with each, of which up to a half is left out at
 * random, so that clients of one server do not try at the same time; and at least `asked`.
 */
export const pauseAfter = (failures: number, { first, most }: Backoff, asked = 0): number =>
  Math.max(asked, Math.min(most, first * 2 ** Math.min(failures - 1, 30)) * (0.5 + Math.random() / 2));

/**
 * When a date may end next, somewhere: the dates of all time zones end at quarters of an hour in UTC.
 */
export const nextQuarter = (milliseconds: number): number =>
  (Math.floor(milliseconds / (15 * minute)) + 1) * 15 * minute;
