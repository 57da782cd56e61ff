// POST /percep/looks/{version_id}/brief.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, comparableHeaders, mint, one, openTestServer, type TestServer } from "../support/app.ts";
import { patched, progressive, resized, sequential } from "../support/pictures.ts";
import {
  completion,
  environmentOf,
  goodBrief,
  openScriptedProvider,
  type Reply,
  respond,
  shortPauses,
} from "../support/scripted_provider.ts";
import { until } from "../support/until.ts";

const provider = await openScriptedProvider();
const good = respond(200, completion(goodBrief));
const environment = environmentOf(provider.url);
const server = await openTestServer({ environment, outbound: shortPauses });
const patient = await openTestServer({ environment, outbound: shortPauses, idleTimeout: 300 });
/** A server without a configured provider. */
const unconfigured = await openTestServer();
const key = mint(server.store, { label: "restyle cart", scopes: ["read"] });

const takeBrief = (version_id: number | string, token = key, on: TestServer = server) =>
  on.ask(token, `/api/v1/percep/looks/${version_id}/brief`, { method: "POST" });

const withStill = "EXISTS (SELECT 1 FROM media WHERE version_id = v.id)";
const releasedVersions = server.store.database
  .prepare(`SELECT v.id FROM versions v WHERE production_id = 1 AND released = 1 AND ${withStill} ORDER BY id`)
  .pluck()
  .all() as number[];
/** A released version of production 1 whose brief no other test has requested. */
const nextVersion = (): number => releasedVersions.pop() as number;

/** Lets the provider give a reply only once the returned function is called. */
function hold(reply: Reply): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  provider.respondWith((req, res) => void promise.then(() => reply(req, res)));
  return resolve;
}
/**
 * Resolves once so many requests have reached the provider, and every call that was sent before has reached the server.
 */
async function arrived(count: number): Promise<void> {
  await until(() => provider.requests.length === count);
  for (let at = 0; at < 5; at++) await server.ask(key, "/api/v1/production");
}

/** Replaces the bytes of a version's still. */
function putStill(version_id: number, bytes: Uint8Array): void {
  const { store, blobs } = server;
  const staged = blobs.stageBytes(bytes);
  store.writeSync(() => {
    blobs.place([staged], "2026-11-20T08:00:00.000Z");
    store.database.prepare("UPDATE media SET sha256 = ? WHERE version_id = ?").run(staged.sha256, version_id);
  });
}

const activities = (): { summary: string; actor: string; node_id: number | null }[] =>
  server.store.database
    .prepare("SELECT summary, actor, node_id FROM activity WHERE verb = 'look_brief.created' ORDER BY id")
    .all() as never;

const briefs = suite("POST /percep/looks/{version_id}/brief");

briefs("makes a brief once and serves it from the database, also without the provider", async () => {
  const id = nextVersion();
  provider.respondWith(good);
  const response = await takeBrief(id);
  const first = await response.text();
  assert.is(response.status, 200, first);
  assert.equal(JSON.parse(first), goodBrief);
  provider.respondWith(respond(500));
  assert.is(await (await takeBrief(id)).text(), first);
  assert.is(provider.requests.length, 0);
  const cached = JSON.stringify({ ...goodBrief, era: "cached" });
  unconfigured.store.database
    .prepare(
      "INSERT INTO look_briefs SELECT v.id, m.sha256, ?, '' FROM versions v JOIN media m ON m.version_id = v.id WHERE v.id = ?",
    )
    .run(cached, id);
  assert.is(await (await takeBrief(id, mint(unconfigured.store), unconfigured)).text(), cached);
});

briefs("writes one activity entry for a new brief and none for a cached one", async () => {
  const id = nextVersion();
  provider.respondWith(good);
  const before = activities().length;
  await takeBrief(id);
  await takeBrief(id);
  const entries = activities().slice(before);
  assert.is(entries.length, 1);
  assert.match(entries[0]?.summary as string, /^Distilled a look brief of .+ version \d+$/);
  assert.is(entries[0]?.node_id, one(server.store, "SELECT node_id FROM versions WHERE id = ?", id));
});

briefs("makes one provider call and one entry for twenty simultaneous first calls", async () => {
  const id = nextVersion();
  const release = hold(good);
  const before = activities().length;
  const calls = Array.from({ length: 20 }, async () => (await takeBrief(id)).text());
  await arrived(1);
  release();
  const answers = await Promise.all(calls);
  assert.is(provider.requests.length, 1);
  assert.is(new Set(answers).size, 1);
  assert.equal(JSON.parse(answers[0] as string), goodBrief);
  assert.is(activities().length, before + 1);
});

briefs("returns a failure to all waiting calls and does not cache it", async () => {
  const id = nextVersion();
  const release = hold(respond(500));
  const calls = Array.from({ length: 5 }, () => takeBrief(id));
  await arrived(1);
  release();
  const answers = await Promise.all(calls);
  for (const answer of answers) await assertRefused(answer, 502, "the look brief provider failed (status 500)");
  assert.is(provider.requests.length, 1);
  provider.respondWith(good);
  assert.is((await takeBrief(id)).status, 200);
});

briefs("makes a new brief if the version's still was replaced", async () => {
  const id = nextVersion();
  provider.respondWith(good);
  await takeBrief(id);
  putStill(id, sequential);
  provider.respondWith(respond(200, completion({ ...goodBrief, era: "Another." })));
  assert.is(((await (await takeBrief(id)).json()) as { era: string }).era, "Another.");
  assert.is(provider.requests.length, 1);
});

