// Finds the rows of a production in every table, also of those that later migrations add: removes them, keeps only
// them, weighs them. Backups copy unused parts of the file, so what must not stay is written over.
import type Database from "better-sqlite3";
import { CliError } from "../../core/errors.ts";
import type { ProductionId } from "../../core/ids.ts";
import { commandText } from "../../core/program.ts";
import { indexSearch } from "../../core/store/migrations.ts";
import { statementTexts } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";

import type { TableWeight } from "../soundness/table_weights.ts";

/** Rows that outlive their production: what admins did. */
const lasting: readonly string[] = ["audit"];

interface Reference {
  parent: string;
  from: string;
  to: string;
}

const quoted = (name: string): string => `"${name}"`;

/**
 * The tables whose rows belong to productions with the condition of the rows of :production_id, those that refer to
 * others first.
 */
export function ownedTables(database: Database.Database): Map<string, string> {
  const list = (sql: string, ...given: string[]) => database.prepare(sql).all(...given);
  const tables = database
    .prepare(
      "SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND name NOT LIKE 'sqlite^_%' ESCAPE '^'",
    )
    .pluck()
    .all() as string[]; // one text each
  const owned = new Map([["productions", "id = :production_id"]]);
  for (const table of tables) {
    // The column of the statement.
    const columns = list("SELECT name FROM pragma_table_info(?)", table) as { name: string }[];
    if (columns.some(({ name }) => name === "production_id")) owned.set(table, "production_id = :production_id");
  }
  const references = 'SELECT "table" AS parent, "from", "to" FROM pragma_foreign_key_list(?)';
  for (let size = 0; size < owned.size; ) {
    size = owned.size;
    for (const table of tables) {
      if (owned.has(table)) continue;
      // The columns of the statement.
      const owner = (list(references, table) as Reference[]).find(({ parent }) => owned.has(parent));
      if (owner !== undefined)
        owned.set(table, `${owner.from} IN (SELECT ${owner.to} FROM ${owner.parent} WHERE ${owned.get(owner.parent)})`);
    }
  }
  return new Map([...owned].reverse());
}

/**
 * Deletes the rows of a production in every table, in the transaction of the caller. Bytes of media stay.
 */
export function deleteProductionRows(database: Database.Database, production_id: ProductionId): void {
  database.pragma("defer_foreign_keys = ON"); // until the end of the transaction
  // triggers refuse changes of a frozen one
  database.prepare("DELETE FROM frozen_productions WHERE production_id = ?").run(production_id);
  for (const [table, condition] of ownedTables(database))
    if (!lasting.includes(table))
      database.prepare(`DELETE FROM ${quoted(table)} WHERE ${condition}`).run({ production_id });
}

/** The tables by which keys, sign-ins and webhooks reach a server; another box starts without them. */
const accessTables: readonly string[] = [
  "former_tokens",
  "oauth_codes",
  "oauth_tokens",
  "oauth_clients",
  "idempotent_answers",
  "uploads",
  "sessions",
  "sign_in_links",
  "invitations",
  "webhook_set_aside",
  "webhook_deliveries",
  "webhooks",
  "api_keys",
];

/** The indexes of the search keep the words of what was removed until their parts are merged. */
const mergeIndexes = (database: Database.Database): void => {
  for (const index of ["search", "search_labels", "search_scripts"])
    database.exec(`INSERT INTO ${index} (${index}) VALUES ('optimize')`);
};

/** Removes every other production from a copy of a database, with what only they have. */
export function removeOtherProductions(database: Database.Database, production_id: ProductionId): void {
  database.pragma("foreign_keys = ON");
  // Ids are numbers.
  const others = database.prepare("SELECT id FROM productions WHERE id <> ?").pluck().all(production_id) as number[];
  database.transaction(() => {
    for (const id of others) deleteProductionRows(database, id);
    for (const table of lasting)
      database.prepare(`DELETE FROM ${table} WHERE production_id IS NOT ?`).run(production_id);
    database.exec(statementTexts().get("delete_unneeded_blobs") as string); // sql/ has it
    // The copy is a database of its own.
    database.exec("UPDATE epochs SET epoch = lower(hex(randomblob(4)))");
    indexSearch(database);
  })();
}

/** Removes every key, sign-in and webhook from a copy of a database. */
export function forgetAccess(database: Database.Database): void {
  database.pragma("foreign_keys = ON");
  database.transaction(() => {
    for (const table of accessTables) database.exec(`DELETE FROM ${table}`);
  })();
}

/**
 * Writes a copy of a database again: what was deleted must not stay in the search index, in the statistics, in free
 * pages.
 */
export function writeAgain(database: Database.Database): void {
  mergeIndexes(database);
  for (const table of database
    .prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'sqlite^_stat_' ESCAPE '^'")
    .pluck()
    .all())
    database.exec(`DELETE FROM ${table}`);
  database.exec("VACUUM");
}

/** What the rows of a production weigh in bytes: its share of the rows of each table. */
export function productionWeight(
  database: Database.Database,
  weights: readonly TableWeight[],
  production_id: ProductionId,
): number {
  let sum = 0;
  const owned = ownedTables(database);
  for (const { table, rows, bytes } of weights) {
    const condition = owned.get(table);
    if (condition === undefined || rows === 0) continue;
    const count = database.prepare(`SELECT count(*) FROM ${quoted(table)} WHERE ${condition}`).pluck();
    sum += (bytes * (count.get({ production_id }) as number)) / rows; // a count
  }
  return Math.round(sum);
}

/**
 * Runs work that removes rows, and then writes the whole database again, because unused parts of it may have what was
 * removed or moved at any time before. Throws CliError if that fails; the work is done then.
 */
export function withoutTraces<T>(store: Store, work: () => T): T {
  const { database } = store;
  const result = work();
  try {
    store.writeSync(() => mergeIndexes(database));
    database.exec("VACUUM");
    const isReplicators = database.pragma("wal_autocheckpoint", { simple: true }) === 0;
    if (!isReplicators) database.pragma("wal_checkpoint(TRUNCATE)");
  } catch (error) {
    throw new CliError(
      // SQLite throws errors.
      `the rows are removed, but unused parts of ${store.file} may still have them (${(error as Error).message}); run ${commandText("doctor --compact")} while no server runs`,
    );
  }
  return result;
}
