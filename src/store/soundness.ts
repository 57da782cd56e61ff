// Whether a database is sound: its pages, its schema, and that every reference has its row. Backup, restore and doctor ask
// here, so that no backup is taken which restore would refuse. Only reads.
import type Database from "better-sqlite3";
import { schemaDifferences } from "./migrations.ts";

/** What is not sound, a sentence for each thing; empty lists where all is well. */
export interface Soundness {
  /** Pages and indexes. With something here the rest may be wrong too. */
  integrity: string[];
  /** Tables, indexes, views and triggers that are not as the migrations make them. */
  schema: string[];
  /** Rows that name a row which does not exist. */
  references: string[];
}

/** Rows that are named of one table and one reference; the rest are counted. */
const maxNamed = 100;

interface Reference {
  table: string;
  parent: string;
  /** The place of the foreign key in the table's list of them. */
  fkid: number;
  rows: number;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The columns of a table's primary key, in its order. */
export const keyColumns = (database: Database.Database, table: string): string[] =>
  database.prepare("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk").pluck().all(table) as string[];

/** A row by the columns of its primary key: "strips with shoot_day_id 3, position 2". */
export function rowName(table: string, columns: readonly string[], row: Readonly<Record<string, unknown>>): string {
  return `${table} with ${columns.map((column) => `${column} ${String(row[column]).slice(0, 64)}`).join(", ")}`;
}

/** A sentence for each row that breaks one reference: which row it is, and what it names. */
function brokenRows(database: Database.Database, { table, parent, fkid, rows }: Reference): string[] {
  const columns = database
    .prepare('SELECT "from", "to" FROM pragma_foreign_key_list(?) WHERE id = ? ORDER BY seq')
    .all(table, fkid) as { from: string; to: string }[];
  const key = keyColumns(database, table);
  const named = [...new Set([...key, ...columns.map(({ from }) => from)])].map((name) => `child.${quoted(name)}`);
  const given = columns.map(({ from }) => `child.${quoted(from)} IS NOT NULL`);
  const same = columns.map(({ from, to }) => `parent.${quoted(to)} = child.${quoted(from)}`);
  const found = database
    .prepare(
      `SELECT ${named} FROM ${quoted(table)} AS child WHERE ${given.join(" AND ")}
         AND NOT EXISTS (SELECT 1 FROM ${quoted(parent)} AS parent WHERE ${same.join(" AND ")})
       ORDER BY ${key.map((name) => `child.${quoted(name)}`)} LIMIT ${maxNamed}`,
    )
    .all() as Record<string, unknown>[];
  const sentences = found.map((row) => {
    const own = columns.filter(({ from }) => from !== "production_id").map(({ from }) => `${from} ${row[from]}`);
    const where = own.length < columns.length ? ` in production ${row.production_id}` : "";
    return `${rowName(table, key, row)}: ${own.join(", ")} names no row of ${parent}${where}`;
  });
  if (rows > found.length) sentences.push(`${rows - found.length} more rows of ${table} name no row of ${parent}`);
  return sentences;
}

function brokenReferences(database: Database.Database): string[] {
  let references: Reference[];
  try {
    references = database
      .prepare(
        'SELECT "table", parent, fkid, count(*) AS rows FROM pragma_foreign_key_check GROUP BY "table", parent, fkid ORDER BY "table", fkid',
      )
      .all() as Reference[];
  } catch (error) {
    if ((error as { code?: string }).code !== "SQLITE_ERROR") throw error; // damage
    return [`the references cannot be checked: ${(error as Error).message}`];
  }
  return references.flatMap((reference) => {
    try {
      return brokenRows(database, reference);
    } catch (error) {
      if ((error as { code?: string }).code !== "SQLITE_ERROR") throw error;
      // a table whose columns or parent are not there: the schema says what was changed
      return [`${reference.rows} rows of ${reference.table} name no row of ${reference.parent}`];
    }
  });
}

/** Looks a database over. Throws what SQLite throws where its pages cannot be read. */
export function soundnessOf(database: Database.Database): Soundness {
  const verdicts = database.pragma("integrity_check(100)") as { integrity_check: string }[];
  return {
    integrity: verdicts.map((row) => row.integrity_check).filter((verdict) => verdict !== "ok"),
    schema: schemaDifferences(database),
    references: brokenReferences(database),
  };
}

/** What restore refuses unless it is told to allow it: a schema that was changed by hand, and references without a row. */
export const brokenParts = ({ schema, references }: Soundness): string[] => [
  ...schema.map((name) => `the ${name} is not as this version makes it`),
  ...references,
];
