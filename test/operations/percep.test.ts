// The restyle helpers through the REST door: session tokens and look briefs.
import { setTimeout as sleep } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one, openTestServer, type TestServer } from "../app.ts";
import { patched, progressive, resized, sequential } from "../pictures.ts";
import { completion, goodBrief, openScripted, quickly, says } from "../providers/scripted.ts";

const provider = await openScripted();
const good = says(200, completion(goodBrief));
const goodToken = says(200, { apiKey: "ek_short", expiresAt: "2026-11-20T08:10:00Z" });
const environment = {
  TALLYLIGHT_RESTYLE_URL: provider.url,
  TALLYLIGHT_RESTYLE_KEY: "dct_permanent",
  TALLYLIGHT_LOOK_URL: `${provider.url}/v1`,
  TALLYLIGHT_LOOK_MODEL: "a-vision-model",
  TALLYLIGHT_LOOK_KEY: "sk-permanent",
};
const server = await openTestServer({ environment, reaching: quickly });
const patient = await openTestServer({ environment, reaching: quickly, idleTimeout: 300 });
/** Has no provider configured. */
const bare = await openTestServer();
const key = mint(server.store, { label: "restyle cart", scopes: ["read"] });

const takeToken = (body?: string, token = key) =>
  server.ask(token, "/api/v1/percep/session-token", { method: "POST", ...(body === undefined ? {} : { body }) });
const takeBrief = (version_id: number | string, token = key, on: TestServer = server) =>
  on.ask(token, `/api/v1/percep/looks/${version_id}/brief`, { method: "POST" });

const withStill = "EXISTS (SELECT 1 FROM media WHERE version_id = v.id)";
const releasedVersions = server.store.database
  .prepare(`SELECT v.id FROM versions v WHERE production_id = 1 AND released = 1 AND ${withStill} ORDER BY id`)
  .pluck()
  .all() as number[];
/** A released version of the first production whose brief no other test has asked for. */
const nextVersion = (): number => releasedVersions.pop() as number;

/** Puts bytes in the place of a version's still. */
function putStill(version_id: number, bytes: Uint8Array): void {
  const { store, blobs } = server.app;
  const staged = blobs.stageBytes(bytes);
  store.write(() => {
    blobs.place(staged, "2026-11-20T08:00:00.000Z");
    store.database.prepare("UPDATE media SET sha256 = ? WHERE version_id = ?").run(staged.sha256, version_id);
  });
}

const activities = (verb: string): { summary: string; actor: string; node_id: number | null }[] =>
  server.store.database
    .prepare("SELECT summary, actor, node_id FROM activity WHERE verb = ? ORDER BY id")
    .all(verb) as never;

const tokens = suite("POST /percep/session-token");

tokens("an empty body takes a token for the default model", async () => {
  provider.play(goodToken);
  const response = await takeToken();
  assert.is(response.status, 200);
  assert.is(response.headers.get("cache-control"), "no-store");
  assert.equal(await response.json(), { token: "ek_short", expires_at: "2026-11-20T08:10:00.000Z", model: "lucy-2.5" });
  assert.equal(provider.requests[0]?.body.allowedModels, ["lucy-2.5"]);
});

tokens("the other model is taken by name", async () => {
  provider.play(goodToken);
  const response = await takeToken('{"model":"lucy-restyle-2"}');
  assert.is(((await response.json()) as { model: string }).model, "lucy-restyle-2");
  assert.equal(provider.requests[0]?.body.allowedModels, ["lucy-restyle-2"]);
});

tokens("any other body is 422 and the provider is not asked", async () => {
  provider.play(goodToken);
  await assertRefused(await takeToken('{"model":"lucy-1"}'), 422, "model must be one of lucy-2.5, lucy-restyle-2");
  await assertRefused(await takeToken('{"model":null}'), 422, /^model must be one of/);
  await assertRefused(await takeToken("[]"), 422, "the body must be a JSON object");
  await assertRefused(await takeToken("{"), 422, "the body is not valid JSON");
  assert.is(provider.requests.length, 0);
});

tokens("a token leaves an activity entry without the token", async () => {
  provider.play(goodToken);
  const before = activities("session_token.created").length;
  await takeToken();
  const entries = activities("session_token.created");
  assert.is(entries.length, before + 1);
  const summary = "Took a restyle session token for lucy-2.5";
  assert.equal(entries.at(-1), { summary, actor: "restyle cart", node_id: null });
});

tokens("a provider that refuses the platform key is 502, and nothing of it is told, logged or recorded", async () => {
  provider.play(says(401, { detail: "dct_permanent of account 4711 is revoked" }));
  const before = activities("session_token.created").length;
  await assertRefused(await takeToken(), 502, "the restyle provider refused the platform key");
  assert.is(activities("session_token.created").length, before);
  await sleep(150);
  assert.match(server.lines.join(), /"operation":"create_session_token","status":502/);
  assert.not.match(server.lines.join(), /dct_|4711|ek_/);
});

