// Reads and writes the things of sections in the rows of their tables, and the items of their lists in rows of their own.
import { isDeepStrictEqual } from "node:util";
import { deleteMedia, type MediaOwner } from "../../../graph/media_rows.ts";
import type { DocumentMedia } from "../read/read.ts";
import { type Raw, rawsOf, roundsOf } from "../sections/form.ts";
import { type SectionName, sections } from "../sections/sections.ts";
import type { ListTables } from "../sections/tables.ts";
import { type Exporter, isOwner, type Row } from "./exporter.ts";
import { type KeptList, type Kind, kindOfSection, tablesOf } from "./kinds.ts";
import { type Cell, type Cells, columnsOf, type KeyedTable, type RowKind, type Writer } from "./writer.ts";

/** Reads things from their rows, when they are needed: a whole thing, or one of its fields. */
export interface ThingReader {
  whole(row: Row): Row;
  field(row: Row, name: string): unknown;
}

function readerOf({ fields, lists, media, tables }: Kind, exporter: Exporter): ThingReader {
  const reads = new Map<string, (row: Row) => unknown>([["stored_ref", ({ ref }) => ref]]);
  for (const { key, open } of fields) if (open !== undefined) reads.set(key, open(exporter));
  for (const list of lists) reads.set(list.field, openList(exporter, list));
  const { media: owner } = tables;
  if (media !== undefined && owner !== undefined)
    reads.set(media.field, ({ id }) => (media.isList ? exporter.media(owner, id) : exporter.media(owner, id)[0]));
  return {
    whole(row) {
      const thing = { ...row };
      for (const [field, read] of reads) thing[field] = read(row);
      return thing;
    },
    field: (row, name) => reads.get(name)?.(row) ?? row[name],
  };
}

/** Reads the items of a list, by the id of the thing that they belong to. */
function openList(exporter: Exporter, { field, part: { of, round }, kind, link }: KeptList): (row: Row) => unknown {
  const groups = exporter.grouped(kind.read, of);
  const { whole, field: fieldOf } = readerOf(kind, exporter);
  const read = link === undefined ? whole : (row: Row) => fieldOf(row, field);
  const items = ({ id }: Row) => groups(id).flatMap((row) => read(row) ?? []);
  if (round === undefined) return items;
  return (row) => [...Map.groupBy(items(row) as Row[], (one) => one[round]).values()]; // its items are objects
}

/** The rows of the things of a section in the order of the document, or that of the production, and what reads them. */
export function openRows(exporter: Exporter, name: SectionName | "production"): { rows: Row[]; reader: ThingReader } {
  const kind = kindOfSection(exporter.store, name);
  const rows = name === "production" ? exporter.rows(kind.read) : exporter.things(kind.read);
  return { rows, reader: readerOf(kind, exporter) };
}

/** The cells of a thing, beside those that are given. */
function cellsOf({ fields, columns }: Kind, thing: Raw, writer: Writer, isNew: boolean, given: Cells): Cells {
  const cells = given;
  if (columns.has("production_id")) cells.production_id = writer.production_id;
  for (const { write } of fields) write(cells, thing, writer, isNew);
  return cells;
}

/** The tables of a kind with the columns that have cells, the same for each row. Throws an Error for a cell without a column. */
function rowKindsOf(kind: Kind, writer: Writer, cells: Cells): readonly RowKind[] {
  if (kind.rows !== undefined) return kind.rows;
  const given = Object.keys(cells);
  const unknown = given.find((column) => !kind.columns.has(column));
  if (unknown !== undefined) throw new Error(`${kind.tables.table} has no column ${unknown}`);
  kind.rows = tablesOf(kind.tables).map((one) => ({
    ...one,
    columns: given.filter((column) => columnsOf(writer.store, one.table).has(column)),
  }));
  return kind.rows;
}

/** A thing that is written, or an item of a list of one. */
interface Written {
  id: number;
  item: Raw;
  /** As it is stored, with the ids of the rows that belong to it; undefined if it is added. */
  stored: Raw | undefined;
  row: Row | undefined;
  /** What its media belong to beside it. */
  under?: MediaOwner;
}

/** A thing of a section that is written or removed. */
export interface Entry extends Written {
  /** In a section that has an order, the value that it is sorted by; elsewhere 0. */
  order: number;
}

