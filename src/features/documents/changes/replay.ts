// Writes operations, each of which must find what it expects. Inside a write transaction; references are checked at its
// end.
import type Database from "better-sqlite3";
import { composed } from "../../../core/store/composed.ts";
import { cellIn, type Inserts, insertsOf } from "./inserts.ts";
import type { RowOperation, Times } from "./row_operation.ts";
import { type Cell, type Row, selected } from "./rows.ts";

const conditionOf = (key: Row): string =>
  Object.keys(key)
    .map((column) => `${column} = +?`)
    .join(" AND ");

/** The rows of a key. */
export function rowsAt(database: Database.Database, table: string, key: Row): Row[] {
  const sql = `SELECT ${selected(database, table)} FROM ${table} WHERE ${conditionOf(key)}`;
  return composed<Row>(database, sql).all(Object.values(key));
}

/**
 * What gives a row of a table, which is a thing of its own, other cells; without `to` it goes. Undefined if it has
 * these already.
 */
export function operationOn(
  database: Database.Database,
  { section, id, to }: { section: RowOperation["section"]; id: number; to: Row | null },
): RowOperation | undefined {
  const about = { section, id, field: "", table: section, key: { id } };
  const [row = null] = rowsAt(database, section, about.key);
  if (row === null || to === null) return row === to ? undefined : { ...about, from: row, to: to && { id, ...to } };
  const columns = Object.keys(to).filter((column) => row[column] !== to[column]);
  const cells = (of: Row): Row => Object.fromEntries(columns.map((column) => [column, of[column] ?? null]));
  return columns.length === 0 ? undefined : { ...about, from: cells(row), to: cells(to) };
}

const sameIn = (columns: Iterable<string>, one: Row, other: Row): string | undefined => {
  for (const column of columns) if ((one[column] ?? null) !== (other[column] ?? null)) return column;
  return undefined;
};

/** What others move: when a node changed, and where a scene stands. */
const movable = new Set(["updated_at", "script_order"]);
const compared = (row: Row): string[] => Object.keys(row).filter((column) => !movable.has(column));

/**
 * What an operation does not find as it expects it: a column, or the whole row or list. Undefined if it finds
 * everything.
 */
export function otherThan(
  database: Database.Database,
  { table, key, from }: RowOperation,
): { column?: string } | undefined {
  const rows = rowsAt(database, table, key);
  if (Array.isArray(from)) {
    const isSame =
      rows.length === from.length &&
      from.every((row, at) => sameIn(Object.keys(row), row, rows[at] ?? {}) === undefined);
    return isSame ? undefined : {};
  }
  const [row] = rows;
  if (from === null || row === undefined) return from === null && row === undefined ? undefined : {};
  const column = sameIn(compared(from), from, row);
  return column === undefined ? undefined : { column };
}

function remove(database: Database.Database, table: string, key: Row): void {
  composed(database, `DELETE FROM ${table} WHERE ${conditionOf(key)}`).run(Object.values(key));
}

function update(database: Database.Database, table: string, key: Row, cells: Row): void {
  const set = Object.keys(cells).map((column) => `${column} = ?`);
  const values = Object.entries(cells).map(([column, value]) => cellIn(column, value));
  composed(database, `UPDATE ${table} SET ${set} WHERE ${conditionOf(key)}`).run([...values, ...Object.values(key)]);
}

/** The columns of a table that a query of the schema lists, each with what it is of; asked once for each table. */
function columnsBy(sql: string): (database: Database.Database, table: string) => ReadonlyMap<string, string> {
  const byTable = new Map<string, ReadonlyMap<string, string>>();
  return (database, table) => {
    const known = byTable.get(table);
    if (known !== undefined) return known;
    const rows = composed<{ name: string; of: string }>(database, sql).all(table);
    const columns = new Map(rows.map(({ name, of }) => [name, of]));
    byTable.set(table, columns);
    return columns;
  };
}

