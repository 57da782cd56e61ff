// GET /activity: pages, and what an entry is about.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import type { Context } from "../../src/core/context.ts";
import { type EventType, verbsOf } from "../../src/core/store/event_types.ts";
import { recordActivity } from "../../src/graph/activity.ts";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store, get, ask } = server;
const { production: production_id, otherProduction, submitter, delivery, pendingChain } = seedDataOf(store);
const token = mint(store, { production_id });
const bound = mint(store, { production_id, engagement_id: submitter, scopes });

type Row = Record<string, any>;
const idsOf = (rows: Row[]): number[] => rows.map(({ id }) => id);
/** Adds entries, several of them with one timestamp. */
function addEntries(count: number): void {
  const insert = store.database.prepare(
    "INSERT INTO activity (production_id, verb, summary, actor, created_at) VALUES (?, 'test', '', '', ?)",
  );
  store.writeSync(() => {
    for (let at = 0; at < count; at++) insert.run(production_id, `2026-11-19T10:00:${10 + (at % 7)}.000Z`);
  });
}
addEntries(40);

const test = suite("GET /activity");

test("the pages before the last entry of each page are the whole feed, each entry once", async () => {
  const whole = idsOf(await get(token, "/activity?limit=200"));
  for (const limit of [1, 7, 40, 200]) {
    const paged: number[] = [];
    for (let page = await get(token, `/activity?limit=${limit}`); page.length > 0; ) {
      paged.push(...idsOf(page));
      page = await get(token, `/activity?limit=${limit}&before=${paged.at(-1)}`);
    }
    assert.equal(paged, whole, `limit ${limit}`);
  }
});

test("an entry that arrives between two pages does not move the second page", async () => {
  const [first = []] = [await get(token, "/activity?limit=5")];
  const before = await get(token, `/activity?limit=5&before=${first.at(-1).id}`);
  addEntries(1);
  const now = new Date().toISOString();
  store.writeSync(() =>
    store.database.prepare("UPDATE activity SET created_at = ? WHERE id = (SELECT max(id) FROM activity)").run(now),
  );
  assert.equal(await get(token, `/activity?limit=5&before=${first.at(-1).id}`), before);
});

test("an entry that does not exist, or that another production has, is 422", async () => {
  const foreign = one(store, "SELECT min(id) FROM activity WHERE production_id = ?", otherProduction);
  const detail = "before must be the id of an activity entry of this production";
  for (const before of [foreign, 999_999])
    await assertRefused(await ask(token, `/api/v1/activity?before=${before}`), 422, detail);
  await assertRefused(await ask(token, "/api/v1/activity?before=0"), 422, /^before must be a positive integer/);
});

test("an entry about submitted work names the delivery and the submission", async () => {
  const body = new FormData();
  body.append("files", new Blob(["x"]), "x.txt");
  const sent = await ask(bound, `/api/v1/turnovers/${delivery}/submissions`, { method: "POST", body });
  const { id } = (await sent.json()) as Row;
  const [entry] = await get(token, "/activity?limit=1");
  assert.is(entry.verb, "turnover.submitted");
  assert.equal([entry.delivery_id, entry.work_item_id, entry.submission_id, entry.node_id], [delivery, id, id, null]);
  assert.equal((await get(token, "/activity?limit=1&verb=turnover.submitted"))[0].id, entry.id);
  assert.equal((await get(token, "/activity?limit=1&verb=submission.created"))[0].id, entry.id, "by the event type");
});

test("an entry about a delivery's approval names the delivery, and other entries name none", async () => {
  store.writeSync(() =>
    store.database
      .prepare("UPDATE approvals SET node_id = NULL, delivery_id = ? WHERE id = ?")
      .run(delivery, pendingChain),
  );
  const decision = { method: "POST", body: '{"decision":"approved"}', headers: { "content-type": "application/json" } };
  assert.is((await ask(token, `/api/v1/approvals/${pendingChain}/decide`, decision)).status, 200);
  const [entry, , former] = await get(token, "/activity?limit=3");
  assert.is(entry.delivery_id, delivery);
  assert.not.ok("work_item_id" in entry);
  assert.not.ok("delivery_id" in former);
});

test("an unknown verb is 422 with the known ones", async () => {
  const detail = await assertRefused(await ask(token, "/api/v1/activity?verb=note.add"), 422);
  assert.match(detail, /^verb must be one of .*note\.added, .*scenes\.imported, .*webhook\.removed/);
  assert.equal(await get(token, "/activity?verb=webhook.removed"), []);
  assert.ok((await get(token, "/activity?verb=test&limit=3")).length === 3, "one of the production's own");
});

test("every entry that belongs to an event has one of the verbs of its type", () => {
  const pairs = store.database
    .prepare("SELECT DISTINCT e.type, a.verb FROM events e JOIN activity a ON a.id = e.activity_id")
    .all() as { type: EventType; verb: string }[];
  assert.ok(pairs.length >= 2);
  for (const { type, verb } of pairs) assert.ok(verbsOf(type).includes(verb), `${type} ${verb}`);
});

/** Nothing calls it: the compiler reads it. */
export const withoutEvent = (context: Context): void =>
  // @ts-expect-error: an entry that neither names its event nor says that it has none
  recordActivity(context, { verb: "note.added", summary: "A note" });

/** Neither does this run. */
export const withUnknownVerbs = (context: Context, { id, node_id }: { id: number; node_id: number }): void => {
  const event = { type: "note.created", subject: { kind: "note", id }, data: { node_id, version_id: null } } as const;
  recordActivity(context, { verb: "note.added", summary: "A note" }, event);
  // @ts-expect-error: no row has this verb
  recordActivity(context, { verb: "note.add", summary: "A note" }, event);
  // @ts-expect-error: it is the name of the event, whose row says that its verb is another one
  recordActivity(context, { verb: "note.created", summary: "A note" }, event);
  // @ts-expect-error: the verb of another event
  recordActivity(context, { verb: "asset.created", summary: "A note" }, event);
  // @ts-expect-error: a verb about what is no event, which no feature has
  recordActivity(context, { verb: "look_brief.create", summary: "A brief" }, null);
};

test.after(() => server.stop());
test.run();
