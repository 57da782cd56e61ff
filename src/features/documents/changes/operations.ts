// What makes of the rows of a thing those of another one: operations on a row, on its cells that differ, or on a whole
// ordered list.
import { isDeepStrictEqual } from "node:util";
import { type Field, type KeptPart, layoutOf, type Raw, tableNoun } from "../sections/form.ts";
import { type AnySection, type Noun, namings, sections } from "../sections/sections.ts";
import type { Tables } from "../sections/tables.ts";
import { mediumRow } from "./media.ts";
import { NextIds } from "./next_ids.ts";
import type { RowOperation } from "./row_operation.ts";
import { type Cell, columnsOf, mediumOf, type Row, type Rows, type StoredRows } from "./rows.ts";

type About = Pick<RowOperation, "section" | "id" | "field">;

const sameCell = (one: Cell | undefined, other: Cell | undefined): boolean =>
  one === other || (one ?? null) === (other ?? null);
const sameRow = (one: Row, other: Row): boolean =>
  Object.keys({ ...one, ...other }).every((column) => sameCell(one[column], other[column]));

const raws = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);

/** The thing of a list. Versions that items name are those of its asset. */
interface Owner {
  id: number;
  asset?: unknown;
}

/** A thing as it is and as it will be: undefined if it goes. In a section that has an order, with its place. */
interface Thing {
  before: StoredRows | undefined;
  next: Raw | undefined;
  order: number | undefined;
}

export class Operations {
  readonly #rows: Rows;
  #now: string;
  readonly #ids: NextIds;
  /** The ids of versions that are added, by the asset and the number. */
  readonly #versions = new Map<string, number>();

  constructor(rows: Rows, now: string) {
    this.#rows = rows;
    this.#now = now;
    this.#ids = new NextIds(rows);
  }

  /** The next id of a table. */
  next = (table: string): number => this.#ids.next(table);

  /** Things of a new production get their ids, once it has a database. */
  settle(now: string): void {
    this.#now = now;
    this.#ids.settle();
  }

  /** Whether the ids of a new production are still free. */
  areNext = (): boolean => this.#ids.areNext();

  /** The id that a thing has in its table. */
  id = (noun: Noun, id: number): number => this.#ids.settled(sections[namings[noun].list].table, id);

