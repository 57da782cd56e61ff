// The state of writing one production's document into the database: ids by name, rows to insert together, and media to store after
// their rows.
import type { Statement } from "better-sqlite3";
import type { Store } from "../../../core/store/store.ts";
import type { MediaOwner } from "../../../graph/media_rows.ts";
import { versionIdOf } from "../../../graph/version_status.ts";
import type { DocumentMedia } from "../read/read.ts";
import { isReference } from "../sections/references.ts";
import type { Noun } from "../sections/sections.ts";

/** Finds the id of the thing of a noun and a name; undefined if there is none. */
export type Ids = (noun: Noun, name: string) => number | undefined;

/** The value of a column. */
export type Cell = string | number | null;
/** Values by column. */
export type Cells = Record<string, Cell>;

/** A table, and its column with the ids of things. */
export interface KeyedTable {
  table: string;
  key: string;
}

/** The rows of a table that are written with the same columns. */
export interface RowKind extends KeyedTable {
  columns: readonly string[];
}

const knownColumns = new Map<string, ReadonlySet<string>>();

/** The columns of a table, which every database of this version has. */
export function columnsOf({ database }: Store, table: string): ReadonlySet<string> {
  let columns = knownColumns.get(table);
  if (columns === undefined) {
    const names = database.prepare("SELECT name FROM pragma_table_info(?)").pluck().all(table) as string[]; // a column of texts
    columns = new Set(names);
    knownColumns.set(table, columns);
  }
  return columns;
}

interface Insert {
  columns: readonly string[];
  one: Statement;
  many: Statement;
}

/** How many rows of one statement are inserted together: it saves a fifth of the time. */
const together = 32;

export interface LastIds {
  /** The next id of a table. */
  next(table: string): number;
}

/** Inside a write transaction the next ids are known, because no other writer can insert. Ids of removed rows are not given again. */
export function lastIdsOf({ database }: Store): LastIds {
  const removed = "SELECT id FROM last_ids WHERE part = ?"; // triggers keep them
  const read = (table: string) =>
    database
      .prepare(`SELECT max(ifnull((SELECT max(id) FROM ${table}), 0), ifnull((${removed}), 0))`)
      .pluck()
      .get(table);
  const last = new Map<string, number>();
  return {
    next(table) {
      const id = (last.get(table) ?? (read(table) as number)) + 1; // one row
      last.set(table, id);
      return id;
    },
  };
}

interface WriterOptions {
  production_id: number;
  /** The time of the import. */
  now: string;
  /** The ids of what has a name. */
  ids: Ids;
  /** The id in a reference. */
  idOf(reference: string): number;
  last: LastIds;
  /** Called with the number of rows written so far, after every few thousand rows. */
  progress?: ((rows: number) => void) | undefined;
}

export class Writer {
  readonly store: Store;
  readonly production_id: number;
  readonly now: string;
  /** Media in the document's order with the rows that they belong to. */
  readonly media: { media: DocumentMedia; owner: MediaOwner }[] = [];
  /** Finds the id of what a name refers to; undefined if there is no such thing. */
  readonly ids: Ids;
  readonly idOf: WriterOptions["idOf"];
  readonly #progress: (rows: number) => void;
  readonly #last: LastIds;
  readonly #inserts = new Map<RowKind, Insert>();
  readonly #changes = new Map<string, Statement>();
  /** The tables whose rows are others now. */
  readonly tables = new Set<string>();
  #kind: RowKind | undefined;
  #insert: Insert | undefined;
  #pending: Cell[] = [];
  #rows = 0;
  #told = 0;

  /** Inside a write transaction. */
  constructor(store: Store, { production_id, now, ids, idOf, last, progress = () => {} }: WriterOptions) {
    this.store = store;
    this.production_id = production_id;
    this.now = now;
    this.ids = ids;
    this.idOf = idOf;
    this.#progress = progress;
    this.#last = last;
  }

  /** The next id of a table. */
  next(table: string): number {
    return this.#last.next(table);
  }

