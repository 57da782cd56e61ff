// One table of a damaged database: its rows are read from both ends, along each index and one by one, and put into the
// new database.
import type Database from "better-sqlite3";
import { plural } from "../../core/wording.ts";
import { keyColumns } from "../soundness/soundness.ts";

const quoted = (name: string): string => `"${name}"`;
const listOf = (names: readonly string[]): string => names.map(quoted).join(", ");

/** A column that no row has. */
const beyond = quoted("beyond the columns");

type Direction = "ASC" | "DESC";
const directions: readonly Direction[] = ["ASC", "DESC"];

/** A column, as pragma_table_info has it. */
interface Column {
  name: string;
  type: string;
  dflt_value: string | null;
}

/**
 * Whether a value is stored as a STRICT table stores a column of a type; a whole number of a REAL column is stored as
 * an integer. An insertion is no such check, because SQLite would convert the value.
 */
function isStoredAs(value: unknown, type: string): boolean {
  if (value === null) return true;
  if (type === "TEXT") return typeof value === "string";
  if (type === "INTEGER") return typeof value === "bigint";
  if (type === "REAL") return typeof value === "bigint" || typeof value === "number";
  return type !== "BLOB" || value instanceof Uint8Array;
}

/** An index with all rows of a table, by columns. */
interface Index {
  name: string;
  columns: string[];
}

function indexesOf(database: Database.Database, table: string, hasRowids: boolean): Index[] {
  const columns = database
    .prepare<[string], string | null>("SELECT name FROM pragma_index_info(?) ORDER BY seqno")
    .pluck();
  return database
    .prepare<[string], { name: string; origin: string }>(
      "SELECT name, origin FROM pragma_index_list(?) WHERE partial = 0 ORDER BY seq DESC",
    )
    .all(table)
    .filter(({ origin }) => hasRowids || origin !== "pk")
    .map(({ name }) => ({ name, columns: columns.all(name) }))
    .filter((index): index is Index => index.columns.every((column) => column !== null)); // not one of expressions
}

export class RecoveredTable {
  readonly name: string;
  readonly hasRowids: boolean;
  /** What to select of a page; what names a row comes first, and last comes what no row of the table has. */
  readonly selected: string;
  readonly #to: Database.Database;
  readonly #columns: readonly Column[];
  /** The columns that name a row: rowid, or the primary key. */
  readonly #key: readonly string[];
  readonly #primary: readonly string[];
  readonly #read: string;
  /** The types of the columns that are read. */
  readonly #types: readonly string[];
  readonly #insert: Database.Statement<[readonly unknown[]]>;
  readonly #has: Database.Statement<[readonly unknown[]]>;
  /** The keys that an index has, and of which no row was read along the trees. */
  readonly #missing = new Map<string, unknown[]>();
  /** Whether an index named all rows. */
  #isCounted = false;

  constructor(to: Database.Database, name: string, hasRowids: boolean) {
    [this.#to, this.name, this.hasRowids] = [to, name, hasRowids];
    this.#columns = to.prepare<[string], Column>("SELECT name, type, dflt_value FROM pragma_table_info(?)").all(name);
    this.#primary = keyColumns(to, name);
    this.#key = hasRowids ? ["rowid"] : this.#primary;
    const alias = this.#alias();
    const rowid = hasRowids && alias === undefined ? [{ name: "rowid", type: "INTEGER" }] : [];
    const written = [...rowid, ...this.#columns];
    this.#read = listOf(written.map((column) => column.name));
    this.#types = written.map(({ type }) => type);
    const ofPage = listOf(written.map(({ name }) => (name === alias ? "rowid" : name)));
    // A row has nothing where the column stands that is the rowid.
    this.selected = `${ofPage}, ${alias === undefined ? beyond : `coalesce(${beyond}, ${quoted(alias)})`}`;
    this.#insert = to.prepare(
      `INSERT INTO ${quoted(name)} (${this.#read}) VALUES (${written.map(() => "?")}) ON CONFLICT DO NOTHING`,
    );
    this.#has = to.prepare(`SELECT 1 FROM ${quoted(name)} WHERE ${this.#isKey()}`);
  }

  /** The column that is the rowid. */
  #alias(): string | undefined {
    const [key, second] = this.#primary;
    const isAlias =
      this.hasRowids &&
      second === undefined &&
      this.#columns.some(({ name, type }) => name === key && type === "INTEGER");
    return isAlias ? key : undefined;
  }

