// When a key or a grant ends by itself, as an admin wrote it.
import * as v from "valibot";
import { unprocessable } from "../errors.ts";
import { date, timestamp } from "../inputs.ts";

/**
 * The timestamp of a date or an ISO timestamp; a date lasts to its last millisecond, UTC. Null if nothing was given. Throws 422
 * for anything else and for what is past.
 */
export function expiryOf(written: string | undefined, now: string): string | null {
  if (written === undefined) return null;
  const lasting = v.is(date, written) ? `${written}T23:59:59.999Z` : written;
  const { success, output } = v.safeParse(timestamp, lasting);
  if (!success)
    throw unprocessable("expires must be a date such as 2027-03-01 or a timestamp such as 2027-03-01T09:00:00Z");
  if (output <= now) throw unprocessable(`expires must lie in the future: ${written} is past`);
  return output;
}
