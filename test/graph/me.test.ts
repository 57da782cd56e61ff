// GET /me: what a key learns about itself.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store, get } = server;
const seedData = seedDataOf(store);
const { production, submitter } = seedData;

const test = suite("GET /me");

test("tells a production-wide key its production and scopes, and nothing of engagements", async () => {
  const person_id = one(store, "SELECT min(id) FROM people WHERE production_id = ?", production);
  const expires_at = "2099-01-01T00:00:00.000Z";
  const token = mint(store, { production_id: production, scopes: ["write"], label: "Sync", person_id, expires_at });
  const { key, engagement, reach, production: own } = await get(token, "/me");
  assert.equal(
    { ...key, id: 0 },
    { id: 0, label: "Sync", prefix: token.slice(0, 11), scopes: ["write"], expires_at, person_id },
  );
  assert.is(own.id, production);
  assert.is(own.title, one(store, "SELECT title FROM productions WHERE id = ?", production));
  assert.is(engagement, null);
  assert.is(reach, null);
});

test("answers a key without any scope", async () => {
  const { key } = await get(mint(store, { production_id: production, scopes: [] }), "/me");
  assert.equal(key.scopes, []);
});

test("tells a bound key its vendor, its live grants and the nodes that they reach", async () => {
  const token = mint(store, { production_id: production, engagement_id: submitter, scopes: [] });
  const { engagement, reach } = await get(token, "/me");
  assert.is(engagement.id, submitter);
  assert.type(engagement.vendor, "string");
  for (const { target } of engagement.grants.filter(({ verb }: { verb: string }) => verb === "submit"))
    assert.ok(
      reach.deliveries.some((row: any) => row.id === target.id && row.title === target.label && row.can_submit),
    );
  for (const { target } of engagement.grants.filter((row: any) => row.target.kind === "node"))
    assert.ok(reach.nodes.some((row: any) => row.node_id === target.id && row.label === target.label));
  assert.ok(engagement.grants.length > 1);
});

test("a revoked grant is gone with the next call, although the answer was cached", async () => {
  const token = mint(store, { production_id: production, engagement_id: submitter, scopes: [] });
  const before = (await get(token, "/me")).engagement.grants;
  assert.equal((await get(token, "/me")).engagement.grants, before);
  store.writeSync(() =>
    store.database.prepare("UPDATE grants SET revoked_at = '2026-01-01' WHERE id = ?").run(before[0].id),
  );
  assert.equal((await get(token, "/me")).engagement.grants, before.slice(1));
});

test("a scene is named by its number, because sluglines repeat", async () => {
  const token = mint(store, { production_id: production, engagement_id: seedData.sceneGrantee, scopes: [] });
  const { reach } = await get(token, "/me");
  const { label } = reach.nodes.find(({ node_id }: { node_id: number }) => node_id === seedData.scene);
  const { number, slugline } = store.database
    .prepare("SELECT number, slugline FROM scenes WHERE node_id = ?")
    .get(seedData.scene) as { number: string; slugline: string };
  assert.match(label, new RegExp(`(^|/)${number} `));
  assert.ok(label.endsWith(slugline));
});

test.after(() => server.stop());
test.run();
