// Finds and removes orphans: rows that refer to an owner that no longer exists and are useless without it. Content that
// people created (versions, media, notes, submissions) is never treated as an orphan. Where rows were lost, settles
// every reference to them.
import type Database from "better-sqlite3";
import { codeOf } from "../../core/errors.ts";
import { keyColumns, rowName } from "./soundness.ts";

/** The columns of each table that refer to an owner. A row is an orphan if one of these owners does not exist. */
const owners: Readonly<Record<string, readonly string[]>> = {
  scenes: ["node_id"],
  node_links: ["from_node_id", "to_node_id"],
  version_ingredients: ["version_id", "ingredient_id"],
  strips: ["shoot_day_id", "node_id"],
  day_calls: ["shoot_day_id", "node_id", "person_id", "department_id"],
  day_lines: ["shoot_day_id"],
  day_parts: ["shoot_day_id", "scene_node_id"],
  day_banners: ["shoot_day_id", "before_node_id"],
  delivery_nodes: ["delivery_id", "node_id"],
  approval_steps: ["approval_id"],
  cost_report_lines: ["cost_report_id"],
  // SQLite may reuse an id, and the grant would then apply to a target that nobody granted.
  grants: ["engagement_id", "node_id", "department_id", "delivery_id"],
  look_briefs: ["version_id"],
  oauth_codes: ["client_id", "key_id"],
  oauth_tokens: ["client_id", "key_id"],
  idempotent_answers: ["key_id"],
  uploads: ["key_id"],
  storage_events: ["install_id"],
  storage_tasks: ["install_id"],
};

interface Owner {
  table: string;
  column: string;
  parent: string;
  parentColumn: string;
}

/** Every column of `owners` with the table and the column that it refers to. */
function ownersIn(database: Database.Database): Owner[] {
  const parentOf = database.prepare<[string, string], Pick<Owner, "parent" | "parentColumn">>(
    `SELECT "table" AS parent, "to" AS parentColumn FROM pragma_foreign_key_list(?) WHERE "from" = ?`,
  );
  return Object.entries(owners).flatMap(([table, columns]) =>
    columns.flatMap((column) => {
      const reference = parentOf.get(table, column);
      return reference === undefined ? [] : [{ table, column, ...reference }];
    }),
  );
}

/** Compares only the id. A row that refers to another production was changed by hand and is not certainly an orphan. */
const isOrphan = ({ table, column, parent, parentColumn }: Owner): string =>
  `${column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${parent} AS owner WHERE owner.${parentColumn} = ${table}.${column})`;

export const hasOrphans = (database: Database.Database): boolean =>
  ownersIn(database).some(
    (owner) => database.prepare(`SELECT 1 FROM ${owner.table} WHERE ${isOrphan(owner)} LIMIT 1`).get() !== undefined,
  );

const maxListed = 100;

/**
 * Removes every orphan in one transaction. Returns one sentence for each of the first 100 removed rows of each column
 * of `owners`, and one for the number of further rows.
 */
export function removeOrphans(database: Database.Database): string[] {
  const remove = database.transaction(() =>
    ownersIn(database).flatMap((owner) => {
      const { table, column, parent } = owner;
      const key = keyColumns(database, table);
      const rows = database
        .prepare<[], Record<string, unknown>>(
          `DELETE FROM ${table} WHERE ${isOrphan(owner)} RETURNING ${[...new Set([...key, column])]}`,
        )
        .all();
      const sentences = rows
        .slice(0, maxListed)
        .map((row) => `removed ${rowName(table, key, row)}: its ${column} ${row[column]} does not exist in ${parent}`);
      const more = rows.length - sentences.length;
      return more > 0 ? [...sentences, `removed ${more} more rows of ${table} without a row in ${parent}`] : sentences;
    }),
  );
  return remove.immediate();
}

/** A reference to rows of which some do not exist. */
interface Broken {
  table: string;
  parent: string;
  /** The index of the foreign key in pragma_foreign_key_list. */
  fkid: number;
}

