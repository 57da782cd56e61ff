// Shoot days of units: in documents, keys, `was`, lists, the answers of the API and texts. A day of the main unit is
// what it was before there were units.
// Thorough: only --all runs it.

import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { migrate, migrations } from "../../src/core/store/migrations.ts";
import { importDocument } from "../../src/features/documents/changes/creating.ts";
import { checkedDocument } from "../../src/features/documents/read/whole.ts";
import { dayOfKey, unitOf } from "../../src/graph/units.ts";
import { mint, openTestServer } from "../support/app.ts";

type Row = Record<string, any>;

const names = suite("names of units");

names("Main, First and 1st are the main unit, and Second and 2nd one unit", () => {
  for (const text of ["Main", "main unit", "FIRST UNIT", "1st", "1st  Unit"]) assert.is(unitOf(text), "");
  for (const text of ["Second", "2nd", "2ND UNIT", "second unit"]) assert.is(unitOf(text), "2nd Unit");
  assert.is(unitOf("Splinter Unit"), "Splinter Unit");
});

names("a key names a unit and a number", () => {
  assert.equal(dayOfKey("3"), { unit: "", day_number: 3 });
  assert.equal(dayOfKey("Day 3"), { unit: "", day_number: 3 });
  assert.equal(dayOfKey("second unit day 3"), { unit: "2nd Unit", day_number: 3 });
  assert.is(dayOfKey("2nd Unit"), undefined);
});

names.run();

const migration = suite("the migration of units");

migration("keeps days with their ids, what refers to them, and frozen productions", () => {
  const database = new Database(":memory:");
  database.pragma("foreign_keys = ON");
  const before = migrations().findIndex(({ name }) => name.includes("_units"));
  migrate(database, migrations().slice(0, before));
  database.exec(`
    INSERT INTO productions (id, title, logline, status, phase, accent, format, created_at) VALUES (1, '', '', '', '', '', 'single', '');
    INSERT INTO nodes (id, production_id, kind, label, status, updated_at, created_at) VALUES (7, 1, 'scene', 'x', 'planned', '', '');
    INSERT INTO shoot_days (id, production_id, day_number, date, status) VALUES (5, 1, 2, '2026-01-02', 'x'), (9, 1, 1, '2026-01-01', 'x');
    INSERT INTO strips (production_id, shoot_day_id, node_id, position) VALUES (1, 9, 7, 1);
    INSERT INTO frozen_productions VALUES (1, '');`);
  migrate(database);
  const rows = (sql: string) => database.prepare(sql).raw().all();
  assert.equal(rows("SELECT id, unit, day_number FROM shoot_days ORDER BY id"), [
    [5, "", 2],
    [9, "", 1],
  ]);
  assert.equal(rows("SELECT shoot_day_id, node_id FROM strips"), [[9, 7]]);
  assert.equal(rows("PRAGMA foreign_key_check"), []);
  assert.equal(rows("PRAGMA foreign_keys"), [[1]]);
  assert.throws(() => database.exec("UPDATE shoot_days SET unit = 'B'"), "the production is frozen");
  database.exec("DELETE FROM frozen_productions");
  assert.throws(() => database.exec("DELETE FROM shoot_days WHERE id = 9"), "FOREIGN KEY");
  assert.throws(() => database.exec("UPDATE shoot_days SET day_number = 1 WHERE id = 5"), "UNIQUE");
  database.close();
});

migration("refuses a database in which something refers to a day that is not there, and changes nothing", () => {
  const database = new Database(":memory:");
  const before = migrations().findIndex(({ name }) => name.includes("_units"));
  migrate(database, migrations().slice(0, before));
  database.pragma("foreign_keys = OFF");
  database.exec("INSERT INTO strips (production_id, shoot_day_id, node_id, position) VALUES (1, 9, 7, 1)");
  assert.throws(() => migrate(database), /a row of strips refers to a row of .* that is not there/);
  assert.is(database.pragma("user_version", { simple: true }), before);
  database.close();
});

migration.run();

const server = await openTestServer();
const { store, get, ask } = server;

