// GET /bundles/day: the bundle agrees with the lists and the scene bundles, and it says what is in the way.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store, get, ask } = server;
const { production, otherProduction, submitter } = seedDataOf(store);
const token = mint(store, { production_id: production });
const run = (sql: string, ...parameters: unknown[]) =>
  store.writeSync(() => store.database.prepare(sql).run(...parameters));

type Row = Record<string, any>;
const idsOf = (rows: Row[]): number[] => rows.map(({ id }) => id);

const test = suite("GET /bundles/day");

/** The expected bundle, made of other answers of the API. */
async function expectedOf(key: string, day: Row): Promise<Row> {
  const scenes: Row[] = await get(key, "/scenes");
  const approvals: Row[] = await get(key, "/approvals?status=pending");
  const deliveries: Row[] = await get(key, "/deliveries");
  const changes: Row[] = await get(key, "/script-changes?all_episodes=true");
  const bundles: Row[] = [];
  for (const { node_id } of day.scenes) bundles.push(await get(key, `/bundles/scene/${node_id}`));
  const called = new Set(day.scenes.map(({ node_id }: Row) => node_id));
  const concerned = new Set([...called, ...bundles.flatMap(({ assets }) => assets.map(({ node_id }: Row) => node_id))]);
  const about = store.database.prepare("SELECT delivery_id, node_id FROM delivery_nodes").all() as Row[];
  const awaited = deliveries.filter(
    ({ id, status }) =>
      status !== "accepted" && about.some(({ delivery_id, node_id }) => delivery_id === id && concerned.has(node_id)),
  );
  const gates = ({ node_id, delivery_id }: Row) => concerned.has(node_id) || idsOf(awaited).includes(delivery_id);
  return {
    scenes: bundles.map(({ scene, assets }) => ({
      ...scenes.find(({ node_id }) => node_id === scene.node_id),
      assets,
    })),
    approvals: approvals.filter(gates).map(({ steps: _, rounds: __, ...row }) => row),
    deliveries: idsOf(awaited),
    script_changes: changes.filter(({ node_id }) => called.has(node_id)),
    department_notes: bundles.flatMap(({ department_notes }) => idsOf(department_notes)).sort((a, b) => a - b),
  };
}

test("has the scenes, approvals, deliveries, changes and notes that the other endpoints have", async () => {
  const seen = { approvals: 0, deliveries: 0, script_changes: 0, department_notes: 0 };
  for (const production_id of [production, otherProduction]) {
    const key = mint(store, { production_id });
    for (const day of await get(key, "/schedule")) {
      const { scenes, approvals, deliveries, script_changes, department_notes } = await get(
        key,
        `/bundles/day/${day.id}`,
      );
      const expected = await expectedOf(key, day);
      for (const list of Object.keys(seen) as (keyof typeof seen)[]) seen[list] += expected[list].length;
      assert.equal(
        scenes.map(({ assets: _, ...scene }: Row) => scene),
        expected.scenes.map(({ assets: _, ...scene }: Row) => scene),
      );
      assert.equal(
        { approvals, script_changes },
        { approvals: expected.approvals, script_changes: expected.script_changes },
      );
      assert.equal(
        { d: idsOf(deliveries), n: idsOf(department_notes) },
        { d: expected.deliveries, n: expected.department_notes },
      );
      for (const [at, scene] of scenes.entries())
        assert.equal(
          scene.assets.map(({ node_id, released_versions: count, ready }: Row) => [node_id, count, ready]),
          expected.scenes[at].assets.map(({ node_id, released_versions: { length } }: Row) => [
            node_id,
            length,
            length > 0,
          ]),
        );
    }
  }
  for (const [list, rows] of Object.entries(seen)) assert.ok(rows > 0, `no day of the demo has ${list}`);
});

test("names the newest version that is not archived, released or not", async () => {
  const { scenes } = await get(token, `/bundles/day?date=${seedDataOf(store).shootDate}`);
  for (const { node_id, newest } of scenes.flatMap(({ assets }: Row) => assets)) {
    const sql = "SELECT id FROM versions WHERE node_id = ? AND archived = 0 ORDER BY version DESC";
    assert.is(newest?.id ?? null, one<number | undefined>(store, sql, node_id) ?? null);
  }
  const { node_id, newest } = scenes[0].assets[0];
  run("UPDATE versions SET archived = 1 WHERE id = ?", newest.id);
  const after = (await get(token, `/bundles/day?date=${seedDataOf(store).shootDate}`)).scenes[0].assets[0];
  assert.is(after.node_id, node_id);
  assert.ok(after.newest === null || after.newest.version < newest.version);
});

