// Rows that are to be inserted, put together before the write lock is held: those of a table with the same columns go
// in one statement.
import type Database from "better-sqlite3";
import { composed } from "../../../core/store/composed.ts";
import { isStamped, type RowOperation, stamped, type Times } from "./row_operation.ts";
import type { Cell, Row } from "./rows.ts";

/** A 64-bit integer is a text in rows. */
export const cellIn = (column: string, value: Cell | undefined): Cell =>
  column === "mtime_ns" && typeof value === "string" ? BigInt(value) : (value ?? null);

/** How many rows of one statement are inserted together: it saves a fifth of the time. */
const together = 32;
/** After how many rows the progress is told. */
const told = 10_000;

/** Rows of a table with the same columns: their values, one row after the other. */
interface Batch {
  table: string;
  columns: readonly string[];
  values: Cell[];
}

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((value, at) => value === other[at]);

export class Inserts {
  readonly #full: Batch[] = [];
  /** The one that takes the next row, by table. */
  readonly #open = new Map<string, Batch>();

  /** Rows that get the time of the transaction. */
  readonly #timed: { table: string; row: Row }[] = [];

  put(table: string, row: Row): void {
    if (table === "media" || isStamped(table)) this.#timed.push({ table, row });
    else this.#add(table, row);
  }

  #add(table: string, row: Row): void {
    let batch = this.#open.get(table);
    const given = Object.keys(row);
    const columns = batch !== undefined && isSameList(batch.columns, given) ? batch.columns : given;
    if (batch?.columns !== columns || batch.values.length === together * columns.length) {
      if (batch !== undefined) this.#full.push(batch);
      batch = { table, columns, values: [] };
      this.#open.set(table, batch);
    }
    for (const column of columns) batch.values.push(cellIn(column, row[column]));
  }

  /** Inserts the rows, once, and returns how many they are. Media are new at the time of the transaction. */
  insert(database: Database.Database, times: Times, progress: (rows: number) => void = () => {}): number {
    for (const { table, row } of this.#timed)
      this.#add(table, table === "media" ? { ...row, updated_at: times.now } : stamped(table, row, times));
    const byTable = Map.groupBy([...this.#full, ...this.#open.values()], ({ table }) => table);
    const ordered = [...byTable].toSorted(([one], [other]) => rankOf(database, one) - rankOf(database, other));
    let rows = 0;
    for (const batch of ordered.flatMap(([, batches]) => batches)) {
      const before = rows;
      rows += insertBatch(database, batch);
      if (Math.floor(rows / told) > Math.floor(before / told)) progress(rows);
    }
    return rows;
  }
}

const ranks = new Map<string, number>();

/**
 * The place of a table among those whose rows are inserted: after those that its rows refer to. As long as a reference
 * is to nothing, SQLite looks for what refers to each new row. Media come last: a trigger counts those of what is
 * there.
 */
function rankOf(database: Database.Database, table: string): number {
  if (table === "media") return Number.MAX_SAFE_INTEGER;
  const known = ranks.get(table);
  if (known !== undefined) return known;
  ranks.set(table, 0); // tables that refer to one another are in any order
  const parents = composed<{ parent: string }>(
    database,
    `SELECT DISTINCT "table" AS parent FROM pragma_foreign_key_list(?)`,
  ).all(table);
  const rank = parents.reduce((most, { parent }) => Math.max(most, rankOf(database, parent) + 1), 0);
  ranks.set(table, rank);
  return rank;
}

const statements = new WeakMap<readonly string[], Readonly<Record<"one" | "many", string>>>();

/** The texts of the statements that insert one row of a batch, and as many as there can be. */
function statementsOf({ table, columns }: Batch): Readonly<Record<"one" | "many", string>> {
  const known = statements.get(columns);
  if (known !== undefined) return known;
  const marks = `(${columns.map(() => "?")})`;
  const one = `INSERT INTO ${table} (${columns}) VALUES ${marks}`;
  const made = { one, many: one + `, ${marks}`.repeat(together - 1) };
  statements.set(columns, made);
  return made;
}

/** Inserts the rows of a batch, and returns how many they are. */
function insertBatch(database: Database.Database, batch: Batch): number {
  const { columns, values } = batch;
  const { length: width } = columns;
  const { one, many } = statementsOf(batch);
  if (values.length === together * width) composed(database, many).run(values);
  else for (let at = 0; at < values.length; at += width) composed(database, one).run(values.slice(at, at + width));
  return values.length / width;
}

/** The rows that operations add, and those of the lists that they replace. */
export function insertsOf(operations: Iterable<RowOperation>): Inserts {
  const inserts = new Inserts();
  for (const { table, from, to } of operations)
    if (Array.isArray(to)) for (const row of to) inserts.put(table, row);
    else if (from === null && to !== null) inserts.put(table, to);
  return inserts;
}
