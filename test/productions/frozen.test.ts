// Every row of the table while the productions are frozen: reads answer as before, and every change is 409, but for
// keys.
// Thorough: only --all runs it.
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import type { Operation } from "../../src/core/operation.ts";
import { migrate, migrations } from "../../src/core/store/migrations.ts";
import { setFrozen } from "../../src/features/productions/lifecycle.ts";
import { schemaDifferences } from "../../src/features/soundness/schema.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { importedAt, mint, openTestServer } from "../support/app.ts";
import { caseOf, casesOf, sendCase } from "../support/cases.ts";
import { temporaryFolder } from "../support/folder.ts";
import { table } from "../support/operations.ts";
import { seedDataOf } from "../support/seed_data.ts";

let whenAsked = (): void => {};
const server = await openTestServer({
  clock: () => {
    whenAsked();
    return Date.parse(importedAt);
  },
});
const { store } = server;
const seedData = seedDataOf(store);
const cases = casesOf(store, seedData);
const all = [...scopes, "admin"] as unknown as typeof scopes;
// A change set to undo.
await server.ask(mint(store, { production_id: seedData.production, scopes: all }), "/api/v1/admin/import", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ production: { logline: "Another." } }),
});
const rows = (table as readonly Operation[]).map((row) => {
  const found = caseOf(cases, row.name);
  const production_id = found.production ?? seedData.production;
  const engagement_id = row.reach === "production" ? undefined : found.engagement;
  const bound = engagement_id === undefined ? {} : { engagement_id };
  return { row, found, token: mint(store, { production_id, scopes: all, label: row.name, ...bound }) };
});
const snapshot = () => {
  const list = store.database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE name IN ('nodes', 'notes', 'versions', 'media', 'submissions', 'people', 'grants', 'engagements', 'approval_steps', 'storage_events', 'asset_files', 'change_sets', 'script_drafts')",
    )
    .pluck()
    .all() as string[];
  return list.map((name) => [name, store.database.prepare(`SELECT * FROM ${name}`).raw().all()]);
};
for (const production_id of [1, 2]) setFrozen(localAdmin(store, importedAt), production_id, true);
const before = snapshot();

const test = suite("every row of a frozen production");
test.after(() => server.stop());

for (const { row, found, token } of rows) {
  const isChange = row.method !== "GET" && row.scope !== "read" && row.while_frozen !== true;
  test(`${row.name} ${isChange ? "is 409" : "answers"}`, async () => {
    const response = await sendCase(server, found, row.method, token);
    const text = await response.text();
    const isFrozen = text === '{"detail":"the production is frozen: it can be read and not changed"}';
    assert.equal([isFrozen, response.status === 409], [isChange, isChange], `${response.status} ${text.slice(0, 200)}`);
  });
}

/** Tables whose rows may change while their production is frozen, and why. */
const open: Record<string, string> = {
  activity: "who did what",
  api_keys: "who may read",
  asset_files: "what writes it looks once for a batch",
  audit: "who did what",
  change_sets: "another trigger refuses its insertion; trimmed by age",
  day_issues: "another trigger refuses its insertion; trimmed by age",
  event_floors: "trimmed by age",
  events: "who did what",
  frozen_productions: "thawing",
  import_maps: "no content",
  page_marks: "no content",
  script_drafts: "another trigger refuses its insertion",
  script_scenes: "written with a draft",
  search: "follows the tables",
  search_labels: "follows the tables",
  invitations: "who may read",
  sessions: "who may read",
  sign_in_links: "who may read",
  storage_events: "what writes it looks once for a batch",
  webhooks: "where events are sent",
};

test("triggers of each table refuse every change, but for tables that have a reason here", () => {
  const tables = store.database
    .prepare(
      "SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c ON c.name = 'production_id' WHERE m.type = 'table'",
    )
    .pluck()
    .all() as string[];
  const guards = store.database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'refuse^_frozen^_%' ESCAPE '^'")
    .pluck()
    .all() as string[];
  const isGuarded = (table: string) =>
    ["insert", "update", "delete"].every((change) => guards.includes(`refuse_frozen_${table}_${change}`));
  const unguarded = tables.filter((table) => !isGuarded(table)).sort();
  const forgotten = unguarded.filter((table) => !Object.hasOwn(open, table));
  assert.equal(forgotten, [], "the migration of each makes triggers refuse_frozen_TABLE_insert, _update and _delete");
  assert.equal(unguarded, Object.keys(open).sort());
});