/** Tables whose rows say who may do or see what. Without what one refers to, a row would say more than it did. */
const ofAccess: readonly string[] = ["api_keys", "grants", "media", "sessions"];

/** Empties one reference where it has no row, if a row may lack it; otherwise removes the rows. Says each. */
function settle(database: Database.Database, { table, parent, fkid }: Broken): string[] {
  const columns = database
    .prepare<{ table: string; fkid: number }, { from: string; to: string; isOptional: 0 | 1 }>(
      `SELECT key."from", key."to", col."notnull" = 0 AND col.pk = 0 AS isOptional
       FROM pragma_foreign_key_list(:table) key JOIN pragma_table_info(:table) col ON col.name = key."from"
       WHERE key.id = :fkid ORDER BY key.seq`,
    )
    .all({ table, fkid });
  const key = keyColumns(database, table);
  const named = columns.filter(({ from }) => from !== "production_id").map(({ from }) => from);
  const given = columns.map(({ from }) => `${from} IS NOT NULL`);
  const same = columns.map(({ from, to }) => `owner.${to} = ${table}.${from}`);
  const where = `WHERE ${given.join(" AND ")} AND NOT EXISTS (SELECT 1 FROM ${parent} AS owner WHERE ${same.join(" AND ")})`;
  const rowsOf = (sql: string) => database.prepare<[], Record<string, unknown>>(sql).all();
  const broken = rowsOf(`SELECT * FROM ${table} ${where}`);
  const optional = columns.filter(({ isOptional }) => isOptional === 1).map(({ from }) => from);
  const isEmptied = optional.length > 0 && !ofAccess.includes(table) && emptied(database, table, optional, where);
  if (!isEmptied) database.exec(`DELETE FROM ${table} ${where}`);
  const sentences = broken.slice(0, maxListed).map((row) => {
    const what = `${named.map((column) => `${column} ${row[column]}`).join(", ")} does not exist in ${parent}`;
    return isEmptied
      ? `emptied ${named.join(", ")} of ${rowName(table, key, row)}: its ${what}`
      : `removed ${rowName(table, key, row)}: its ${what}`;
  });
  const more = broken.length - sentences.length;
  const done = isEmptied ? `emptied ${named.join(", ")} of` : "removed";
  return more > 0 ? [...sentences, `${done} ${more} more rows of ${table} without a row in ${parent}`] : sentences;
}

/** Empties columns; false, and nothing is changed, if a rule of the table forbids it. */
function emptied(database: Database.Database, table: string, columns: readonly string[], where: string): boolean {
  try {
    database.exec(`UPDATE ${table} SET ${columns.map((column) => `${column} = NULL`).join(", ")} ${where}`);
    return true;
  } catch (error) {
    if (!codeOf(error).startsWith("SQLITE_CONSTRAINT")) throw error;
    return false;
  }
}

/**
 * Settles every reference to a row that is lost, in one transaction: it is emptied where a row may lack it, and
 * otherwise the row is removed. Returns a sentence for each, as removeOrphans does.
 */
export function settleReferences(database: Database.Database): string[] {
  database.pragma("foreign_keys = OFF"); // what refers to a removed row is settled with the next look
  const references = database.prepare<[], Broken>(
    'SELECT DISTINCT "table", parent, fkid FROM pragma_foreign_key_check ORDER BY "table", fkid',
  );
  const work = database.transaction(() => {
    const has = database
      .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'frozen_productions'")
      .get();
    // triggers refuse changes of a frozen one
    const frozen =
      has === undefined
        ? []
        : database.prepare<[], unknown[]>("DELETE FROM frozen_productions RETURNING *").raw().all();
    const said = removeOrphans(database);
    for (let broken = references.all(); broken.length > 0; broken = references.all())
      for (const one of broken) for (const sentence of settle(database, one)) said.push(sentence);
    const productions = database.prepare("SELECT id FROM productions").pluck().all();
    for (const row of frozen)
      if (productions.includes(row[0]))
        database.prepare(`INSERT INTO frozen_productions VALUES (${row.map(() => "?").join(", ")})`).run(row);
    return said;
  });
  return work.immediate();
}