export interface SectionChanges {
  added: readonly Entry[];
  changed: readonly Entry[];
  removed: readonly Entry[];
}

const isWritten = ({ stored, item }: Written, field: string): boolean =>
  stored === undefined || !isDeepStrictEqual(stored[field], item[field]);

/** What no thing has, in place of a value that is unique. */
const freeCell = (value: unknown, id: number): Cell =>
  typeof value === "string" ? `\u0001${id}` : typeof value === "number" ? -id : value === undefined ? null : 0;

/** Writes the rows of added and changed things. */
export function writeRows(writer: Writer, name: SectionName, { added, changed }: SectionChanges): void {
  const kind = kindOfSection(writer.store, name);
  const { rest } = kind.tables;
  const { unique = [], places } = sections[name];
  const cells = (entry: Entry, isNew: boolean) => {
    const own: Cells = { id: entry.id };
    if (rest !== undefined) own[rest.key] = entry.id;
    if (places !== undefined) own[places.column] = entry.order;
    if (name === "scenes") Object.assign(own, { kind: "scene", label: entry.item.slugline });
    return cellsOf(kind, entry.item, writer, isNew, own);
  };
  const aside = unique.filter((field) => kind.columns.has(field));
  for (const { id, item } of changed.filter((one) => unique.some((field) => isWritten(one, field))))
    writer.update(
      tablesOf(kind.tables).at(-1) as KeyedTable, // there is at least one
      id,
      Object.fromEntries(aside.map((field) => [field, freeCell(item[field], id)])),
    );
  for (const entry of changed) {
    const own = cells(entry, false);
    for (const row of rowKindsOf(kind, writer, own)) writer.update(row, entry.id, own);
  }
  for (const at of tablesOf(kind.tables).keys())
    for (const entry of added) {
      const own = cells(entry, true);
      writer.put(rowKindsOf(kind, writer, own)[at] as RowKind, own); // one for each table
    }
}

/** Writes the row of the production itself. */
export function writeProduction(writer: Writer, item: Raw, isNew: boolean): void {
  const kind = kindOfSection(writer.store, "production");
  const cells = cellsOf(kind, item, writer, isNew, { id: writer.production_id });
  for (const row of rowKindsOf(kind, writer, cells))
    if (isNew) writer.put(row, cells);
    else writer.update(row, writer.production_id, cells);
}

/** Writes what is kept in rows of its own, once what it refers to is written. */
export const writeLists = (writer: Writer, name: SectionName, entries: readonly Entry[]): void =>
  writeParts(writer, kindOfSection(writer.store, name), entries);

function writeParts(writer: Writer, kind: Kind, things: readonly Written[]): void {
  // The media of each thing come before those of its parts.
  for (const group of kind.media === undefined ? [things] : things.map((one) => [one])) {
    for (const one of group) writeMedia(writer, kind, one);
    for (const list of kind.lists) {
      const own = group.filter((one) => isWritten(one, list.field));
      if (own.length === 0) continue;
      const parts = list.part.recorded ? addParts(writer, list, own) : replaceParts(writer, list, own);
      writeParts(writer, list.kind, parts);
    }
  }
}

/** What the media of an item belong to beside it. */
const underOf = ({ of, media }: ListTables, owner: number) =>
  media !== undefined && isOwner(of) && { under: { [of]: owner } };

/** Inserts the row of an item. Its number of a version is that of a version of its owner's asset. Returns it if it has media or lists of its own. */
function insertPart(writer: Writer, list: KeptList, owner: Written, item: unknown, places: Cells): Written[] {
  const { field, part, kind, link } = list;
  const id = kind.columns.has("id") ? writer.next(part.table) : 0;
  const given = link === undefined ? (item as Raw) : { [field]: item }; // what is no reference is an object
  const thing = kind.columns.has("version_id") ? { asset: owner.item.asset, ...given } : given;
  const own = { ...(id > 0 && { id }), [part.of]: owner.id, ...places };
  const cells = cellsOf(kind, thing, writer, true, own);
  for (const row of rowKindsOf(kind, writer, cells)) writer.put(row, cells);
  if (kind.media === undefined && kind.lists.length === 0) return [];
  return [{ id, item: thing, stored: undefined, row: undefined, ...underOf(part, owner.id) }];
}

