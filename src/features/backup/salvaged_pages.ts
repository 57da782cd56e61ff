// Reads the rows of a damaged database page by page, where its trees cannot be followed: a leaf page has whole rows,
// whatever became of the pages above it. SQLite itself reads them, as the roots of tables of their own.
// https://sqlite.org/fileformat2.html describes the pages.
import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import Database from "better-sqlite3";
import { closing } from "../../core/store/files.ts";

/** The first byte of a page of a tree of rows, and of a tree of keys, such as an index or a table without rowids. */
const [rowLeaf, rowInterior, keyLeaf, keyInterior] = [0x0d, 0x05, 0x0a, 0x02];

/** A tree of the database, as the list of its tables has it. */
export interface Tree {
  name: string;
  rootpage: number;
}

/** A table that lacks rows. */
export interface LackingTable {
  readonly name: string;
  readonly hasRowids: boolean;
  /** The statement that makes a table with its columns, and the names to select. */
  definition(name: string): string;
  readonly selected: string;
  /** Takes a row. Returns whether it was added. */
  take(values: readonly unknown[]): boolean;
  /** Whether all these rows could be added. */
  fits(rows: readonly (readonly unknown[])[]): boolean;
}

/** The pages of a file, as far as its trees need to be followed. */
class PageFile {
  readonly #handle: number;
  readonly #size: number;
  readonly count: number;

