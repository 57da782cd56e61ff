// The read endpoints and the bundles: optional fields, order, and the demo's content.
import { createHash } from "node:crypto";
import { cpSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one, openTestServer, temporaryFolder } from "../support/app.ts";
import { productionReads } from "../support/read_paths.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const seedData = seedDataOf(store);
const single = one(store, "SELECT id FROM productions WHERE format = 'single'");
const episodic = one(store, "SELECT id FROM productions WHERE format = 'episodic'");
const feature = mint(store, { production_id: single });
const series = mint(store, { production_id: episodic });
type Row = Record<string, any>;
const list = (token: string, path: string): Promise<Row[]> => server.get(token, path);

const presence = suite("optional fields are omitted, never null");

presence("season_number, episode_id and episode_code are present on an episodic production only", async () => {
  assert.not.ok("season_number" in (await server.get(feature, "/production")));
  assert.type((await server.get(series, "/production")).season_number, "number");
  for (const scene of await list(feature, "/scenes")) assert.not.ok("episode_id" in scene || "episode_code" in scene);
  for (const scene of await list(series, "/scenes")) assert.ok(scene.episode_id > 0 && scene.episode_code.length > 0);
  for (const change of await list(feature, "/script-changes?status=all")) assert.not.ok("episode_id" in change);
});

presence("a scene without a synopsis has no synopsis field", async () => {
  const scenes = await list(feature, "/scenes");
  assert.ok(scenes.some((scene) => !("synopsis" in scene)));
  assert.ok(scenes.every(({ synopsis }) => synopsis !== null));
});
presence.run();

const reads = suite("reads");

reads("the production's stats match the lists", async () => {
  const { stats } = await server.get(feature, "/production");
  assert.is(stats.scenes, (await list(feature, "/scenes")).length);
  assert.is(stats.nodes, stats.scenes + (await list(feature, "/assets")).length);
  assert.is(stats.departments, (await list(feature, "/departments")).length);
  assert.is(stats.open_approvals, (await list(feature, "/approvals?status=pending")).length);
  const inFlight = (await list(feature, "/deliveries")).filter(({ status }) =>
    ["blocked", "ready", "sent"].includes(status),
  );
  assert.is(stats.deliveries_in_flight, inFlight.length);
});

reads("scenes are in script order and include omitted ones", async () => {
  const scenes = await list(feature, "/scenes");
  const order = store.database
    .prepare("SELECT node_id FROM scenes WHERE production_id = ? ORDER BY script_order")
    .pluck()
    .all(single);
  assert.equal(
    scenes.map(({ node_id }) => node_id),
    order,
  );
  assert.ok(scenes.some(({ status }) => status === "omitted"));
});

reads("the id of a scene returns 404 under /assets", async () => {
  const [scene] = await list(feature, "/scenes");
  await assertRefused(await server.ask(feature, `/api/v1/assets/${scene?.node_id}`), 404, "not found");
});

reads("unreleased versions are locked stubs without note, media and author", async () => {
  const node_id = one(store, "SELECT node_id FROM versions WHERE released = 0 AND production_id = ?", single);
  const { versions } = await server.get(feature, `/assets/${node_id}`);
  const locked = versions.filter(({ released }: Row) => !released);
  assert.ok(locked.length > 0);
  for (const stub of locked)
    assert.equal(Object.keys(stub), ["id", "version", "variant", "status", "released", "locked"]);
});

reads("asset filters narrow the list, one at a time and combined", async () => {
  const all = await list(feature, "/assets");
  const costumes = await list(feature, "/assets?kind=costume");
  assert.ok(costumes.length > 0 && costumes.length < all.length);
  assert.equal(
    costumes,
    all.filter(({ kind }) => kind === "costume"),
  );
  const department = costumes[0]?.department;
  assert.equal(
    await list(feature, `/assets?kind=costume&department=${department}&status=done`),
    all.filter((row) => row.kind === "costume" && row.department === department && row.status === "done"),
  );
  assert.equal(await list(feature, "/assets?released=0"), all);
  const released = await list(feature, "/assets?released=true");
  assert.ok(released.length > 0 && released.length < all.length);
  assert.equal(await list(feature, "/assets?department=nobody"), []);
});