tokens("Retry-After is passed on", async () => {
  provider.play(says(429, {}, { "retry-after": "12" }));
  assert.is((await takeToken()).headers.get("retry-after"), "12");
});

tokens("a deployment without a key is 503", async () => {
  const token = mint(bare.store);
  const path = "/api/v1/percep/session-token";
  const response = await bare.ask(token, path, { method: "POST" });
  await assertRefused(response, 503, "this deployment has no restyle provider key");
  const invalid = await bare.ask(token, path, { method: "POST", body: '{"model":"lucy-1"}' });
  await assertRefused(invalid, 422, /^model must be/);
});

tokens("read is needed, and an engagement's key does not reach it", async () => {
  provider.play(goodToken);
  const writer = mint(server.store, { scopes: ["write"] });
  await assertRefused(await takeToken("{}", writer), 403, "key does not have the `read` scope");
  const engagement_id = one(server.store, "SELECT id FROM engagements WHERE production_id = 1 ORDER BY id LIMIT 1");
  const vendor = mint(server.store, { engagement_id, scopes: ["read"] });
  await assertRefused(await takeToken("{}", vendor), 403, /bound to an engagement/);
  assert.is(provider.requests.length, 0);
});

const briefs = suite("POST /percep/looks/{version_id}/brief");

briefs("a released still is distilled once and kept, also with the provider gone", async () => {
  const id = nextVersion();
  provider.play(good);
  const response = await takeBrief(id);
  const first = await response.text();
  assert.is(response.status, 200, first);
  assert.equal(JSON.parse(first), goodBrief);
  provider.play(says(500));
  assert.is(await (await takeBrief(id)).text(), first);
  assert.is(provider.requests.length, 0);
  bare.store.database
    .prepare(
      "INSERT INTO look_briefs SELECT v.id, m.sha256, '{\"era\":\"kept\"}', '' FROM versions v JOIN media m ON m.version_id = v.id WHERE v.id = ?",
    )
    .run(id);
  assert.is(await (await takeBrief(id, mint(bare.store), bare)).text(), '{"era":"kept"}');
});

briefs("a new brief leaves one activity entry, a kept one none", async () => {
  const id = nextVersion();
  provider.play(good);
  const before = activities("look_brief.created").length;
  await takeBrief(id);
  await takeBrief(id);
  const entries = activities("look_brief.created").slice(before);
  assert.is(entries.length, 1);
  assert.match(entries[0]?.summary as string, /^Distilled a look brief of .+ version \d+$/);
  assert.is(entries[0]?.node_id, one(server.store, "SELECT node_id FROM versions WHERE id = ?", id));
});

briefs("twenty first calls at once are one call to the provider and one entry", async () => {
  const id = nextVersion();
  provider.play((req, res) => void setTimeout(() => good(req, res), 100));
  const before = activities("look_brief.created").length;
  const answers = await Promise.all(Array.from({ length: 20 }, async () => (await takeBrief(id)).text()));
  assert.is(provider.requests.length, 1);
  assert.is(new Set(answers).size, 1);
  assert.equal(JSON.parse(answers[0] as string), goodBrief);
  assert.is(activities("look_brief.created").length, before + 1);
});

briefs("a failure is the answer of all who wait for it, and is not kept", async () => {
  const id = nextVersion();
  provider.play((req, res) => void setTimeout(() => says(500)(req, res), 100));
  const answers = await Promise.all(Array.from({ length: 5 }, () => takeBrief(id)));
  for (const answer of answers) await assertRefused(answer, 502, "the look brief provider failed (status 500)");
  assert.is(provider.requests.length, 1);
  provider.play(good);
  assert.is((await takeBrief(id)).status, 200);
});

briefs("another still on the same version is another look", async () => {
  const id = nextVersion();
  provider.play(good);
  await takeBrief(id);
  putStill(id, sequential);
  provider.play(says(200, completion({ ...goodBrief, era: "Another." })));
  assert.is(((await (await takeBrief(id)).json()) as { era: string }).era, "Another.");
  assert.is(provider.requests.length, 1);
});

briefs("unreleased, foreign and unknown versions are one 404, to the byte, and the provider is not asked", async () => {
  const found = (where: string) => one(server.store, `SELECT min(v.id) FROM versions v WHERE ${where}`);
  const unreleased = found(`production_id = 1 AND released = 0 AND ${withStill}`);
  const foreign = found(`production_id = 2 AND released = 1 AND ${withStill}`);
  const foreignEmpty = found(`production_id = 2 AND released = 1 AND NOT ${withStill}`);
  provider.play(good);
  assert.is((await takeBrief(foreign, mint(server.store, { production_id: 2 }))).status, 200); // kept for its own production
  provider.play(good);
  const headers = new Set<string>();
  for (const id of [unreleased, foreign, foreignEmpty, 999_999, Number.MAX_SAFE_INTEGER]) {
    const response = await takeBrief(id);
    headers.add(JSON.stringify([...response.headers].filter(([name]) => name !== "date")));
    await assertRefused(response, 404, "not found");
  }
  assert.is(headers.size, 1);
  assert.is(provider.requests.length, 0);
});