  /** The id of what a reference or a name refers to; null if there is none. */
  id(noun: Noun, name: string): number;
  id(noun: Noun, name: string | undefined): number | null;
  id(noun: Noun, name: string | undefined): number | null {
    if (name === undefined) return null;
    const id = isReference(name) ? this.idOf(name) : this.ids(noun, name);
    if (id === undefined) throw new Error(`an unchecked ${noun}: ${name}`);
    return id;
  }

  /** The id of a stored version of an asset. */
  versionId(asset: string, version: number | undefined): number | null {
    if (version === undefined) return null;
    this.flush();
    return versionIdOf(this.store, { node_id: this.id("asset", asset), version }) ?? null;
  }

  /**
   * Inserts a row: of the cells those that its kind has. It is stored when a row of another kind follows, or after flush. Throws an Error for
   * a column without a cell.
   */
  put(kind: RowKind, cells: Readonly<Cells>): void {
    if (this.#kind !== kind) {
      this.flush();
      this.#kind = kind;
      this.#insert = this.#inserts.get(kind) ?? this.#prepare(kind);
    }
    for (const column of kind.columns) this.#pending.push(cellIn(cells, column, kind));
    if (this.#pending.length === together * kind.columns.length) this.flush();
  }

  /** Sets cells of the row of an id: all that are given, or those of the columns of its kind. */
  update({ table, key, columns }: KeyedTable & Partial<RowKind>, id: number, cells: Readonly<Cells>): void {
    const set = (columns ?? Object.keys(cells)).filter((column) => column !== key && column !== "production_id");
    const values = set.map((column) => cellIn(cells, column, { table }));
    this.#change(table, `UPDATE ${table} SET ${set.map((column) => `${column} = ?`).join(", ")}`, values, {
      [key]: id,
    });
  }

  /** Removes the rows that have the values in columns. */
  remove(table: string, where: Readonly<Record<string, Cell>>): void {
    this.#change(table, `DELETE FROM ${table}`, [], where);
  }

  #change(table: string, what: string, values: readonly Cell[], given: Readonly<Record<string, Cell>>): void {
    this.flush();
    this.tables.add(table);
    const isOwned = columnsOf(this.store, table).has("production_id");
    const where = isOwned ? { production_id: this.production_id, ...given } : given;
    const text = `${what} WHERE ${Object.keys(where)
      .map((column) => `${column} = +?`)
      .join(" AND ")}`;
    const statement = this.#changes.get(text) ?? this.store.database.prepare(text);
    this.#changes.set(text, statement);
    statement.run([...values, ...Object.values(where)]);
  }

  /** Inserts the rows that wait. */
  flush(): void {
    if (this.#insert === undefined || this.#pending.length === 0) return;
    const { one, many, columns } = this.#insert;
    const { length: width } = columns;
    const values = this.#pending;
    this.#pending = [];
    if (values.length === together * width) many.run(values);
    else for (let at = 0; at < values.length; at += width) one.run(values.slice(at, at + width));
    this.#rows += values.length / width;
    if (this.#rows - this.#told < 10_000) return;
    this.#told = this.#rows;
    this.#progress(this.#rows);
  }

  /** The number of rows that were inserted. */
  get rows(): number {
    return this.#rows;
  }

  /** Media are stored after every other row, when little is left that can fail. */
  attach(media: DocumentMedia | undefined, owner: MediaOwner): void {
    if (media !== undefined) this.media.push({ media, owner });
  }

  #prepare(kind: RowKind): Insert {
    const { table, columns } = kind;
    const marks = `(${columns.map(() => "?").join(", ")})`;
    const text = `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${marks}`;
    this.tables.add(table);
    const { database } = this.store;
    const insert = {
      columns,
      one: database.prepare(text),
      many: database.prepare(text + `, ${marks}`.repeat(together - 1)),
    };
    this.#inserts.set(kind, insert);
    return insert;
  }
}

function cellIn(cells: Readonly<Cells>, column: string, { table }: { table: string }): Cell {
  const cell = cells[column];
  if (cell === undefined) throw new Error(`a row of ${table} lacks the column ${column}`);
  return cell;
}
