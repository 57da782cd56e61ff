// The activity feed. Every write adds an entry, whichever transport it used.
import * as v from "valibot";
import type { Context, Reach } from "../context.ts";
import { limit } from "../inputs.ts";
import { id, record, text, timestamp } from "../records.ts";
import type { EventType } from "../store/event_types.ts";
import { type Happening, recordEvent } from "../store/events.ts";
import { change, document } from "../store/statements.ts";
import { operation } from "./operation.ts";
import { read } from "./read.ts";

const activityEntry = record(
  "ActivityEntry",
  v.object({
    id,
    verb: text,
    summary: text,
    actor: text,
    actor_person_id: v.nullable(id),
    node_id: v.nullable(id),
    created_at: timestamp,
  }),
);
type ActivityEntry = v.InferOutput<typeof activityEntry>;

const activityOf = document<Reach & { limit: number }, ActivityEntry[]>("list_activity");
/** Adds an entry. Call it in the transaction of the write that it describes. */
export const createActivity = change<Omit<ActivityEntry, "id"> & { production_id: number }>("create_activity");

export const listActivity = operation({
  name: "list_activity",
  summary: "The activity feed, newest first.",
  method: "GET",
  path: "/activity",
  scope: "read",
  reach: "production",
  input: v.object({ limit: v.optional(limit, 50) }),
  output: v.array(activityEntry),
  errors: [],
  tool: {},
  run: (context, { limit }) => read(context, activityOf, { limit }),
});

interface Entry {
  verb: string;
  summary: string;
  node_id?: number | null;
}

/**
 * Adds an entry with the key's label as actor and the person accountable for the key. With `happening`, also records the event of
 * the change.
 */
export function recordActivity<T extends EventType>(
  { app, caller, now }: Context,
  { verb, summary, node_id = null }: Entry,
  happening?: Happening<T>,
): void {
  const { production_id, label: actor, person_id: actor_person_id } = caller;
  const entry = { production_id, verb, summary, node_id, created_at: now, actor, actor_person_id };
  const { id: activity_id } = createActivity(app.store, entry);
  if (happening !== undefined) recordEvent(app.store, { ...happening, production_id, actor, activity_id }, now);
}
