// When a key or a grant ends by itself, from what an admin wrote.
import * as v from "valibot";
import { CliError } from "../errors.ts";
import { date, timestamp } from "../inputs.ts";

/**
 * The moment of a date or an ISO moment; a date lasts through its last millisecond, UTC. Null where nothing was said.
 * Throws CliError for anything else and for what lies in the past.
 */
export function expiryOf(written: string | undefined, now: string): string | null {
  if (written === undefined) return null;
  const cacheable = v.is(date, written) ? `${written}T23:59:59.999Z` : written;
  const { success, output } = v.safeParse(timestamp, cacheable);
  if (!success)
    throw new CliError(`expires must be a date such as 2027-03-01 or a moment such as 2027-03-01T09:00:00Z`);
  if (output <= now) throw new CliError(`expires must lie in the future: ${written} is past`);
  return output;
}
