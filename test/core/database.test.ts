// Opening the database: a foreign, newer, half-migrated, locked or damaged one is refused with a sentence and not
// changed.
// Thorough: only --all runs it.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CliError } from "../../src/core/errors.ts";
import { openStore } from "../../src/core/store/database.ts";
import { migrate, migrations } from "../../src/core/store/migrations.ts";
import { soundnessOf } from "../../src/features/soundness/soundness.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
const file = join(folder, "tallylight.db");
const removeDatabase = () => {
  for (const ending of ["", "-wal", "-shm"]) rmSync(file + ending, { force: true });
};

/** Checks that opening is refused with a sentence, and that no byte of the file changed. */
function assertLeftAlone(sentence: RegExp): void {
  const before = readFileSync(file);
  try {
    openStore(file).close();
  } catch (error) {
    assert.instance(error, CliError);
    assert.match((error as Error).message, sentence);
    assert.ok(before.equals(readFileSync(file)), "the file was changed");
    return;
  }
  assert.unreachable("it was opened");
}

function change(sql: string): void {
  const database = new Database(file);
  database.exec(sql);
  database.pragma("journal_mode = DELETE");
  database.close();
}

const opening = suite("opening a database");
opening.before.each(removeDatabase);

opening("gives a new file every migration, with WAL, full durability and foreign keys", () => {
  const { database, close } = openStore(file);
  assert.is(database.pragma("user_version", { simple: true }), migrations().length);
  assert.is(database.pragma("journal_mode", { simple: true }), "wal");
  assert.is(database.pragma("synchronous", { simple: true }), 2);
  assert.is(database.pragma("foreign_keys", { simple: true }), 1);
  close();
});

/**
 * The objects of a schema, the settings of the file and the rows, without the random name of its epoch and the times.
 */
function everythingIn(database: Database.Database): unknown {
  const all = (sql: string) => database.prepare(sql).all();
  const objects = all("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name") as {
    name: string;
    type: string;
  }[];
  const tables = objects.filter(({ type, name }) => type === "table" && !name.startsWith("sqlite_"));
  const rows = tables.map(({ name }) => [name, all(`SELECT * FROM "${name}"`)]);
  const settings = ["user_version", "application_id", "auto_vacuum", "page_size", "encoding"].map((name) =>
    database.pragma(name),
  );
  return JSON.parse(
    JSON.stringify([objects, rows, settings], (name, value) =>
      /^(?:epoch|\w+_at|rootpage)$/.test(name) ? typeof value : value,
    ),
  );
}

opening("gives an empty database at once what its migrations make one after the other", () => {
  const [whole, stepped] = [new Database(":memory:"), new Database(":memory:")];
  migrate(whole);
  for (const at of migrations().keys()) migrate(stepped, migrations().slice(0, at + 1));
  assert.equal(everythingIn(whole), everythingIn(stepped));
  for (const database of [whole, stepped]) database.close();
});

opening("normalises the paths that 1.0 imported, and fails pending moves out of the filespace", () => {
  const bad = ["../../etc/shadow", "a/../b", "a\\b", "", "a//b", "./a", "a/", "C:/x", "a\nb", "a\u0085b", "//a"];
  const good = ["a/b", "..a/b..", "a:b/C", "e\u0301/-1", ".hidden"];
  const database = new Database(file);
  migrate(database, migrations().slice(0, 3));
  database.exec(`
    INSERT INTO productions (id, title, logline, status, phase, accent, format, created_at) VALUES (1, '', '', '', '', '', 'single', '');
    INSERT INTO storage_installs (id, production_id, filespace, active, created_at) VALUES (1, 1, 'main', 1, '')`);
  const insert = database.prepare(
    "INSERT INTO storage_tasks (production_id, install_id, src, dst, status, created_at) VALUES (1, 1, ?, ?, 'pending', '')",
  );
  for (const path of [...bad, ...good, "/rooted"]) insert.run("x", path);
  insert.run("../x", "y");
  migrate(database);
  const pending = database.prepare("SELECT dst FROM storage_tasks WHERE status = 'pending' ORDER BY id").pluck().all();
  assert.equal(pending, [...good, "rooted"]);
  const failed = "SELECT count(*) FROM storage_tasks WHERE status = 'failed' AND note <> '' AND settled_at LIKE '20%Z'";
  assert.is(database.prepare(failed).pluck().get(), bad.length + 1);
  database.close();
});

