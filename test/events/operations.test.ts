// GET /events: pages, cursors, filters, waiting, and what a cursor is answered with that is not valid any more.
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { epoch } from "../../src/core/store/database_mark.ts";
import { backUp } from "../../src/features/backup/backup.ts";
import { restoreBackup } from "../../src/features/backup/restore.ts";
import { feedOf } from "../../src/features/events/state.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { addEngagement } from "../../src/graph/engagements.ts";
import { assertRefused, importedAt, mint, openTestServer, revoke, temporaryFolder } from "../support/app.ts";
import { recordEvents } from "../support/event_log.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";

const server = await openTestServer();
const { store } = server;
const { production: production_id, otherProduction, submitter } = seedDataOf(store);
const token = mint(store, { production_id });

interface Answer {
  events: { id: number; type: string; data: { key: string } }[];
  next: string;
  more: boolean;
}
const read = (query: string): Promise<Answer> => server.get<Answer>(token, `/events?${query}`);

const record = (count: number, production = production_id): void => recordEvents(store, production, { count });
const recordOther = (): void => recordEvents(store, production_id, { type: "person.removed" });

const reading = suite("GET /events");

reading("starts now, and `next` is there without events", async () => {
  record(2);
  const first = await read("");
  assert.equal([first.events, first.more], [[], false]);
  record(1);
  const second = await read(`after=${first.next}`);
  assert.equal(
    second.events.map(({ type }) => type),
    ["vendor.added"],
  );
  assert.equal(await read(`after=${second.next}`), { events: [], next: second.next, more: false });
});

reading("pages through the log from the start, in order, without a gap", async () => {
  record(7);
  const ids: number[] = [];
  let page = await read("after=start&limit=3");
  for (; page.more; page = await read(`after=${page.next}&limit=3`)) {
    assert.is(page.events.length, 3);
    ids.push(...page.events.map(({ id }) => id));
  }
  ids.push(...page.events.map(({ id }) => id));
  const stored = store.database.prepare("SELECT id FROM events WHERE production_id = ? ORDER BY id").pluck();
  assert.equal(ids, stored.all(production_id));
});

reading("an event has what its row has", async () => {
  const { next } = await read("");
  const created = await server.ask(token, "/api/v1/assets", {
    method: "POST",
    body: JSON.stringify({ label: "Lamp" }),
    headers: { "content-type": "application/json" },
  });
  const { node_id } = (await created.json()) as { node_id: number };
  const [event] = (await read(`after=${next}`)).events as unknown as Record<string, unknown>[];
  const { id, activity_id, timestamp, ...rest } = event as Record<string, unknown>;
  assert.ok(Number.isInteger(id) && Number.isInteger(activity_id) && !Number.isNaN(Date.parse(String(timestamp))));
  const data = { label: "Lamp", kind: "asset", status: "planned", department: null };
  const subject = { kind: "asset", id: node_id };
  const said = { label: "Lamp", summary: "Created the asset Lamp", person: null, production_id };
  assert.equal(rest, { type: "asset.created", subject, actor: "test key", data, ...said });
});

reading("has only the events of the key's production", async () => {
  const { next } = await read("");
  record(3, otherProduction);
  assert.equal(await read(`after=${next}`), { events: [], next, more: false });
});

reading("filters by type, and `next` passes the events of other types", async () => {
  const { next } = await read("");
  record(5);
  recordOther();
  record(5);
  const page = await read(`after=${next}&types=person.removed,note.created`);
  assert.equal(
    page.events.map(({ type }) => type),
    ["person.removed"],
  );
  assert.is(page.next, (await read("")).next);
});

reading("finds the one event of a type behind thousands of others", async () => {
  const { next } = await read("");
  record(2_500);
  recordOther();
  assert.is((await read(`after=${next}&types=person.removed&limit=1`)).events.length, 1);
});

reading("a limit above 200 is 200", async () => {
  record(250);
  assert.is((await read("after=start&limit=1000")).events.length, 200);
});

reading("is 403 for a bound key and for a key without read", async () => {
  const bound = mint(store, { production_id, engagement_id: submitter, scopes: ["read"] });
  await assertRefused(await server.ask(bound, "/api/v1/events"), 403, /bound to an engagement/);
  await assertRefused(await server.ask(mint(store, { scopes: ["write"] }), "/api/v1/events"), 403, /`read`/);
});

for (const [query, sentence] of [
  ["after=yesterday", "after must be the cursor of an earlier answer, start or now"],
  ["after=-1", "after must be the cursor of an earlier answer, start or now"],
  [`after=${"0".repeat(101)}`, "after must have at most 100 characters"],
  ["wait=56", "wait must be a whole number of seconds from 0 to 55"],
  ["wait=-1", "wait must be a whole number of seconds from 0 to 55"],
  ["wait=1.5", "wait must be a whole number of seconds from 0 to 55"],
  ["limit=0", "limit must be an integer of at least 1"],
  ["types=asset.created,asset.eaten", /^types has "asset.eaten", which is not an event type/],
  ["types=", /^types must not be empty/],
] as const)
  reading(`${query.slice(0, 40)}: is 422 with a sentence`, async () => {
    await assertRefused(await server.ask(token, `/api/v1/events?${query}`), 422, sentence);
  });

