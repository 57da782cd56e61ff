// Webhooks: adds, lists, changes and removes the addresses to which the events of a production are delivered.
import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import { conflict, unprocessable } from "../../core/errors.ts";
import type { ProductionId } from "../../core/ids.ts";
import { describe } from "../../core/inputs.ts";
import * as out from "../../core/records.ts";
import { type EventType, isEventType } from "../../core/store/event_types.ts";
import { day } from "../../core/times.ts";
import { type Admin, recordDone, requireChangeable } from "../../graph/admin.ts";
import { cursorAt, lastPosition, positionOf } from "../events/cursors.ts";
import { DestinationError, type DestinationRules, destinationOf, webhookUrl } from "./destinations.ts";
import { sendMessage } from "./posting.ts";
import { newSigningSecret } from "./signatures.ts";
import {
  deleteWebhook,
  findWebhook,
  insertWebhook,
  moveWebhook,
  replaySetAside,
  storePause,
  storeResumption,
  storeSecret,
  updateWebhook,
  type Webhook,
  waitingFor,
  webhooksOf,
} from "./webhook_rows.ts";

/** How long deliveries are signed with both the former and the new secret, in milliseconds. */
export const secretOverlap = day;
const maxWebhooks = 100;

const types = describe(v.nullable(v.array(out.text)), "The event types that are delivered; null for all.");

export const webhookRow = out.record(
  "Webhook",
  v.object({
    id: out.id,
    url: out.text,
    types,
    status: v.picklist(["active", "paused"]),
    pause_reason: v.nullable(out.text),
    cursor: describe(out.text, "The cursor of the last event that was delivered or given up."),
    tries: describe(out.count, "How often the next event was tried."),
    next_try_at: describe(v.nullable(out.timestamp), "When the next event is tried again; null for at once."),
    backlog: describe(
      out.count,
      "How many events wait for their delivery, among the 5,000 after the cursor; set_aside are not among them.",
    ),
    oldest_event_age: describe(
      v.nullable(out.count),
      "The age of the oldest event that waits, in seconds; null if none does.",
    ),
    set_aside: describe(out.count, "How many events are set aside, because the receiver did not accept them."),
    created_at: out.timestamp,
  }),
);
export type WebhookRow = v.InferOutput<typeof webhookRow>;

export const addedWebhook = out.record(
  "AddedWebhook",
  v.object({
    id: out.id,
    url: out.text,
    types,
    secret: describe(out.text, "Signs the deliveries. It is shown only this once."),
  }),
);
export type AddedWebhook = v.InferOutput<typeof addedWebhook>;

export const rotatedWebhook = out.record(
  "RotatedWebhook",
  v.object({
    ...addedWebhook.entries,
    former_until: describe(out.timestamp, "Until then, deliveries are signed with the former secret too."),
  }),
);

export const removedWebhook = out.record("RemovedWebhook", v.object({ id: out.id, url: out.text }));

export const testedWebhook = out.record(
  "TestedWebhook",
  v.object({
    id: out.id,
    delivered: v.boolean(),
    status: v.nullable(out.count),
    reason: v.nullable(out.text),
    milliseconds: out.count,
  }),
);

/** What waits for its delivery to a webhook. */
function backlogOf({ store, now }: Admin, webhook: Webhook): Pick<WebhookRow, "backlog" | "oldest_event_age"> {
  const { backlog, oldest } = waitingFor(store, webhook);
  const age = oldest === null ? null : Math.max(0, Math.floor((Date.parse(now) - Date.parse(oldest)) / 1000));
  return { backlog, oldest_event_age: age };
}

const rowOf = (admin: Admin, webhook: Webhook): WebhookRow => ({
  id: webhook.id,
  url: webhook.url,
  types: webhook.types,
  status: webhook.paused_at === null ? "active" : "paused",
  pause_reason: webhook.pause_reason,
  cursor: cursorAt(admin.store, webhook.position),
  tries: webhook.tries,
  next_try_at: webhook.next_try_at,
  ...backlogOf(admin, webhook),
  set_aside: webhook.set_aside,
  created_at: webhook.created_at,
});

