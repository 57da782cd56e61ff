// The state of writing one production's document into the database: ids by name, rows to insert together, and media to store after
// their rows.
import type { Statement } from "better-sqlite3";
import {
  type Inserted,
  insertedColumns,
  insertedTable,
  type StatementName,
  statementTexts,
} from "../../../core/store/statements.ts";
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

interface Insert {
  name: string;
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
  readonly #texts = statementTexts();
  readonly #inserts = new Map<string, Insert>();
  readonly #changes = new Map<string, Statement>();
  /** The tables whose rows are others now. */
  readonly tables = new Set<string>();
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
   * Inserts a row of this production by a bulk INSERT. It is stored when a row of another one follows, or after flush. Throws an
   * Error for a column that the statement lacks or does not have.
   */
  insert<N extends StatementName>(statement: N, columns: Readonly<Record<Inserted<N>, Cell>>): void {
    this.put(statement, columns);
    for (const column in columns)
      if (!this.#insert?.columns.includes(column)) throw new Error(`${statement} has no column ${column}`);
  }

  /** Inserts a row like insert: of the cells those that the statement has. Throws an Error for a column without a cell. */
  put(statement: StatementName, cells: Readonly<Cells>): void {
    if (this.#insert?.name !== statement) {
      this.flush();
      this.#insert = this.#inserts.get(statement) ?? this.#prepare(statement);
    }
    const insert = this.#insert;
    this.#take(this.#pending, statement, insert.columns, cells);
    if (this.#pending.length === together * insert.columns.length) this.flush();
  }

  /** Sets columns of a row in the table of a bulk INSERT, whose first column has the id. */
  set<N extends StatementName>(statement: N, id: number, cells: Readonly<Partial<Record<Inserted<N>, Cell>>>): void {
    this.update(statement, id, cells as Cells, Object.keys(cells)); // no cell is undefined
  }

  /** Sets columns like `set`: all of them, or those given. Throws an Error for a column without a cell. */
  update(statement: StatementName, id: number, cells: Readonly<Cells>, given = insertedColumns(statement)): void {
    const [key = ""] = insertedColumns(statement);
    const columns = given.filter((column) => column !== key && column !== "production_id");
    const values: Cell[] = [];
    this.#take(values, statement, columns, cells);
    const set = columns.map((column) => `${column} = ?`).join(", ");
    this.#change(statement, (table) => `UPDATE ${table} SET ${set}`, key, [...values, this.production_id, id]);
  }

  /** Removes the row of an id from the table of a bulk INSERT, or the rows that have the id in a column. */
  remove<N extends StatementName>(statement: N, id: number, column?: Inserted<N>): void {
    const key = column ?? (insertedColumns(statement)[0] as string); // an insert has columns
    this.#change(statement, (table) => `DELETE FROM ${table}`, key, [this.production_id, id]);
  }

  #change(name: StatementName, what: (table: string) => string, column: string, values: readonly Cell[]): void {
    this.flush();
    const table = insertedTable(name);
    this.tables.add(table);
    const text = `${what(table)} WHERE production_id = +? AND ${column} = +?`;
    const statement = this.#changes.get(text) ?? this.store.database.prepare(text);
    this.#changes.set(text, statement);
    statement.run(values);
  }

  /** Adds the cells of columns to values. Throws an Error for a column without a cell. */
  #take(values: Cell[], statement: StatementName, columns: readonly string[], cells: Readonly<Cells>): void {
    for (const column of columns) {
      const cell = column === "production_id" ? this.production_id : cells[column];
      if (cell === undefined) throw new Error(`${statement} lacks the column ${column}`);
      values.push(cell);
    }
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

  #prepare(name: StatementName): Insert {
    const text = this.#texts.get(name) ?? "";
    const columns = insertedColumns(name);
    const marks = `(${columns.map(() => "?").join(", ")})`;
    this.tables.add(insertedTable(name));
    const insert = {
      name,
      columns,
      one: this.store.database.prepare(text),
      many: this.store.database.prepare(text + `, ${marks}`.repeat(together - 1)),
    };
    this.#inserts.set(name, insert);
    return insert;
  }
}
