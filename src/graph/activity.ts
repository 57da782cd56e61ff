// Lists the activity feed, and records what a call changed: the entry and the event. docs/api.md, "Reading" and
// "Writing".
import * as v from "valibot";
import type { Context, Reach } from "../core/context.ts";
import { unprocessable } from "../core/errors.ts";
import type { ProductionId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import { reachOf, reading } from "../core/operation.ts";
import * as out from "../core/records.ts";
import {
  activityVerbs,
  type EventType,
  isEventType,
  type OtherVerbs,
  type VerbOf,
  verbsOf,
} from "../core/store/event_types.ts";
import { type EventContent, recordEvent } from "../core/store/events.ts";
import { one, value } from "../core/store/statements.ts";
import { type ActivitySubject, createActivity } from "./activity_entries.ts";

const { describe } = input;

const activityEntry = out.record(
  "ActivityEntry",
  v.object({
    id: out.id,
    verb: out.text,
    summary: out.text,
    actor: out.text,
    actor_person_id: v.nullable(out.id),
    node_id: v.nullable(out.id),
    delivery_id: describe(v.optional(out.id), "Present on an entry about a delivery."),
    work_item_id: describe(v.optional(out.id), "Present on an entry about submitted work: the submission's id."),
    submission_id: describe(v.optional(out.id), "The same id as work_item_id."),
    created_at: out.timestamp,
  }),
);
const placeOf = one<Reach & { before: number }, { place: string }>("get_activity_place");

const hasVerb = value<{ production_id: ProductionId; verb: string }, 0 | 1>("has_activity_verb");

/**
 * The parameter `from`: the place of the entry `before`, whose predecessors are listed. Throws 422 if there is no such
 * entry.
 */
function placeBefore(context: Context, { before }: { before?: number | undefined }) {
  const from = before === undefined ? null : placeOf(context.app.store, { ...reachOf(context), before })?.place;
  if (from === undefined) throw unprocessable("before must be the id of an activity entry of this production");
  return { from };
}

/**
 * The further verbs that a verb means, if it is an event type. Throws 422 for one that neither the program nor the
 * production has.
 */
function verbsNamed({ app, caller }: Context, { verb }: { verb?: string | undefined }): readonly string[] {
  if (verb === undefined) return [];
  if (isEventType(verb)) return verbsOf(verb);
  const known = activityVerbs();
  const { production_id } = caller;
  if (known.has(verb) || hasVerb(app.store, { production_id, verb }) === 1) return [];
  throw unprocessable(`verb must be one of ${[...known].sort().join(", ")}`);
}

const bounds = (context: Context, given: { before?: number | undefined; verb?: string | undefined }) => ({
  ...placeBefore(context, given),
  verbs: verbsNamed(context, given),
});

export const listActivity = reading({
  name: "list_activity",
  reports: "reads",
  summary: "The activity feed, newest first. With before, the page before that entry.",
  path: "/activity",
  scope: "read",
  input: v.object({
    limit: v.optional(input.limit, 50),
    before: v.optional(describe(input.id, "The id of an entry, usually the last of the page before.")),
    since: v.optional(describe(input.timestamp, "Only entries from this time on.")),
    until: v.optional(describe(input.timestamp, "Only entries before this time.")),
    verb: v.optional(
      describe(
        input.text(200),
        "Only entries with this verb, or with the verbs of this event type; another one is 422.",
      ),
    ),
    node_id: v.optional(describe(input.id, "Only entries about this scene or asset.")),
    episode_id: v.optional(
      describe(
        input.ids,
        "Only entries about scenes of these episodes and what they need, or that name such a scene. May be repeated.",
      ),
    ),
  }),
  output: v.array(activityEntry),
  tool: { omit: ["before", "since", "until", "verb", "node_id", "episode_id"] },
  parameters: bounds,
});

/**
 * Adds an entry with the key's label as actor and the person accountable for the key, and the event of the change; null
 * if the call changed nothing of which there is an event. Call it in the transaction of the change.
 */
export function recordActivity<T extends EventType>(
  { app, caller, now }: Context,
  {
    verb,
    summary,
    ...subject
  }: { verb: NoInfer<VerbOf<T>> | keyof OtherVerbs; summary: string } & Partial<ActivitySubject>,
  happening: EventContent<T> | null,
): void {
  const { production_id, label: actor, person_id: actor_person_id } = caller;
  const entry = { production_id, verb, summary, ...subject, created_at: now, actor, actor_person_id };
  const { id: activity_id } = createActivity(app.store, entry);
  if (happening !== null) recordEvent(app.store, { ...happening, production_id, actor, activity_id }, now);
}
