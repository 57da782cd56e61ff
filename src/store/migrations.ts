// The schema's history: sql/migrations, append-only, each applied once in a transaction of its own and recorded with its hash.
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

/** What the file says was applied to it; undefined where it is not one of ours. */
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

function holdsRows(database: Database.Database): boolean {
  const tables = database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'migrations' AND name NOT LIKE 'sqlite^_%' ESCAPE '^'",
    )
    .pluck()
    .all() as string[];
  return tables.some((table) => database.prepare(`SELECT EXISTS (SELECT 1 FROM "${table}")`).pluck().get() === 1);
}

/** A whole copy of the file as it is, beside it, readable by its owner alone; there entirely or not at all. */
export function copyAside(database: Database.Database, file: string, copy: string): void {
  const draft = `${copy}.${randomBytes(6).toString("hex")}`;
  try {
    closeSync(openSync(draft, "wx", 0o600)); // VACUUM INTO takes an empty file as it takes an absent one
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
 * Brings the file to this version. `user_version` moves in the same transaction, so a cut leaves a migration whole or absent.
 * A file that holds something is copied first, to `FILE.before-schema-N` with N the version that it is brought to.
 */
export function migrate(database: Database.Database, file: string, steps: readonly Migration[] = migrations()): void {
  const version = () => database.pragma("user_version", { simple: true }) as number;
  if (version() >= steps.length) return;
  if (holdsRows(database)) copyAside(database, file, `${file}.before-schema-${steps.length}`);
  database.exec(`CREATE TABLE IF NOT EXISTS migrations (
    position INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT`);
  const apply = database.transaction((migration: Migration, position: number) => {
    if (version() >= position) return; // another process was first
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

/** Every table, index, view and trigger that the file has and this version's migrations do not make, and the other way round. */
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
