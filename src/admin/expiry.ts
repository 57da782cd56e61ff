// Parses the expiry of a key or a grant, as an admin writes it.
import * as v from "valibot";
import { unprocessable } from "../errors.ts";
import { date, timestamp } from "../inputs.ts";

/**
 * Returns the timestamp for a date or an ISO timestamp; a date means its last millisecond in UTC. Returns null if nothing is given.
 * Throws 422 for anything else, and for a time in the past.
 */
export function expiryOf(written: string | undefined, now: string): string | null {
  if (written === undefined) return null;
  const lasting = v.is(date, written) ? `${written}T23:59:59.999Z` : written;
  const { success, output } = v.safeParse(timestamp, lasting);
  if (!success)
    throw unprocessable("expires must be a date such as 2027-03-01 or a timestamp such as 2027-03-01T09:00:00Z");
  if (output <= now) throw unprocessable(`expires must be in the future: ${written} is in the past`);
  return output;
}
