// Finds what the database refuses of an undo: unique values that another row has by now, and ids of rows that are gone.
import type Database from "better-sqlite3";
import { composed } from "../../core/store/composed.ts";
import { referencesIn, rowsAt } from "../documents/changes/replay.ts";
import type { RowOperation, SectionOperation } from "../documents/changes/row_operation.ts";
import { columnsOf, type Row } from "../documents/changes/rows.ts";

/** What no two rows of a table have together, in SQL. */
interface Unique {
  keys: string;
  /** Which rows this is about. */
  condition: string;
}

const wordsIn = (sql: string): Set<string> => new Set(sql.split(/\W+/));

type Index = { name: string; origin: string; sql: string | null };

/**
 * What the unique indexes of a table say, and that two things have no one `ref`. Ids and places are given anew where
 * they are taken.
 */
function readUniques(database: Database.Database, table: string): Unique[] {
  const sql = `SELECT l.name, l.origin, s.sql FROM pragma_index_list(?) l LEFT JOIN sqlite_schema s ON s.name = l.name WHERE l."unique" = 1`;
  const indexes = composed<Index>(database, sql).all(table);
  const uniques = indexes.flatMap(({ name, origin, sql }): Unique[] => {
    if (origin === "pk") return [];
    if (sql === null) {
      const columns = composed<{ name: string }>(database, "SELECT name FROM pragma_index_info(?)").all(name);
      return [{ keys: columns.map((one) => one.name).join(", "), condition: "1" }];
    }
    const behind = sql.slice(sql.indexOf("(") + 1); // the name of the index and of its table have none
    const [columns = "", condition = "1"] = behind.split(/\sWHERE\s/, 2);
    return [{ keys: columns.slice(0, columns.lastIndexOf(")")), condition }];
  });
  if (columnsOf(database, table).includes("ref")) uniques.push({ keys: "production_id, ref", condition: "1" });
  return uniques.filter(({ keys }) => !/\b(?:id|script_order)\b/.test(keys));
}

const uniquesByTable = new Map<string, readonly Unique[]>();

function uniquesOf(database: Database.Database, table: string): readonly Unique[] {
  const known = uniquesByTable.get(table) ?? readUniques(database, table);
  uniquesByTable.set(table, known);
  return known;
}

/** A value that an operation would give and that another row has. */
export interface Taken {
  operation: SectionOperation;
  column: string;
  holder: Row;
}

/** The rows that have what a row would have. What is absent is nobody's. */
function holdersOf(database: Database.Database, table: string, { keys, condition }: Unique, row: Row): Row[] {
  const given = `SELECT ${Object.keys(row).map((name) => `? AS ${name}`)}`;
  const sql = `SELECT * FROM ${table} WHERE (${keys}) = (SELECT ${keys} FROM (${given}) WHERE ${condition}) AND (${condition})`;
  return composed<Row>(database, sql).all(Object.values(row));
}

const idOf = (table: string, key: Row): string => JSON.stringify([table, key]);

/** What operations would give though another row has it, and keeps it. */
export function takenValues(database: Database.Database, operations: readonly SectionOperation[]): Taken[] {
  const changed = new Map(operations.map((one) => [idOf(one.table, one.key), one]));
  const found: Taken[] = [];
  for (const operation of operations) {
    const { table, key, from, to } = operation;
    if (to === null || Array.isArray(to)) continue;
    for (const unique of uniquesOf(database, table)) {
      const words = wordsIn(`${unique.keys} ${unique.condition}`);
      const [column] = Object.keys(to).filter(
        (name) => name !== "production_id" && words.has(name) && to[name] !== null,
      );
      if (column === undefined) continue;
      const row = from === null ? to : { ...rowsAt(database, table, key)[0], ...to };
      const holder = holdersOf(database, table, unique, row).find((one) => {
        const own = Object.fromEntries(Object.keys(key).map((name) => [name, one[name] ?? null]));
        const turned = changed.get(idOf(table, own))?.to;
        const isLeft =
          turned === null ||
          (turned !== undefined && !Array.isArray(turned) && Object.keys(turned).some((name) => words.has(name)));
        return idOf(table, own) !== idOf(table, key) && !isLeft;
      });
      if (holder !== undefined) found.push({ operation, column, holder });
    }
  }
  return found;
}

/** A cell that an operation would set to the id of a row that is gone. */
export interface Gone {
  operation: RowOperation;
  column: string;
  table: string;
  id: number;
}

/** The ids that operations would give back though their rows are gone, and do not come back with them. */
export function* goneReferences(database: Database.Database, operations: readonly RowOperation[]): Generator<Gone> {
  const known = new Map<string, boolean>();
  for (const { table, key, from, to } of operations)
    if (from === null || to === null) known.set(`${table} ${key.id}`, to !== null);
  const isThere = (table: string, id: number): boolean => {
    const name = `${table} ${id}`;
    const is = known.get(name) ?? rowsAt(database, table, { id }).length > 0;
    known.set(name, is);
    return is;
  };
  for (const operation of operations)
    for (const row of operation.to === null ? [] : [operation.to].flat())
      for (const [column, table] of referencesIn(database, operation.table)) {
        const id = row[column];
        if (typeof id === "number" && !isThere(table, id)) yield { operation, column, table, id };
      }
}
