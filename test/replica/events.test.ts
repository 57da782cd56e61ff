// A client of the events keeps its cursor when the primary dies: on the replica the cursor continues, and after the
// promotion it is 410, because what the client read last may be lost. Reading from the start or from now on works.
// Thorough: only --all runs it.
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { writeReplicaRecord } from "../../src/features/replica/record.ts";
import { assertRefused, mint, openTestServer, type TestServer } from "../support/app.ts";
import { addressOf, answerOf, launch } from "../support/command.ts";
import { canCopy, followUntil, replicaFolder, skipped } from "../support/replication.ts";
import { seedDataOf } from "../support/seed_data.ts";

interface Page {
  events: { id: number; type: string }[];
  next: string;
}

/** Makes a replica of a primary that serves. */
const copies: Readonly<Record<string, (primary: TestServer, data: string) => Promise<void>>> = {
  async follow({ folder }, data) {
    assert.match((await followUntil(folder, data, 1)).reported[0] as string, /^copied/);
  },
  async "another program"({ store, folder }, data) {
    mkdirSync(data);
    store.database.prepare("VACUUM INTO ?").run(join(data, "tallylight.db"));
    cpSync(join(folder, "media"), join(data, "media"), { recursive: true });
    writeReplicaRecord(data, { synced_at: new Date().toISOString(), source: folder });
  },
};

const events = (url: string, key: string, query = "", headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/api/v1/events${query}`, { headers: { authorization: `Bearer ${key}`, ...headers } });
async function pageOf(url: string, key: string, query = ""): Promise<Page> {
  const response = await events(url, key, query);
  assert.is(response.status, 200, await response.clone().text());
  return (await response.json()) as Page;
}

async function addNote(url: string, key: string, node_id: number): Promise<void> {
  const init = { method: "POST", body: '{"text":"Darker."}', headers: { "content-type": "application/json" } };
  const headers = { ...init.headers, authorization: `Bearer ${key}` };
  assert.is((await fetch(`${url}/api/v1/assets/${node_id}/notes`, { ...init, headers })).status, 200);
}

/** A primary with an event, and a client's key and cursor behind the event. */
async function openPrimary(): Promise<TestServer & { key: string; asset: number; read: Page }> {
  const server = await openTestServer();
  const { production: production_id, asset } = seedDataOf(server.store);
  const key = mint(server.store, { production_id });
  await addNote(server.url, key, asset);
  const read = await pageOf(server.url, key, "?after=start");
  assert.ok(read.events.length > 0);
  return { ...server, key, asset, read };
}

/** What the cursor of the former primary answers on the server of the promoted copy, and how a client goes on there. */
async function checkPromoted(
  url: string,
  { key, asset, read }: Awaited<ReturnType<typeof openPrimary>>,
): Promise<void> {
  await assertRefused(await events(url, key, `?after=${read.next}`), 410, /cursor/);
  const stream = { accept: "text/event-stream", "last-event-id": read.next };
  await assertRefused(await events(url, key, "", stream), 410, /cursor/);
  assert.equal((await pageOf(url, key, "?after=start")).events, read.events, "the copied events are there");
  const { events: none, next } = await pageOf(url, key);
  assert.equal(none, []);
  await addNote(url, key, asset);
  const { events: news } = await pageOf(url, key, `?after=${next}`);
  assert.ok(news.length > 0 && news.every(({ id }) => id > (read.events.at(-1)?.id as number)));
}

for (const [how, copy] of Object.entries(copies)) {
  const follows = how === "follow";
  const cursors = suite(`a cursor of the events, on a copy by ${how}${follows ? skipped : ""}`);
  const test = follows && !canCopy ? cursors.skip : cursors;
  test("continues on the replica, and is 410 once the copy is promoted and served", async () => {
    const primary = await openPrimary();
    const data = replicaFolder();
    await copy(primary, data);
    const environment = { TALLYLIGHT_MAX_STALENESS: "3600" };
    const replica = await openTestServer({ data, replica: true, environment });
    assert.equal((await pageOf(replica.url, primary.key, `?after=${primary.read.next}`)).events, []);
    await replica.close();
    await primary.close();
    assert.equal((await answerOf("promote", "--data", data)).broken, []);
    const served = launch(["serve", "--data", data, "--port", "0"]);
    try {
      await checkPromoted(await addressOf(served), primary);
    } finally {
      served.signal("SIGTERM");
      await served.ended;
    }
  });
  cursors.run();
}
