// The revision of a production: it moves with every commit that an export of the production would show.
import type { Store } from "./database.ts";
import { change, many, value } from "./statements.ts";

const rowsOf = many<{ production_id: number }, { part: string; revision: number }>("list_revisions");
const epochOf = value<object, string>("get_epoch");
/** Starts another life of the database: positions and revisions of the former one are not valid any more. */
export const startEpoch = change<{ now: string }>("start_epoch");
change<{ production_id: number; part: string }>("bump_revision"); // the store runs it before each commit

/** How often each part (a table) of a production changed. */
export const revisionsOf = (store: Store, production_id: number): ReadonlyMap<string, number> =>
  new Map(rowsOf(store, { production_id }).map(({ part, revision }) => [part, revision]));

/** The epoch of the database: restoring a backup and promoting a replica change it. */
export const epoch = (store: Store): string => epochOf(store, {}) as string; // every migrated database has one

/** The production's revision: an opaque text. */
export function revisionOf(store: Store, production_id: number): string {
  let sum = 0;
  for (const revision of revisionsOf(store, production_id).values()) sum += revision;
  return `${epoch(store)}-${sum}`;
}
