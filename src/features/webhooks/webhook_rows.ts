// The stored webhooks and the record of their deliveries.
import * as v from "valibot";
import type { Id, ProductionId } from "../../core/ids.ts";
import { describe } from "../../core/inputs.ts";
import * as out from "../../core/records.ts";
import type { EventType } from "../../core/store/event_types.ts";
import { change, many, one } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";

export interface Webhook {
  id: Id<"webhook">;
  production_id: ProductionId;
  url: string;
  /** Null: every type. */
  types: EventType[] | null;
  secret: string;
  /** Signs beside the secret until `former_until`; null if there is none. */
  former_secret: string | null;
  former_until: string | null;
  paused_at: string | null;
  pause_reason: string | null;
  /** The id of the last event that is settled. */
  position: number;
  /** How often the event after it was tried. */
  tries: number;
  /** How often its receiver answered that it does not accept this event. */
  refusals: number;
  /** While what is set aside is replayed: the id of the last event that was tried again. */
  replayed: number | null;
  /** How many events are set aside. */
  set_aside: number;
  /** Null: at once. */
  next_try_at: string | null;
  created_at: string;
}

type StoredWebhook = Omit<Webhook, "types"> & { types: string | null };

export const deliveryOutcomes = ["delivered", "failed", "dead", "skipped"] as const;

/**
 * One try. `dead`: the last one, after which the next event follows. `skipped`: the events were removed before they
 * were sent.
 */
export const deliveryRow = out.record(
  "WebhookDelivery",
  v.object({
    id: out.id,
    event_id: describe(v.nullable(out.id), "Null if events were removed before they were delivered."),
    type: v.nullable(out.text),
    try: out.count,
    outcome: v.picklist(deliveryOutcomes),
    status: describe(v.nullable(out.count), "The status of the answer; null if there was none."),
    reason: describe(v.nullable(out.text), "Why the event was not accepted."),
    milliseconds: v.nullable(out.count),
    created_at: out.timestamp,
    next_try_at: v.nullable(out.timestamp),
  }),
);
type DeliveryTry = v.InferOutput<typeof deliveryRow>;

/** An event that was given up, until it is replayed or removed from the log. */
export const setAsideRow = out.record(
  "SetAsideEvent",
  v.object({
    event_id: out.id,
    type: out.text,
    tries: out.count,
    status: describe(v.nullable(out.count), "The status of the last answer; null if there was none."),
    reason: describe(out.text, "Why the event was not accepted at last."),
    set_aside_at: out.timestamp,
  }),
);
type SetAsideEvent = v.InferOutput<typeof setAsideRow>;

/** The number of tries that are kept of each webhook. */
const deliveriesKept = 1_000;
/** How often old tries are removed: after so many new ones. */
const removalInterval = 100;

const rowsOf = many<{ production_id: ProductionId | null }, StoredWebhook>("list_webhooks");
const rowOf = one<{ id: number }, StoredWebhook>("get_webhook");
const backlogOf = one<
  { production_id: ProductionId; position: number; types: string | null; window: number },
  { backlog: number; oldest: string | null }
>("get_webhook_backlog");
const dueOf = many<{ now: string }, { id: Id<"webhook"> }>("list_due_webhooks");
const insertDelivery = change("record_delivery");
const deleteOldDeliveries = change("delete_old_deliveries");

export const insertWebhook = change("create_webhook");
const settleRow = change("settle_webhook");
export const postponeWebhook = change("postpone_webhook");
export const setEventAside = change("set_aside_event");
export const nextSetAside = one<{ webhook_id: number; after: number }, Pick<SetAsideEvent, "event_id" | "tries">>(
  "get_next_set_aside_event",
);
export const deleteSetAside = change("delete_set_aside_event");
export const replaySetAside = change("replay_set_aside_events");
export const storePause = change("pause_webhook");
export const storeResumption = change("resume_webhook");
export const updateWebhook = change("update_webhook");
export const moveWebhook = change("move_webhook");
export const storeSecret = change("rotate_webhook");
export const deleteWebhook = change("delete_webhook");
change("pause_webhooks"); // restore runs it before the database is opened

const webhookOf = (row: StoredWebhook): Webhook => ({ ...row, types: row.types && JSON.parse(row.types) });

/** Moves the position of a webhook, if neither it nor the types changed since the webhook was read. */
export const settleWebhook = (store: Store, { id, position, types }: Webhook, next: number) =>
  settleRow(store, { id, former: position, position: next, types: types && JSON.stringify(types) });

/** The webhooks of a production, or of all if it is null, oldest first. */
export const webhooksOf = (store: Store, production_id: ProductionId | null): Webhook[] =>
  rowsOf(store, { production_id }).map(webhookOf);

export const findWebhook = (store: Store, id: number): Webhook | undefined => {
  const row = rowOf(store, { id });
  return row && webhookOf(row);
};

/** How many of the events behind its position a backlog is counted in. */
export const backlogWindow = 5_000;

/** How many events wait for their delivery to a webhook, and the time of the oldest one; null if none waits. */
export const waitingFor = (store: Store, { production_id, position, types }: Webhook) =>
  backlogOf(store, {
    production_id,
    position,
    window: backlogWindow,
    types: types && JSON.stringify(types),
  }) as { backlog: number; oldest: string | null }; // safe: the statement always has a row

/** The ids of the webhooks that are not paused and do not wait for a later try. */
export const dueWebhooks = (store: Store, now: string): number[] => dueOf(store, { now }).map(({ id }) => id);

/** Records a try, and removes old ones now and then. */
export function recordDelivery(
  store: Store,
  webhook_id: number,
  delivery: Omit<DeliveryTry, "id" | "created_at">,
  now: string,
) {
  const { id } = insertDelivery(store, { ...delivery, webhook_id, now });
  if (id % removalInterval === 0) deleteOldDeliveries(store, { webhook_id, kept: deliveriesKept });
}