/** The items of a list with their places; of a list of lists, those of all. */
function placed({ field, part: { round }, kind: { columns } }: KeptList, item: Raw): { one: unknown; places: Cells }[] {
  const lists = round === undefined ? [rawsOf(item[field])] : roundsOf(item[field]);
  return lists.flatMap((items, number) =>
    items.map((one, at) => ({
      one,
      places: {
        ...(columns.has("position") && { position: at + 1 }),
        ...(round !== undefined && { [round]: number + 1 }),
      },
    })),
  );
}

/** A list whose rows are replaced when it changes; of one whose order says nothing, only those that differ. Returns the added parts. */
function replaceParts(writer: Writer, list: KeptList, things: readonly Written[]): Written[] {
  const { field, part, link, isSet } = list;
  const isIn = (thing: Raw | undefined, one: unknown) => isSet && rawsOf(thing?.[field]).includes(one as Raw); // compared as it is
  for (const { id, stored, item } of things)
    if (stored !== undefined && !isSet) writer.remove(part.table, { [part.of]: id });
    else
      for (const one of rawsOf(stored?.[field]))
        if (!isIn(item, one)) {
          const cells: Cells = { [part.of]: id };
          link?.write(cells, { [field]: one }, writer, false);
          writer.remove(part.table, cells);
        }
  return things.flatMap((owner) =>
    placed(list, owner.item).flatMap(({ one, places }) =>
      isIn(owner.stored, one) ? [] : insertPart(writer, list, owner, one, places),
    ),
  );
}

/** A list that is added to: the stored parts come first, and have their rows. */
function addParts(writer: Writer, list: KeptList, things: readonly Written[]): Written[] {
  const { field, part, kind } = list;
  return things.flatMap((owner) => {
    const { item, stored, row } = owner;
    const [rows, former] = [rawsOf(row?.[field]), rawsOf(stored?.[field])];
    return rawsOf(item[field]).flatMap((one, at): Written[] => {
      const before = former[at];
      if (before === undefined) return insertPart(writer, list, owner, one, {});
      const id = rows[at]?.id as number; // each stored part has a row
      const [was, is] = [cellsOf(kind, before, writer, false, {}), cellsOf(kind, one, writer, false, {})];
      const differing = Object.entries(is).filter(([column, cell]) => was[column] !== cell);
      if (differing.length > 0) writer.update({ table: part.table, key: "id" }, id, Object.fromEntries(differing));
      return [{ id, item: one, stored: before, row: rows[at], ...underOf(part, owner.id) }];
    });
  });
}

/** Removes the row of a collected medium, if there is one. Its bytes go once nothing else needs them. */
function removeMedium({ store, production_id }: Writer, medium: Raw | undefined): void {
  if (medium !== undefined) deleteMedia(store, { production_id, media_id: medium.id as number }); // a collected medium has its id
}

const mediaIn = (thing: Raw | undefined, field: string): Raw[] => rawsOf([thing?.[field] ?? []].flat());

/** Removes the stored media that a thing has no longer, and attaches those that are not stored. */
function writeMedia(writer: Writer, { media, tables }: Kind, one: Written): void {
  if (media === undefined || tables.media === undefined || !isWritten(one, media.field)) return;
  const wanted: (Raw | undefined)[] = mediaIn(one.item, media.field);
  const rows = mediaIn(one.row, media.field);
  for (const [at, medium] of mediaIn(one.stored, media.field).entries()) {
    const same = wanted.findIndex((other) => isDeepStrictEqual(other, medium));
    if (same === -1) removeMedium(writer, rows[at]);
    else wanted[same] = undefined;
  }
  // The schema has them.
  for (const medium of wanted as (DocumentMedia | undefined)[])
    writer.attach(medium, { ...one.under, [tables.media]: one.id });
}

/** Removes the rows of things, after everything that refers to them. */
export function removeRows(writer: Writer, name: SectionName, removed: readonly Entry[]): void {
  const { lists, media, tables } = kindOfSection(writer.store, name);
  for (const { row } of removed)
    for (const medium of media ? mediaIn(row, media.field) : []) removeMedium(writer, medium);
  const owned = lists.filter(({ part }) => !part.recorded).map(({ part }) => ({ table: part.table, key: part.of }));
  for (const { table, key } of [...owned, ...tablesOf(tables).reverse()])
    for (const { id } of removed) writer.remove(table, { [key]: id });
}