reads("episode_id marks matching strips, drops none, and has no effect on a single production", async () => {
  const plain = await list(series, "/schedule");
  const [first, second] = store.database
    .prepare("SELECT id FROM episodes WHERE production_id = ? ORDER BY id")
    .pluck()
    .all(episodic);
  const marked = await list(series, `/schedule?episode_id=${first}&episode_id=${second}`);
  const strips = (days: Row[]) => days.flatMap(({ scenes }) => scenes as Row[]);
  assert.equal(
    strips(marked).map(({ node_id }) => node_id),
    strips(plain).map(({ node_id }) => node_id),
  );
  assert.ok(strips(plain).every((strip) => !("matches" in strip)));
  assert.ok(strips(marked).some(({ matches }) => matches) && strips(marked).some(({ matches }) => matches === false));
  assert.ok(strips(await list(feature, `/schedule?episode_id=${first}`)).every((strip) => !("matches" in strip)));
});

reads("the schedule of a date, and from one date to another, has the days of these dates and no others", async () => {
  const days = await list(feature, "/schedule");
  const dates = days.map(({ date }) => date).sort();
  const [first, middle, last] = [dates[0], dates[Math.floor(dates.length / 2)], dates.at(-1)];
  const within = (from: string, to: string) => days.filter(({ date }) => date >= from && date <= to);
  assert.equal(await list(feature, `/schedule?date=${middle}`), within(middle, middle));
  assert.equal(await list(feature, `/schedule?from=${first}&to=${middle}`), within(first, middle));
  assert.equal(await list(feature, `/schedule?from=${middle}`), within(middle, last));
  assert.equal(await list(feature, `/schedule?to=${middle}`), within(first, middle));
  assert.equal(await list(feature, "/schedule?date=1999-01-01"), []);
  assert.ok(within(first, middle).length > 1 && within(first, middle).length < days.length);
});

reads("dates of the schedule that contradict each other are 422", async () => {
  const refused = async (query: string, detail: RegExp) =>
    assertRefused(await server.ask(feature, `/api/v1/schedule?${query}`), 422, detail);
  await refused("from=2026-12-02&to=2026-12-01", /^from must not be after to/);
  await refused("date=2026-12-01&from=2026-12-01", /^date must not be given together with from or to/);
  await refused("date=2026-12-01&to=2026-12-01", /^date must not be given together with from or to/);
  for (const field of ["date", "from", "to"])
    await refused(`${field}=2026-13-01`, new RegExp(`^${field} must be a date`));
});

reads("script changes are the pending ones of the current episode unless the query asks for more", async () => {
  const current = one(store, "SELECT current_episode_id FROM productions WHERE id = ?", episodic);
  const unasked = await list(series, "/script-changes");
  assert.ok(unasked.every(({ status, episode_id }) => status === "pending" && episode_id === current));
  const other = one(
    store,
    "SELECT episode_id FROM script_changes WHERE production_id = ? AND episode_id <> ?",
    episodic,
    current,
  );
  const theirs = await list(series, `/script-changes?status=all&episode_id=${other}`);
  assert.ok(theirs.length > 0 && theirs.every(({ episode_id }) => episode_id === other));
  const all = await list(series, "/script-changes?status=all&all_episodes=true");
  assert.is(all.length, one(store, "SELECT count(*) FROM script_changes WHERE production_id = ?", episodic));
});

reads("deliveries contain their gating approval or null", async () => {
  const deliveries = await list(feature, "/deliveries");
  assert.ok(deliveries.some(({ approval }) => approval === null));
  const gated = deliveries.find(({ approval }) => approval !== null);
  assert.equal(Object.keys(gated?.approval), ["id", "title", "status", "mode"]);
});