  /** What makes a thing of a section another one: of none, it comes; to none, it goes. */
  of(section: AnySection, own_id: number, { before, next, order }: Thing): RowOperation[] {
    const { tables, fields } = layoutOf(section);
    const { table, rest } = tables;
    const id = this.#ids.settled(table, own_id);
    const about = { section, id, field: "" };
    const own = [
      { table, key: { id } },
      ...(rest === undefined ? [] : [{ table: rest.table, key: { [rest.key]: id } }]),
    ];
    if (next === undefined) {
      const lists = this.#lists(about, tables, fields, { id, before, next: {} });
      const rows = own
        .toReversed()
        .map((one) => ({ ...about, ...one, from: this.#ownCells(one.table, before?.row ?? {}), to: null }));
      return [...lists, ...rows];
    }
    const cells: Row = { id, ...this.#cells(tables, fields, next, before === undefined) };
    if (rest !== undefined) Object.assign(cells, { [rest.key]: id, kind: "scene", label: next.slugline });
    const place = section === "production" ? undefined : sections[section].place;
    if (place !== undefined && order !== undefined) cells[place] = order;
    const rows = own.flatMap((one) => this.#row({ ...about, ...one }, before?.row, cells));
    return [...rows, ...this.#lists(about, tables, fields, { id, before, next })];
  }

  #columns = (table: string): readonly string[] =>
    this.#rows.database === undefined ? [] : columnsOf(this.#rows.database, table);

  #ownCells = (table: string, row: Row): Row =>
    Object.fromEntries(this.#columns(table).map((column) => [column, row[column] ?? null]));

  /** What adds a row, or sets its cells that differ. */
  #row(to: About & Pick<RowOperation, "table" | "key">, before: Row | undefined, cells: Row): RowOperation[] {
    const { production_id } = this.#rows;
    const columns = this.#columns(to.table);
    if (before === undefined) {
      const row: Row = {};
      for (const column of columns)
        if (column === "production_id") row.production_id = production_id;
        else if (column in cells) row[column] = cells[column] ?? null;
      return [{ ...to, from: null, to: Object.assign(row, to.key) }];
    }
    const [from, next]: [Row, Row] = [{}, {}];
    let isSame = true;
    for (const column of columns) {
      if (!(column in cells) || sameCell(before[column], cells[column])) continue;
      isSame = false;
      from[column] = before[column] ?? null;
      next[column] = cells[column] ?? null;
    }
    return isSame ? [] : [{ ...to, from, to: next }];
  }

  /** The cells of a thing. What changes keeps its times unless the thing has others. */
  #cells(tables: Tables, fields: readonly Field[], thing: Raw, isNew: boolean): Row {
    const columns = this.#rows.columns(tables);
    const cells: Row = {};
    for (const field of fields) {
      const { name, part, item, medium, noun, nouns, cell } = field;
      if (part !== undefined || medium || item?.medium || field.isInverse) continue;
      const value = thing[name] ?? field.usual ?? null;
      if (noun !== undefined) {
        const column = this.#rows.columnOf(columns, name, noun);
        // An id; a scene and an asset may share a column.
        cells[column] = typeof value === "number" ? this.id(noun, value) : (cells[column] ?? null);
      } else if (nouns !== undefined) this.#setTarget(cells, name, nouns, value);
      else if (name === "version" && columns.has("version_id")) cells.version_id = this.#versionId(thing.asset, value);
      else if (cell === "flag") cells[name] = Number(value);
      else if (cell === "blank")
        cells[name] = (value ?? "") as string; // the schema has a text
      else if (cell === "json" || field.fields !== undefined)
        cells[name] = value === null ? null : JSON.stringify(value);
      else if (cell === "time") {
        // a time is a text
        if (value !== null || isNew) cells[name] = (value ?? thing.created_at ?? this.#now) as string;
      } else cells[name] = value as Cell; // the schema has a text or a number
    }
    return cells;
  }

  /** A text that may name things of several nouns. The column of its own name has what names nothing. */
  #setTarget(cells: Row, name: string, nouns: readonly Noun[], value: unknown): void {
    const [[named, id] = []] = typeof value === "object" && value !== null ? Object.entries(value) : [];
    for (const noun of nouns) cells[`${tableNoun(noun)}_id`] = null;
    for (const noun of nouns) if (named === noun) cells[`${tableNoun(noun)}_id`] = this.id(noun, Number(id));
    cells[name] = named === undefined ? (value as string) : null; // the schema requires a text
  }

  #versionId(given: unknown, version: unknown): number | null {
    if (version === null || typeof given !== "number") return null;
    const asset = this.id("asset", given);
    return this.#versions.get(`${asset}/${version}`) ?? this.#rows.versionId(asset, version);
  }

  #lists(
    about: About,
    { media: column }: Tables,
    fields: readonly Field[],
    owner: { id: number; before: StoredRows | undefined; next: Raw },
  ): RowOperation[] {
    const { id, before, next } = owner;
    return fields.flatMap((field): RowOperation[] => {
      const { name, part, item, medium } = field;
      const to = { ...about, field: about.field === "" ? name : about.field };
      const wanted = raws(next[name]);
      if ((medium || item?.medium) && column !== undefined)
        // objects with the fields of media
        return this.#media(to, { column, id }, before?.media ?? [], wanted as Raw[]);
      if (part === undefined) return [];
      const rows = before?.lists[name] ?? [];
      if (part.kind === "rows") return this.#items(to, part, item?.fields ?? [], id, rows, wanted as Raw[]); // objects
      const stored = rows.map(({ row }) => row);
      return part.kind === "set"
        ? this.#pairs(to, field, part, id, stored, wanted)
        : this.#ordered(to, field, part, { id, asset: next.asset }, stored, wanted);
    });
  }

  /** The cells of an item of a list. */
  #itemCells({ item = {} }: Field, part: KeptPart, owner: Owner, one: unknown, more: Row): Row {
    const own = part.round === undefined ? item : (item.item ?? {});
    const { noun } = item;
    const cells =
      noun === undefined
        ? this.#cells(part, own.fields ?? [], { asset: owner.asset, ...(one as Raw) }, true) // here it is an object
        : { [part.to]: this.id(noun, Number(one)) };
    return { production_id: this.#rows.production_id, [part.of]: owner.id, ...more, ...cells };
  }

  /** The pairs of a set come and go one by one. */
  #pairs(
    to: About,
    field: Field,
    part: KeptPart,
    id: number,
    rows: readonly Row[],
    wanted: readonly unknown[],
  ): RowOperation[] {
    const byTarget = (list: readonly Row[]) => new Map(list.map((row) => [row[part.to], row]));
    const [was, is] = [byTarget(rows), byTarget(wanted.map((one) => this.#itemCells(field, part, { id }, one, {})))];
    const about = ({ [part.to]: target = null }: Row) => ({
      ...to,
      table: part.table,
      key: { [part.of]: id, [part.to]: target },
    });
    return [
      ...[...was].flatMap(([key, row]) => {
        const now = is.get(key);
        return now !== undefined && sameRow(row, now) ? [] : [{ ...about(row), from: row, to: now ?? null }];
      }),
      ...[...is].flatMap(([key, row]) => (was.has(key) ? [] : [{ ...about(row), from: null, to: row }])),
    ];
  }

  /** An ordered list changes as one. */
  #ordered(
    to: About,
    field: Field,
    part: KeptPart,
    owner: Owner,
    rows: readonly Row[],
    wanted: readonly unknown[],
  ): RowOperation[] {
    const { round } = part;
    const will = (
      round === undefined
        ? [{ items: wanted, more: {} }]
        : wanted.map((items, at) => ({ items: raws(items), more: { [round]: at + 1 } }))
    ).flatMap(({ items, more }) =>
      items.map((one, at) => this.#itemCells(field, part, owner, one, { ...more, position: at + 1 })),
    );
    const isSame = rows.length === will.length && rows.every((row, at) => sameRow(row, will[at] ?? {}));
    return isSame ? [] : [{ ...to, table: part.table, key: { [part.of]: owner.id }, from: [...rows], to: will }];
  }

  /** Items with ids of their own: known again by a field, or by their place, because they are only added to. */
  #items(
    to: About,
    part: KeptPart,
    fields: readonly Field[],
    owner: number,
    rows: readonly StoredRows[],
    wanted: readonly Raw[],
  ): RowOperation[] {
    const { by, table, earlier } = part;
    const ids: number[] = [];
    const stored = new Map<unknown, StoredRows>(rows.map((one, at) => [by === undefined ? at : one.row[by], one]));
    const left = new Set(rows);
    const changed = wanted.flatMap((item, at): RowOperation[] => {
      const before = stored.get(by === undefined ? at : item[by]);
      if (before !== undefined) left.delete(before);
      const id = (before?.row.id as number | undefined) ?? this.next(table); // a row of such a list has one
      if (table === "versions") this.#versions.set(`${owner}/${item.version}`, id);
      const cells: Row = { ...this.#cells(part, fields, item, before === undefined), [part.of]: owner };
      if (earlier !== undefined) cells[earlier] = ids[Number(item[earlier]) - 1] ?? null;
      ids.push(id);
      const lists = this.#lists(to, part, fields, { id, before, next: item });
      return [...this.#row({ ...to, table, key: { id } }, before?.row, cells), ...lists];
    });
    const gone = [...left].flatMap((one): RowOperation[] => {
      const id = one.row.id as number; // as above
      const lists = this.#lists(to, part, fields, { id, before: one, next: {} });
      return [...lists, { ...to, table, key: { id }, from: one.row, to: null }];
    });
    return [...gone, ...changed];
  }

  #media(
    to: About,
    owner: { column: string; id: number },
    rows: readonly Row[],
    wanted: readonly Raw[],
  ): RowOperation[] {
    const left = [...wanted];
    const gone = rows.filter((row) => {
      const at = left.findIndex((one) => isDeepStrictEqual(one, mediumOf(row)));
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
    const about = { ...to, table: "media" };
    return [
      ...gone.map((row): RowOperation => ({ ...about, key: { id: row.id ?? null }, from: row, to: null })),
      ...left.map((one): RowOperation => {
        const id = this.next("media");
        return {
          ...about,
          key: { id },
          from: null,
          to: mediumRow({ id, production_id: this.#rows.production_id }, one, { ...owner, thing: to.id }),
        };
      }),
    ];
  }
}
