// The schema's history: sql/migrations, append-only, each applied once in a transaction of its own and recorded with its hash.
import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type Database from "better-sqlite3";

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

/** Brings the file to this version. `user_version` moves in the same transaction, so a cut leaves a migration whole or absent. */
export function migrate(database: Database.Database, _file: string): void {
  const version = () => database.pragma("user_version", { simple: true }) as number;
  if (version() >= migrations().length) return;
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
  migrations().forEach((migration, at) => {
    apply.immediate(migration, at + 1);
  });
}
