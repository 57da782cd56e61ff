// Every write records one event, in its own transaction: those of the table of operations, and those of admins.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { type EventType, eventTypes } from "../../src/core/store/event_types.ts";
import { recordEvent } from "../../src/core/store/events.ts";
import { eventFields } from "../../src/features/documents/changes/record.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { addEngagement, endEngagement } from "../../src/graph/engagements.ts";
import { addGrant, revokeGrant } from "../../src/graph/grants.ts";
import { mintKey, revokeKey } from "../../src/graph/keys.ts";
import { importedAt, mint, one, openTestServer } from "../support/app.ts";
import { caseOf, casesOf, sendCase } from "../support/cases.ts";
import { table } from "../support/operations.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const seedData = seedDataOf(store);
const { production: production_id, storageProduction, delivery } = seedData;
const admin = localAdmin(store, importedAt);

interface Row {
  id: number;
  production_id: number;
  type: EventType;
  subject_kind: string;
  subject_id: number;
  actor: string;
  activity_id: number | null;
  data: string;
}
const last = () => one<number>(store, "SELECT coalesce(max(id), 0) FROM events");
const after = (id: number) => store.database.prepare("SELECT * FROM events WHERE id > ? ORDER BY id").all(id) as Row[];

/** Checks that an event has the subject and the fields that its type is documented with. */
function assertDocumented({ type, subject_kind, data }: Row): void {
  assert.is(subject_kind, eventTypes().get(type)?.subject, type);
  assert.equal(Object.keys(JSON.parse(data)).sort(), [...(eventTypes().get(type)?.data ?? [])].sort(), type);
}

/** The types of the events that `work` records, each checked against its documentation. */
function typesOf(work: () => unknown): EventType[] {
  const before = last();
  work();
  const rows = after(before);
  for (const row of rows) assertDocumented(row);
  return rows.map(({ type }) => type);
}

const api = suite("the events of the API");
const cases = casesOf(store, seedData);
/**
 * These cases change nothing of the production: a token of another service, an answer that is kept, plans that are not
 * applied, and an install that is active already.
 */
const withoutEvent = [
  "create_session_token",
  "create_look_brief",
  "import_documents",
  "install_storage",
  "undo_change_set",
  "remove_thing",
];
/** The types of the events that these record. */
const severalEvents: Readonly<Record<string, readonly EventType[]>> = {
  add_engagement: ["vendor.added", "engagement.added"],
};

/** Where events go is no part of the production. */
const isOfWebhooks = ({ path }: (typeof table)[number]): boolean => path.startsWith("/admin/webhooks");

for (const row of table.filter(
  (row) => row.method === "POST" && !withoutEvent.includes(row.name) && !isOfWebhooks(row),
))
  api(`${row.name}: records one event, with the actor and the activity entry of the write`, async () => {
    const arrangement = caseOf(cases, row.name);
    const production = arrangement.production ?? production_id;
    const engagement_id = row.reach !== "production" ? (arrangement.engagement ?? null) : null;
    const token = mint(store, { production_id: production, engagement_id, scopes, label: `key of ${row.name}` });
    const before = last();
    const response = await sendCase(server, arrangement, row.method, token);
    assert.is(response.status, 200, await response.text());
    const events = after(before);
    const event = events.at(-1);
    const several = severalEvents[row.name];
    if (several === undefined) assert.is(events.length, 1);
    else
      assert.equal(
        events.map(({ type }) => type),
        several,
      );
    assert.equal([event?.production_id, event?.actor], [production, `key of ${row.name}`]);
    assert.is(one(store, "SELECT max(id) FROM activity"), event?.activity_id as number);
    assertDocumented(event as Row);
  });

api("a refused write and a repeated batch record nothing", async () => {
  const before = last();
  const token = mint(store, { production_id: storageProduction });
  await sendCase(server, { path: "/assets", json: { label: "x", department: "nowhere" } }, "POST", token);
  await sendCase(server, cases.post_storage_events?.() as { path: string }, "POST", token);
  assert.equal(after(before), []);
});

api("an approval's event has the status that the approval has after the decision", () => {
  const { data } = after(0).find(({ type }) => type === "approval.decided") as Row;
  const status = one<string>(store, "SELECT status FROM approvals WHERE id = ?", seedData.pendingChain);
  assert.equal([JSON.parse(data).status, JSON.parse(data).decision], [status, "approved"]);
});

const admins = suite("the events of admins");

admins("a key is minted and revoked; revoking it again records nothing", () => {
  let id = 0;
  const minted = typesOf(() => {
    id = mintKey(admin, { production_id, label: "k" }).id;
  });
  assert.equal(minted, ["key.minted"]);
  assert.not.ok(JSON.stringify(after(0)).includes("token"));
  const revoke = () => revokeKey(admin, { key: String(id) });
  assert.equal([typesOf(revoke), typesOf(revoke)], [["key.revoked"], []]);
});

admins("a vendor is engaged, granted something and ended", () => {
  const add = () => addEngagement(admin, { production_id, vendor: "Nordlys VFX" });
  assert.equal([typesOf(add), typesOf(add)], [["vendor.added", "engagement.added"], []]);
  const { id: engagement_id } = add();
  const grant = (expires?: string) => () =>
    addGrant(admin, { engagement_id, verb: "submit", delivery_id: delivery, expires });
  assert.equal(
    [typesOf(grant()), typesOf(grant()), typesOf(grant("2035-12-31"))],
    [["grant.added"], [], ["grant.changed"]],
  );
  const revoke = () => revokeGrant(admin, { id: grant()().id });
  assert.equal(typesOf(revoke), ["grant.revoked"]);
  const end = () => endEngagement(admin, { id: engagement_id });
  assert.equal([typesOf(end), typesOf(end)], [["engagement.ended"], []]);
});

const log = suite("the event log");

log("an event is stored with its change or not at all", () => {
  const before = last();
  const event = { type: "vendor.removed", subject: { kind: "vendor", id: 1 }, data: { key: "x", fields: {} } } as const;
  const record = () => recordEvent(store, { ...event, production_id, actor: "test", activity_id: null }, importedAt);
  assert.throws(record, /must be run in a write transaction/);
  assert.throws(() =>
    store.writeSync(() => {
      record();
      throw new Error("no");
    }),
  );
  assert.equal(after(before), []);
});

log("a long value of an import is left out, and the field is named", () => {
  const fields = eventFields({
    status: { from: "ready", to: "sent" },
    synopsis: { from: null, to: "x".repeat(1_001) },
  });
  assert.equal(fields, { status: { from: "ready", to: "sent" }, synopsis: {} });
});

log.after(() => server.stop());

api.run();
admins.run();
log.run();
