// tallylight webhooks add, list, set, pause, resume, remove, rotate, deliveries, set-aside, replay, test: the webhooks of a production.
import type { Admin } from "../admin/admin.ts";
import * as webhooks from "../admin/webhooks.ts";
import { readConfig } from "../config.ts";
import { type Command, type Output, type ParsedArgs, tabled, UsageError } from "./arguments.ts";
import { asAdmin, productionNamed, productionOf } from "./data.ts";

/** Where webhooks may go. The port of a running server is not known here; the server checks it before it connects. */
const rulesOf = (args: ParsedArgs) => ({
  hosts: readConfig(args.data, process.env).webhook_hosts,
  ownPort: undefined,
});

const idOf = (args: ParsedArgs): number => Number(args.positionals[0]);

/** A command on one webhook. */
const onWebhook = (
  verb: string,
  summary: string,
  run: (admin: Admin, id: number, args: ParsedArgs) => Output | Promise<Output>,
  flags: Command["flags"] = {},
): Command => ({
  words: `webhooks ${verb}`,
  summary,
  positionals: ["ID"],
  flags,
  run: (args) => asAdmin(args, (admin) => run(admin, idOf(args), args)),
});

const typesIn = (args: ParsedArgs): string[] | undefined =>
  args
    .text("types")
    ?.split(",")
    .map((type) => type.trim())
    .filter((type) => type !== "");

const add: Command = {
  words: "webhooks add",
  summary: "delivers the production's events to an address from now on, and shows the secret, only this once",
  flags: {
    production: { value: "ID", required: true, summary: "the production" },
    url: { value: "URL", required: true, summary: "the receiver; webhook_hosts must list its host or network" },
    types: { value: "TYPES", summary: "only events of these types, with commas between them; all by default" },
  },
  run: async (args) => {
    const url = await webhooks.checkUrl(args.text("url") as string, rulesOf(args)); // present: it is required
    const types = typesIn(args);
    return asAdmin(args, (admin) => {
      const added = webhooks.addWebhook(admin, { production_id: productionOf(admin.store, args).id, url, types });
      return {
        document: added,
        lines: [added.secret],
        notes: [`webhook ${added.id} to ${added.url}: the secret is shown only this once`],
      };
    });
  },
};

const list: Command = {
  words: "webhooks list",
  summary: "lists webhooks, and whether they are paused or wait for another try",
  flags: { production: { value: "ID", summary: "only the webhooks of this production" } },
  run: (args) =>
    asAdmin(args, (admin) => {
      const rows = webhooks.listWebhooks(admin, productionNamed(admin.store, args)?.id);
      const columns = ["id", "status", "url", "types", "cursor", "tries", "next_try_at", "pause_reason"] as const;
      return { document: rows, lines: tabled(rows, columns) };
    }),
};

const stateLine = ({ id, url, status }: webhooks.WebhookRow): string => `webhook ${id} to ${url} is ${status}`;

const set: Command = {
  words: "webhooks set",
  summary: "changes the address or the event types of a webhook; what is not given stays",
  positionals: ["ID"],
  flags: {
    url: { value: "URL", summary: "the receiver; webhook_hosts must list its host or network" },
    types: { value: "TYPES", summary: 'only events of these types, with commas between them; "" for all' },
  },
  run: async (args) => {
    const written = args.text("url");
    const url = written && (await webhooks.checkUrl(written, rulesOf(args)));
    return asAdmin(args, (admin) => {
      const row = webhooks.set(admin, idOf(args), { url, types: typesIn(args) });
      return { document: row, lines: [`${stateLine(row)}, for ${row.types?.join(", ") ?? "every event"}`] };
    });
  },
};

const pause = onWebhook("pause", "pauses a webhook; its events are delivered after it is resumed", (admin, id) => {
  const row = webhooks.pause(admin, id);
  return { document: row, lines: [stateLine(row)] };
});

const resume = onWebhook("resume", "resumes a webhook with the event after the last delivered one", (admin, id) => {
  const row = webhooks.resume(admin, id);
  return { document: row, lines: [stateLine(row)] };
});

const remove = onWebhook("remove", "removes a webhook and the record of its deliveries", (admin, id) => {
  const removed = webhooks.remove(admin, id);
  return { document: removed, lines: [`webhook ${id} to ${removed.url} is removed`] };
});

const rotate = onWebhook(
  "rotate",
  "gives a webhook a new secret and shows it; for 24 hours, deliveries are signed with both secrets",
  (admin, id) => {
    const rotated = webhooks.rotate(admin, id);
    return {
      document: rotated,
      lines: [rotated.secret],
      notes: [`webhook ${id}: the former secret is valid until ${rotated.former_until}`],
    };
  },
);

/** How many tries are shown. */
const shownDeliveries = 200;

const deliveries = onWebhook("deliveries", "shows the newest tries of a webhook", (admin, id) => {
  const rows = webhooks.listWebhookDeliveries(admin, id, shownDeliveries);
  const columns = ["created_at", "event_id", "type", "try", "outcome", "status", "milliseconds", "reason"] as const;
  return { document: rows, lines: tabled(rows, columns) };
});

const setAside = onWebhook("set-aside", "shows the events that the receiver did not accept", (admin, id) => {
  const rows = webhooks.setAside(admin, id, { after: 0, limit: shownDeliveries });
  const columns = ["event_id", "type", "tries", "status", "set_aside_at", "reason"] as const;
  return { document: rows, lines: tabled(rows, columns) };
});

const replay = onWebhook(
  "replay",
  "delivers the events after a cursor again, or tries those that are set aside once more",
  (admin, id, args) => {
    const after = args.text("after");
    if ((after !== undefined) === args.has("set-aside")) throw new UsageError("give either --after or --set-aside");
    if (after === undefined) {
      const row = webhooks.replayAside(admin, id);
      return { document: row, lines: [`webhook ${id} tries the ${row.set_aside} events that are set aside`] };
    }
    const row = webhooks.replay(admin, id, after);
    return { document: row, lines: [`webhook ${id} continues after ${row.cursor}`] };
  },
  {
    after: { value: "CURSOR", summary: "a cursor, or start for the oldest event that is kept" },
    "set-aside": { summary: "tries each event that is set aside once more" },
  },
);

const test = onWebhook("test", "sends a test message to a webhook, once", async (admin, id, args) => {
  const tested = await webhooks.test(admin, id, { rules: rulesOf(args), clock: Date.now });
  const { delivered, status, reason, milliseconds } = tested;
  const result = delivered ? `the receiver answered ${status}` : reason;
  return { document: tested, lines: [`webhook ${id}: ${result}, after ${milliseconds} ms`], failed: !delivered };
});

export const commands: readonly Command[] = [
  add,
  list,
  set,
  pause,
  resume,
  remove,
  rotate,
  deliveries,
  setAside,
  replay,
  test,
];