  #isKey(): string {
    return this.#key.map((column) => `${quoted(column)} = ?`).join(" AND ");
  }

  /**
   * The statement that makes a table of the pages of this one: without its rules, and with one column more, which no
   * row has.
   */
  definition(name: string): string {
    const columns = this.#columns.map(
      ({ name, dflt_value }) => `${quoted(name)}${dflt_value === null ? "" : ` DEFAULT (${dflt_value})`}`,
    );
    const [key, end] = this.hasRowids ? ["", ""] : [`, PRIMARY KEY (${listOf(this.#primary)})`, " WITHOUT ROWID"];
    return `CREATE TABLE ${quoted(name)} (${columns.join(", ")}, ${beyond}${key})${end}`;
  }

  take(values: readonly unknown[]): boolean {
    if (!values.every((value, at) => isStoredAs(value, this.#types[at] ?? ""))) return false;
    try {
      return this.#insert.run(values).changes === 1;
    } catch {
      return false; // no row that this table may have: its bytes are damaged
    }
  }

  fits(rows: readonly (readonly unknown[])[]): boolean {
    const undone = new Error("only a try");
    let taken = 0;
    try {
      this.#to.transaction(() => {
        taken = rows.filter((row) => this.take(row)).length;
        throw undone;
      })();
    } catch (error) {
      if (error !== undone) throw error;
    }
    return taken === rows.length;
  }

  /** Runs a query until a row cannot be read. Returns whether there was none. */
  #each(
    from: Database.Database,
    query: string,
    use: (row: unknown[]) => void,
    given: readonly unknown[] = [],
  ): boolean {
    try {
      const rows = from.prepare<unknown[], unknown[]>(query).raw().safeIntegers();
      for (const row of rows.iterate(given)) use(row);
      return true;
    } catch {
      return false;
    }
  }

  #queryOf(columns: string, index: Index | undefined, direction: Direction): string {
    const along = index === undefined ? "NOT INDEXED" : `INDEXED BY ${quoted(index.name)}`;
    const order = (index?.columns ?? this.#key).map((column) => `${quoted(column)} ${direction}`).join(", ");
    return `SELECT ${columns} FROM ${quoted(this.name)} ${along} ORDER BY ${order}`;
  }

  /** Takes what the trees of the table lead to. Returns whether nothing is lacking. */
  takeFrom(from: Database.Database): boolean {
    let isSound = true;
    const take = (row: unknown[]): void => {
      if (!this.take(row)) isSound = false;
    };
    if (this.#each(from, this.#queryOf(this.#read, undefined, "ASC"), take) && isSound) return true;
    this.#each(from, this.#queryOf(this.#read, undefined, "DESC"), take);
    for (const index of indexesOf(this.#to, this.name, this.hasRowids)) {
      for (const direction of directions) this.#each(from, this.#queryOf(this.#read, index, direction), take);
      const takeOne = (key: unknown[]): void => this.#takeOne(from, key);
      const isWhole = (direction: Direction) =>
        this.#each(from, this.#queryOf(listOf(this.#key), index, direction), takeOne);
      if (isWhole("ASC") || isWhole("DESC")) this.#isCounted = true;
    }
    return this.#isCounted && this.#missing.size === 0;
  }

  /** Takes the row of a key, unless it was read before. */
  #takeOne(from: Database.Database, key: unknown[]): void {
    if (this.#has.get(key) !== undefined) return;
    const query = `SELECT ${this.#read} FROM ${quoted(this.name)} NOT INDEXED WHERE ${this.#isKey()}`;
    this.#each(from, query, (row) => void this.take(row), key);
    if (this.#has.get(key) === undefined) this.#missing.set(key.map(String).join("\0"), key);
  }

  /** The keys of the rows that are lost, as far as an index has them. */
  #lostKeys = (): unknown[][] => [...this.#missing.values()].filter((key) => this.#has.get(key) === undefined);

  /** Whether nothing says if rows are lost. */
  isUncertain = (): boolean => !this.#isCounted && this.#lostKeys().length === 0;

  /** A sentence about the rows that are lost; undefined if none is, as far as that is known. */
  lost(): string | undefined {
    const keys = this.#lostKeys();
    if (keys.length === 0) return undefined;
    const rows = `${this.#isCounted ? "" : "at least "}${plural(keys.length, "row")}`;
    return `${this.name}: ${rows} cannot be read and ${keys.length === 1 ? "is" : "are"} lost${this.#placeOf(keys)}`;
  }

  /** Between which rows those are that are lost, if they are named by a number. */
  #placeOf(missing: readonly unknown[][]): string {
    if (!this.hasRowids || missing.length === 0) return "";
    const ids = missing.map(([id]) => Number(id));
    const neighbour = (ends: string, beside: number): unknown =>
      this.#to
        .prepare(`SELECT ${ends} FROM ${quoted(this.name)} WHERE rowid ${ends.startsWith("max") ? "<" : ">"} ?`)
        .pluck()
        .get(beside);
    const [low, high] = [
      neighbour(
        "max(rowid)",
        ids.reduce((one, other) => Math.min(one, other)),
      ),
      neighbour(
        "min(rowid)",
        ids.reduce((one, other) => Math.max(one, other)),
      ),
    ];
    const places = [...(low === null ? [] : [`after ${low}`]), ...(high === null ? [] : [`before ${high}`])];
    return places.length === 0 ? "" : `, with ${this.#alias() ?? "rowid"} ${places.join(" and ")}`;
  }
}
