// Recovers a damaged database: copies every row that SQLite can read into a new file with the same schema, and says which rows it could not read.
import { renameSync, rmSync } from "node:fs";
import Database from "better-sqlite3";
import { CliError } from "../../core/errors.ts";
import { closing } from "../../core/store/files.ts";
import { indexSearch, migrate, migrations } from "../../core/store/migrations.ts";
import { plural } from "../../core/wording.ts";
import { keyColumns } from "../soundness/soundness.ts";
import { damaged } from "./unpacking.ts";

/** A part of a table by its rowids, without its ends. */
type Range = readonly [after: number, before: number];
const everyRow: Range = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
/** How often the part of a table that cannot be read is halved: a second damaged page may have whole ones before it. */
const mostHalvings = 12;

/** The rows of these tables are made, and not taken from the damaged database. */
const ownTables: readonly string[] = ["migrations", "search_changes"];

const quoted = (name: string): string => `"${name}"`;

interface Table {
  name: string;
  hasRowids: boolean;
}

/** The tables with rows of their own, first that of the ids that were used: a row that is added only raises them. */
function tablesOf(database: Database.Database): Table[] {
  return database
    .prepare<[], { name: string; wr: 0 | 1 }>(
      `SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name <> 'sqlite_schema' AND name NOT LIKE 'sqlite^_stat%' ESCAPE '^'
       ORDER BY name <> 'sqlite_sequence', name`,
    )
    .all()
    .filter(({ name }) => !ownTables.includes(name))
    .map(({ name, wr }) => ({ name, hasRowids: wr === 0 }));
}

/** Reads one table of a damaged database, and puts its rows into the new one. */
class RecoveredTable {
  readonly #from: Database.Database;
  readonly #table: Table;
  readonly #columns: string;
  readonly #key: readonly string[];
  readonly #insert: Database.Statement;
  readonly #count: (database: Database.Database) => number;

  constructor(from: Database.Database, to: Database.Database, table: Table) {
    const columns = to.prepare<[string], string>("SELECT name FROM pragma_table_info(?)").pluck().all(table.name);
    const name = quoted(table.name);
    this.#from = from;
    this.#table = table;
    this.#columns = columns.map(quoted).join(", ");
    this.#key = keyColumns(to, table.name);
    this.#insert = to.prepare(`INSERT OR IGNORE INTO ${name} (${this.#columns}) VALUES (${columns.map(() => "?")})`);
    this.#count = (database) => Number(database.prepare(`SELECT count(*) FROM ${name}`).pluck().get());
  }

  /** Takes the rows of a query until one cannot be read, or is nothing that the new database takes. Returns the last rowid. */
  #take(condition: string, given: Range | readonly []): { whole: boolean; last?: number } {
    const [rowid, { name }] = [this.#table.hasRowids ? "rowid" : "0", this.#table];
    let last: number | undefined;
    try {
      const rows = this.#from
        .prepare<unknown[], [bigint, ...unknown[]]>(
          `SELECT ${rowid}, ${this.#columns} FROM ${quoted(name)} NOT INDEXED ${condition}`,
        )
        .raw()
        .safeIntegers();
      for (const [id, ...values] of rows.iterate(given)) {
        if (this.#insert.run(values).changes === 0) return { whole: false, ...(last !== undefined && { last }) };
        last = Number(id);
      }
      return { whole: true };
    } catch {
      return { whole: false, ...(last !== undefined && { last }) };
    }
  }

  /** Takes a range of rowids from both ends, and what can be read between. Returns the range that cannot be read; undefined if there is none. */
  #takeRange([after, before]: Range, halvings: number): Range | undefined {
    const range = (direction: string): string => `WHERE rowid > ? AND rowid < ? ORDER BY rowid ${direction}`;
    const first = this.#take(range("ASC"), [after, before]);
    if (first.whole) return undefined;
    const low = first.last ?? after;
    const high = this.#take(range("DESC"), [low, before]).last ?? before;
    const middle = Math.floor((low + high) / 2);
    if (halvings > 0 && middle > low && middle < high) {
      this.#takeRange([low, middle + 1], halvings - 1);
      this.#takeRange([middle, high], halvings - 1);
    }
    return [low, high];
  }