/** The columns of a table that are in a unique index. */
const uniqueIn = columnsBy(
  `SELECT i.name, l.name AS of FROM pragma_index_list(?) l JOIN pragma_index_info(l.name) i WHERE l."unique" = 1`,
);
/** The columns of a table that have ids of rows, each with the table of these. */
export const referencesIn = columnsBy(
  `SELECT "from" AS name, "table" AS of FROM pragma_foreign_key_list(?) WHERE "to" = 'id'`,
);

/** What no row has, in place of a value that is unique. */
const aside = (value: Cell, id: Cell): Cell => (typeof value === "string" ? `\u0001${id}` : -Number(id));

type Change = Omit<RowOperation, "from" | "to"> & { from: Row; to: Row };
const isChange = (one: RowOperation): one is RowOperation & Change =>
  one.from !== null && one.to !== null && !Array.isArray(one.to);

/** A scene that comes into another episode has its number in place of that one's: it is set aside, too. */
function withNumber(database: Database.Database, one: Change): Change {
  if (one.table !== "scenes" || !("episode_id" in one.to) || "number" in one.to) return one;
  const [{ number = null } = {}] = rowsAt(database, one.table, one.key);
  return { ...one, to: { ...one.to, number } };
}

/** Sets the cells of rows. Values that are unique are set aside first, so that rows can exchange them. */
function writeChanges(database: Database.Database, given: readonly Change[]): void {
  const changed = given.map((one) => withNumber(database, one));
  for (const { table, key, to } of changed) {
    const unique = uniqueIn(database, table);
    const [id = null] = Object.values(key);
    const own = Object.entries(to).filter(
      ([column, value]) => column !== "active" && value !== null && unique.has(column),
    );
    if (own.length > 0)
      update(database, table, key, Object.fromEntries(own.map(([column, value]) => [column, aside(value, id)])));
  }
  // What is no longer the active one makes room for what is.
  const isActive = ({ to: { active } }: Change) => Number(active ?? 0);
  for (const { table, key, to } of changed.toSorted((one, other) => isActive(one) - isActive(other)))
    update(database, table, key, to);
}

interface ReplayTimes extends Times {
  /** What is added comes back, and changes now. */
  returns: boolean;
}

/** Gives the nodes whose rows or lists operations change the time of that. What is added with its own time keeps it. */
export function touchOwn(
  database: Database.Database,
  operations: readonly RowOperation[],
  { now, planned, returns }: ReplayTimes,
): void {
  const touched = new Set<number>();
  for (const { section, id } of operations) if (section === "scenes" || section === "assets") touched.add(id);
  for (const { table, key, from, to } of operations) {
    if (table !== "nodes" || Array.isArray(to)) continue;
    const isSaid = to !== null && "updated_at" in to && to.updated_at !== planned && !(from === null && returns);
    if (to === null || isSaid) touched.delete(Number(key.id));
  }
  const sql = "UPDATE nodes SET updated_at = ? WHERE id IN (SELECT value FROM json_each(?))";
  if (touched.size > 0) composed(database, sql).run(now, JSON.stringify([...touched]));
}

/**
 * Writes operations: what goes, what changes, and what comes: `inserts`. Returns the number of rows that were inserted;
 * `progress` is called after every few thousand.
 */
export function replay(
  database: Database.Database,
  operations: readonly RowOperation[],
  times: Times,
  {
    inserts = insertsOf(operations),
    progress,
  }: { inserts?: Inserts; progress?: ((rows: number) => void) | undefined } = {},
): number {
  const changes = operations.filter(isChange);
  // The pragma makes SQLite prepare every statement of the connection again, so it is left out if no row comes or goes
  // and no cell that refers to a row changes.
  const isDeferred =
    changes.length < operations.length ||
    changes.some(({ table, to }) => Object.keys(to).some((column) => referencesIn(database, table).has(column)));
  if (isDeferred) database.pragma("defer_foreign_keys = ON");
  for (const { table, key, from, to } of operations)
    if ((to === null && from !== null) || Array.isArray(from)) remove(database, table, key);
  writeChanges(database, changes);
  return inserts.insert(database, times, progress);
}