  constructor(file: string) {
    this.#handle = openSync(file, "r+");
    const header = Buffer.alloc(100);
    readSync(this.#handle, header, 0, 100, 0);
    const size = header.readUInt16BE(16);
    this.#size = size === 1 ? 65_536 : size;
    this.count = Math.floor(fstatSync(this.#handle).size / this.#size);
  }

  close(): void {
    closeSync(this.#handle);
  }

  #read(page: number): Buffer {
    const bytes = Buffer.alloc(this.#size);
    readSync(this.#handle, bytes, 0, this.#size, (page - 1) * this.#size);
    return bytes;
  }

  isPage = (page: number): boolean => page >= 1 && page <= this.count;

  /** The first byte of a page after the header of the file. */
  typeOf = (page: number): number => this.#read(page)[page === 1 ? 100 : 0] ?? 0;

  /** The pages below a page of a tree; undefined if it is no page of such a tree. */
  below(page: number, leaf: number, interior: number): number[] | undefined {
    const bytes = this.#read(page);
    const at = page === 1 ? 100 : 0;
    if (bytes[at] === leaf) return [];
    const cells = bytes.readUInt16BE(at + 3);
    if (bytes[at] !== interior || at + 12 + 2 * cells > this.#size) return undefined;
    const places = Array.from({ length: cells }, (_, cell) => bytes.readUInt16BE(at + 12 + 2 * cell));
    if (places.some((place) => place + 4 > this.#size)) return undefined;
    return [...places.map((place) => bytes.readUInt32BE(place)), bytes.readUInt32BE(at + 8)];
  }

  /** The pages that hold nothing, or rows that were removed; undefined if their list is damaged. */
  free(): Set<number> | undefined {
    const found = new Set<number>();
    const header = this.#read(1);
    for (let trunk = header.readUInt32BE(32); trunk !== 0; ) {
      if (!this.isPage(trunk) || found.has(trunk)) return undefined;
      const bytes = this.#read(trunk);
      const leaves = bytes.readUInt32BE(4);
      if (8 + 4 * leaves > this.#size) return undefined;
      found.add(trunk);
      for (let leaf = 0; leaf < leaves; leaf++) found.add(bytes.readUInt32BE(8 + 4 * leaf));
      trunk = bytes.readUInt32BE(0);
    }
    return found.size === header.readUInt32BE(36) ? found : undefined;
  }

  /** Empties the list of tables and that of free pages, so that SQLite adds pages and changes none. */
  forgetTables(): void {
    const [inRollbackMode, none] = [Buffer.from([1, 1]), Buffer.alloc(8)];
    const emptyLeaf = Buffer.from([rowLeaf, 0, 0, 0, 0, (this.#size >> 8) & 0xff, this.#size & 0xff, 0]);
    writeSync(this.#handle, inRollbackMode, 0, 2, 18);
    writeSync(this.#handle, none, 0, 8, 32);
    writeSync(this.#handle, emptyLeaf, 0, 8, 100);
  }
}

/** A page that no tree leads to, with its first byte. */
interface Orphan {
  page: number;
  type: number;
}

const listOfTables = "sqlite_schema";

/** What was found of the trees of a file: the leaf pages of each tree, and which trees lack pages. */
interface Trees {
  leaves: Map<string, number[]>;
  broken: Set<string>;
  owned: Set<number>;
}

function followTrees(pages: PageFile, trees: readonly Tree[]): Trees {
  const found: Trees = { leaves: new Map(), broken: new Set(), owned: new Set() };
  for (const { name, rootpage } of trees) {
    const leaves: number[] = [];
    found.leaves.set(name, leaves);
    const type = pages.isPage(rootpage) ? pages.typeOf(rootpage) : 0;
    const isOfRows = type === rowLeaf || type === rowInterior;
    const [leaf, interior] = isOfRows ? [rowLeaf, rowInterior] : [keyLeaf, keyInterior];
    const open = [rootpage];
    for (let page = open.pop(); page !== undefined; page = open.pop()) {
      const below = pages.isPage(page) && !found.owned.has(page) ? pages.below(page, leaf, interior) : undefined;
      if (below === undefined) {
        found.broken.add(name);
        continue;
      }
      found.owned.add(page);
      if (below.length === 0) leaves.push(page);
      for (const next of below) open.push(next);
    }
  }
  return found;
}

/** A page, and the table as whose rows it is read. */
interface Reading {
  page: number;
  table: LackingTable;
}

/** How many pages are tables at once. */
const batch = 500;

/** Makes each page a table of its own, and reads it from both ends. The file has no other tables any more. */
function readPages(
  database: Database.Database,
  readings: readonly Reading[],
  use: (reading: Reading, rows: Map<string, unknown[]>) => void,
) {
  const add =
    "INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('table', :name, :name, :page, :sql)";
  for (let at = 0; at < readings.length; at += batch) {
    const given = readings.slice(at, at + batch);
    database.pragma("writable_schema = ON");
    database.exec("DELETE FROM sqlite_schema");
    const adding = database.prepare(add);
    database.transaction(() => {
      for (const [n, { page, table }] of given.entries())
        adding.run({ name: `page_${n}`, page, sql: table.definition(`page_${n}`) });
    })();
    database.pragma("writable_schema = RESET"); // reads the list of tables again
    for (const [n, reading] of given.entries()) use(reading, rowsOfPage(database, `page_${n}`, reading.table));
  }
}

/** The rows of a page, by their keys. One that cannot be read does not hide those after it. */
function rowsOfPage(database: Database.Database, name: string, { hasRowids, selected }: LackingTable) {
  const rows = new Map<string, unknown[]>();
  for (const direction of ["ASC", "DESC"]) {
    try {
      const order = hasRowids ? `ORDER BY rowid ${direction}` : "";
      const read = database.prepare<[], unknown[]>(`SELECT ${selected} FROM "${name}" ${order}`).raw().safeIntegers();
      for (const row of read.iterate()) rows.set(row.map(String).join("\0"), row);
      return rows;
    } catch {
      // what is behind is read from the other end
    }
  }
  return rows;
}

/**
 * Gives tables the rows of their leaf pages, and those of pages that no tree leads to any more if they fit into one of
 * the tables alone. Changes the file, which no other program can use afterwards. Returns how many pages with rows fit
 * into several tables or into none.
 */
export function salvagePages(file: string, trees: readonly Tree[], tables: readonly LackingTable[]): number {
  const all = [{ name: listOfTables, rootpage: 1 }, ...trees];
  const [found, orphans] = closing(new PageFile(file), (pages) => {
    const followed = followTrees(pages, all);
    const free = pages.free(); // without their list, rows that were removed would come back
    const lost = Array.from({ length: free === undefined ? 0 : pages.count }, (_, at) => at + 1)
      .filter((page) => !followed.owned.has(page) && !free?.has(page))
      .map((page): Orphan => ({ page, type: pages.typeOf(page) }));
    pages.forgetTables();
    return [followed, lost] as const;
  });
  const isKnown = new Set(all.map(({ name }) => name));
  const seekers = tables.filter(({ name }) => found.broken.has(name) || !isKnown.has(name));
  // A page of an index looks like one of a table without rowids.
  const isClear = [...found.broken].every((name) => tables.some((table) => table.name === name));
  const sought = orphans.filter(({ type }) => type === rowLeaf || (type === keyLeaf && isClear));
  return closing(new Database(file), (database) => {
    database.unsafeMode();
    database.pragma("trusted_schema = OFF");
    database.pragma("journal_mode = OFF");
    database.pragma("synchronous = OFF");
    const own = tables.flatMap((table) => (found.leaves.get(table.name) ?? []).map((page) => ({ page, table })));
    readPages(database, own, ({ table }, rows) => {
      for (const row of rows.values()) table.take(row.slice(0, -1));
    });
    return placeOrphans(database, sought, seekers);
  });
}

/** Gives each page to the only table into which all its rows fit. Returns how many pages stay. */
function placeOrphans(
  database: Database.Database,
  orphans: readonly Orphan[],
  tables: readonly LackingTable[],
): number {
  let placed = 0;
  let takers: { table: LackingTable; rows: unknown[][] }[] = [];
  const readings = orphans.map(({ page, type }) =>
    tables.filter(({ hasRowids }) => hasRowids === (type === rowLeaf)).map((table) => ({ page, table })),
  );
  const lasts = new Set(readings.map((ofPage) => ofPage.at(-1)));
  readPages(database, readings.flat(), (reading, found) => {
    const { table } = reading;
    const rows = [...found.values()].filter((row) => row.at(-1) === null).map((row) => row.slice(0, -1));
    // A row with more columns is of another table.
    if (found.size > 0 && rows.length === found.size && table.fits(rows)) takers.push({ table, rows });
    if (!lasts.has(reading)) return;
    const [taker] = takers;
    if (taker !== undefined && takers.length === 1) {
      for (const row of taker.rows) taker.table.take(row);
      placed++;
    }
    takers = [];
  });
  return orphans.length - placed;
}
