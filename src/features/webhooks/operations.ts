// The operations of the admin API for webhooks.
import * as v from "valibot";
import type { Context } from "../../core/context.ts";
import { unprocessable } from "../../core/errors.ts";
import * as input from "../../core/inputs.ts";
import { pageEntries, pageOf } from "../../core/listing.ts";
import { operation, reading } from "../../core/operation.ts";
import { eventTypes } from "../../core/store/event_types.ts";
import { durationText } from "../../core/wording.ts";
import { adminOf, writeAsAdmin } from "../../graph/admin.ts";
import { deliveriesOf } from "./state.ts";
import { deliveryRow, setAsideRow } from "./webhook_rows.ts";
import * as webhooks from "./webhooks.ts";

const { describe } = input;
const pageInput = v.object({ limit: v.optional(input.limit, 50) });
const receiver = describe(input.text(2_000), "The receiver. The setting webhook_hosts must list its host or network.");
const typesField = input.list(input.text(100), eventTypes().size);
/** What the rows that act on one webhook share. */
const onWebhook = { method: "POST", scope: "admin", body: "none" } as const;

export const listWebhooks = operation({
  name: "list_webhooks",
  reports: "reads",
  summary: "Lists the webhooks of the production, oldest first, without their secrets.",
  path: "/admin/webhooks",
  scope: "admin",
  input: v.object(pageEntries),
  output: v.array(webhooks.webhookRow),
  run: (context, page) => {
    const admin = adminOf(context);
    return pageOf("webhooks", webhooks.listWebhooks(admin, admin.production_id), page);
  },
});

export const addWebhook = operation({
  name: "add_webhook",
  summary: "Delivers the production's events to an address from now on. Returns the secret, only this once.",
  method: "POST",
  path: "/admin/webhooks",
  scope: "admin",
  input: v.object({
    url: receiver,
    types: v.optional(describe(typesField, "Only events of these types; all by default.")),
  }),
  output: webhooks.addedWebhook,
  errors: [409],
  noStore: true, // the response contains a credential
  run: async (context, { url: written, types }) => {
    const url = await webhooks.checkUrl(written, deliveriesOf(context.app).rules);
    return writeAsAdmin(context, (admin) =>
      webhooks.addWebhook(admin, { production_id: admin.production_id, url, types }),
    );
  },
});

export const setWebhook = operation({
  ...onWebhook,
  body: "json",
  name: "set_webhook",
  summary: "Changes the address or the event types of a webhook from its next try on; what is absent stays.",
  path: "/admin/webhooks/:id",
  input: v.object({
    url: v.optional(receiver),
    types: v.optional(describe(typesField, "Only events of these types; all if the list is empty.")),
  }),
  output: webhooks.webhookRow,
  run: async (context, { id, url: written, types }) => {
    const url = written && (await webhooks.checkUrl(written, deliveriesOf(context.app).rules));
    return writeAsAdmin(context, (admin) => webhooks.set(admin, id, { url, types }));
  },
});

export const pauseWebhook = operation({
  ...onWebhook,
  name: "pause_webhook",
  summary: "Pauses a webhook. Its events are delivered after it is resumed.",
  path: "/admin/webhooks/:id/pause",
  output: webhooks.webhookRow,
  run: (context, { id }) => writeAsAdmin(context, (admin) => webhooks.pause(admin, id)),
});

export const resumeWebhook = operation({
  ...onWebhook,
  name: "resume_webhook",
  summary: "Resumes a webhook with the event after the last one that was delivered or given up; it is tried at once.",
  path: "/admin/webhooks/:id/resume",
  output: webhooks.webhookRow,
  run: (context, { id }) => writeAsAdmin(context, (admin) => webhooks.resume(admin, id)),
});

export const removeWebhook = operation({
  ...onWebhook,
  name: "remove_webhook",
  summary: "Removes a webhook and the record of its deliveries.",
  path: "/admin/webhooks/:id/remove",
  output: webhooks.removedWebhook,
  run: (context, { id }) => writeAsAdmin(context, (admin) => webhooks.remove(admin, id)),
});

export const rotateWebhook = operation({
  ...onWebhook,
  name: "rotate_webhook",
  summary: `Gives a webhook a new secret and returns it, only this once. For ${durationText(webhooks.secretOverlap)}, deliveries are signed with both secrets.`,
  path: "/admin/webhooks/:id/rotate",
  output: webhooks.rotatedWebhook,
  noStore: true, // the response contains a credential
  run: (context, { id }) => writeAsAdmin(context, (admin) => webhooks.rotate(admin, id)),
});

export const testWebhook = operation({
  ...onWebhook,
  name: "test_webhook",
  summary: "Sends a message of the type webhook.test to a webhook, once, also if it is paused.",
  path: "/admin/webhooks/:id/test",
  output: webhooks.testedWebhook,
  run: (context, { id }) => {
    const { app } = context;
    return webhooks.test(adminOf(context), id, { rules: deliveriesOf(app).rules, clock: app.clock });
  },
});

export const replayWebhook = operation({
  ...onWebhook,
  body: "json",
  name: "replay_webhook",
  summary: "Delivers the events after a cursor again, or tries those that are set aside once more.",
  path: "/admin/webhooks/:id/replay",
  input: v.object({
    after: v.optional(describe(input.text(100), "A cursor, `start` or `now`. Either this or set_aside.")),
    set_aside: v.optional(describe(input.flag, "Whether to try each event that is set aside once more."), false),
  }),
  output: webhooks.webhookRow,
  errors: [404, 410],
  run: (context, { id, after, set_aside }) => {
    if ((after !== undefined) === set_aside)
      throw unprocessable(
        set_aside ? "set_aside must not be given together with after" : "after or set_aside is required",
      );
    return writeAsAdmin(context, (admin) =>
      after === undefined ? webhooks.replayAside(admin, id) : webhooks.replay(admin, id, after),
    );
  },
});

/** Throws 404 if the webhook of the path is not the admin's. */
const authorize = (context: Context, { id }: { id: number }) => webhooks.requireWebhook(adminOf(context), id);

export const listWebhookDeliveries = reading({
  name: "list_webhook_deliveries",
  reports: "reads",
  summary: "Lists the newest tries of a webhook, newest first.",
  path: "/admin/webhooks/:id/deliveries",
  scope: "admin",
  input: pageInput,
  output: v.array(deliveryRow),
  authorize,
});

export const listSetAsideEvents = reading({
  name: "list_set_aside_events",
  reports: "reads",
  summary:
    "Lists the events that a webhook's receiver did not accept, oldest first, until a replay delivers them or they leave the log.",
  path: "/admin/webhooks/:id/set-aside",
  scope: "admin",
  input: pageInput,
  output: v.array(setAsideRow),
  authorize,
});
