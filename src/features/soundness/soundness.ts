// Checks whether a database is sound: its pages, its schema and its references. Backup, restore and doctor share this
// check, so that backup never creates what restore would refuse. Only reads.
import type Database from "better-sqlite3";
import { codeOf, errorOf } from "../../core/errors.ts";
import { schemaDifferences } from "./schema.ts";

/** The problems of a database, one sentence each. A sound database has empty lists. */
export interface Soundness {
  /** Problems of pages and indexes. If there are any, the other lists are not reliable. */
  integrity: string[];
  /** The tables, indexes, views and triggers that differ from what the migrations create. */
  schema: string[];
  /** Rows that refer to a row that does not exist. */
  references: string[];
}

/** The maximum number of rows that are listed for each reference; further rows are counted. */
const maxListed = 100;

interface Reference {
  table: string;
  parent: string;
  /** The index of the foreign key in pragma_foreign_key_list. */
  fkid: number;
  rows: number;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The columns of a table's primary key, in key order. */
export const keyColumns = (database: Database.Database, table: string): string[] =>
  database
    .prepare<[string], string>("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk")
    .pluck()
    .all(table);

/** Names a row by its primary key: "strips with shoot_day_id 3, position 2". */
export function rowName(table: string, columns: readonly string[], row: Readonly<Record<string, unknown>>): string {
  return `${table} with ${columns.map((column) => `${column} ${String(row[column]).slice(0, 64)}`).join(", ")}`;
}

/** One sentence for each row that breaks a reference. */
function brokenRows(database: Database.Database, { table, parent, fkid, rows }: Reference): string[] {
  const columns = database
    .prepare<[string, number], { from: string; to: string }>(
      'SELECT "from", "to" FROM pragma_foreign_key_list(?) WHERE id = ? ORDER BY seq',
    )
    .all(table, fkid);
  const key = keyColumns(database, table);
  const named = [...new Set([...key, ...columns.map(({ from }) => from)])].map((name) => `child.${quoted(name)}`);
  const given = columns.map(({ from }) => `child.${quoted(from)} IS NOT NULL`);
  const same = columns.map(({ from, to }) => `parent.${quoted(to)} = child.${quoted(from)}`);
  const found = database
    .prepare<[], Record<string, unknown>>(
      `SELECT ${named} FROM ${quoted(table)} AS child WHERE ${given.join(" AND ")}
         AND NOT EXISTS (SELECT 1 FROM ${quoted(parent)} AS parent WHERE ${same.join(" AND ")})
       ORDER BY ${key.map((name) => `child.${quoted(name)}`)} LIMIT ${maxListed}`,
    )
    .all();
  const sentences = found.map((row) => {
    const references = columns.filter(({ from }) => from !== "production_id").map(({ from }) => `${from} ${row[from]}`);
    const where = references.length < columns.length ? ` in production ${row.production_id}` : "";
    return `${rowName(table, key, row)}: ${references.join(", ")} does not exist in ${parent}${where}`;
  });
  if (rows > found.length)
    sentences.push(`${rows - found.length} more rows of ${table} refer to rows that do not exist in ${parent}`);
  return sentences;
}

function brokenReferences(database: Database.Database): string[] {
  let references: Reference[];
  try {
    references = database
      .prepare<[], Reference>(
        'SELECT "table", parent, fkid, count(*) AS rows FROM pragma_foreign_key_check GROUP BY "table", parent, fkid ORDER BY "table", fkid',
      )
      .all();
  } catch (error) {
    if (codeOf(error) !== "SQLITE_ERROR") throw error; // the database is damaged
    return [`the references cannot be checked: ${errorOf(error).message}`];
  }
  return references.flatMap((reference) => {
    try {
      return brokenRows(database, reference);
    } catch (error) {
      if (codeOf(error) !== "SQLITE_ERROR") throw error;
      // a column or the parent table is missing: the schema problems name what was changed
      return [`${reference.rows} rows of ${reference.table} refer to rows that do not exist in ${reference.parent}`];
    }
  });
}

/** Checks a database. Throws the error of SQLite if its pages cannot be read. */
export function soundnessOf(database: Database.Database): Soundness {
  const verdicts = database.prepare<[], { integrity_check: string }>("PRAGMA integrity_check(100)").all();
  return {
    integrity: verdicts.map((row) => row.integrity_check).filter((verdict) => verdict !== "ok"),
    schema: schemaDifferences(database),
    references: brokenReferences(database),
  };
}

interface Refusals {
  /** The error for pages that cannot be relied on. */
  damaged(problem: string): Error;
  /** The error for what is broken, if that is not accepted. */
  broken(problems: readonly string[]): Error;
}

/**
 * What is broken in a database: schema changes and broken references, one sentence each. Backup, restore and promotion
 * accept it only if they were told to. Throws the error of a refusal.
 */
export function brokenParts(database: Database.Database, accepts: boolean, refusals: Refusals): string[] {
  const { integrity, schema, references } = soundnessOf(database);
  if (integrity[0] !== undefined) throw refusals.damaged(integrity[0]);
  const broken = [...schema.map((name) => `the ${name} differs from the schema of this version`), ...references];
  if (broken.length > 0 && !accepts) throw refusals.broken(broken);
  return broken;
}
