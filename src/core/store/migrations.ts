// Applies the migrations of sql/migrations: each once, recorded with its hash, and all pending ones in one transaction.
// Checks which migrations a database has. Also what goes with a new schema: the search index, which is written anew.
import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type Database from "better-sqlite3";
import { CliError } from "../errors.ts";
import { searchForm } from "../wording.ts";
import { isServed } from "./lock.ts";
import { change, statementTexts, value } from "./statements.ts";
import type { Store } from "./store.ts";

const folder = fileURLToPath(new URL("../../../sql/migrations/", import.meta.url));

/** One file of sql/migrations. */
export interface Migration {
  name: string;
  sha256: string;
  readonly text: string;
}

const textOf = (name: string): string => readFileSync(join(folder, name), "utf8");

/**
 * What all migrations make of an empty database, but for the table `migrations`. `npm run statements` makes the file
 * from them.
 */
export const schemaFile = join(folder, "schema.sql");

let known: Migration[] | undefined;
/** The migrations of this version, in order. */
export function migrations(): Migration[] {
  known ??= readdirSync(folder)
    .filter((name) => /^\d{4}_\w+\.sql$/.test(name))
    .sort()
    .map((name) => {
      const sha256 = hash("sha256", textOf(name));
      return {
        name,
        sha256,
        get text() {
          return textOf(name);
        },
      }; // not kept: only a migration needs it
    });
  return known;
}

/** The migrations that the database records as applied; undefined if it is not a Tallylight database. */
function recordedMigrations(database: Database.Database): { name: string; sha256: string }[] | undefined {
  const tables = database
    .prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'")
    .pluck()
    .get();
  if (tables === 0) return undefined;
  return database
    .prepare<[], { name: string; sha256: string }>("SELECT name, sha256 FROM migrations ORDER BY position")
    .all();
}

/** Whether any table but that of the migrations has a row. */
function hasRows(database: Database.Database): boolean {
  const tables = database
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'migrations' AND name NOT LIKE 'sqlite^_%' ESCAPE '^'",
    )
    .pluck()
    .all();
  return tables.some((table) => database.prepare(`SELECT EXISTS (SELECT 1 FROM "${table}")`).pluck().get() === 1);
}

/** SQLite stores this text as the schema, and it is compared, so not even its spaces may change. */
const migrationsTable = `CREATE TABLE IF NOT EXISTS migrations (
    position INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT`;

/** The statements that bring the search index up to date, in order. Triggers of the schema list what changed. */
export const indexingSteps = [
  "remove_searched",
  "add_searched",
  "remove_searched_labels",
  "add_searched_labels",
  "remove_searched_scripts",
  "add_searched_scripts",
  "settle_search_changes",
] as const;
const steps = indexingSteps.map((name) => change(name));
const hasChanges = value<object, 0 | 1>("has_search_changes");

/** Writes the search index of what a transaction changed. Must be its last work. */
export function indexChanges(store: Store): void {
  if (hasChanges(store, {}) === 1) for (const step of steps) step(store, {});
}

/** Defines the function of SQL by which the index gets its texts. */
export function defineSearchForm(database: Database.Database): void {
  database.function("search_form", { deterministic: true }, (text) =>
    text === null ? null : searchForm(String(text)),
  );
}

/** The same for a connection without a store. */
export function indexSearch(database: Database.Database): void {
  defineSearchForm(database);
  for (const name of indexingSteps) database.prepare(statementTexts().get(name) ?? "").run();
}

/** The number of migrations that a database says it has. */
export const schemaOf = (database: Database.Database): number =>
  Number(database.pragma("user_version", { simple: true }));

/** Whether a database has rows and is of an older version. One without rows loses nothing by a migration. */
export const isOlder = (database: Database.Database): boolean =>
  schemaOf(database) < migrations().length && hasRows(database);

/**
 * The work of a migration, inside a transaction. An empty database gets the schema as a whole, which takes a tenth of
 * the time, unless `steps` are others than migrations(): some of them or a copy of the list.
 */
