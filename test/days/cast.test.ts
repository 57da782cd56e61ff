// GET /cast/days: the day out of days agrees with a model that is made of the other lists.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, openTestServer } from "../support/app.ts";
import { answersOf } from "../support/list_pages.ts";
import { randomOf } from "../support/random.ts";
import { seedsOf, some } from "../support/sampling.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store, get, ask } = server;
const { production, feature, submitter } = seedDataOf(store);
const token = mint(store, { production_id: feature });
const run = (sql: string, ...parameters: unknown[]) =>
  store.writeSync(() => store.database.prepare(sql).run(...parameters));

type Row = Record<string, any>;

const test = suite("GET /cast/days");

/** The days and totals of each character, by its id. */
async function modelOf(key: string): Promise<Map<number, Row>> {
  const scenes: Row[] = await get(key, "/scenes?include=assets");
  const live = new Map(scenes.filter(({ status }) => status !== "omitted").map((scene) => [scene.node_id, scene]));
  const days: Row[] = await get(key, "/schedule");
  const unitOf = ({ unit = "" }: Row) => unit;
  const ordered = days.toSorted(
    (a, b) => a.date.localeCompare(b.date) || unitOf(a).localeCompare(unitOf(b)) || a.day_number - b.day_number,
  );
  const firstOn = new Map(ordered.toReversed().map((day) => [day.date, day]));
  const characters: Row[] = await get(key, "/assets?kind=character");
  return new Map(
    characters.map(({ node_id }) => {
      const works = (day: Row) =>
        day.scenes.some((strip: Row) => live.get(strip.node_id)?.asset_ids.includes(node_id) === true);
      const worked = ordered.filter(works);
      const [first, last] = [worked[0], worked.at(-1)];
      const between = ordered.filter(({ date }) => first !== undefined && date >= first.date && date <= last?.date);
      const shown = between.filter(
        (day) => works(day) || (firstOn.get(day.date) === day && !worked.some(({ date }) => date === day.date)),
      );
      const [from, to] = [first?.date, last?.date];
      const codeOf = ({ date }: Row) => {
        if (!worked.some((day) => day.date === date)) return "H";
        if (date === from) return date === to ? "SWF" : "SW";
        return date === to ? "WF" : "W";
      };
      const rows = shown.map((day) => ({
        shoot_day_id: day.id,
        day_number: day.day_number,
        ...(day.unit !== undefined && { unit: day.unit }),
        date: day.date,
        work: codeOf(day),
      }));
      const work = new Set(worked.map(({ date }) => date)).size;
      const total = new Set(rows.map(({ date }) => date)).size;
      return [node_id, { days: rows, totals: { work, hold: total - work, total } }];
    }),
  );
}