/** The webhook with an id. Throws 404 if it does not exist or is not the admin's to change. */
export const requireWebhook = (admin: Admin, id: number): Webhook =>
  requireChangeable(admin, findWebhook(admin.store, id), `webhook ${id}`, "webhooks list");

/**
 * Writes the activity entry and the audit row of a change. They name only the host, because a url may contain a
 * credential.
 */
function recordWebhook(
  admin: Admin,
  verb: "added" | "changed" | "paused" | "resumed" | "replayed" | "rotated" | "removed",
  {
    id,
    production_id,
    url,
    ...detail
  }: { id: number; production_id: ProductionId; url: string; after?: string; set_aside?: number },
): void {
  const { host } = new URL(url);
  const summary = `${verb.charAt(0).toUpperCase()}${verb.slice(1)} webhook ${id} to ${host}`;
  recordDone(admin, `webhook.${verb}`, { production_id, summary, detail: { id, host, ...detail } });
}

interface WebhookChange {
  verb: "changed" | "paused" | "resumed" | "replayed" | "rotated";
  detail?: { after: string } | { set_aside: number };
  change: (webhook: Webhook) => void;
}

/** Changes a webhook in a transaction, and records it if anything is different. Returns the changed webhook. */
function changeWebhook(admin: Admin, id: number, { verb, detail, change }: WebhookChange): WebhookRow {
  return admin.store.writeSync(() => {
    const webhook = requireWebhook(admin, id);
    change(webhook);
    const changed = requireWebhook(admin, id);
    const { production_id, url } = changed;
    if (!isDeepStrictEqual(changed, webhook)) recordWebhook(admin, verb, { id, production_id, url, ...detail });
    return rowOf(admin, changed);
  });
}

/** The webhooks of one production, or of all productions of the admin, oldest first, without their secrets. */
export const listWebhooks = (admin: Admin, production_id: ProductionId | undefined): WebhookRow[] =>
  webhooksOf(admin.store, production_id ?? null).map((webhook) => rowOf(admin, webhook));

/** Checks that events may be sent to an address. Throws 422 with the reason. */
export async function checkUrl(written: string, rules: DestinationRules): Promise<string> {
  const url = webhookUrl(written);
  try {
    await destinationOf(url, rules);
  } catch (error) {
    if (!(error instanceof DestinationError)) throw error;
    throw unprocessable(`events may not be sent to this url: ${error.message}`);
  }
  return url.href;
}

/** The given types, each once; null for all. Throws 422 for an unknown one. */
function typesOf(given: readonly string[] | undefined): EventType[] | null {
  const unknown = given?.find((type) => !isEventType(type));
  if (unknown !== undefined)
    throw unprocessable(`types has ${JSON.stringify(unknown.slice(0, 100))}, which is not an event type`);
  return given === undefined || given.length === 0 ? null : [...new Set(given.filter(isEventType))].sort();
}

/**
 * Adds a webhook for the events from now on. Only its answer contains the secret. The caller has checked `url` with
 * checkUrl. Throws 422 for an unknown type, 409 if the production already has `maxWebhooks` webhooks.
 */
export function addWebhook(
  admin: Admin,
  {
    production_id,
    url,
    types: given,
  }: { production_id: ProductionId; url: string; types?: readonly string[] | undefined },
): AddedWebhook {
  const { store, now } = admin;
  const types = typesOf(given);
  return store.writeSync(() => {
    if (webhooksOf(store, production_id).length >= maxWebhooks)
      throw conflict(`a production has at most ${maxWebhooks} webhooks`);
    const secret = newSigningSecret();
    const position = lastPosition(store, production_id);
    const row = { production_id, url, types: types && JSON.stringify(types), secret, position, now };
    const { id } = insertWebhook(store, row);
    recordWebhook(admin, "added", { id, production_id, url });
    return { id, url, types, secret };
  });
}

/**
 * Changes the address or the types of a webhook, from the next try on; what is absent stays. The caller has checked
 * `url` with checkUrl. Throws 404, 422 for an unknown type.
 */