test("triggers refuse each change of a row of a frozen production, and leave the rows of others alone", () => {
  const { database } = store;
  const guards = database
    .prepare("SELECT name, tbl_name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB 'refuse_frozen_*_insert'")
    .all() as { name: string; tbl_name: string }[];
  let tried = 0;
  database.pragma("foreign_keys = OFF");
  for (const { tbl_name: table } of guards) {
    const owner = table === "productions" ? "id" : "production_id";
    const columns = database.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table);
    const statements = [
      `UPDATE "${table}" SET ${owner} = ${owner}`,
      `DELETE FROM "${table}"`,
      `UPDATE "${table}" SET ${owner} = 3`, // it leaves the frozen production
      `INSERT OR REPLACE INTO "${table}" (${columns}) SELECT ${columns} FROM "${table}"`,
      `INSERT INTO "${table}" (${columns}) SELECT ${columns} FROM "${table}" WHERE TRUE ON CONFLICT DO UPDATE SET ${owner} = ${owner}`,
    ];
    const rows = database.prepare(`SELECT count(*) FROM "${table}"`).pluck().get();
    for (const sql of rows === 0 ? [] : statements) {
      tried++;
      assert.throws(() => store.writeSync(() => database.exec(sql)), /the production is frozen/, sql);
    }
    // The rows of a production that is not frozen change.
    const thawed = () =>
      store.writeSync(() => {
        database.exec(`DELETE FROM frozen_productions; UPDATE "${table}" SET ${owner} = ${owner}`);
        throw new Error("taken back");
      });
    assert.throws(thawed, "taken back");
  }
  database.pragma("foreign_keys = ON");
  assert.ok(tried > 100, String(tried));
});

test("what writes files is refused if the production was frozen after the check", async () => {
  for (const production_id of [1, 2]) setFrozen(localAdmin(store, importedAt), production_id, false);
  const files = () => store.database.prepare("SELECT * FROM asset_files").raw().all();
  const former = files();
  const { database } = server.app.store;
  whenAsked = () => {
    // A request looks at the clock again in its transaction.
    if (database.inTransaction)
      database.exec("INSERT INTO frozen_productions SELECT id, '2026-11-20' FROM productions");
  };
  for (const name of ["post_storage_events", "acknowledge_storage_task"]) {
    const { row, found, token } = rows.find((one) => one.row.name === name) as (typeof rows)[number];
    const response = await sendCase(server, found, row.method, token);
    assert.is(response.status, 409, await response.text());
  }
  whenAsked = () => {};
  assert.equal(files(), former);
  for (const production_id of [1, 2]) setFrozen(localAdmin(store, importedAt), production_id, true);
});

test("a database that counted revisions is upgraded, also with a frozen production, which stays frozen", () => {
  const file = join(temporaryFolder(), "tallylight.db");
  const database = new Database(file);
  migrate(database, migrations().slice(0, 35));
  for (const id of [1, 2]) {
    database.exec(
      `INSERT INTO productions (id, title, logline, status, phase, accent, format, created_at) VALUES (${id}, '${id}', '', '', '', '', 'single', '')`,
    );
    database.exec(`INSERT INTO people (production_id, name, role, is_hod, is_admin) VALUES (${id}, 'Una', '', 0, 0)`);
  }
  database.exec("INSERT INTO frozen_productions VALUES (1, '')");
  migrate(database);
  assert.equal(schemaDifferences(database), []);
  const left = "SELECT name FROM sqlite_schema WHERE sql LIKE '%table_revisions%'";
  assert.equal(database.prepare(left).all(), []);
  assert.throws(() => database.exec("UPDATE people SET name = 'Ina'"), "the production is frozen");
  assert.throws(() => database.exec("UPDATE productions SET title = 'Other' WHERE id = 1"), "the production is frozen");
  database.exec("UPDATE people SET name = 'Ina' WHERE production_id = 2");
  database.close();
});

test("nothing was changed", () => assert.equal(snapshot(), before));

test.run();