async function post(key: string, path: string, body: object): Promise<Row> {
  const headers = { "content-type": "application/json" };
  const response = await ask(key, `/api/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, ...((await response.json()) as Row) };
}

const document = {
  document: "tallylight production",
  document_version: 1,
  production: { title: "Units", format: "single" },
  scenes: [1, 2, 3, 4].map((number) => ({ number: String(number), slugline: `INT. ROOM ${number} - DAY` })),
  assets: [{ label: "Ada", kind: "character", scenes: ["1", "2", "3", "4"] }],
  schedule: [
    { day_number: 1, date: "2026-03-02", scenes: ["1"], general_call: "08:00", wrap: "12:00" },
    { unit: "second unit", day_number: 1, date: "2026-03-02", scenes: ["2"], general_call: "13:00", wrap: "15:00" },
    { day_number: 2, date: "2026-03-03", scenes: ["3"] },
    { unit: "2nd", day_number: 2, date: "2026-03-04", scenes: ["4"] },
  ],
};
const { production_id } = await importDocument(store, server.blobs, checkedDocument(document, "units", ""), {
  now: new Date().toISOString(),
});

const units = suite("units");
const key = mint(store, { production_id, scopes: ["read", "write", "admin"] });
const days = async () =>
  ((await get(key, "/schedule")) as Row[]).map(({ unit, day_number }) => [unit ?? null, day_number]);
const update = (body: object, query = "") => post(key, `/admin/import${query}`, body);

units(
  "/schedule is in the order of numbers, of equal ones the main unit first, and the main unit has no unit",
  async () => {
    assert.equal(await days(), [
      [null, 1],
      ["2nd Unit", 1],
      [null, 2],
      ["2nd Unit", 2],
    ]);
  },
);

units("a day is found by its unit and number, and renamed by `was`", async () => {
  const same = await update({ schedule: [{ unit: "SECOND", day_number: 1, location: "Quay" }] });
  assert.equal(
    same.changes.map(({ key, action }: Row) => [key, action]),
    [["2nd Unit 1", "change"]],
  );
  const renamed = await update({ schedule: [{ was: "2nd Unit 2", day_number: 5 }] });
  assert.equal(renamed.changes[0].key, "2nd Unit 5");
  const again = await update({ schedule: [{ was: "2nd Unit 2", day_number: 5 }] });
  assert.equal(again.changes, []);
  const main = await update({ schedule: [{ was: "2nd Unit 5", unit: null, day_number: 5 }] });
  assert.equal(main.changes[0].fields.unit, { from: "2nd Unit", to: null });
  await update({ schedule: [{ was: "5", unit: "2nd Unit", day_number: 2 }] });
  assert.equal((await days()).length, 4);
});

units("days of two units exchange their units", async () => {
  const swap = {
    schedule: [
      { was: "1", unit: "2nd Unit", day_number: 1 },
      { was: "2nd Unit 1", unit: null, day_number: 1 },
    ],
  };
  const ids = async () => ((await get(key, "/schedule")) as Row[]).map(({ id }) => id);
  const before = await ids();
  assert.is((await update(swap)).status, 200);
  assert.equal(await ids(), [before[1], before[0], ...before.slice(2)]);
  assert.is((await update(swap)).status, 200);
  assert.equal(await ids(), before);
});

units("an empty unit and one of more than 40 characters are 422, other units stay as first written", async () => {
  for (const unit of ["", "x".repeat(41)])
    assert.is((await update({ schedule: [{ unit, day_number: 1, location: "x" }] })).status, 422);
  assert.is((await update({ schedule: [{ unit: "Drone", day_number: 1, date: "2026-04-01" }] })).status, 200);
  const plan = await update({ schedule: [{ unit: "DRONE", day_number: 2, date: "2026-04-02" }] });
  assert.is(plan.changes[0].key, "Drone 2");
  await update({ schedule: [] });
});

units("the bundle of a day goes by date, the main unit first, and `unit` chooses", async () => {
  const first = await get(key, "/bundles/day?date=2026-03-02");
  assert.equal([first.day.unit, first.same_date[0].unit], [undefined, "2nd Unit"]);
  const second = await get(key, "/bundles/day?date=2026-03-02&unit=Second");
  assert.equal([second.day.unit, second.day.day_number], ["2nd Unit", 1]);
  assert.is((await ask(key, "/api/v1/bundles/day?date=2026-03-03&unit=2nd")).status, 404);
  assert.is((await ask(key, "/api/v1/bundles/day?date=2026-03-02&unit=")).status, 422);
  assert.is(((await get(key, "/bundles/day?date=2026-03-02&unit=Main")) as Row).day.id, first.day.id);
});

units("the day out of days counts dates, and the bundle agrees", async () => {
  const [ada] = (await get(key, "/cast/days")) as Row[];
  assert.equal(
    ada?.days.map(({ unit, day_number, work }: Row) => [unit ?? null, day_number, work]),
    [
      [null, 1, "SW"],
      ["2nd Unit", 1, "SW"],
      [null, 2, "W"],
      ["2nd Unit", 2, "WF"],
    ],
  );
  assert.equal(ada?.totals, { work: 3, hold: 0, total: 3 });
  assert.is(((await get(key, "/bundles/day?date=2026-03-02&unit=2nd")) as Row).cast[0].work, "SW");
});

units("a rest is checked across units, also within one date", async () => {
  const { clashes } = (await get(key, "/bundles/day?date=2026-03-02&unit=2nd")) as Row;
  assert.equal(clashes.slice(0, 1), [
    "Ada is called at 13:00, 1 h after the wrap of day 1 at 12:00; the turnaround is 11 h",
  ]);
});

units("scene bundles, usage and progress say the unit", async () => {
  const [, scene] = (await get(key, "/scenes")) as Row[];
  assert.is(((await get(key, `/bundles/scene/${scene?.node_id}`)) as Row).shoot_days[0].unit, "2nd Unit");
  const progress = (await get(key, "/progress?on=2026-03-01")) as Row;
  assert.equal(
    progress.days.slice(0, 2).map(({ unit }: Row) => unit ?? null),
    [null, "2nd Unit"],
  );
});

units("a list moves scenes within a unit, and says what another unit has", async () => {
  const list = async (text: string): Promise<Row> => {
    const body = new FormData();
    body.append("files", new File([text], "list.csv"));
    const response = await ask(key, "/api/v1/admin/import?as=schedule", { method: "POST", body });
    return { status: response.status, ...((await response.json()) as Row) };
  };
  const plan = await list("Day,Date,Sc\n2,2026-03-03,2");
  assert.ok(plan.warnings.includes("2 is also on 2nd Unit 1"), JSON.stringify(plan));
  const second = ((await get(key, "/schedule")) as Row[]).find(
    ({ unit, day_number }) => unit === "2nd Unit" && day_number === 1,
  );
  assert.equal(
    second?.scenes.map(({ number }: Row) => number),
    ["2"],
  );
  const moved = await list('Day,Date,Sc\n2nd Unit 2,2026-03-04,"2, 4"');
  assert.equal(
    moved.changes.map(({ key: name }: Row) => name).sort(),
    ["2nd Unit 1", "2nd Unit 2"],
    JSON.stringify(moved),
  );
});

units("another unit is one with the word Unit and without it, as it was first written", async () => {
  await update({ schedule: [{ unit: "Splinter", day_number: 7, date: "2026-03-09" }] });
  const same = await update({ schedule: [{ unit: "splinter unit", day_number: 7, location: "Quay" }] });
  assert.equal(
    same.changes.map(({ key, action }: Row) => [key, action]),
    [["Splinter 7", "change"]],
  );
  for (const name of ["Splinter", "SPLINTER UNIT"])
    assert.is((await get(key, `/bundles/day?date=2026-03-09&unit=${name}`)).day.unit, "Splinter");
  assert.is((await ask(key, "/api/v1/bundles/day?date=2026-03-09&unit=Splinter%20B")).status, 404);
});

units.after(() => server.stop());
units.run();
