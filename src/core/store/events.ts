// Writes the event log: what changed, in commit order. An event is written in the transaction of the change that it
// describes. docs/api.md, "An event".
import type { ProductionId } from "../ids.ts";
import type { DataOf, EventType, SubjectOf } from "./event_types.ts";
import { change } from "./statements.ts";
import type { Store } from "./store.ts";

/** What happened: the type, its subject and the few fields that say what changed. */
export interface EventContent<T extends EventType> {
  type: T;
  subject: { kind: SubjectOf<T>; id: number };
  data: DataOf<T>;
}

/** An event with whose it is, as it is recorded. */
interface NewEvent<T extends EventType> extends EventContent<T> {
  production_id: ProductionId;
  /** The label of the key that acted, or "admin" at the command line: the actor of the activity feed. */
  actor: string;
  /** The activity entry of the same change; null if it has none. */
  activity_id: number | null;
}

const insertEvent = change("record_event");

/** Records an event, in the transaction of the change. Returns the event's id. */
export const recordEvent = <T extends EventType>(store: Store, event: NewEvent<T>, now: string): number => {
  const { production_id, type, subject, actor, activity_id } = event;
  const row = { production_id, type, subject_kind: subject.kind, subject_id: subject.id, actor, activity_id, now };
  return insertEvent(store, { ...row, data: JSON.stringify(event.data) }).id;
};