opening("checks a database of every former schema, as a backup of it does", () => {
  const database = new Database(":memory:");
  for (const before of migrations().keys()) {
    migrate(database, migrations().slice(0, before + 1));
    assert.equal(soundnessOf(database).schema, [], `schema ${before + 1}`);
  }
  database.close();
});

opening("makes every table STRICT", () => {
  const { database, close } = openStore(file);
  const notStrict = database
    .prepare(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'",
    )
    .pluck()
    .all();
  assert.equal(notStrict, []);
  close();
});

opening("refuses a file that is not a database", () => {
  writeFileSync(file, "this is a shopping list, and a long one at that".repeat(100));
  assertLeftAlone(/is not a Tallylight database/);
});

opening("refuses a database of another program", () => {
  change("CREATE TABLE songs (title TEXT)");
  assertLeftAlone(/database of another program/);
});

opening("refuses a database from a newer version", () => {
  openStore(file).close();
  change("PRAGMA user_version = 99");
  assertLeftAlone(/written by a newer Tallylight/);
});

opening("refuses a half-migrated database", () => {
  openStore(file).close();
  change("DELETE FROM migrations WHERE position = 2");
  assertLeftAlone(/half-migrated/);
});

opening("refuses a database with a different migration", () => {
  openStore(file).close();
  change("UPDATE migrations SET sha256 = 'x' WHERE position = 1");
  assertLeftAlone(/is half-migrated or was changed by hand/);
});

opening("refuses a database that another program has locked", () => {
  openStore(file).close();
  change("");
  const other = new Database(file);
  other.pragma("locking_mode = EXCLUSIVE");
  other.exec("BEGIN EXCLUSIVE");
  try {
    assertLeftAlone(/is locked by another program/);
  } finally {
    other.close();
  }
});

opening("refuses a damaged database", () => {
  openStore(file).close();
  change("");
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0x5a, 100, 4096));
  assertLeftAlone(/is damaged|not a Tallylight database|cannot be opened/);
});
opening.run();

const writing = suite("store.write");
writing.before.each(removeDatabase);

writing("writes everything or nothing, and a commit changes the revision", () => {
  const store = openStore(file);
  const insert = () => store.database.exec("INSERT INTO blobs VALUES (printf('%064d', 1), 1, 'x/y', 'now')");
  const before = store.revision();
  assert.throws(
    () =>
      store.writeSync(() => {
        insert();
        throw new Error("no");
      }),
    /no/,
  );
  assert.is(store.statement("get_blob").get({ sha256: `${"0".repeat(63)}1` }), undefined);
  store.writeSync(insert);
  assert.ok(store.statement("get_blob").get({ sha256: `${"0".repeat(63)}1` }));
  assert.ok(store.revision() > before);
  store.close();
});

writing("the revision changes with commits of another process, and only with commits", () => {
  const store = openStore(file);
  const other = openStore(file);
  const before = store.revision();
  assert.is(store.revision(), before);
  other.writeSync(() => other.database.exec("INSERT INTO blobs VALUES (printf('%064d', 1), 1, 'x/y', 'now')"));
  assert.ok(store.revision() > before);
  assert.is(store.revision(), store.revision());
  other.close();
  store.close();
});

writing("a second connection sees one state, that of its first read, also if it was used before", () => {
  const store = openStore(file);
  const kept = new Set<unknown>();
  for (const number of [1, 2, 3]) {
    const { statement, close } = store.snapshot();
    const find = statement("get_blob");
    const sees = (one: number) => find.get({ sha256: String(one).padStart(64, "0") }) !== undefined;
    const add = `INSERT INTO blobs VALUES (printf('%064d', ${number}), 1, 'x/y', 'now')`;
    assert.ok(number === 1 || sees(number - 1), "what was written before");
    assert.not.ok(sees(number));
    store.writeSync(() => store.database.exec(add));
    assert.not.ok(sees(number), "what was written after its first read");
    kept.add(find);
    close();
  }
  assert.is(kept.size, 1, "one connection prepared the statement");
  const [first, second] = [store.snapshot(), store.snapshot()];
  assert.is.not(first.statement("get_blob"), second.statement("get_blob"), "two at once have one each");
  store.close();
  for (const { close } of [first, second]) close();
});

writing.after(() => rmSync(folder, { recursive: true }));
writing.run();
