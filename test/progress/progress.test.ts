// GET /progress: its numbers agree with a model that counts by the other answers, on both demos and on random
// schedules.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { dateAt } from "../../src/core/zones.ts";
import { assertRefused, mint, openTestServer } from "../support/app.ts";
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
const test = suite("GET /progress");

/** The eighths of a text by another rule than the program's: the sum of its parts. */
function eighthsOf(pages: unknown): number | undefined {
  const parts = String(pages ?? "")
    .trim()
    .split(" ");
  const values = parts.map((part) => (part.endsWith("/8") ? Number(part.slice(0, -2)) : Number(part) * 8));
  return parts[0] === "" || values.some(Number.isNaN) ? undefined : values.reduce((sum, value) => sum + value, 0);
}

const sumOf = (scenes: Row[]): Row => ({
  scenes: scenes.length,
  eighths: scenes.reduce((sum, { elements }) => sum + (eighthsOf(elements.pages) ?? 0), 0),
});

/** What the day's page names before the call. */
function unreadyOf(bundle: Row): number {
  const waits = (node: number) =>
    bundle.deliveries.some(({ node_ids }: Row) => node_ids.includes(node)) ||
    bundle.approvals.some(({ node_id }: Row) => node_id === node);
  const unready = new Set<number>();
  for (const scene of bundle.scenes.filter(({ status }: Row) => status !== "omitted"))
    for (const { node_id, ready, status, newest, kind } of scene.assets)
      if (status === "blocked" || (!ready && (kind !== "character" || newest !== null || waits(node_id))))
        unready.add(node_id);
  return unready.size + bundle.approvals.filter(({ node_id }: Row) => !unready.has(node_id)).length;
}

async function expectedOf(key: string, on: string, episode_id?: number): Promise<Row> {
  const all: Row[] = await get(key, "/scenes");
  const scenes = all.filter(
    (one) => one.status !== "omitted" && (episode_id === undefined || one.episode_id === episode_id),
  );
  const schedule: Row[] = await get(key, "/schedule");
  const days = schedule.toSorted((a, b) => a.date.localeCompare(b.date) || a.day_number - b.day_number);
  const daysOf = (scene: Row) => days.filter((day) => day.scenes.some(({ node_id }: Row) => node_id === scene.node_id));
  const isShot = ({ status }: Row) => status === "done";
  const shotOn = (scene: Row) => daysOf(scene).findLast(({ date }) => date <= on);
  const rows: Row[] = [];
  for (const day of days) {
    const planned = scenes.filter((scene) => daysOf(scene).at(-1) === day);
    rows.push({
      shoot_day_id: day.id,
      day_number: day.day_number,
      date: day.date,
      status: day.status,
      planned: sumOf(planned),
      shot: sumOf(scenes.filter((scene) => isShot(scene) && shotOn(scene) === day)),
      part_shot: sumOf(planned.filter(({ status }) => status === "active")),
      not_ready: day.date < on ? null : unreadyOf(await get(key, `/bundles/day/${day.id}`)),
    });
  }
  const last = rows.findLastIndex(({ shot }) => shot.scenes > 0);
  const upTo = rows.slice(0, last + 1);
  const { shoot_day_id, day_number, date } = rows[last] ?? {};
  const approvals: Row[] = await get(key, "/approvals?status=pending");
  const deliveries: Row[] = await get(key, "/deliveries");
  const waiting = new Set(
    ((await get(key, "/submissions?status=submitted")) as Row[]).map(({ delivery_id }) => delivery_id),
  );
  const open = deliveries.filter(({ id, status }) => !["sent", "accepted"].includes(status) && !waiting.has(id));
  const late = [
    ...approvals.map(({ id, title, due, awaiting }) => ({ kind: "approval", id, title, due, awaiting })),
    ...open.map(({ id, title, due }) => ({ kind: "delivery", id, title, due, awaiting: [] })),
  ]
    .filter(({ due }) => /^\d{4}-\d\d-\d\d$/.test(due ?? "") && due < on)
    .map((one) => ({ ...one, days: (Date.parse(on) - Date.parse(one.due)) / 86_400_000 }))
    .toSorted((a, b) => b.days - a.days || a.kind.localeCompare(b.kind) || a.id - b.id);
  return {
    on,
    total: sumOf(scenes),
    shot: sumOf(scenes.filter(isShot)),
    part_shot: sumOf(scenes.filter(({ status }) => status === "active")),
    held: sumOf(scenes.filter(({ status }) => status === "blocked")),
    without_day: sumOf(scenes.filter((scene) => daysOf(scene).length === 0)),
    shot_without_day: sumOf(scenes.filter((scene) => isShot(scene) && shotOn(scene) === undefined)),
    without_length: scenes.filter(({ elements }) => eighthsOf(elements.pages) === undefined).length,
    measured_to: last < 0 ? null : { shoot_day_id, day_number, date },
    behind: last < 0 ? null : upTo.reduce((sum, { planned, shot }) => sum + planned.eighths - shot.eighths, 0),
    days: rows,
    late,
  };
}