briefs(
  "returns byte-identical 404s for unreleased, foreign and unknown versions without calling the provider",
  async () => {
    const found = (where: string) => one(server.store, `SELECT min(v.id) FROM versions v WHERE ${where}`);
    const unreleased = found(`production_id = 1 AND released = 0 AND ${withStill}`);
    const foreign = found(`production_id = 2 AND released = 1 AND ${withStill}`);
    const foreignEmpty = found(`production_id = 2 AND released = 1 AND NOT ${withStill}`);
    provider.respondWith(good);
    // cached for its own production
    assert.is((await takeBrief(foreign, mint(server.store, { production_id: 2 }))).status, 200);
    provider.respondWith(good);
    const headers = new Set<string>();
    for (const id of [unreleased, foreign, foreignEmpty, 999_999, Number.MAX_SAFE_INTEGER]) {
      const response = await takeBrief(id);
      headers.add(JSON.stringify(comparableHeaders(response)));
      await assertRefused(response, 404, "not found");
    }
    assert.is(headers.size, 1);
    assert.is(provider.requests.length, 0);
  },
);

briefs("returns 422 if the id is invalid", async () => {
  for (const id of ["0", "-1", "1.5", "still", "9007199254740992"])
    await assertRefused(await takeBrief(id), 422, /^version_id must be a positive integer/);
});

briefs(
  "returns 422 without calling the provider if the still is missing, not a JPEG, damaged or too large",
  async () => {
    provider.respondWith(good);
    const empty = one(
      server.store,
      `SELECT v.id FROM versions v WHERE production_id = 1 AND released = 1 AND NOT ${withStill}`,
    );
    await assertRefused(await takeBrief(empty), 422, "this version has no still");
    const id = nextVersion();
    for (const [bytes, detail] of [
      [Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1"), "the still must be a JPEG; this version's is image/png"],
      [sequential.subarray(0, -2), "the still is truncated in a scan"],
      [
        patched(sequential, sequential.indexOf(Buffer.of(0xff, 0xc0)) + 1, 0xc9),
        /^the still uses a coding that is not supported/,
      ],
      [resized(sequential, 8193, 16), "the still must have at most 8,192 pixels per side"],
      [Buffer.concat([sequential, Buffer.alloc(16 << 20)]), "the still must have at most 16,777,216 bytes"],
    ] as const) {
      putStill(id, bytes);
      await assertRefused(await takeBrief(id), 422, detail);
    }
    assert.is(provider.requests.length, 0);
  },
);

briefs("does not send bytes that follow the picture in the file", async () => {
  const id = nextVersion();
  putStill(id, Buffer.concat([sequential, progressive]));
  provider.respondWith(good);
  assert.is((await takeBrief(id)).status, 200);
  const image = provider.requests[0]?.body.messages[0].content[1];
  assert.is(image.image_url.url, `data:image/jpeg;base64,${sequential.toString("base64")}`);
});

briefs(
  "returns 422 for a refused image, 502 for a refused key and 503 for a loading model, and hides the provider's messages",
  async () => {
    const id = nextVersion();
    const said = (text: string) => ({ error: { message: `${text} for sk-permanent of org-4711` } });
    provider.respondWith(respond(400, said("image rejected")));
    await assertRefused(await takeBrief(id), 422, /^the look brief provider refused the still/);
    provider.respondWith(respond(401, said("bad key")));
    await assertRefused(await takeBrief(id), 502, "the look brief provider refused the server's key");
    provider.respondWith(respond(503, said("loading"), { "retry-after": "9" }));
    const loading = await takeBrief(id);
    assert.is(loading.headers.get("retry-after"), "9");
    await assertRefused(loading, 503, /loading its model/);
    await until(() => /"operation":"\w*brief\w*","status":503/.test(server.lines.join()));
    assert.not.match(server.lines.join(), /sk-permanent|4711/);
  },
);

briefs("returns 404 and caches nothing if the release is withdrawn while the provider works", async () => {
  const id = nextVersion();
  const set = (released: number) =>
    server.store.writeSync(() =>
      server.store.database.prepare("UPDATE versions SET released = ? WHERE id = ?").run(released, id),
    );
  provider.respondWith((req, res) => {
    set(0);
    good(req, res);
  });
  await assertRefused(await takeBrief(id), 404, "not found");
  set(1);
  assert.is(one(server.store, "SELECT count(*) FROM look_briefs WHERE version_id = ?", id), 0);
});

briefs("waits for a model that takes longer than the idle timeout of a connection", async () => {
  provider.respondWith((req, res) => void setTimeout(() => good(req, res), 500));
  assert.is((await takeBrief(nextVersion(), mint(patient.store), patient)).status, 200);
});

briefs("makes at most eight briefs at once", async () => {
  const ids = Array.from({ length: 9 }, nextVersion);
  const release = hold(good);
  const calls = ids.map((id) => takeBrief(id));
  await arrived(8);
  assert.is((await Promise.race(calls)).status, 503, "the others wait");
  release();
  const answers = await Promise.all(calls);
  assert.equal(answers.map(({ status }) => status).sort(), [...Array(8).fill(200), 503]);
  const refused = answers.find(({ status }) => status === 503) as Response;
  assert.is(refused.headers.get("retry-after"), "5");
  await assertRefused(refused, 503, /^8 look briefs are already being created/);
});

briefs("returns 503 for a released still and 404 for an unreleased one if no provider is configured", async () => {
  const token = mint(unconfigured.store);
  const unreleased = one(unconfigured.store, "SELECT min(id) FROM versions WHERE production_id = 1 AND released = 0");
  await assertRefused(
    await takeBrief(nextVersion(), token, unconfigured),
    503,
    "this deployment has no look brief provider",
  );
  await assertRefused(await takeBrief(unreleased, token, unconfigured), 404, "not found");
});

briefs.after(async () => {
  for (const opened of [server, patient, unconfigured, provider]) await opened.stop();
});
briefs.run();
