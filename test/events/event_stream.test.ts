// GET /events as server-sent events: order, resuming, filters, ended keys, slow readers and the end of the server.
// Thorough: only --all runs it.
import { createConnection } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { feedOf } from "../../src/features/events/state.ts";
import { assertRefused, mint, openTestServer, revoke } from "../support/app.ts";
import { type OpenStream, openStream, recordEvents } from "../support/event_log.ts";
import { signIn } from "../support/pages.ts";
import { isThorough } from "../support/proportion.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";

const streamTimes = { quiet: 400, stalled: 600_000 };
let clockAhead = 0;
const server = await openTestServer({ streamTimes, clock: () => Date.now() + clockAhead });
const { store } = server;
const { production: production_id, otherProduction } = seedDataOf(store);
const token = mint(store, { production_id });
const urlOf = (query: string) => `${server.url}/api/v1/events?${query}`;
const open = (query = "", headers: Record<string, string> = {}): Promise<OpenStream> =>
  openStream(urlOf(query), token, headers);
const record = (count: number, key = "v"): void => recordEvents(store, production_id, { count, key });
const keysOf = (stream: OpenStream): string[] => stream.events().map(({ data }) => data.data.key);
const names = (count: number, key = "v"): string[] => Array.from({ length: count }, (_, at) => `${key}${at}`);
const createAsset = (label: string): Promise<Response> =>
  server.ask(token, "/api/v1/assets", {
    method: "POST",
    body: JSON.stringify({ label }),
    headers: { "content-type": "application/json" },
  });

const streaming = suite("GET /events as a stream");

streaming("sends what is stored and then what is committed, each with a cursor as its id", async () => {
  record(300, "before");
  const stream = await open("after=start");
  await stream.until(300);
  record(3, "after");
  await stream.until(303);
  assert.equal(keysOf(stream), [...names(300, "before"), ...names(3, "after")]);
  for (const { id, data } of stream.events()) assert.match(id, new RegExp(`^[0-9a-f]{8}-${data.id}$`));
  stream.close();
});

streaming("of the pages answers HEAD with the headers and ends", async () => {
  for (const key of [token, mint(store, seedDataOf(store).submitterKey)]) {
    const headers = { cookie: (await signIn(server, key)).cookies() };
    const signal = AbortSignal.timeout(120_000);
    const { status, headers: sent } = await fetch(`${server.url}/live`, { method: "HEAD", headers, signal });
    assert.equal([status, sent.get("content-type")], [200, "text/event-stream"]);
  }
});

streaming("sends this process's events at once, and another process's with the next look at the database", async () => {
  const stream = await open();
  const feed = server.app.store;
  const { revision } = feed;
  for (let round = 1; round < 10; round += 2) {
    const present = revision();
    feed.revision = () => present; // whoever looks finds nothing new
    await createAsset("Lantern");
    await stream.until(round);
    feed.revision = revision;
    record(1);
    await stream.until(round + 1);
  }
  stream.close();
});

streaming("begins with an id, so that a client without an event resumes where it began", async () => {
  const stream = await open();
  await until(() => stream.blocks.length > 0);
  stream.close();
  record(2);
  const resumed = await open("after=now", { "last-event-id": stream.blocks[0]?.id ?? "" });
  await resumed.until(2);
  resumed.close();
});

streaming("Last-Event-ID wins over after, and an empty one does not count", async () => {
  const first = await open("after=start&limit=1");
  await first.until(100);
  const { id } = first.events()[9] as { id: string };
  first.close();
  const resumed = await open("after=start", { "last-event-id": id });
  await resumed.until(1);
  assert.is(resumed.events()[0]?.data.id, first.events()[10]?.data.id);
  resumed.close();
  const empty = await open("after=start", { "last-event-id": "" });
  await empty.until(1);
  assert.is(empty.events()[0]?.id, first.events()[0]?.id);
  empty.close();
});

streaming("is refused as JSON: 401, 403, 410 and 422", async () => {
  const ask = (query: string, key = token, headers = {}) =>
    server.ask(key, `/api/v1/events?${query}`, { headers: { accept: "text/event-stream", ...headers } });
  await assertRefused(await ask("", "tl_x"), 401);
  await assertRefused(await ask("", mint(store, { scopes: ["write"] })), 403);
  await assertRefused(await ask("after=00000000-1"), 410);
  await assertRefused(await ask("", token, { "last-event-id": "x" }), 422, /^after must be the cursor/);
  await assertRefused(await ask("types=x"), 422);
});

streaming("has only the types that were asked for, and its id moves past the others", async () => {
  const stream = await open("types=person.removed");
  const all = await open();
  record(5);
  recordEvents(store, production_id, { type: "person.removed" });
  record(5);
  await stream.until(1);
  await all.until(11);
  await until(() => stream.blocks.some(({ id }) => id === all.events().at(-1)?.id));
  assert.is(stream.events().length, 1);
  stream.close();
  all.close();
});

