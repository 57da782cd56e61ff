// Opening the database: what is not ours, is newer, half-migrated, locked or damaged is refused in a sentence and left alone.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CliError } from "../../src/errors.ts";
import { openStore } from "../../src/store/database.ts";
import { migrate, migrations } from "../../src/store/migrations.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
const file = join(folder, "tallylight.db");
const fresh = () => {
  for (const ending of ["", "-wal", "-shm"]) rmSync(file + ending, { force: true });
};

/** Holds that opening is refused with a sentence, and that the file has not changed by a byte. */
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
opening.before.each(fresh);

opening("a new file gets every migration, with WAL, full durability and foreign keys", () => {
  const { database, close } = openStore(file);
  assert.is(database.pragma("user_version", { simple: true }), migrations().length);
  assert.is(database.pragma("journal_mode", { simple: true }), "wal");
  assert.is(database.pragma("synchronous", { simple: true }), 2);
  assert.is(database.pragma("foreign_keys", { simple: true }), 1);
  close();
});

opening(
  "paths that 1.0 took from a document are mended, and no pending move leads out of the filespace any more",
  () => {
    const bad = ["../../etc/shadow", "a/../b", "a\\b", "", "a//b", "./a", "a/", "C:/x", "a\nb", "a\u0085b", "//a"];
    const good = ["a/b", "..a/b..", "a:b/C", "e\u0301/-1", ".hidden"];
    const database = new Database(file);
    migrate(database, file, migrations().slice(0, 3));
    database.pragma("foreign_keys = OFF");
    const insert = database.prepare(
      "INSERT INTO storage_tasks (production_id, install_id, src, dst, status, created_at) VALUES (1, 1, ?, ?, 'pending', '')",
    );
    for (const path of [...bad, ...good, "/rooted"]) insert.run("x", path);
    insert.run("../x", "y");
    migrate(database, file);
    const pending = database
      .prepare("SELECT dst FROM storage_tasks WHERE status = 'pending' ORDER BY id")
      .pluck()
      .all();
    assert.equal(pending, [...good, "rooted"]);
    const failed =
      "SELECT count(*) FROM storage_tasks WHERE status = 'failed' AND note <> '' AND settled_at LIKE '20%Z'";
    assert.is(database.prepare(failed).pluck().get(), bad.length + 1);
    database.close();
  },
);

opening("every table is STRICT", () => {
  const { database, close } = openStore(file);
  const loose = database
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 0 AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all();
  assert.equal(loose, []);
  close();
});

opening("a file that is no database", () => {
  writeFileSync(file, "this is a shopping list, and a long one at that".repeat(100));
  assertLeftAlone(/is not a Tallylight database/);
});

opening("a database of another program", () => {
  change("CREATE TABLE songs (title TEXT)");
  assertLeftAlone(/database of another program/);
});

opening("a database from a newer version", () => {
  openStore(file).close();
  change("PRAGMA user_version = 99");
  assertLeftAlone(/written by a newer Tallylight/);
});

opening("a half-migrated database", () => {
  openStore(file).close();
  change("DELETE FROM migrations WHERE position = 2");
  assertLeftAlone(/half-migrated/);
});

opening("a database whose migration is another than ours", () => {
  openStore(file).close();
  change("UPDATE migrations SET sha256 = 'x' WHERE position = 1");
  assertLeftAlone(/is half-migrated or was changed by hand/);
});

opening("a database that another program holds", () => {
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

opening("a damaged database", () => {
  openStore(file).close();
  change("");
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0x5a, 100, 4096));
  assertLeftAlone(/is damaged|not a Tallylight database|cannot be opened/);
});
opening.run();

const importer = suite("store.write");
importer.before.each(fresh);

importer("is wholly there or wholly absent, and moves the revision either way", () => {
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

importer("the revision moves with the commits of another process, and only with commits", () => {
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

importer.after(() => rmSync(folder, { recursive: true }));
importer.run();