test("is the same by id and by date, with the same ETag, and 304 if it matches", async () => {
  const [{ id, date }] = await get(token, "/schedule");
  const byId = await ask(token, `/api/v1/bundles/day/${id}`);
  const byDate = await ask(token, `/api/v1/bundles/day?date=${date}`);
  assert.equal(await byId.json(), await byDate.json());
  const etag = byId.headers.get("etag") as string;
  assert.is(byDate.headers.get("etag"), etag);
  for (const path of [`/${id}`, `?date=${date}`]) {
    const response = await ask(token, `/api/v1/bundles/day${path}`, { headers: { "if-none-match": etag } });
    assert.is(response.status, 304);
    assert.is(response.headers.get("etag"), etag);
  }
  run("UPDATE shoot_days SET general_call = '05:15' WHERE id = ?", id);
  assert.is.not((await ask(token, `/api/v1/bundles/day/${id}`)).headers.get("etag"), etag);
});

test("of two days on one date it is the one with the lower number, and names the other", async () => {
  const [first, second] = await get(token, "/schedule");
  run("UPDATE shoot_days SET date = ? WHERE id = ?", first.date, second.id);
  const { day, same_date } = await get(token, `/bundles/day?date=${first.date}`);
  assert.is(day.id, first.id);
  assert.equal(same_date, [{ id: second.id, day_number: second.day_number }]);
  assert.equal((await get(token, `/bundles/day/${second.id}`)).same_date, [
    { id: first.id, day_number: first.day_number },
  ]);
  run("UPDATE shoot_days SET date = ? WHERE id = ?", second.date, second.id);
});

test("a day that does not exist, or that another production has, is 404", async () => {
  const foreign = one(store, "SELECT min(id) FROM shoot_days WHERE production_id = ?", otherProduction);
  for (const path of ["/999999", `/${foreign}`])
    await assertRefused(await ask(token, `/api/v1/bundles/day${path}`), 404, "not found");
});

test("a date without a shoot day is 404, which names the next day, or the last one", async () => {
  const first = one<string>(store, "SELECT min(date) FROM shoot_days WHERE production_id = ?", production);
  const last = one<string>(store, "SELECT max(date) FROM shoot_days WHERE production_id = ?", production);
  const numberOf = (least: "min" | "max", date: string) =>
    one(store, `SELECT ${least}(day_number) FROM shoot_days WHERE production_id = ? AND date = ?`, production, date);
  const dayOn = (date: string) => ask(token, `/api/v1/bundles/day?date=${date}`);
  const next = `no shoot day on 1999-01-01; the next one is day ${numberOf("min", first)}, ${first}`;
  await assertRefused(await dayOn("1999-01-01"), 404, next);
  const former = `no shoot day on 2999-01-01; the last one is day ${numberOf("max", last)}, ${last}`;
  await assertRefused(await dayOn("2999-01-01"), 404, former);
});

test("without a day, with two, or with something else than a date it is 422", async () => {
  const refused = (path: string, detail: RegExp) =>
    ask(token, `/api/v1/bundles/day${path}`).then((response) => assertRefused(response, 422, detail));
  await refused("", /^date is required/);
  await refused("/1?date=2026-11-30", /^date must not be given together with shoot_day_id/);
  for (const date of ["2026-02-30", "tomorrow", "2026-11-30T00:00:00Z", "%00"])
    await refused(`?date=${date}`, /^date must/);
  await refused("/0", /^shoot_day_id must be a positive integer/);
});

test("is closed to a key that is bound to an engagement", async () => {
  const bound = mint(store, { production_id: production, engagement_id: submitter });
  await assertRefused(await ask(bound, "/api/v1/bundles/day/1"), 403, /bound to an engagement/);
  await assertRefused(await ask(bound, "/api/v1/bundles/day?date=2026-11-30"), 403, /bound to an engagement/);
});

test.after(() => server.stop());
test.run();