briefs("an id that is none is 422", async () => {
  for (const id of ["0", "-1", "1.5", "still", "9007199254740992"])
    await assertRefused(await takeBrief(id), 422, /^version_id must be a positive integer/);
});

briefs("a still that is none, no JPEG, broken or huge is 422 and never sent", async () => {
  provider.play(good);
  const empty = one(
    server.store,
    `SELECT v.id FROM versions v WHERE production_id = 1 AND released = 1 AND NOT ${withStill}`,
  );
  await assertRefused(await takeBrief(empty), 422, "this version has no still");
  const id = nextVersion();
  for (const [bytes, detail] of [
    [Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1"), "the still must be a JPEG; this version's is image/png"],
    [sequential.subarray(0, -2), "the still breaks off within a scan"],
    [patched(sequential, sequential.indexOf(Buffer.of(0xff, 0xc0)) + 1, 0xc9), /^the still is coded in a way/],
    [resized(sequential, 8193, 16), "the still must have at most 8,192 pixels a side"],
    [Buffer.concat([sequential, Buffer.alloc(16 << 20)]), "the still must have at most 16,777,216 bytes"],
  ] as const) {
    putStill(id, bytes);
    await assertRefused(await takeBrief(id), 422, detail);
  }
  assert.is(provider.requests.length, 0);
});

briefs("what a camera put behind the picture is not sent", async () => {
  const id = nextVersion();
  putStill(id, Buffer.concat([sequential, progressive]));
  provider.play(good);
  assert.is((await takeBrief(id)).status, 200);
  const image = provider.requests[0]?.body.messages[0].content[1];
  assert.is(image.image_url.url, `data:image/jpeg;base64,${sequential.toString("base64")}`);
});

briefs(
  "a refused image is 422, a refused key 502, a loading model 503, and nothing of the provider is told or logged",
  async () => {
    const id = nextVersion();
    const said = (text: string) => ({ error: { message: `${text} for sk-permanent of org-4711` } });
    provider.play(says(400, said("image rejected")));
    await assertRefused(await takeBrief(id), 422, /^the still was refused by the look brief provider/);
    provider.play(says(401, said("bad key")));
    await assertRefused(await takeBrief(id), 502, "the look brief provider refused the server's key");
    provider.play(says(503, said("loading"), { "retry-after": "9" }));
    const loading = await takeBrief(id);
    assert.is(loading.headers.get("retry-after"), "9");
    await assertRefused(loading, 503, /loading its model/);
    await sleep(150);
    assert.not.match(server.lines.join(), /sk-permanent|4711/);
  },
);

briefs("a version that is taken back while the provider works is 404, and its brief is not kept", async () => {
  const id = nextVersion();
  const set = (released: number) =>
    server.store.write(() =>
      server.store.database.prepare("UPDATE versions SET released = ? WHERE id = ?").run(released, id),
    );
  provider.play((req, res) => {
    set(0);
    good(req, res);
  });
  await assertRefused(await takeBrief(id), 404, "not found");
  set(1);
  assert.is(one(server.store, "SELECT count(*) FROM look_briefs WHERE version_id = ?", id), 0);
});

briefs("a model that takes longer than a connection may be idle is waited for", async () => {
  provider.play((req, res) => void setTimeout(() => good(req, res), 900));
  assert.is((await takeBrief(nextVersion(), mint(patient.store), patient)).status, 200);
});

briefs("eight stills at once is as many as are distilled", async () => {
  const ids = Array.from({ length: 9 }, nextVersion);
  provider.play((req, res) => void setTimeout(() => good(req, res), 300));
  const answers = await Promise.all(ids.map((id) => takeBrief(id)));
  assert.equal(answers.map(({ status }) => status).sort(), [...Array(8).fill(200), 503]);
  const refused = answers.find(({ status }) => status === 503) as Response;
  assert.is(refused.headers.get("retry-after"), "5");
  await assertRefused(refused, 503, /^8 look briefs are being made already/);
});

briefs("without a provider a released still is 503 and an unreleased one still 404", async () => {
  const token = mint(bare.store);
  const unreleased = one(bare.store, "SELECT min(id) FROM versions WHERE production_id = 1 AND released = 0");
  await assertRefused(await takeBrief(nextVersion(), token, bare), 503, "this deployment has no look brief provider");
  await assertRefused(await takeBrief(unreleased, token, bare), 404, "not found");
});

briefs.after(async () => {
  for (const opened of [server, patient, bare, provider]) await opened.stop();
});

tokens.run();
briefs.run();