const again = /read the lists again and continue with after=now$/;
reading("a cursor of another epoch and one beyond the log are 410", async () => {
  await assertRefused(await server.ask(token, "/api/v1/events?after=00000000-1"), 410, again);
  await assertRefused(await server.ask(token, `/api/v1/events?after=${epoch(store)}-99999999`), 410, again);
});

const waiting = suite("GET /events with wait");
/** Resolves once so many requests wait for events. */
const waits = (count: number, on = server) => until(() => feedOf(on.app).readers === count);

waiting("answers once another process commits an event, long before the wait is over", async () => {
  const { next } = await read("");
  const order: string[] = [];
  const answer = read(`after=${next}&wait=55`).then(({ events }) => void order.push(`${events.length} events`));
  const quiet = read(`after=${next}&wait=55&types=person.removed`).then(() => void order.push("the end of the wait"));
  await waits(2);
  record(1);
  await answer;
  recordOther(); // ends the other wait
  await quiet;
  assert.equal(order, ["1 events", "the end of the wait"]);
});

waiting("answers at once when there are events, and with none when the wait is over", async () => {
  const { next } = await read("");
  const quiet = read(`after=${next}&wait=1`);
  await waits(1);
  assert.equal(await quiet, { events: [], next, more: false });
  record(1);
  assert.is((await read(`after=${next}&wait=50`)).events.length, 1);
});

waiting("goes on waiting when an event of another type or production is committed", async () => {
  const { next } = await read("");
  const answer = read(`after=${next}&wait=55&types=person.removed`);
  const every = read(`after=${next}&wait=55`);
  await waits(2);
  record(3, otherProduction);
  record(3);
  await every; // the events were handed to those who wait
  await waits(1);
  recordOther();
  assert.equal(
    (await answer).events.map(({ type }) => type),
    ["person.removed"],
  );
});

waiting("is 401 when the key is revoked meanwhile", async () => {
  const short = mint(store, { production_id, label: "short" });
  const answer = server.ask(short, "/api/v1/events?wait=55");
  await waits(1);
  revoke(store, "short");
  await assertRefused(await answer, 401);
});

waiting("is 401 when the key is revoked while the events are read, which waits for the turns of others", async () => {
  const short = mint(store, { production_id, label: "shorter" });
  const { stored } = feedOf(server.app);
  const { page } = stored;
  stored.page = async (...given) => {
    const read = await page.apply(stored, given);
    revoke(store, "shorter");
    return read;
  };
  const answer = await server.ask(short, "/api/v1/events?after=start");
  stored.page = page;
  await assertRefused(answer, 401);
});

waiting("is 503 when the key has too many readers, and an ended one makes room", async () => {
  const small = await openTestServer({ environment: { TALLYLIGHT_EVENT_READERS: "1" } });
  const key = mint(small.store);
  const controller = new AbortController();
  const held = small.ask(key, "/api/v1/events?wait=55", { signal: controller.signal }).catch(() => undefined);
  await waits(1, small);
  await assertRefused(await small.ask(key, "/api/v1/events?wait=1"), 503, /^this key has 1 readers of events/);
  controller.abort();
  await held;
  await until(async () => (await small.ask(key, "/api/v1/events?wait=1")).status === 200);
  await small.stop();
});

waiting("answers when the server stops, and does not hold the server", async () => {
  const stopping = await openTestServer();
  const answer = stopping.ask(mint(stopping.store), "/api/v1/events?wait=55");
  await waits(1, stopping);
  await stopping.stop(); // a connection that is still open when it has waited long enough gets no answer
  assert.is((await answer).status, 200);
});

const restored = suite("a restored backup");

restored("every former cursor is 410, and new ones count on", async () => {
  const file = join(temporaryFolder(), "tally.tar");
  const cursors = [(await read("")).next, (await read("after=start&limit=1")).next];
  await backUp(server.folder, file, { now: Date.parse(importedAt) });
  const folder = temporaryFolder();
  await restoreBackup(file, folder);
  const copy = await openTestServer({ data: folder });
  for (const cursor of cursors)
    await assertRefused(await copy.ask(token, `/api/v1/events?after=${cursor}`), 410, again);
  const { next } = await copy.get<Answer>(token, "/events");
  addEngagement(localAdmin(copy.store, importedAt), { production_id, vendor: "Restored" });
  assert.is((await copy.get<Answer>(token, `/events?after=${next}`)).events.length, 2);
  await assertRefused(await server.ask(token, `/api/v1/events?after=${next}`), 410, again);
  await copy.stop();
});
restored.after(() => server.stop());

reading.run();
waiting.run();
restored.run();