reads("approvals are filtered by status and list their steps in order", async () => {
  for (const status of ["pending", "approved", "changes_requested", "rejected"])
    assert.ok((await list(feature, `/approvals?status=${status}`)).every((approval) => approval.status === status));
  for (const { steps } of await list(feature, "/approvals"))
    assert.equal(
      steps.map(({ position }: Row) => position),
      steps.map((_: Row, at: number) => at + 1),
    );
});

reads("the crew directory contains no contact details", async () => {
  for (const person of await list(feature, "/people"))
    assert.equal(Object.keys(person), ["id", "name", "role", "department", "is_hod", "is_admin", "active"]);
});

reads("the same state gives the same bytes after a restart", async () => {
  const paths = [...productionReads, `/bundles/scene/${seedData.scene}`];
  const read = async (url: string) =>
    Promise.all(
      paths.map(async (path) =>
        (await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${feature}` } })).text(),
      ),
    );
  const before = await read(server.url);
  const copy = temporaryFolder();
  cpSync(server.folder, copy, { recursive: true }); // the first server still uses its own directory
  const again = await openTestServer({ data: copy });
  assert.equal(await read(again.url), before);
  await again.stop();
});
reads.run();

const bundles = suite("bundles");
const vendor = mint(store, {
  production_id: seedData.production,
  engagement_id: seedData.sceneGrantee,
  scopes: ["read"],
});
const wide = mint(store, { production_id: seedData.production });

bundles("a scene bundle contains released versions only", async () => {
  const { assets } = await server.get(wide, `/bundles/scene/${seedData.scene}`);
  assert.ok(assets.length > 0);
  for (const { released_versions } of assets) for (const { released } of released_versions) assert.is(released, true);
});

bundles("the clamp narrows the demo's granted scene", async () => {
  const [whole, clamped] = [
    await server.get(wide, `/bundles/scene/${seedData.scene}`),
    await server.get(vendor, `/bundles/scene/${seedData.scene}`),
  ];
  assert.ok(clamped.assets.length < whole.assets.length);
  const ids = whole.assets.map(({ node_id }: Row) => node_id);
  assert.ok(clamped.assets.every(({ node_id }: Row) => ids.includes(node_id)));
  assert.equal(clamped.shoot_days, whole.shoot_days);
});

bundles("a character's ingredients are the union of those of the released versions, without duplicates", async () => {
  const production_id = one(store, "SELECT production_id FROM nodes WHERE id = ?", seedData.character);
  const token = mint(store, { production_id });
  const { costumes } = await server.get(token, `/bundles/character/${seedData.character}`);
  assert.ok(costumes.length > 0);
  for (const { node_id, ingredients } of costumes) {
    const expected = store.database
      .prepare(
        `SELECT DISTINCT ingredient_id FROM version_ingredients WHERE version_id IN (SELECT id FROM versions WHERE node_id = ? AND released = 1) ORDER BY 1`,
      )
      .pluck()
      .all(node_id);
    assert.equal(
      ingredients.map(({ id }: Row) => id),
      expected,
    );
  }
});

bundles("a vendor can fetch the bytes of every version in its bundle by media_id", async () => {
  const { assets } = await server.get(vendor, `/bundles/scene/${seedData.scene}`);
  const versions: Row[] = assets.flatMap(({ released_versions }: Row) => released_versions);
  const shown = versions.filter(({ media_id }) => media_id !== null);
  assert.ok(shown.length > 0);
  for (const { media_id, media_path } of shown) {
    const response = await server.ask(vendor, `/api/v1/media/${media_id}/content`);
    assert.is(response.status, 200);
    const sha256 = createHash("sha256")
      .update(Buffer.from(await response.arrayBuffer()))
      .digest("hex");
    assert.is(sha256, one<string>(store, "SELECT sha256 FROM media WHERE path = ?", media_path));
  }
});

bundles("media_id is set together with media_path, and both are null for a version without media", async () => {
  const still = seedData.releasedStill;
  const version_id = one(store, "SELECT version_id FROM media WHERE id = ?", still);
  const node_id = one(store, "SELECT node_id FROM versions WHERE id = ?", version_id);
  const owned = (id: number | null) =>
    store.writeSync(() => store.database.prepare("UPDATE media SET version_id = ? WHERE id = ?").run(id, still));
  const shown = async () => {
    const { versions } = await server.get(wide, `/assets/${node_id}`);
    const { media_id, media_path } = versions.find(({ id }: Row) => id === version_id);
    return [media_id, media_path];
  };
  assert.equal(await shown(), [still, one<string>(store, "SELECT path FROM media WHERE id = ?", still)]);
  owned(null);
  assert.equal(await shown(), [null, null]);
  owned(version_id);
});

bundles("an ingredient's media is shown to production-wide keys only", async () => {
  const production_id = one(store, "SELECT production_id FROM nodes WHERE id = ?", seedData.character);
  const path = `/bundles/character/${seedData.character}`;
  const bound = mint(store, { production_id, engagement_id: seedData.characterGrantee, scopes: ["read"] });
  const ingredientsFor = async (token: string): Promise<Row[]> =>
    (await server.get(token, path)).costumes.flatMap(({ ingredients }: Row) => ingredients);
  const whole = await ingredientsFor(mint(store, { production_id }));
  assert.ok(whole.length > 0);
  for (const { id, media_id, media_path } of whole) {
    const medium = store.database.prepare("SELECT id, path FROM media WHERE ingredient_id = ?").get(id) as Row;
    assert.equal([media_id, media_path], [medium?.id ?? null, medium?.path ?? null]);
  }
  for (const row of await ingredientsFor(bound)) assert.equal(Object.keys(row), ["id", "kind", "label", "relation"]);
});

bundles("returns 404 for a scene bundle of an asset and a character bundle of a scene", async () => {
  await assertRefused(await server.ask(wide, `/api/v1/bundles/scene/${seedData.asset}`), 404, "not found");
  await assertRefused(await server.ask(wide, `/api/v1/bundles/character/${seedData.scene}`), 404, "not found");
});
bundles.run();

const money = suite("GET /purchase-orders");

money("returns a vendor's own orders in the granted department, its cost lines and the week", async () => {
  const production_id = one(store, "SELECT production_id FROM engagements WHERE id = ?", seedData.moneyGrantee);
  const token = mint(store, { production_id, engagement_id: seedData.moneyGrantee, scopes: ["read:money"] });
  const { purchase_orders, line, week_of } = await server.get(token, "/purchase-orders");
  const vendorName = one(
    store,
    "SELECT name FROM vendors WHERE id = (SELECT vendor_id FROM engagements WHERE id = ?)",
    seedData.moneyGrantee,
  );
  const granted = store.database
    .prepare("SELECT department_id FROM grants WHERE engagement_id = ? AND verb = 'read:own_po'")
    .pluck()
    .all(seedData.moneyGrantee);
  assert.ok(purchase_orders.length > 0 && line.length > 0);
  assert.ok(purchase_orders.every((po: Row) => po.vendor === vendorName && granted.includes(po.department_id)));
  assert.is(
    week_of,
    one(store, "SELECT week_of FROM cost_reports WHERE production_id = ? AND active = 1", production_id),
  );
  assert.ok(line.length < one(store, "SELECT count(*) FROM cost_report_lines WHERE production_id = ?", production_id));
  assert.ok(line.every((row: Row) => typeof row.account === "string" && "committed" in row));
});

money("returns empty lists and a null week without an engagement or without a money grant", async () => {
  const empty = { purchase_orders: [], line: [], week_of: null };
  assert.equal(
    await server.get(mint(store, { production_id: seedData.production, scopes: ["read:money"] }), "/purchase-orders"),
    empty,
  );
  const without = one(
    store,
    "SELECT id FROM engagements WHERE production_id = ? AND id NOT IN (SELECT engagement_id FROM grants WHERE verb = 'read:own_po')",
    seedData.production,
  );
  assert.equal(
    await server.get(
      mint(store, { production_id: seedData.production, engagement_id: without, scopes: ["read:money"] }),
      "/purchase-orders",
    ),
    empty,
  );
});

money.after(() => server.stop());
money.run();
