// GET /me/changes: a vendor hears of everything that moves its manifest, and of nothing else, as a stream and by
// waiting.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { feedOf } from "../../src/features/events/state.ts";
import { assertRefused, mint, one, openTestServer, revoke } from "../support/app.ts";
import { type OpenStream, openStream } from "../support/event_log.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";

const start = Date.parse("2026-11-20T09:00:00Z");
let clock = start;
const server = await openTestServer({ clock: () => clock, streamTimes: { quiet: 300, stalled: 600_000 } });
const { store } = server;
const { production, submitter, reader, delivery, scene, submitterKey, otherProduction } = seedDataOf(store);
const studio = mint(store, { production_id: production, scopes });
const vendor = mint(store, submitterKey);
const other = mint(store, { production_id: production, engagement_id: reader, scopes: ["read"] });
const types = { "content-type": "application/json" };

async function send(path: string, body: object, token = studio): Promise<any> {
  const response = await server.ask(token, `/api/v1${path}`, {
    method: "POST",
    headers: types,
    body: JSON.stringify(body),
  });
  const text = await response.text();
  assert.is(response.status, 200, text);
  return JSON.parse(text);
}
const manifestTag = async (token: string): Promise<string> => (await server.get(token, "/me/manifest")).etag;
const follow = (token: string): Promise<OpenStream> => openStream(`${server.url}/api/v1/me/changes`, token);
const told = (stream: OpenStream): string[] =>
  stream.blocks.flatMap(({ data }) => (data === undefined ? [] : [JSON.parse(data).etag]));
const poll = (token: string, query: string) => server.get(token, `/me/changes?${query}`);

/** Waits until the stream has told the manifest's present tag. */
async function assertTold(stream: OpenStream, token: string, former: string): Promise<string> {
  const etag = await manifestTag(token);
  assert.not.equal(etag, former, "the manifest has moved");
  await until(() => told(stream).at(-1) === etag);
  return etag;
}

async function submit(): Promise<number> {
  const form = new FormData();
  form.append("files", new Blob(["work"]), "comp.txt");
  const response = await server.ask(vendor, `/api/v1/turnovers/${delivery}/submissions`, {
    method: "POST",
    body: form,
  });
  return ((await response.json()) as { id: number }).id;
}

const changes = suite("GET /me/changes");

changes("tells the tag of the manifest at once, and nothing else", async () => {
  const etag = await manifestTag(vendor);
  assert.equal(await poll(vendor, ""), { etag });
  const stream = await follow(vendor);
  await stream.until(1);
  assert.equal(
    stream.blocks.filter(({ data }) => data !== undefined).map(({ id, data }) => [id, JSON.parse(data ?? "")]),
    [[undefined, { etag }]],
  );
  stream.close();
});

changes(
  "tells of returned work, a rename, a grant that begins and one that is revoked, and an engagement that ends",
  async () => {
    const { id: engagement_id } = await send("/admin/engagements", { vendor: "Followed Pictures" });
    const key = mint(store, { production_id: production, engagement_id, scopes: ["read", "submit:turnover"] });
    const stream = await follow(key);
    await stream.until(1);
    let etag = await manifestTag(key);
    const { id: grant } = await send("/admin/grants", { engagement_id, verb: "read", node_id: scene });
    etag = await assertTold(stream, key, etag);
    const [episode, number] = ["e.code", "s.number"].map((column) =>
      one<string>(
        store,
        `SELECT ${column} FROM scenes s JOIN episodes e ON e.id = s.episode_id WHERE node_id = ?`,
        scene,
      ),
    );
    await send("/admin/import", { scenes: [{ episode, number, synopsis: "Another." }] });
    etag = await assertTold(stream, key, etag);
    await send(`/admin/grants/${grant}/revoke`, {});
    etag = await assertTold(stream, key, etag);
    await send("/admin/grants", { engagement_id, verb: "read", delivery_id: delivery });
    etag = await assertTold(stream, key, etag);
    await send(`/admin/engagements/${engagement_id}/end`, {});
    etag = await assertTold(stream, key, etag);
    assert.equal(await manifestTag(key), etag);
    stream.close();
  },
);

changes("tells a vendor that its work was returned, and no other vendor", async () => {
  const id = await submit();
  const [mine, foreign] = [await follow(vendor), await follow(other)];
  await mine.until(1);
  await foreign.until(1);
  const etag = await manifestTag(vendor);
  const foreignTag = await manifestTag(other);
  await send(`/submissions/${id}/decide`, { decision: "returned", note: "Too dark." });
  await assertTold(mine, vendor, etag);
  assert.is(await manifestTag(other), foreignTag);
  assert.equal(told(foreign), [foreignTag]);
  mine.close();
  foreign.close();
});