/** By the value of the cast number, then by its letters, then by name; characters without a number last. */
function byNumber(one: Row, other: Row): number {
  const placeOf = ({ cast_number, label }: Row) => {
    const [, digits = "", rest = ""] = /^(\d+)(.*)$/.exec(cast_number ?? "") ?? [];
    return { value: digits === "" ? Number.POSITIVE_INFINITY : Number(digits), rest, name: label.toLowerCase() };
  };
  const [a, b] = [placeOf(one), placeOf(other)];
  if (a.value !== b.value) return a.value - b.value;
  if (a.rest !== b.rest) return a.rest < b.rest ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

async function assertModel(key: string): Promise<Row[]> {
  const model = await modelOf(key);
  const rows: Row[] = await get(key, "/cast/days");
  assert.equal(
    rows.map(({ label }) => label),
    rows.toSorted(byNumber).map(({ label }) => label),
  );
  assert.equal(new Set(rows.map(({ node_id }) => node_id)), new Set(model.keys()));
  for (const { node_id, label, days, totals } of rows) assert.equal({ days, totals }, model.get(node_id), label);
  return rows;
}

test("says of every character of both demos where it starts, works, holds and finishes", async () => {
  const codes = new Set<string>();
  for (const production_id of [feature, production])
    for (const { days } of await assertModel(mint(store, { production_id })))
      for (const { work } of days) codes.add(work);
  assert.equal([...codes].sort(), ["H", "SW", "SWF", "W", "WF"]);
});

test("an omitted scene is no work, and its return is", async () => {
  const before: Row[] = await get(token, "/cast/days");
  const { node_id, days } = before.find(({ totals }) => totals.work === 1) as Row;
  const [{ shoot_day_id }] = days;
  const scenes = `SELECT link.from_node_id FROM node_links link JOIN strips USING (production_id)
    WHERE strips.node_id = link.from_node_id AND link.to_node_id = ? AND strips.shoot_day_id = ?`;
  run(`UPDATE nodes SET status = 'omitted' WHERE id IN (${scenes})`, node_id, shoot_day_id);
  const after = await assertModel(token);
  assert.equal((after.find((row) => row.node_id === node_id) as Row).totals, { work: 0, hold: 0, total: 0 });
  run(`UPDATE nodes SET status = 'planned' WHERE id IN (${scenes})`, node_id, shoot_day_id);
  assert.equal(await assertModel(token), before);
});

test("follows the calendar, whatever the numbers of the days, and nobody holds on a date of work", async () => {
  for (const seed of seedsOf(some(6, 2))) {
    const random = randomOf(seed);
    const ids = (await get(token, "/schedule")).map(({ id }: Row) => id);
    for (const id of ids) {
      const date = `2026-11-${String(1 + Math.floor(random() * 20)).padStart(2, "0")}`;
      const unit = random() < 0.3 ? "2nd Unit" : "";
      run("UPDATE shoot_days SET date = ?, unit = ? WHERE id = ?", date, unit, id);
    }
    run(
      "UPDATE nodes SET status = 'omitted' WHERE kind = 'scene' AND production_id = ? AND id % 7 = ?",
      feature,
      Math.abs(seed % 7),
    );
    await assertModel(token);
  }
});

test("comes in pages", async () => {
  const whole: Row[] = await get(token, "/cast/days");
  const page = await ask(token, "/api/v1/cast/days?limit=5");
  assert.equal(await page.json(), whole.slice(0, 5));
  for (const size of [1, 5, 7]) {
    const rows: Row[] = [];
    for await (const answer of answersOf((path) => ask(token, path), `/api/v1/cast/days?limit=${size}`))
      rows.push(...((await answer.json()) as Row[]));
    assert.equal(rows, whole, `pages of ${size}`);
  }
});

test("is refused where the days of all characters are too many, and a day and its clashes are not", async () => {
  const admin = mint(store, { production_id: feature, scopes: ["read", "write", "admin"] });
  const names = Array.from({ length: 400 }, (_, at) => `One of many ${at}`);
  const date = (at: number) => new Date(Date.UTC(2031, 0, 1 + at)).toISOString().slice(0, 10);
  const scheduled = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      day_number: 1000 + at,
      date: date(at),
      status: "scheduled",
      scenes: ["990"],
    }));
  const importing = async (document: object) => {
    const headers = { "content-type": "application/json" };
    const path = "/api/v1/admin/import?limit=1";
    const response = await ask(admin, path, { method: "POST", body: JSON.stringify(document), headers });
    assert.is(response.status, 200, await response.text());
  };
  const scene = { number: "990", slugline: "EXT. CROWD - DAY", assets: names };
  const assets = names.map((label) => ({ label, kind: "character" }));
  await importing({ assets, scenes: [scene], schedule: scheduled(200) });
  const rows = await assertModel(token);
  assert.is(rows.filter(({ totals }) => totals.total === 200).length, 400);
  await importing({ schedule: scheduled(300) });
  await assertRefused(await ask(token, "/api/v1/cast/days"), 422, /has more than 100,000 days of characters/);
  await assertRefused(await ask(token, "/api/v1/cast/days?limit=1"), 422);
  const { cast, clashes } = await get(token, "/bundles/day?date=2031-01-01");
  assert.equal([cast.length, clashes.length, cast[0].work], [400, 300, "SW"]);
});

test("is refused for a key of an engagement", async () => {
  const bound = mint(store, { production_id: production, engagement_id: submitter });
  assert.is((await ask(bound, "/api/v1/cast/days")).status, 403);
});

test.after(() => server.stop());
test.run();
