// The life of a database: restoring a backup and promoting a replica begin another one.
import type { Store } from "./database.ts";
import { change, value } from "./statements.ts";

const epochOf = value<object, string>("get_epoch");
/** Starts another life of the database: positions and revisions of the former one are not valid any more. */
export const startEpoch = change("start_epoch");
/** Records that the present epoch continues another one. Only a promotion does it. */
export const recordSuccession = change("record_succession");

export const epoch = (store: Store): string => epochOf(store, {}) as string; // every migrated database has one