const compare = async (key: string, on: string, episode?: number): Promise<void> =>
  assert.equal(
    await get(key, `/progress?on=${on}${episode === undefined ? "" : `&episode_id=${episode}`}`),
    await expectedOf(key, on, episode),
  );

test("agrees with a count of both demos, for the days before and after the present one", async () => {
  const episodic = mint(store, { production_id: production });
  for (const on of ["2026-11-20", "2026-11-30", "2020-01-01", "2030-01-01"]) {
    await compare(token, on);
    await compare(episodic, on);
  }
  const [episode] = (await get(episodic, "/episodes")) as Row[];
  await compare(episodic, "2026-11-20", episode?.id);
});

/** Moves scenes between days, and changes their status and length, and the dates of days. */
function shuffle(random: () => number): void {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T; // safe: never empty
  const scenes = store.database
    .prepare("SELECT node_id FROM scenes WHERE production_id = ?")
    .pluck()
    .all(feature) as number[];
  const days = store.database
    .prepare("SELECT id FROM shoot_days WHERE production_id = ?")
    .pluck()
    .all(feature) as number[];
  for (let step = 0; step < 12; step++) {
    const [scene, day] = [pick(scenes), pick(days)];
    const act = Math.floor(random() * 6);
    if (act === 0) run("DELETE FROM strips WHERE node_id = ?", scene);
    else if (act === 1)
      run(
        "INSERT OR IGNORE INTO strips SELECT ?, ?, ?, 1 + coalesce(max(position), 0) FROM strips WHERE shoot_day_id = ?",
        feature,
        day,
        scene,
        day,
      );
    else if (act === 2)
      run("UPDATE nodes SET status = ? WHERE id = ?", pick(["planned", "active", "blocked", "done", "omitted"]), scene);
    else if (act === 3)
      run(
        "UPDATE scenes SET elements = json_set(elements, '$.pages', ?) WHERE node_id = ?",
        pick(["2", "3/8", "1 7/8", "", "soon", "7/8"]),
        scene,
      );
    else if (act === 4)
      run("UPDATE shoot_days SET date = ? WHERE id = ?", `2026-11-${10 + Math.floor(random() * 20)}`, day);
    else
      run(
        "UPDATE nodes SET status = ? WHERE production_id = ? AND kind <> 'scene' AND id % 7 = ?",
        pick(["active", "blocked"]),
        feature,
        step % 7,
      );
  }
}

test("agrees with a count of random schedules", async () => {
  for (const seed of seedsOf(some(200, 20))) {
    const random = randomOf(seed);
    shuffle(random);
    await compare(token, `2026-11-${10 + Math.floor(random() * 21)}`);
  }
});

test("is as of today, and has an ETag", async () => {
  const response = await ask(token, "/api/v1/progress");
  assert.is(((await response.json()) as Row).on, dateAt(null, Date.now()));
  const tag = response.headers.get("etag") ?? "";
  assert.is((await ask(token, "/api/v1/progress", { headers: { "if-none-match": tag } })).status, 304);
});

test("refuses what is no date, and a key of a vendor", async () => {
  await assertRefused(await ask(token, "/api/v1/progress?on=tomorrow"), 422, /on/);
  const bound = mint(store, { production_id: production, engagement_id: submitter });
  await assertRefused(await ask(bound, "/api/v1/progress"), 403, /engagement/);
});

test("has no days, no verdict and nothing late in a production without a schedule", async () => {
  for (const table of ["strips", "day_calls", "day_banners", "shoot_days"])
    run(`DELETE FROM ${table} WHERE production_id = ?`, feature);
  const { days, measured_to, behind, without_day, total } = await get(token, "/progress?on=2026-11-20");
  assert.equal({ days, measured_to, behind }, { days: [], measured_to: null, behind: null });
  assert.equal(without_day, total);
});

test.after(() => server.stop());
test.run();