export const set = (
  admin: Admin,
  id: number,
  given: { url?: string | undefined; types?: readonly string[] | undefined },
): WebhookRow => {
  const types = typesOf(given.types);
  return changeWebhook(admin, id, {
    verb: "changed",
    change(webhook) {
      const { url = webhook.url } = given;
      const newTypes = given.types === undefined ? webhook.types : types;
      updateWebhook(admin.store, { id, url, types: newTypes && JSON.stringify(newTypes) });
    },
  });
};

/** Pauses a webhook: its events are delivered after it is resumed. A paused webhook does not change. Throws 404. */
export const pause = (admin: Admin, id: number): WebhookRow =>
  changeWebhook(admin, id, {
    verb: "paused",
    change: () => storePause(admin.store, { id, reason: "paused by an admin", now: admin.now }),
  });

/**
 * Resumes a webhook with the event after the last one that was delivered or given up; it is tried at once. Throws 404.
 */
export const resume = (admin: Admin, id: number): WebhookRow =>
  changeWebhook(admin, id, { verb: "resumed", change: () => storeResumption(admin.store, { id }) });

/**
 * Delivers the events after a cursor again. Throws 404, 410 for a cursor that is no longer valid, 422 for a malformed
 * one.
 */
export const replay = (admin: Admin, id: number, after: string): WebhookRow =>
  changeWebhook(admin, id, {
    verb: "replayed",
    detail: { after },
    change: ({ production_id }) =>
      moveWebhook(admin.store, { id, position: positionOf(admin.store, production_id, after) }),
  });

/** Tries each event that is set aside once more, oldest first; those that fail stay set aside. Throws 404. */
export function replayAside(admin: Admin, id: number): WebhookRow {
  const { set_aside } = requireWebhook(admin, id);
  const change = () => replaySetAside(admin.store, { id, replayed: 0 });
  return changeWebhook(admin, id, { verb: "replayed", detail: { set_aside }, change });
}

/** Removes a webhook and the record of its deliveries. Throws 404. */
export function remove(admin: Admin, id: number): { id: number; url: string } {
  return admin.store.writeSync(() => {
    const { production_id, url } = requireWebhook(admin, id);
    deleteWebhook(admin.store, { id });
    recordWebhook(admin, "removed", { id, production_id, url });
    return { id, url };
  });
}

/** Gives a webhook a new secret. For the time of overlap, deliveries are signed with both secrets. Throws 404. */
export function rotate(admin: Admin, id: number): v.InferOutput<typeof rotatedWebhook> {
  const secret = newSigningSecret();
  const former_until = new Date(Date.parse(admin.now) + secretOverlap).toISOString();
  const change = () => storeSecret(admin.store, { id, secret, former_until });
  const { url, types } = changeWebhook(admin, id, { verb: "rotated", change });
  return { id, url, types, secret, former_until };
}

/** The message of a test. It has every field of an event, and the type `webhook.test`. */
const testMessage = ({ now, label }: Admin, { id, production_id }: Webhook) => ({
  id: `test-${randomBytes(8).toString("hex")}`,
  body: JSON.stringify({
    id: 0,
    type: "webhook.test",
    timestamp: now,
    production_id,
    subject: { kind: "webhook", id },
    label: null,
    actor: label,
    person: null,
    activity_id: null,
    summary: null,
    data: {},
  }),
});

/** Sends a message of the type `webhook.test` once, also to a paused webhook. Throws 404. */
export async function test(
  admin: Admin,
  id: number,
  { rules, clock }: { rules: DestinationRules; clock: () => number },
): Promise<v.InferOutput<typeof testedWebhook>> {
  const webhook = requireWebhook(admin, id);
  const started = performance.now();
  const options = { clock, rules, closing: new AbortController().signal };
  const { status, reason } = await sendMessage(webhook, testMessage(admin, webhook), options);
  return { id, delivered: reason === null, status, reason, milliseconds: Math.round(performance.now() - started) };
}
