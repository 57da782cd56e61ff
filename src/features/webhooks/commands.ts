// tallylight webhooks add, list, set, pause, resume, remove, rotate, deliveries, set-aside, replay, test: the webhooks
// of a production.
import type * as v from "valibot";
import type { Command, Output, ParsedArgs } from "../../core/command.ts";
import { readConfig } from "../../core/config.ts";
import { UsageError } from "../../core/errors.ts";
import { rowsOutput, tabled } from "../../core/tables.ts";
import { durationText, plural } from "../../core/wording.ts";
import type { Admin } from "../../graph/admin.ts";
import { dataCommand, itsProduction } from "../../graph/data_command.ts";
import { listSetAsideEvents, listWebhookDeliveries } from "./operations.ts";
import * as webhooks from "./webhooks.ts";

/** Where webhooks may go. The port of a running server is not known here; the server checks it before it connects. */
const rulesOf = (args: ParsedArgs) => ({
  hosts: readConfig(args.data, process.env).webhook_hosts,
  ownPort: undefined,
});

type WebhookAction<T> = (admin: Admin, id: number, args: ParsedArgs) => Promise<T> | T;

/** A command on one webhook. `describe` says what is printed of its result. */
const onWebhook = <T>(
  verb: string,
  summary: string,
  call: WebhookAction<T>,
  describe: (result: T, args: ParsedArgs) => Omit<Output, "document">,
  { shown = "", flags, ...texts }: Pick<Command, "details" | "flags"> & { shown?: string } = {},
): Command =>
  dataCommand({
    ...texts,
    summary,
    words: `webhooks ${verb}`,
    example: `tallylight webhooks ${verb} 1${shown}`,
    positionals: ["ID"],
    flags: { ...itsProduction, ...flags },
    async run(args, admin) {
      const document = await call(admin, Number(args.positionals[0]), args);
      return { document, ...describe(document, args) };
    },
  });

const typesIn = (args: ParsedArgs): string[] | undefined =>
  args
    .text("types")
    ?.split(",")
    .map((type) => type.trim())
    .filter((type) => type !== "");

const stateLine = ({ id, url, status }: webhooks.WebhookRow): string => `webhook ${id} to ${url} is ${status}`;

const stateOf = (row: webhooks.WebhookRow) => ({ lines: [stateLine(row)] });

/** How many tries or events are shown. */
const shownRows = 200;
/** The rows of a list of one webhook. */
const rowsOf =
  <R extends typeof listWebhookDeliveries | typeof listSetAsideEvents>(row: R) =>
  (admin: Admin, id: number): v.InferOutput<R["output"]> => {
    const { production_id } = webhooks.requireWebhook(admin, id);
    const reach = { production_id, engagement_id: null, now: admin.now };
    return JSON.parse(row.statement(admin.store, { ...reach, id, limit: shownRows }).text);
  };

const address = { value: "URL", summary: "the receiver; webhook_hosts must list its host or network" };

