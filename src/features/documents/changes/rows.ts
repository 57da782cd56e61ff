// Reads things from the rows of their tables. A thing has the fields of the document, with the ids of others in place
// of their names.
import { isDeepStrictEqual } from "node:util";
import type Database from "better-sqlite3";
import type { ProductionId } from "../../../core/ids.ts";
import { composed } from "../../../core/store/composed.ts";
import type { Store } from "../../../core/store/store.ts";
import { type Field, type KeptPart, layoutOf, type Raw, tableNoun } from "../sections/form.ts";
import type { AnySection, Noun } from "../sections/sections.ts";
import type { Tables } from "../sections/tables.ts";

export type Cell = string | number | bigint | null;
export type Row = Record<string, Cell>;

/** A stored thing, or an item of a list of one: its row, those of its lists by field, and those of its media. */
export interface StoredRows {
  row: Row;
  lists: Record<string, StoredRows[]>;
  media: Row[];
}

const columnsByTables = new WeakMap<Tables, ReadonlySet<string>>();
const columnsByTable = new Map<string, readonly string[]>();

/** The columns of a table, which every database of this version has. */
export function columnsOf(database: Database.Database, table: string): readonly string[] {
  const known = columnsByTable.get(table);
  if (known !== undefined) return known;
  const found = composed<{ name: string }>(database, "SELECT name FROM pragma_table_info(?)").all(table);
  const names = found.map(({ name }) => name);
  columnsByTable.set(table, names);
  return names;
}

/** The columns of a table in a SELECT. A JavaScript number cannot hold every 64-bit integer. */
export const selected = (database: Database.Database, table: string): string =>
  columnsOf(database, table)
    .map((one) => (one === "mtime_ns" ? "CAST(mtime_ns AS TEXT) AS mtime_ns" : `"${one}"`))
    .join();

const isNode = (noun: Noun | undefined): boolean => noun === "scene" || noun === "asset";

/** The rows of a production, or of none: those of one that is not stored yet. */
export class Rows {
  store: Store | undefined;
  production_id: ProductionId;
  readonly #scenes = new Map<unknown, boolean>();
  readonly #medium: (row: Row) => Raw;

  /** `medium` makes a medium of its row. */
  constructor(store: Rows["store"], production_id: number, medium = mediumOf) {
    this.store = store;
    this.production_id = production_id as ProductionId; // whoever asks for rows says whose
    this.#medium = medium;
  }

  get database(): Database.Database | undefined {
    return this.store?.database;
  }

  /** The rows of a query; none where nothing is stored yet. */
  all<T>(sql: string, ...values: readonly unknown[]): T[] {
    return this.database === undefined ? [] : composed<T>(this.database, sql).all(...values);
  }

  /** The columns that tables have together. */
  columns(tables: Tables): ReadonlySet<string> {
    const { database } = this;
    const known = columnsByTables.get(tables);
    if (known !== undefined || database === undefined) return known ?? new Set();
    const { table, rest } = tables;
    const columns = new Set([table, rest?.table ?? []].flat().flatMap((one) => columnsOf(database, one)));
    columnsByTables.set(tables, columns);
    return columns;
  }

  /** Whether a node is a scene. */
  isScene(id: unknown): boolean {
    const known = this.#scenes.get(id);
    if (known !== undefined) return known;
    const is = this.all("SELECT 1 FROM scenes WHERE node_id = ?", id).length > 0;
    this.#scenes.set(id, is);
    return is;
  }

  /** Takes up a node that is added. */
  addNode(id: number, isScene: boolean): void {
    this.#scenes.set(id, isScene);
  }

  /** Whether a node is what a reference to a scene or an asset is to. */
  fits(noun: Noun | undefined, id: unknown): boolean {
    return !isNode(noun) || this.isScene(id) === (noun === "scene");
  }

