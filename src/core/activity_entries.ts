// Writes the activity feed. Every write adds an entry, whichever transport it used.
import type { PersonId, ProductionId } from "./ids.ts";
import type { Store } from "./store/database.ts";
import { type Changed, change } from "./store/statements.ts";

/** What an entry is about; null if it is about something else. */
export type ActivitySubject = Record<"node_id" | "delivery_id" | "work_item_id", number | null>;

interface NewEntry extends Partial<ActivitySubject> {
  production_id: ProductionId;
  verb: string;
  summary: string;
  actor: string;
  actor_person_id: PersonId | null;
  created_at: string;
}

const insertActivity = change("create_activity");

/** Adds an entry. Call it in the transaction of the write that it describes. */
export const createActivity = (store: Store, entry: NewEntry): Changed =>
  insertActivity(store, { node_id: null, delivery_id: null, work_item_id: null, ...entry });
