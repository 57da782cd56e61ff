// Writes entries of the activity feed: each write of a production adds one, whichever transport it used.
import type { PersonId, ProductionId } from "../core/ids.ts";
import type { ActivityVerb } from "../core/store/event_types.ts";
import { type Changed, change } from "../core/store/statements.ts";
import type { Store } from "../core/store/store.ts";

/** What an entry is about. A field is null if the entry is not about such a thing. */
export type ActivitySubject = Record<"node_id" | "delivery_id" | "work_item_id", number | null>;

interface NewEntry extends Partial<ActivitySubject> {
  production_id: ProductionId;
  verb: ActivityVerb;
  summary: string;
  actor: string;
  actor_person_id: PersonId | null;
  created_at: string;
}

const insertActivity = change("create_activity");

/**
 * Adds an entry and returns its id. Call it in the transaction of the write that it describes: it throws an Error
 * outside of one. docs/api.md, "Writing".
 */
export const createActivity = (store: Store, entry: NewEntry): Changed<"create_activity"> =>
  insertActivity(store, { node_id: null, delivery_id: null, work_item_id: null, ...entry });
