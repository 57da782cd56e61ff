// A backup whose database is damaged: restore says so, and with --damaged brings back every row that can be read and
// says which are lost.
// Thorough: only --all runs it.
import { closeSync, cpSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { closing, mediaFiles } from "../../src/core/store/files.ts";
import { migrations } from "../../src/core/store/migrations.ts";
import { backupNames } from "../../src/features/backup/backup_folder.ts";
import { recoverDatabase } from "../../src/features/backup/recovery.ts";
import { inspectData } from "../../src/features/doctor/inspection.ts";
import { fixtureFiles, importedAt, temporaryFolder } from "../support/app.ts";
import { answerOf, tallylight } from "../support/command.ts";
import { folderWith } from "../support/template.ts";

const test = suite("restore --damaged");
const databaseName = "tallylight.db";

/** Writes over pages of a database, without SQLite. */
function damagePages(file: string, pages: readonly number[]): void {
  const handle = openSync(file, "r+");
  for (const page of pages) writeSync(handle, Buffer.alloc(4096, 0xa5), 0, 4096, (page - 1) * 4096);
  closeSync(handle);
}

const rowsOf = <Row>(file: string, sql: string, ...given: unknown[]): Row[] =>
  closing(new Database(file, { readonly: true }), (database) => database.prepare<unknown[], Row>(sql).all(...given));

/** The leaf pages of a table or an index, in order. */
const leavesOf = (file: string, name: string): number[] =>
  rowsOf<{ pageno: number }>(
    file,
    "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path",
    name,
  ).map(({ pageno }) => pageno);

const ownTables = "schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite^_s%' ESCAPE '^'";
const tablesOf = (file: string) =>
  rowsOf<{ name: string }>(
    file,
    `SELECT name FROM pragma_table_list WHERE ${ownTables} AND name NOT IN ('search_changes', 'migrations')`,
  ).map(({ name }) => name);
/** The rows of a table, each as a text. */
const textsOf = (file: string, table: string): string[] =>
  rowsOf<Record<string, unknown>>(file, `SELECT * FROM "${table}"`).map((row) => JSON.stringify(row));

/** Productions, and so many notes and links that they have many pages. */
async function manyNotes(files: readonly string[]): Promise<string> {
  const folder = await folderWith(files, importedAt);
  const store = openStore(join(folder, databaseName));
  store.writeSync(() =>
    store.database.exec(
      `WITH RECURSIVE one (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM one WHERE n < 2000)
       INSERT INTO notes (production_id, node_id, text, author, created_at)
       SELECT 1, (SELECT min(id) FROM nodes WHERE production_id = 1), 'the hem is two fingers longer ' || n, 'Wardrobe', '2026-11-20' FROM one;
       INSERT OR IGNORE INTO node_links SELECT 1, one.id, other.id FROM nodes one, nodes other
       WHERE one.production_id = 1 AND other.production_id = 1 AND one.id < other.id`,
    ),
  );
  store.close();
  return folder;
}

test("of a backup with a damaged page, the rows on it are lost and told, and everything else is there", async () => {
  const data = await manyNotes(fixtureFiles);
  const folder = temporaryFolder();
  await answerOf("backup", "--to", folder, "--data", data);
  const file = join(folder, backupNames(folder)[0] as string, databaseName);
  const before = join(temporaryFolder(), "before.db");
  cpSync(file, before);
  const [page] = leavesOf(file, "notes").slice(5);
  damagePages(file, [page as number]);

  const to = join(temporaryFolder(), "data");
  const refused = await tallylight("restore", folder, "--data", to);
  assert.is(refused.status, 1);
  assert.match(
    refused.err,
    /is damaged, and --damaged restores the rest: tallylight\.db does not match the manifest; nothing was restored/,
  );
  const verified = await tallylight("backup", "verify", folder);
  assert.is(verified.status, 1);
  assert.match(verified.out, /^ERROR .*tallylight\.db does not match the manifest/m);

  const { status, err } = await tallylight("restore", folder, "--damaged", "--data", to);
  assert.is(status, 0, err);
  const found = /^broken: notes: (\d+) rows cannot be read and are lost, with id after (\d+) and before (\d+)$/m.exec(
    err,
  );
  assert.ok(found, err);
  const [lost, low, high] = found.slice(1).map(Number) as [number, number, number];
  assert.is(high - low - 1, lost);
  const kept = rowsOf<{ id: number }>(join(to, databaseName), "SELECT * FROM notes ORDER BY id");
  const were = rowsOf<{ id: number }>(before, "SELECT * FROM notes ORDER BY id");
  assert.equal(
    kept,
    were.filter(({ id }) => id <= low || id >= high),
  );
  const failed = (await inspectData(to, { deep: true, now: Date.now() })).filter(({ ok }) => !ok);
  assert.equal(failed, []);
  const search = "SELECT count(*) AS found FROM search WHERE search MATCH ?";
  assert.equal(rowsOf(join(to, databaseName), search, "the*"), rowsOf(before, search, "the*"));

  const one = join(temporaryFolder(), "data");
  const { media } = await answerOf("restore", folder, "--damaged", "--production", "2", "--data", one);
  assert.equal(rowsOf(join(one, databaseName), "SELECT id FROM productions"), [{ id: 2 }]);
  assert.is(mediaFiles(join(one, "media")).length, media, "nothing of the other production");
});

test("what refers to a lost row is told: a reference that may be empty is, another row is kept in a copy, and doctor finds nothing", async () => {
  const data = await manyNotes(fixtureFiles.slice(0, 1));
  const file = join(data, databaseName);
  closing(new Database(file), (database) => {
    // many assets, of which many rows on their pages have a note that needs them, or a change that does not
    database.exec(`
      WITH RECURSIVE one (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM one WHERE n < 2000)
      INSERT INTO nodes (production_id, kind, label, status, updated_at, created_at)
      SELECT 1, 'prop', 'Prop number ' || n, 'active', '2026-11-20', '2026-11-20' FROM one;
      INSERT INTO notes (production_id, node_id, text, author, created_at)
      SELECT 1, id, 'about ' || label, 'Wardrobe', '2026-11-20' FROM nodes WHERE label LIKE 'Prop number %';
      INSERT INTO activity (production_id, verb, summary, actor, node_id, created_at)
      SELECT 1, 'noted', 'about ' || label, 'Wardrobe', id, '2026-11-20' FROM nodes WHERE label LIKE 'Prop number %';
      INSERT INTO frozen_productions VALUES (1, '2026-11-20');`);
    database.pragma("wal_checkpoint(TRUNCATE)");
  });
  const leaves = leavesOf(file, "nodes");
  damagePages(file, leaves.slice(10, 12));
  const to = join(temporaryFolder(), "data");
  const { status, err } = await tallylight("restore", "--damaged", data, "--data", to);
  assert.is(status, 0, err);
  const lost = Number(/^broken: nodes: (\d+) rows cannot be read/m.exec(err)?.[1]);
  assert.ok(lost > 10, err);
  assert.match(err, /^broken: removed notes with id \d+: its node_id \d+ does not exist in nodes$/m);
  assert.match(err, /^broken: emptied node_id of activity with id \d+: its node_id \d+ does not exist in nodes$/m);
  assert.match(err, /^broken: what was removed or emptied is in tallylight\.db\.before-repair$/m);
  const count = (name: string, sql: string) => rowsOf<{ n: number }>(join(to, name), sql)[0]?.n;
  const notes = "SELECT count(*) AS n FROM notes WHERE text LIKE 'about Prop number %'";
  const entries = "SELECT count(*) AS n FROM activity WHERE summary LIKE 'about Prop number %'";
  assert.equal([count(databaseName, notes), count(`${databaseName}.before-repair`, notes)], [2000 - lost, 2000]);
  assert.is(count(databaseName, entries), 2000);
  assert.is(count(databaseName, `${entries} AND node_id IS NULL`), lost);
  assert.is(count(databaseName, "SELECT count(*) AS n FROM frozen_productions"), 1);
  assert.equal(
    (await inspectData(to, { deep: true, now: Date.now() })).filter(({ ok }) => !ok),
    [],
  );
});

test("whatever table has the damaged page, every other one has all its rows; a damaged index loses nothing", async () => {
  const data = await manyNotes(fixtureFiles.slice(0, 1));
  const whole = join(temporaryFolder(), databaseName);
  closing(new Database(join(data, databaseName)), (database) => database.prepare("VACUUM INTO ?").run(whole));
  const tables = tablesOf(whole);
  const texts = new Map(tables.map((table) => [table, textsOf(whole, table)]));
  // With rowids, without them, and an index.
  for (const name of ["notes", "node_links", "notes_node"]) {
    const file = join(temporaryFolder(), databaseName);
    cpSync(whole, file);
    const leaves = leavesOf(file, name);
    assert.ok(leaves.length > 2, name);
    damagePages(file, [leaves[1] as number, ...(leaves.length > 9 ? [leaves.at(-3) as number] : [])]);
    const lost = recoverDatabase(file, migrations().length);
    for (const table of tables) {
      const [now, then] = [new Set(textsOf(file, table)), texts.get(table) as string[]];
      const gone = then.filter((row) => !now.has(row)).length;
      assert.is(now.size, then.length - gone, `${table}: nothing is there that was not`);
      if (table !== name) assert.is(gone, 0, `${table} after a damage of ${name}`);
      else assert.ok(gone > 0 && gone < then.length / 2, `${table}: ${gone} of ${then.length}`);
    }
    const said = lost.map((sentence) => sentence.split(":")[0]);
    assert.equal(said, tables.includes(name) ? [name] : [], lost.join());
    assert.equal(rowsOf(file, "PRAGMA integrity_check"), [{ integrity_check: "ok" }]);
  }
});

test("without the list of its tables a database cannot be recovered, and nothing is restored", async () => {
  const data = await folderWith(fixtureFiles.slice(0, 1), importedAt);
  const folder = temporaryFolder();
  await answerOf("backup", "--to", folder, "--data", data);
  damagePages(join(folder, backupNames(folder)[0] as string, databaseName), [1]);
  const to = join(temporaryFolder(), "data");
  const { status, err } = await tallylight("restore", folder, "--damaged", "--data", to);
  assert.is(status, 1);
  assert.match(err, /is damaged: its database cannot be read; nothing was restored/);
});

test.run();