  /** Takes a table without rowids from both ends. Returns whether that was all. */
  #takeEnds(): boolean {
    const ordered = (direction: string): string =>
      `ORDER BY ${this.#key.map((column) => `${quoted(column)} ${direction}`).join(", ")}`;
    return this.#take(ordered("ASC"), []).whole || this.#take(ordered("DESC"), []).whole;
  }

  /** The number of rows that an index of the damaged database has; undefined if that cannot be read either. */
  #expected(): number | undefined {
    try {
      return this.#count(this.#from);
    } catch {
      return undefined;
    }
  }

  /** Takes what can be read. Returns a sentence about what is lost; undefined if nothing is. */
  take(to: Database.Database): string | undefined {
    const gap = this.#table.hasRowids ? this.#takeRange(everyRow, mostHalvings) : undefined;
    const whole = this.#table.hasRowids ? gap === undefined : this.#takeEnds();
    const expected = whole ? undefined : this.#expected();
    const lost = expected === undefined ? undefined : expected - this.#count(to);
    if (whole || lost === 0) return undefined;
    const rows = lost === undefined || lost < 0 ? "an unknown number of rows" : plural(lost, "row");
    const [low, high] = gap ?? everyRow;
    const places = [...(low > everyRow[0] ? [`after ${low}`] : []), ...(high < everyRow[1] ? [`before ${high}`] : [])];
    const where =
      places.length === 0 ? "" : `, with ${this.#key.length === 1 ? this.#key[0] : "rowid"} ${places.join(" and ")}`;
    return `${this.#table.name}: ${rows} cannot be read and ${lost === 1 ? "is" : "are"} lost${where}`;
  }
}

/** Creates the schema of a version without rows, and runs `work` while no trigger but those of the search index does anything. */
function fill(to: Database.Database, schema: number, work: () => string[]): string[] {
  migrate(to, migrations().slice(0, schema));
  to.pragma("foreign_keys = OFF"); // what refers to a lost row stays, and is told
  return to.transaction(() => {
    const triggers = to
      .prepare<[], { name: string; sql: string }>(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name NOT LIKE 'search^_%' ESCAPE '^'",
      )
      .all();
    for (const { name } of triggers) to.exec(`DROP TRIGGER ${quoted(name)}`);
    for (const { name } of tablesOf(to)) to.exec(`DELETE FROM ${quoted(name)}`);
    const lost = work();
    for (const { sql } of triggers) to.exec(sql);
    if (schema === migrations().length) indexSearch(to); // a migration does it otherwise
    return lost;
  })();
}

/**
 * Replaces a damaged database by one with the rows of it that SQLite can read. Returns what is lost, one sentence for each table. Throws the error of SQLite
 * if not even the list of its tables can be read, ArchiveError if that is empty, CliError if it is of a newer version.
 */
export function recoverDatabase(file: string, schema: number): string[] {
  if (schema > migrations().length)
    throw new CliError(
      `${file} was written by a newer Tallylight (schema ${schema}, this version supports ${migrations().length}); it was not changed`,
    );
  const draft = `${file}.recovered`;
  const lost = closing(new Database(file, { readonly: true }), (from) => {
    from.pragma("trusted_schema = OFF");
    const tables = from.prepare("SELECT count(*) FROM sqlite_schema").pluck().get();
    if (tables === 0) throw damaged("its database has no tables");
    return closing(new Database(draft), (to) =>
      fill(to, schema, () => tablesOf(to).flatMap((table) => new RecoveredTable(from, to, table).take(to) ?? [])),
    );
  });
  rmSync(file);
  renameSync(draft, file);
  return lost;
}