  #select(table: string, order: string, chosen?: { column: string; ids: string }, where?: string): Row[] {
    const { database } = this;
    if (database === undefined) return [];
    const owner = table === "productions" ? "id" : "production_id";
    const conditions = [
      `+${owner} = ?`,
      ...(chosen === undefined ? [] : [`${chosen.column} IN (SELECT value FROM json_each(?))`]),
      ...(where === undefined ? [] : [where]),
    ];
    if (chosen === undefined) conditions[0] = `${owner} = ?`;
    const sql = `SELECT ${selected(database, table)} FROM ${table} WHERE ${conditions.join(" AND ")} ORDER BY ${order}`;
    const { production_id } = this;
    return chosen === undefined ? this.all(sql, production_id) : this.all(sql, production_id, chosen.ids);
  }

  /**
   * The things of a section with all their rows, by id, in the order of the section: all, or those of some ids. With
   * `shown`, they have the lists and media of these fields alone.
   */
  load(name: AnySection, ids?: readonly number[], shown?: ReadonlySet<string>): Map<number, StoredRows> {
    const { tables, fields: all } = layoutOf(name);
    const fields = shown === undefined ? all : all.filter((field) => shown.has(field.name));
    const { table, rest, where, order = "id" } = tables;
    const text = ids === undefined ? undefined : JSON.stringify(ids);
    const chosen = (column: string) => (text === undefined ? undefined : { column, ids: text });
    let rows = this.#select(table, rest === undefined ? order : "id", chosen("id"), where);
    if (rest !== undefined) {
      const others = new Map(rows.map((row) => [row.id, row]));
      const own = this.#select(rest.table, order, chosen(rest.key));
      rows = own.map((row) => ({ ...others.get(row[rest.key] as number), ...row })); // both tables have it
    }
    return new Map(this.#filled(tables, fields, rows).map((one) => [Number(one.row.id), one]));
  }

  /** Rows with those of their lists and media. */
  #filled({ media: owner }: Tables, fields: readonly Field[], rows: readonly Row[]): StoredRows[] {
    const all = rows.map((row): StoredRows => ({ row, lists: {}, media: [] }));
    if (rows.length === 0) return all;
    const ids = rows.length > 500 ? undefined : JSON.stringify(rows.map(({ id }) => id));
    const under = (column: string) => (ids === undefined ? undefined : { column, ids });
    for (const { name, part, item, medium } of fields) {
      if ((medium || item?.medium) && owner !== undefined) {
        const own = owner === "delivery_id" ? "work_item_id IS NULL" : `${owner} IS NOT NULL`;
        const media = Map.groupBy<Cell | undefined, Row>(
          this.#select("media", "id", under(owner), own),
          (row) => row[owner],
        );
        for (const one of all) one.media = media.get(one.row.id ?? null) ?? [];
      }
      if (part === undefined) continue;
      const { order = `${part.of}, ${part.kind === "set" ? part.to : "id"}` } = part;
      const inner = part.kind === "rows" ? (item?.fields ?? []) : [];
      const found = this.#filled(part, inner, this.#select(part.table, order, under(part.of), part.where));
      const groups = Map.groupBy<Cell | undefined, StoredRows>(found, ({ row }) => row[part.of]);
      for (const one of all) one.lists[name] = groups.get(one.row.id ?? null) ?? [];
    }
    return all;
  }

  /** The column of a reference. */
  columnOf(columns: ReadonlySet<string>, name: string, noun: Noun): string {
    const own = tableNoun(noun);
    return [`${name}_id`, `${name}_${own}_id`].find((one) => columns.has(one)) ?? `${own}_id`;
  }

  /** A stored thing, without what is absent or has its usual value. */
  thing(tables: Tables, fields: readonly Field[], stored: StoredRows): Raw {
    const columns = this.columns(tables);
    const thing: Raw = {};
    for (const field of fields) {
      const value = this.#value(columns, field, stored);
      if (value === undefined || value === null) continue;
      if (field.isQuiet && isDeepStrictEqual(value, field.usual)) continue;
      thing[field.name] = value;
    }
    return thing;
  }

  #value(columns: ReadonlySet<string>, field: Field, { row, lists, media }: StoredRows): unknown {
    const { name, part, item, medium, noun, nouns, cell } = field;
    if (medium) return media[0] && this.#medium(media[0]);
    if (item?.medium) return media.map(this.#medium);
    if (part !== undefined) return this.#list(part, field, lists[name] ?? []);
    if (field.isInverse) return undefined;
    if (noun !== undefined) {
      const id = row[this.columnOf(columns, name, noun)];
      return id !== null && this.fits(noun, id) ? id : undefined;
    }
    if (nouns !== undefined) {
      const found = nouns.find((one) => row[`${tableNoun(one)}_id`] !== null);
      return found === undefined ? row[name] : { [found]: row[`${tableNoun(found)}_id`] };
    }
    if (name === "version" && row.version_id !== undefined) return this.#versionOf(row.version_id);
    const value = row[name];
    if (cell === "flag") return value === 1;
    if (cell === "blank") return value === "" ? undefined : value;
    const isJson = cell === "json" || field.fields !== undefined;
    return isJson && value !== null && value !== undefined ? JSON.parse(String(value)) : value;
  }

  #list(part: KeptPart, { item = {} }: Field, rows: readonly StoredRows[]): unknown[] {
    if (item.noun !== undefined) return rows.map(({ row }) => row[part.to]);
    const { round, earlier } = part;
    if (round === undefined) {
      const things = rows.map((one) => this.thing(part, item.fields ?? [], one));
      if (earlier !== undefined) nameEarlier(things, earlier, rows);
      return things;
    }
    const rounds = [...Map.groupBy(rows, ({ row }) => row[round]).values()];
    return rounds.map((own) => own.map((one) => this.thing(part, item.item?.fields ?? [], one)));
  }

  #versionOf(id: Cell): number | undefined {
    return this.all<{ version: number }>("SELECT version FROM versions WHERE id = ?", id)[0]?.version;
  }

  /** The id of a stored version of an asset; null if there is none. */
  versionId(node_id: unknown, version: unknown): number | null {
    const sql = "SELECT id FROM versions WHERE node_id = ? AND version = ?";
    return this.all<{ id: number }>(sql, node_id, version)[0]?.id ?? null;
  }
}

/** Puts the number of an earlier item of the list in place of its id. */
function nameEarlier(things: readonly Raw[], field: string, rows: readonly StoredRows[]): void {
  const numbers = new Map<unknown, number>(rows.map(({ row }, at) => [row.id, at + 1]));
  for (const thing of things) if (thing[field] !== undefined) thing[field] = numbers.get(thing[field]);
}

/** A stored medium as things have it. */
export const mediumOf = ({ label, kind, created_by, created_at, sha256 }: Row): Raw => ({
  label,
  kind,
  ...(created_by !== null && { created_by }),
  ...(created_at !== null && { created_at }),
  sha256,
});