function apply(database: Database.Database, steps: readonly Migration[]): void {
  const former = schemaOf(database);
  database.function("nfc", { deterministic: true }, (text) => String(text).normalize("NFC"));
  const isWhole = former === 0 && steps === migrations();
  database.exec(migrationsTable);
  if (isWhole) database.exec(readFileSync(schemaFile, "utf8"));
  const record = database.prepare("INSERT INTO migrations VALUES (?, ?, ?, strftime('%Y-%m-%dT%H:%M:%fZ'))");
  for (const [at, { name, sha256, text }] of steps.entries()) {
    if (at < former) continue;
    if (!isWhole) database.exec(text);
    record.run(at + 1, name, sha256);
  }
  if (former > 0) checkReferences(database);
  if (steps.length === migrations().length) indexSearch(database); // its statements know this schema only
  database.pragma(`user_version = ${steps.length}`);
}

/** Throws CliError if a row refers to one that is not there: foreign keys were off. */
function checkReferences(database: Database.Database): void {
  // its columns
  const [first] = database.pragma("foreign_key_check") as { table: string; rowid: number | null; parent: string }[];
  if (first === undefined) return;
  const row = first.rowid === null ? "a row" : `the row ${first.rowid}`;
  throw new CliError(
    `the database cannot be migrated: ${row} of ${first.table} refers to a row of ${first.parent} that is not there; restore a backup (nothing was changed)`,
  );
}

/**
 * Turns foreign keys off, and returns what turns them on again. A migration makes a table anew that others refer to,
 * and SQLite ignores this setting inside a transaction. The references are checked before the transaction of the
 * migration ends.
 */
function withoutForeignKeys(database: Database.Database): () => void {
  const former = database.pragma("foreign_keys", { simple: true });
  database.pragma("foreign_keys = OFF");
  return () => void database.pragma(`foreign_keys = ${former}`);
}

/**
 * Migrates a database to this version, in one transaction: after a crash or an error, the database has its former
 * schema or the new one, never one between.
 */
export function migrate(database: Database.Database, steps: readonly Migration[] = migrations()): void {
  if (schemaOf(database) >= steps.length) return;
  const turnOn = withoutForeignKeys(database);
  try {
    database
      .transaction(() => {
        if (schemaOf(database) < steps.length) apply(database, steps); // otherwise another process has migrated it
      })
      .immediate();
  } finally {
    turnOn();
  }
}

/**
 * The same after `save`, during which no other process can write: nothing that was committed is missing in what it
 * saves.
 */
export async function migrateAfter(database: Database.Database, save: () => Promise<void>): Promise<void> {
  const turnOn = withoutForeignKeys(database);
  try {
    database.exec("BEGIN IMMEDIATE");
    if (isOlder(database)) {
      await save();
      apply(database, migrations());
    }
    database.exec("COMMIT");
  } finally {
    if (database.inTransaction) database.exec("ROLLBACK");
    turnOn();
  }
}

/**
 * Returns the schema of a database, as the number of its migrations; 0 for an empty one. Throws CliError if it is of
 * another program, of a newer version, half-migrated, or changed by hand.
 */
export function checkDatabase(database: Database.Database, file: string): number {
  const version = schemaOf(database);
  const tables = database.prepare("SELECT count(*) FROM sqlite_schema").pluck().get();
  if (version === 0 && tables === 0) return version;
  const recorded = recordedMigrations(database);
  if (recorded === undefined) throw new CliError(`${file} is a database of another program; it was not changed`);
  if (version > migrations().length)
    throw new CliError(
      `${file} was written by a newer Tallylight (schema ${version}, this version supports ${migrations().length}); it was not changed`,
    );
  const known = migrations();
  const sound =
    recorded.length === version &&
    recorded.every((row, at) => row.name === known[at]?.name && row.sha256 === known[at]?.sha256);
  if (!sound)
    throw new CliError(`${file} is half-migrated or was changed by hand; restore a backup (nothing was changed)`);
  return version;
}

/** Throws CliError if a server of an older version uses the database: a migration would change the schema under it. */
export function checkOlderServer(file: string, schema: number): void {
  if (schema === 0 || schema >= migrations().length || !isServed(dirname(file))) return;
  throw new CliError(
    `a server of an older version uses ${dirname(file)} (schema ${schema}, this version has ${migrations().length}); stop it and start this version, or use the older version's command; nothing was changed`,
  );
}
