// GET /me/manifest: one request tells a bound key what has changed, and what it lists is what the key gets.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import type { Steps, TaggedDocument } from "../../src/core/answers.ts";
import { openContext } from "../../src/core/pipeline.ts";
import { getManifest } from "../../src/features/search/manifest.ts";
import { assertRefused, importedAt, mint, openTestServer } from "../support/app.ts";
import { sampleOf } from "../support/sampling.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const { production, submitter, reader } = seedDataOf(store);
const wide = mint(store, { production_id: production, scopes });
const keyOf = (engagement_id: number, given: readonly string[] = scopes) =>
  mint(store, { production_id: production, engagement_id, scopes: given as typeof scopes });
const ask = (token: string, path: string, tag?: string) =>
  server.ask(token, `/api/v1${path}`, tag === undefined ? {} : { headers: { "if-none-match": tag } });
const manifestOf = (token: string) => server.get(token, "/me/manifest");
const pathsOf = ({ documents }: any): string[] => documents.map(({ path }: { path: string }) => path);
const engagements = store.database
  .prepare("SELECT id FROM engagements WHERE production_id = ?")
  .pluck()
  .all(production) as number[];

const test = suite("GET /me/manifest");

test("lists paths that answer 200 with the listed ETag, and 304 for it", async () => {
  let seen = 0;
  for (const engagement_id of engagements) {
    const token = keyOf(engagement_id);
    for (const { path, etag } of (await manifestOf(token)).documents) {
      const answer = await ask(token, path);
      assert.equal([answer.status, answer.headers.get("etag")], [200, etag], path);
      assert.is((await ask(token, path, etag)).status, 304, path);
      seen++;
    }
  }
  assert.ok(seen > 10);
});

test("lists each bundle of every node that /me lists, and the turnovers", async () => {
  for (const engagement_id of engagements) {
    const token = keyOf(engagement_id, ["read"]);
    const { reach } = await server.get(token, "/me");
    const work = new Set<number>([...reach.deliveries.map(({ id }: any) => id), ...reach.submitted_on]);
    const lists = [...work].sort((a, b) => a - b).map((id) => `/turnovers/${id}/submissions`);
    const expected = reach.nodes.flatMap(({ node_id, kind }: any) => {
      if (kind === "scene") return [`/bundles/scene/${node_id}`];
      return [...(kind === "character" ? [`/bundles/character/${node_id}`] : []), `/bundles/asset/${node_id}`];
    });
    assert.equal(pathsOf(await manifestOf(token)), [...expected, ...lists, "/turnovers"]);
  }
});

test("lists exactly the media that GET /media/{id} returns, with their details", async () => {
  const ids = store.database.prepare("SELECT id FROM media").pluck().all() as number[];
  let seen = 0;
  for (const engagement_id of [submitter, reader]) {
    const token = keyOf(engagement_id);
    const { media } = await manifestOf(token);
    const listedOf = (id: number) => media.find((medium: any) => medium.id === id);
    const others = ids.filter((id) => listedOf(id) === undefined);
    for (const id of [...ids.filter((id) => listedOf(id) !== undefined), ...sampleOf(others)]) {
      const answer = await ask(token, `/media/${id}`);
      const listed = listedOf(id);
      assert.is(answer.status, listed === undefined ? 404 : 200, `medium ${id}`);
      if (listed === undefined) continue;
      const { label, sha256, size, content_type }: any = await answer.json();
      assert.equal(listed, { id, label, sha256, size, content_type });
      seen++;
    }
  }
  assert.ok(seen > 0);
});

test("lists the purchase orders for a key with the scope and a grant, and only then", async () => {
  const lists = async (token: string) => pathsOf(await manifestOf(token)).includes("/purchase-orders");
  const granted = store.database
    .prepare("SELECT DISTINCT engagement_id FROM grants WHERE production_id = ? AND verb = 'read:own_po'")
    .pluck()
    .all(production) as number[];
  assert.ok(granted.length > 0);
  for (const id of engagements) assert.is(await lists(keyOf(id)), granted.includes(id));
  for (const id of granted) assert.not.ok(await lists(keyOf(id, ["read"])));
});

test("has another ETag once a document in it changed, and only that document's tag is another", async () => {
  const token = keyOf(submitter);
  const first = await ask(token, "/me/manifest");
  const tag = first.headers.get("etag") as string;
  const before: any = await first.json();
  assert.is(before.etag, tag);
  assert.is((await ask(token, "/me/manifest", tag)).status, 304);
  const node = (await server.get(token, "/me")).reach.nodes.find(({ kind }: any) => kind === "scene").node_id;
  store.writeSync(() =>
    store.database.prepare("UPDATE scenes SET synopsis = 'Rewritten.' WHERE node_id = ?").run(node),
  );
  const second = await ask(token, "/me/manifest", tag);
  assert.is(second.status, 200);
  const after: any = await second.json();
  assert.equal(pathsOf(after), pathsOf(before));
  const changed = after.documents.filter(({ etag }: any, at: number) => etag !== before.documents[at].etag);
  assert.equal(pathsOf({ documents: changed }), [`/bundles/scene/${node}`]);
});

test("lists nothing of a grant that ended between two steps", () => {
  const context = openContext(server.app, { authorization: `Bearer ${keyOf(submitter)}` });
  const { steps } = getManifest.run(context, {}) as Steps<TaggedDocument<any>>;
  assert.is(steps.next().done, false);
  const end = (revoked_at: string | null) =>
    store.writeSync(() =>
      store.database
        .prepare(
          "UPDATE grants SET revoked_at = ? WHERE engagement_id = ? AND (node_id OR department_id) AND revoked_at IS ?",
        )
        .run(revoked_at, submitter, revoked_at === null ? importedAt : null),
    );
  end(importedAt);
  let last = steps.next();
  while (!last.done) last = steps.next();
  end(null);
  assert.equal(
    pathsOf(JSON.parse(last.value.text)).filter((path) => path.startsWith("/bundles/")),
    [],
  );
});

test("lists nothing but own work after the grants end", async () => {
  const token = keyOf(reader);
  assert.ok((await manifestOf(token)).documents.length > 1);
  store.writeSync(() =>
    store.database
      .prepare("UPDATE grants SET revoked_at = '2026-01-01T00:00:00.000Z' WHERE engagement_id = ?")
      .run(reader),
  );
  const { documents, media } = await manifestOf(token);
  const { submitted_on } = (await server.get(token, "/me")).reach;
  assert.ok(submitted_on.length > 0);
  const lists = submitted_on.map((id: number) => `/turnovers/${id}/submissions`);
  assert.equal(pathsOf({ documents }), [...lists, "/turnovers"]);
  for (const path of lists) assert.is((await ask(token, path)).status, 200, path);
  for (const { id } of media) assert.is((await ask(token, `/media/${id}`)).status, 200); // its own submissions
});

test("is 403 for a production-wide key and for a key without the scope read", async () => {
  await assertRefused(await ask(wide, "/me/manifest"), 403, /bound to no engagement/);
  await assertRefused(await ask(keyOf(submitter, ["submit:turnover"]), "/me/manifest"), 403, /`read` scope/);
});

test.after(() => server.stop());
test.run();