changes("tells of a grant that expires by the clock, also to a client that waits", async () => {
  const expires = new Date(clock + 3_600_000).toISOString();
  const { id: engagement_id } = await send("/admin/engagements", { vendor: "Short Grant" });
  await send("/admin/grants", { engagement_id, verb: "read", node_id: scene, expires });
  const key = mint(store, { production_id: production, engagement_id, scopes: ["read"] });
  const stream = await follow(key);
  await stream.until(1);
  const etag = await manifestTag(key);
  const waiting = poll(key, `wait=50&etag=${encodeURIComponent(etag)}`);
  await until(() => feedOf(server.app).readers === 2);
  clock += 3_700_000;
  const moved = await assertTold(stream, key, etag);
  assert.equal(await waiting, { etag: moved });
  stream.close();
});

changes(
  "with wait is held open until the tag is another than the client's, and answers at once if it is already",
  async () => {
    const etag = await manifestTag(vendor);
    assert.equal(await poll(vendor, "wait=50&etag=other"), { etag });
    assert.equal(await poll(vendor, `wait=1&etag=${encodeURIComponent(etag)}`), { etag });
    for (const query of ["wait=50", `wait=50&etag=${encodeURIComponent(etag)}`]) {
      const former = await manifestTag(vendor);
      const waiting = poll(vendor, query.replace(encodeURIComponent(etag), encodeURIComponent(former)));
      await until(() => feedOf(server.app).readers === 1);
      await submit();
      const { etag: moved } = await waiting;
      assert.not.equal(moved, former);
      assert.is(moved, await manifestTag(vendor));
    }
  },
);

changes("waits for another tag also if a proxy that compresses has added to the one that is sent", async () => {
  const etag = await manifestTag(vendor);
  const added = `${etag.slice(0, -1)}-gzip"`;
  let answered = false;
  const waiting = poll(vendor, `wait=45&etag=${encodeURIComponent(added)}`).then((answer) => {
    answered = true;
    return answer;
  });
  await poll(vendor, `wait=1&etag=${encodeURIComponent(etag)}`); // comes later, and ends
  assert.not.ok(answered);
  await submit();
  assert.not.equal((await waiting).etag, etag);
});

changes("is for bound keys with the scope read", async () => {
  await assertRefused(await server.ask(studio, "/api/v1/me/changes"), 403, /bound to no engagement/);
  const writes = mint(store, { production_id: production, engagement_id: submitter, scopes: ["submit:turnover"] });
  await assertRefused(await server.ask(writes, "/api/v1/me/changes"), 403, /`read` scope/);
  await assertRefused(await server.ask(vendor, "/api/v1/me/changes?wait=56"), 422, /^wait must be/);
  for (const token of [studio, writes]) assert.is((await follow(token)).status, 403);
});

changes("ends for a key that is revoked or expires meanwhile, and goes on for others of its engagement", async () => {
  const labelled = (label: string, expires_at: string | null = null) =>
    mint(store, { production_id: production, engagement_id: submitter, scopes: ["read"], label, expires_at });
  const revoked = labelled("revoked");
  const expiring = labelled("expiring", new Date(clock + 1_000_000).toISOString());
  const [first, second, kept] = [await follow(revoked), await follow(expiring), await follow(vendor)];
  for (const stream of [first, second, kept]) await stream.until(1);
  const waiting = server.ask(revoked, "/api/v1/me/changes?wait=50");
  await until(() => feedOf(server.app).readers === 4);
  revoke(store, "revoked");
  await assertRefused(await waiting, 401);
  await first.ended;
  clock += 1_100_000;
  await second.ended;
  const etag = await manifestTag(vendor);
  await submit();
  await assertTold(kept, vendor, etag);
  kept.close();
});

changes("shows a key without the scope read:money nothing of money", async () => {
  const { moneyGrantee } = seedDataOf(store);
  const production_id = one(store, "SELECT production_id FROM engagements WHERE id = ?", moneyGrantee);
  const keyOf = (given: readonly ("read" | "read:money")[]) =>
    mint(store, { production_id, engagement_id: moneyGrantee, scopes: given });
  const [plain, money] = [keyOf(["read"]), keyOf(["read", "read:money"])];
  assert.is.not((await poll(plain, "")).etag, (await poll(money, "")).etag);
  for (const token of [plain, money]) assert.is((await poll(token, "")).etag, await manifestTag(token));
});

changes("tells nothing of another production", async () => {
  const stream = await follow(vendor);
  await stream.until(1);
  const before = told(stream);
  const foreign = mint(store, { production_id: otherProduction, scopes });
  await send("/assets", { label: "Elsewhere" }, foreign);
  const etag = await manifestTag(vendor);
  await submit();
  await assertTold(stream, vendor, etag);
  assert.is(told(stream).length, before.length + 1);
  stream.close();
});

changes("sends a comment while nothing moves", async () => {
  const stream = await follow(vendor);
  await until(() => stream.blocks.some(({ comment }) => comment));
  assert.is(told(stream).length, 1);
  stream.close();
  await until(() => feedOf(server.app).readers === 0);
});

changes.after(() => server.stop());
changes.run();