export const commands: readonly Command[] = [
  dataCommand({
    words: "webhooks add",
    summary: "delivers events to an address",
    details: "Those of the production from now on. Shows the secret, only this once.",
    example: "tallylight webhooks add --production 1 --url https://tools.example.com/hook",
    flags: {
      production: { value: "ID", required: true, summary: "the production" },
      url: { ...address, required: true },
      types: { value: "TYPES", summary: "only events of these types, with commas between them; all by default" },
    },
    async run(args, admin) {
      const url = await webhooks.checkUrl(args.text("url") as string, rulesOf(args)); // present: it is required
      const request = { production_id: args.production.id, url, types: typesIn(args) };
      const added = webhooks.addWebhook(admin, request);
      const notes = [`webhook ${added.id} to ${added.url}: the secret is shown only this once`];
      return { document: added, lines: [added.secret], notes };
    },
  }),
  dataCommand({
    words: "webhooks list",
    summary: "lists the programs that are notified",
    details: "What waits for its delivery and for how long, and whether they are paused.",
    example: "tallylight webhooks list --production 1",
    flags: { production: { value: "ID", summary: "only those of this production" } },
    run({ production_id }, admin) {
      const waiting = ["backlog", "oldest_event_age", "set_aside", "tries", "next_try_at"] as const;
      const columns = ["id", "status", "url", "types", "cursor", ...waiting, "pause_reason"] as const;
      return rowsOutput(webhooks.listWebhooks(admin, production_id), columns);
    },
  }),
  onWebhook(
    "set",
    "changes the address or the types of events",
    async (admin, id, args) => {
      const written = args.text("url");
      const url = written && (await webhooks.checkUrl(written, rulesOf(args)));
      return webhooks.set(admin, id, { url, types: typesIn(args) });
    },
    (row) => ({ lines: [`${stateLine(row)}, for ${row.types?.join(", ") ?? "every event"}`] }),
    {
      details: "What is not given stays.",
      shown: " --types scene.changed,asset.changed",
      flags: {
        url: address,
        types: { value: "TYPES", summary: 'only events of these types, with commas between them; "" for all' },
      },
    },
  ),
  onWebhook("pause", "pauses the notices to a program", webhooks.pause, stateOf, {
    details: "Its events are delivered after it is resumed.",
  }),
  onWebhook("resume", "resumes the notices to a program", webhooks.resume, stateOf, {
    details: "It continues with the event after the last delivered one.",
  }),
  onWebhook("remove", "ends the notices to a program", webhooks.remove, ({ id, url }) => ({
    lines: [`webhook ${id} to ${url} is removed`],
  })),
  onWebhook(
    "rotate",
    "makes a new secret for a program",
    webhooks.rotate,
    ({ id, secret, former_until }) => ({
      lines: [secret],
      notes: [`webhook ${id}: the former secret is valid until ${former_until}`],
    }),
    { details: `Shows it; for ${durationText(webhooks.secretOverlap)}, deliveries are signed with both secrets.` },
  ),
  onWebhook("deliveries", "shows the newest tries to notify a program", rowsOf(listWebhookDeliveries), (rows) => ({
    lines: tabled(rows, ["created_at", "event_id", "type", "try", "outcome", "status", "milliseconds", "reason"]),
  })),
  onWebhook("set-aside", "shows events that were not accepted", rowsOf(listSetAsideEvents), (rows) => ({
    lines: tabled(rows, ["event_id", "type", "tries", "status", "set_aside_at", "reason"]),
  })),
  onWebhook(
    "replay",
    "delivers former events again",
    (admin, id, args) => {
      const after = args.text("after");
      if ((after !== undefined) === args.has("set-aside")) throw new UsageError("give either --after or --set-aside");
      return after === undefined ? webhooks.replayAside(admin, id) : webhooks.replay(admin, id, after);
    },
    ({ id, cursor, set_aside }, args) => ({
      lines: [
        args.has("set-aside")
          ? `webhook ${id} tries ${plural(set_aside, "event")} that ${set_aside === 1 ? "was" : "were"} set aside`
          : `webhook ${id} continues after ${cursor}`,
      ],
    }),
    {
      details: "Those after a cursor, or those that are set aside.",
      shown: " --set-aside",
      flags: {
        after: { value: "CURSOR", summary: "a cursor, or start for the oldest event that is kept" },
        "set-aside": { summary: "tries each event that is set aside once more" },
      },
    },
  ),
  onWebhook(
    "test",
    "sends a test message to a program, once",
    (admin, id, args) => webhooks.test(admin, id, { rules: rulesOf(args), clock: Date.now }),
    ({ id, delivered, status, reason, milliseconds }) => ({
      lines: [`webhook ${id}: ${delivered ? `the receiver answered ${status}` : reason}, after ${milliseconds} ms`],
      failed: !delivered,
    }),
  ),
];
