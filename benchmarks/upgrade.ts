// Measures the upgrade of a large data directory of 1.0.0: 20,000 scenes and 1,000,000 storage events. `node
// benchmarks/upgrade.ts` prints the size of the database, and the time in which it is migrated.
import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Database from "better-sqlite3";
import "../src/features.ts";
import { migrateData } from "../src/core/directory_migration.ts";
import { migrate, migrations } from "../src/core/store/migrations.ts";
import { temporaryFolder } from "../test/support/folder.ts";

const { values } = parseArgs({
  options: { scenes: { type: "string", default: "20000" }, events: { type: "string", default: "1000000" } },
});
const folder = join(temporaryFolder(), "data");
mkdirSync(folder);
const database = new Database(join(folder, "tallylight.db"));
database.pragma("journal_mode = WAL");
database.pragma("synchronous = OFF");
migrate(database, migrations().slice(0, 3)); // the schema of 1.0.0
const series = "WITH RECURSIVE series (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series WHERE n < :count)";
database.pragma("foreign_keys = OFF");
const fill = (sql: string, count: number): void => void database.prepare(`${series} ${sql}`).run({ count });
const columnsOf = (table: string): string[] =>
  database
    .prepare(`SELECT name FROM pragma_table_info('${table}') WHERE "notnull" = 1 OR pk > 0`)
    .pluck()
    .all() as string[];

/** Fills a table with rows whose required columns have the given SQL, or else the row's number. */
function fillTable(table: string, count: number, given: Record<string, string>): void {
  const names = [...new Set([...columnsOf(table), ...Object.keys(given)])];
  fill(`INSERT INTO ${table} (${names}) SELECT ${names.map((name) => given[name] ?? "n")} FROM series`, count);
}
const time = "'2026-11-01T10:00:00.000Z'";
database.pragma("ignore_check_constraints = ON");
fillTable("nodes", Number(values.scenes), {
  production_id: "1",
  label: "'Scene ' || n",
  kind: "'scene'",
  status: "'planned'",
  created_at: time,
  updated_at: time,
});
fillTable("scenes", Number(values.scenes), {
  production_id: "1",
  node_id: "n",
  number: "n || ''",
  slugline: "'INT. ROOM ' || n",
  elements: "'{}'",
  revision_color: "'white'",
});
const path = "'day ' || (n % 90) || '/card ' || (n % 12) || '/A' || n || '.mov'";
fillTable("storage_events", Number(values.events), {
  production_id: "1",
  install_id: "1",
  event_type: "'create'",
  path,
  source: "'audit_tail'",
  dedupe_key: "'audit:' || n || ':' || hex(n)",
  detected_at: time,
  received_at: time,
});
database.close();
const file = join(folder, "tallylight.db");
console.log(`the database has ${(statSync(file).size / 1e6).toFixed(0)} MB`);
const started = performance.now();
await migrateData(folder);
console.log(`it was backed up and migrated in ${((performance.now() - started) / 1000).toFixed(1)} s`);
rmSync(join(folder, ".."), { recursive: true });
