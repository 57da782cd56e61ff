// Applies the migrations of sql/migrations. Each is applied once, in its own transaction, and recorded with its hash.
import { hash, randomBytes } from "node:crypto";
import { closeSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { syncPath } from "./sync.ts";

const folder = fileURLToPath(new URL("../../sql/migrations/", import.meta.url));

export interface Migration {
  name: string;
  sha256: string;
  text: string;
}

let known: Migration[] | undefined;
/** The migrations of this version, in order. */
export function migrations(): Migration[] {
  known ??= readdirSync(folder)
    .filter((name) => /^\d{4}_\w+\.sql$/.test(name))
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name), "utf8");
      return { name, sha256: hash("sha256", text), text };
    });
  return known;
}

/** The migrations that the database records as applied; undefined if it is not a Tallylight database. */
export function recordedMigrations(database: Database.Database): { name: string; sha256: string }[] | undefined {
  const ours = database
    .prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'")
    .pluck()
    .get();
  if (ours === 0) return undefined;
  return database.prepare("SELECT name, sha256 FROM migrations ORDER BY position").all() as {
    name: string;
    sha256: string;
  }[];
}

function hasRows(database: Database.Database): boolean {
  const tables = database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'migrations' AND name NOT LIKE 'sqlite^_%' ESCAPE '^'",
    )
    .pluck()
    .all() as string[];
  return tables.some((table) => database.prepare(`SELECT EXISTS (SELECT 1 FROM "${table}")`).pluck().get() === 1);
}

/** Copies the database `file` to `copy` in the same folder, readable only by its owner. The copy is complete or absent. */
export function copyDatabase(database: Database.Database, file: string, copy: string): void {
  const draft = `${copy}.${randomBytes(6).toString("hex")}`;
  try {
    closeSync(openSync(draft, "wx", 0o600)); // VACUUM INTO accepts an existing file if it is empty
    database.prepare("VACUUM INTO ?").run(draft);
    syncPath(draft);
    renameSync(draft, copy);
    syncPath(dirname(file));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/**
 * Migrates a database to this version. `user_version` is set in the transaction of each migration, so that after a crash a
 * migration is either complete or absent. A database with rows is first copied to `FILE.before-schema-N`, N being the new
 * version.
 */
export function migrate(database: Database.Database, file: string, steps: readonly Migration[] = migrations()): void {
  const version = () => database.pragma("user_version", { simple: true }) as number;
  if (version() >= steps.length) return;
  if (hasRows(database)) copyDatabase(database, file, `${file}.before-schema-${steps.length}`);
  database.exec(`CREATE TABLE IF NOT EXISTS migrations (
    position INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT`);
  const apply = database.transaction((migration: Migration, position: number) => {
    if (version() >= position) return; // another process has applied it
    database.exec(migration.text);
    database
      .prepare("INSERT INTO migrations VALUES (?, ?, ?, strftime('%Y-%m-%dT%H:%M:%fZ'))")
      .run(position, migration.name, migration.sha256);
    database.pragma(`user_version = ${position}`);
  });
  steps.forEach((migration, at) => {
    apply.immediate(migration, at + 1);
  });
}

/** The tables, indexes, views and triggers that differ between the database and what the migrations create, by type and name. */
export function schemaDifferences(database: Database.Database): string[] {
  const objects = (of: Database.Database): Map<string, string> =>
    new Map(
      of
        .prepare(
          "SELECT type || ' ' || name, ifnull(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite^_%' ESCAPE '^'",
        )
        .raw()
        .all() as [string, string][],
    );
  const model = new Database(":memory:");
  try {
    migrate(model, ":memory:", migrations().slice(0, database.pragma("user_version", { simple: true }) as number));
    const [made, found] = [objects(model), objects(database)];
    return [...new Set([...made.keys(), ...found.keys()])].filter((name) => made.get(name) !== found.get(name)).sort();
  } finally {
    model.close();
  }
}