streaming("goes on from page to page if one commit has more events than a page", async () => {
  const streams = [await open(), await open("types=vendor.added,person.removed")];
  record(1450, "many");
  for (const stream of streams) {
    await stream.until(1450);
    assert.equal(keysOf(stream), names(1450, "many"));
    stream.close();
  }
});

streaming("has no event of another production", async () => {
  const stream = await open();
  recordEvents(store, otherProduction, { count: 3 });
  record(1, "own");
  await stream.until(1);
  assert.equal(keysOf(stream), ["own0"]);
  stream.close();
});

streaming("stays open while it is quiet, beyond the idle time-out, with a comment now and then", async () => {
  const idle = await openTestServer({ streamTimes, idleTimeout: 800 });
  const opened = performance.now();
  const stream = await openStream(`${idle.url}/api/v1/events`, mint(idle.store, { production_id }));
  const comments = () => stream.blocks.filter(({ comment }) => comment).length;
  await until(() => comments() >= 4);
  const [count, quietTimes] = [comments(), (performance.now() - opened) / streamTimes.quiet];
  if (isThorough)
    assert.ok(quietTimes > count - 1.5, `${count} comments in ${quietTimes} times the time without an event`);
  recordEvents(idle.store, production_id);
  await stream.until(1);
  stream.close();
  await idle.stop();
});

const ending = suite("the end of a stream");

ending("comes when the key is revoked, before the next event is sent", async () => {
  const short = mint(store, { production_id, label: "short" });
  const stream = await openStream(urlOf(""), short);
  revoke(store, "short");
  record(1);
  await stream.ended;
  assert.equal(stream.events(), []);
});

ending("comes when the key expires", async () => {
  const expires_at = new Date(Date.now() + 600_000).toISOString();
  const stream = await openStream(urlOf(""), mint(store, { production_id, expires_at }));
  clockAhead = 601_000;
  await stream.ended;
  clockAhead = 0;
});

ending("the streams of other keys go on", async () => {
  const [first, second] = [mint(store, { production_id, label: "first" }), mint(store, { production_id })];
  const streams = await Promise.all([first, first, second].map((key) => openStream(urlOf(""), key)));
  revoke(store, "first");
  await Promise.all(streams.slice(0, 2).map(({ ended }) => ended));
  record(1);
  await streams[2]?.until(1);
  streams[2]?.close();
});

ending("comes with the last position when the server stops", async () => {
  const stopping = await openTestServer();
  const key = mint(stopping.store, { production_id });
  const stream = await openStream(`${stopping.url}/api/v1/events?types=person.removed`, key);
  const beside = await openStream(`${stopping.url}/api/v1/events`, key);
  recordEvents(stopping.store, production_id, { count: 3 });
  recordEvents(stopping.store, otherProduction, { count: 3 }); // their positions are not the production's
  await beside.until(3); // they were handed to both streams
  const { next } = await stopping.get<{ next: string }>(key, "/events");
  await stopping.stop();
  await stream.ended;
  assert.is(stream.blocks.at(-1)?.id, next);
});

const slow = suite("a slow reader");

/** Opens a stream on a socket that does not read. */
async function stall(
  { port } = server,
  key = token,
): Promise<{ socket: ReturnType<typeof createConnection>; text(): string }> {
  const socket = createConnection(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("error", () => {});
  socket.write(
    `GET /api/v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\naccept: text/event-stream\r\n\r\n`,
  );
  await new Promise((resolve) => socket.once("data", resolve));
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.pause();
  return { socket, text: () => text };
}
const fields = { synopsis: { to: "x".repeat(900) } };
/** The bytes in use after a garbage collection; 0 on Deno, which has none to call. */
function bytesInUse(): number {
  if ("Deno" in globalThis) return 0;
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
/** More than the buffers of the system take. */
const many = 20_000;

slow("gets every event, in order, once it reads again; memory does not grow meanwhile", async () => {
  const { socket, text } = await stall();
  const beside = await open("types=person.removed");
  const before = bytesInUse();
  recordEvents(store, production_id, { count: many, key: "slow", fields });
  recordEvents(store, production_id, { type: "person.removed" });
  await beside.until(1); // all before it were handed to the streams
  beside.close();
  const grown = bytesInUse() - before;
  assert.ok(grown < 4e6, `${grown} bytes are kept in memory`);
  socket.resume();
  const found = () => [...text().matchAll(/"key":"(slow\d+)"/g)].map(([, key]) => key);
  await until(() => found().length >= many);
  assert.equal(found(), names(many, "slow"));
  socket.destroy();
});

slow("is cut off if it goes on not reading", async () => {
  const impatient = await openTestServer({ streamTimes: { ...streamTimes, stalled: 500 } });
  const { socket, text } = await stall(impatient, mint(impatient.store, { production_id }));
  recordEvents(impatient.store, production_id, { count: many, key: "cut", fields });
  await until(() => feedOf(impatient.app).readers === 0);
  socket.resume();
  await new Promise((resolve) => socket.once("close", resolve));
  assert.ok([...text().matchAll(/"key":"cut/g)].length < many);
  await impatient.stop();
});
slow.after(() => server.stop());

streaming.run();
ending.run();
slow.run();
