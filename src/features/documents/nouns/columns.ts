// Describes how the fields of things are kept in columns of their rows: one description writes them and reads them.

import {
  type ById,
  bulkInsert,
  change,
  type Inserted,
  insertedColumns,
  type StatementName,
} from "../../../core/store/statements.ts";
import { deleteMedia, type MediaOwner } from "../../../graph/media_rows.ts";
import type { DocumentMedia } from "../read/read.ts";
import { type Form, itemFormOf } from "../sections/form.ts";
import { type FieldOf, type Item, type Noun, type SectionName, sections, type Thing } from "../sections/sections.ts";
import type { Entry, SectionChanges } from "./entries.ts";
import type { Exported, Exporter, Owner, Row } from "./exporter.ts";
import type { Cell, Cells, Writer } from "./writer.ts";

type Raw = Readonly<Record<string, unknown>>;
/** Gives a function that reads a field of a row. */
type Open = (exporter: Exporter, field: string) => (row: Row) => unknown;

interface FieldReader {
  /** Undefined if the row has the value under the name of the field. */
  open?: Open;
}

/** A field that is kept in a column of another name, or in several. */
export interface ColumnMapping<C extends string> extends FieldReader {
  /** The column; other fields may fill it too. */
  column: C;
  write(cells: Cells, thing: Raw, field: string, writer: Writer, isNew: boolean): void;
}

/** A field that is kept in the column of its own name. */
interface SameColumn extends FieldReader {
  column?: undefined;
  write: ColumnMapping<string>["write"];
}

/** A list of a section's things that is kept in rows of its own. */
export interface RowList<S extends SectionName = SectionName> extends FieldReader {
  /** Removes the rows of a thing, if the list may have fewer than are stored. */
  clear?(writer: Writer, id: number): void;
  /** Gets the things that are added, and then those that change. */
  list(writer: Writer, entries: readonly Entry<S>[]): void;
}

/** A field of a part of a thing that the writer of the part writes itself. */
interface SeparateField extends FieldReader {
  separate: true;
}

/** A field that has a column of its name, or with the id of what it refers to. Its form says how it is kept. */
type MappedField<C extends string> = C | (C extends `${infer F}_id` ? F : never);

/** How the fields of a thing are kept whose form does not say it: one that is left out does not compile. */
export type FieldMappings<T, C extends string, Further> = {
  readonly [F in keyof T as F extends MappedField<C> ? never : F]-?: ColumnMapping<C> | Further;
} & { readonly [F in keyof T as F extends MappedField<C> ? F : never]?: ColumnMapping<C> | Further };

const same: SameColumn = {
  write(cells, thing, field) {
    cells[field] = (thing[field] ?? null) as Cell; // a timestamp is a text, or a number
  },
};

const flag: SameColumn = {
  write(cells, thing, field) {
    cells[field] = Number(thing[field]);
  },
  open: (_, field) => (row) => row[field] === 1,
};

const json: SameColumn = {
  write(cells, thing, field) {
    cells[field] = JSON.stringify(thing[field]);
  },
  open: (_, field) => (row) => JSON.parse(row[field] as string), // write made it
};

/** An object that may be absent, as JSON. */
export const optionalJson = <const C extends string>(column: C): ColumnMapping<C> => ({
  column,
  write(cells, thing, field) {
    cells[column] = thing[field] === undefined || thing[field] === null ? null : JSON.stringify(thing[field]);
  },
  open: (_, field) => (row) => (row[field] === null ? undefined : JSON.parse(row[field] as string)), // write made it
});

/** A time that is the time of the import if the document does not say it. */
const time: SameColumn = {
  write(cells, thing, field, { now }, isNew) {
    const { created_at = now } = thing;
    cells[field] = (thing[field] ?? (isNew ? created_at : now)) as Cell; // a timestamp is a text
  },
};

/** A reference by name, which the column has by id. */
export const named = <const C extends string>(noun: Noun, column: C): ColumnMapping<C> => ({
  column,
  write(cells, thing, field, writer) {
    cells[column] = writer.id(noun, (thing[field] ?? undefined) as string | undefined); // a name or a reference
  },
  open: (exporter) => (row) => exporter.name(noun, row[column]),
});

/** One of `scene` and `asset`, which share a column. */
export const node = (noun: "scene" | "asset"): ColumnMapping<"node_id"> => ({
  ...named(noun, "node_id"),
  write(cells, thing, field, writer) {
    // A name or a reference.
    cells.node_id = writer.id(noun, thing[field] as string | undefined) ?? cells.node_id ?? null;
  },
});

/** The version of the `asset` of the thing, by its number. */
export const versionOfAsset: ColumnMapping<"version_id"> = {
  column: "version_id",
  write(cells, { asset, version }, _, writer) {
    // As the schema has them.
    cells.version_id = asset === undefined ? null : writer.versionId(asset as string, version as number | undefined);
  },
};

/** The reference that distinguishes two things of one label. */
const ref = (noun: Noun): ColumnMapping<"ref"> => ({
  ...same,
  column: "ref",
  open: (exporter) => (row) => exporter.ref(noun, row.id),
});
/** The row keeps what is stored: null for a generated reference. */
const storedRef: FieldReader = { open: () => (row) => row.ref };

const byCell: Readonly<Record<NonNullable<Form["cell"]>, SameColumn>> = { flag, json, time };

/** How a field is kept that no table describes. Throws an Error for one without a column. */
function defaultMapping(
  { key, form }: { key: string; form: Form },
  columns: ReadonlySet<string>,
  noun: Noun | undefined,
): FieldReader {
  if (key === "ref" && noun !== undefined) return ref(noun);
  if (form.noun !== undefined && columns.has(`${key}_id`)) return named(form.noun, `${key}_id`);
  if (!columns.has(key)) throw new Error(`no column keeps ${key}`);
  return form.cell === undefined ? same : byCell[form.cell];
}

/** How each field of a form is kept: as `fields` say, else as its own form says. */
const describe = ({ fields = [] }: Form, mappings: object, inserts: readonly StatementName[], noun?: Noun) => {
  const columns = new Set<string>(inserts.flatMap(insertedColumns));
  const known = new Map<string, FieldReader>(Object.entries(mappings));
  return {
    columns,
    described: fields.map((one) => [one.key, known.get(one.key) ?? defaultMapping(one, columns, noun)] as const),
  };
};

/** Media that the writer of the part attaches: one, or a list. */
export const attachedMedium = (owner: Owner): SeparateField => ({
  separate: true,
  open: (exporter) => (row) => exporter.media(owner, row.id)[0],
});
export const attachedMedia = (owner: Owner): SeparateField => ({
  separate: true,
  open: (exporter) => (row) => exporter.media(owner, row.id),
});

/** Reads the rows of a list, each group by the id of the thing that it belongs to. */
export const grouped =
  <T extends Row>(rows: Exported<T>, by: keyof T & string, open: (exporter: Exporter) => (row: T) => unknown): Open =>
  (exporter) => {
    const groups = exporter.grouped(rows, by);
    const read = open(exporter);
    return ({ id }) => groups(id).flatMap((row) => read(row) ?? []);
  };

/** Whether a field of a thing is written: the thing is added, or the field differs. */
export const isWritten = <S extends SectionName>({ stored, fields }: Entry<S>, field: FieldOf<S>): boolean =>
  stored === undefined || fields.has(field);

/** A list whose rows are replaced when it changes. Its items are written for one thing after the other. */
export function replaced<S extends SectionName, F extends keyof Thing<S>>(
  field: F & FieldOf<S>,
  { clear, open }: { clear(writer: Writer, id: number): void; open: Open },
  insert: (writer: Writer, id: number, items: Thing<S>[F]) => void,
): RowList<S> {
  return {
    clear,
    open,
    list(writer, entries) {
      const own = entries.filter((one) => isWritten(one, field));
      for (const { id, stored } of own) if (stored !== undefined) clear(writer, id);
      // Only plain texts are no things, and they have no lists.
      for (const { id, item } of own) insert(writer, id, (item as Thing<S>)[field]);
    },
  };
}

type PartOf<S extends SectionName, L extends keyof Thing<S>> = Extract<Thing<S>[L], readonly unknown[]>[number];

/** How the parts of a thing in one of its lists are kept in rows of their own. */
interface Parts<T, I extends StatementName> {
  read: Exported<Row>;
  /** The column with the id of the thing. */
  by: Inserted<I>;
  /** The table, if each row has an id. */
  table?: string;
  /** Of parts that are references, how one is kept. */
  fields: T extends string ? ColumnMapping<Inserted<I>> : FieldMappings<T, Inserted<I>, SeparateField>;
}

/** Writes and reads the parts of a thing of a section. */
export const partRows =
  <S extends SectionName, L extends keyof Thing<S> & FieldOf<S>>(section: S, list: L) =>
  <const I extends StatementName>(insert: I, { read, by, table, fields }: Parts<PartOf<S, L>, I>) => {
    bulkInsert(insert);
    const { form } = itemFormOf(section).fields?.find(({ key }) => key === list) ?? {};
    const { item: { noun } = {} } = form ?? {};
    const described: Described =
      noun === undefined
        ? describe(form?.item ?? {}, fields, [insert]).described
        : [[list, fields as ColumnMapping<string>]]; // of parts that are references, it is one mapping
    return {
      /** Returns the id of the row, if it has one. */
      insert(writer: Writer, owner: number, part: PartOf<S, L>, further: Cells = {}): number {
        const id = table === undefined ? 0 : writer.next(table);
        const thing = (noun === undefined ? part : { [list]: part }) as Raw; // a part that is no reference is an object
        writer.put(insert, cellsOf(described, thing, writer, true, { ...further, id, [by]: owner }));
        return id;
      },
      clear: (writer: Writer, owner: number) => writer.remove(insert, owner, by),
      open: grouped(read, by, (exporter) => {
        const reader = readerOf(described, exporter);
        return (row) => (noun === undefined ? reader.whole(row) : reader.field(row, list));
      }),
    };
  };

/** A list whose rows are replaced when it changes. */
export const replacedParts =
  <S extends SectionName, L extends keyof Thing<S> & FieldOf<S>>(section: S, list: L) =>
  <const I extends StatementName>(insert: I, kept: Parts<PartOf<S, L>, I>): RowList<S> => {
    const parts = partRows(section, list)(insert, kept);
    return replaced(list, parts, (writer, id, items) => {
      const all = items as readonly PartOf<S, L>[]; // a list
      for (const [at, part] of all.entries()) parts.insert(writer, id, part, { position: at + 1 });
    });
  };

/** A part of a recorded list with what is stored of it. */
interface RecordedPart<T> {
  id: number;
  part: T;
  before: T | undefined;
}

/**
 * A list that is added to: the stored parts come first, and get media and the `changing` columns at most. `after` gets all parts of the lists
 * that change.
 */
export const recordedParts =
  <S extends SectionName, L extends keyof Thing<S> & FieldOf<S>>(section: S, list: L) =>
  <const I extends StatementName>(
    insert: I,
    kept: Parts<PartOf<S, L>, I>,
    further: {
      ownerOf?(id: number, owner: number): MediaOwner;
      changing?: readonly Inserted<I>[];
      after?(writer: Writer, parts: readonly RecordedPart<PartOf<S, L>>[]): void;
    } = {},
  ): RowList<S> => {
    const parts = partRows(section, list)(insert, kept);
    const columns: readonly string[] = further.changing ?? [];
    const cellsIn = (part: unknown): Cells => {
      const values = part as Record<string, Cell>; // such a column has the value of the field of its name
      return Object.fromEntries(columns.map((column) => [column, values[column] ?? null]));
    };
    // Its type says that the field is a list.
    const listIn = (item: Item<S>) => (item as Thing<S>)[list] as readonly PartOf<S, L>[];
    // Media are read in no other form.
    const mediaIn = (part: unknown) => [(part as { media?: DocumentMedia | DocumentMedia[] })?.media ?? []].flat();
    return {
      open: parts.open,
      list(writer, entries) {
        const all = entries.flatMap(({ id: owner, item, stored, row }) => {
          // Parts with ids.
          const [rows, former] = [row?.[list] as { id: number }[], stored === undefined ? [] : listIn(stored)];
          return listIn(item).map((part, at) => {
            const before = former[at];
            if (before === undefined) return { id: parts.insert(writer, owner, part), owner, part, before };
            const id = rows[at]?.id as number; // each stored part has a row
            const [was, is] = [cellsIn(before), cellsIn(part)];
            const changed = columns.filter((column) => was[column] !== is[column]);
            if (changed.length > 0) writer.update(insert, id, is, changed);
            return { id, owner, part, before };
          });
        });
        for (const { id, owner, part, before } of all)
          for (const medium of mediaIn(part).slice(mediaIn(before).length))
            writer.attach(medium, further.ownerOf?.(id, owner) ?? {});
        further.after?.(writer, all);
      },
    };
  };

type Described<S extends SectionName = SectionName> = readonly (readonly [
  field: string,
  FieldReader & Partial<Pick<ColumnMapping<string>, "write"> & Pick<RowList<S>, "list" | "clear">>,
])[];

function cellsOf<S extends SectionName>(
  described: Described<S>,
  thing: Raw,
  writer: Writer,
  isNew: boolean,
  cells: Cells,
): Cells {
  for (const [field, { write }] of described) write?.(cells, thing, field, writer, isNew);
  return cells;
}

/** Reads things from their rows, when they are needed: a whole thing, or one of its fields. */
export interface ThingReader {
  whole(row: Row): Row;
  field(row: Row, name: string): unknown;
}

function readerOf<S extends SectionName>(described: Described<S>, exporter: Exporter): ThingReader {
  const reads = new Map(
    described.flatMap(([field, { open }]) => (open ? [[field, open(exporter, field)] as const] : [])),
  );
  return {
    whole(row) {
      const thing = { ...row };
      for (const [field, read] of reads) thing[field] = read(row);
      return thing;
    },
    field: (row, name) => reads.get(name)?.(row) ?? row[name],
  };
}

/** Declares a statement that changes rows that belong to a thing, by the id of the thing. */
export function changeById(name: ById): (writer: Writer, id: number) => void {
  const run = change<StatementName>(name);
  return (writer, id) => {
    writer.flush();
    run(writer.store, { production_id: writer.production_id, id });
  };
}

/** Removes the row of a collected medium, if there is one. Its bytes go once nothing else needs them. */
export function removeMedia(writer: Writer, media: unknown): void {
  if (media === undefined || media === null) return;
  const { id: media_id } = media as { id: number }; // a collected medium has its id
  deleteMedia(writer.store, { production_id: writer.production_id, media_id });
}

/** What is done with the things of a section. */
export interface Rows<S extends SectionName = SectionName> {
  /** The rows of the things, and what reads them. */
  open(exporter: Exporter): { rows: Row[]; reader: ThingReader };
  /** Writes the rows of added and changed things. */
  write(writer: Writer, changes: SectionChanges<S>): void;
  /** Writes what is kept in rows of its own, once what it refers to is written. */
  writeLists(writer: Writer, entries: readonly Entry<S>[]): void;
  /** Removes the rows of things, after everything that refers to them. */
  remove(writer: Writer, removed: readonly Entry<S>[]): void;
}

interface Description<S extends SectionName, I extends StatementName> {
  /** The statement that reads them, in the order of the document. */
  read: Exported<Row>;
  /** A thing that is made of several rows has several. The first column of each has the id of the thing. */
  insert: readonly I[];
  /** The fields whose columns in the last of the rows are unique: they are set aside, so that things can exchange them. */
  unique?: readonly FieldOf<S>[];
  /** What is done before a thing is removed, beside the removal of its lists. */
  leave?: readonly ((writer: Writer, id: number) => void)[];
  /** How the fields are kept whose form does not say it. */
  fields: FieldMappings<Thing<S>, Inserted<I>, RowList<S>>;
  /** The columns that no field has. */
  further?(entry: Entry<S>): Partial<Record<Inserted<I>, Cell>>;
  /** Is called after all rows of added and changed things. */
  after?(writer: Writer, entries: readonly Entry<S>[]): void;
}

const thingOf = <S extends SectionName>({ item }: Entry<S>): Raw =>
  typeof item === "object" ? (item as Raw) : { name: item }; // a plain text is a name

/** What no thing has, in place of a value that is unique. */
const freeCell = (value: unknown, id: number): Cell =>
  typeof value === "string" ? `\u0001${id}` : typeof value === "number" ? -id : value === undefined ? null : 0;

/** Describes the rows of a section. */
export function rowsOf<S extends SectionName>(section: S) {
  return <const I extends StatementName>(description: Description<S, I>): Rows<S> => {
    const { read, insert, unique = [], leave = [], fields, further, after } = description;
    for (const name of insert) bulkInsert(name);
    const mappings = describe(itemFormOf(section), fields, insert, sections[section].noun);
    // Those of the section, and one that is only read.
    const described = [["stored_ref", storedRef], ...mappings.described] as Described<S>;
    const lists = described.flatMap(([, { list }]) => list ?? []);
    const before = [...described.flatMap(([, { clear }]) => clear ?? []), ...leave];
    const parked = unique.filter((field) => mappings.columns.has(field));
    let isChecked = false;
    const cells = (writer: Writer, entry: Entry<S>, isNew: boolean): Cells => {
      const made = cellsOf(described, thingOf(entry), writer, isNew, { id: entry.id, ...further?.(entry) });
      for (const column of isChecked ? [] : Object.keys(made)) // each entry has the same columns
        if (!mappings.columns.has(column)) throw new Error(`${insert[0]} has no column ${column}`);
      isChecked = true;
      return made;
    };
    return {
      open: (exporter) => ({ rows: exporter.things(read), reader: readerOf(described, exporter) }),
      write(writer, { added, changed }) {
        const areLeaving = (one: Entry<S>) => unique.some((field) => one.fields.has(field));
        for (const entry of parked.length === 0 ? [] : changed.filter(areLeaving)) {
          const thing = thingOf(entry);
          const aside = Object.fromEntries(parked.map((field) => [field, freeCell(thing[field], entry.id)]));
          writer.update(insert.at(-1) as I, entry.id, aside, parked); // there is at least one
        }
        for (const entry of changed)
          for (const name of insert) writer.update(name, entry.id, cells(writer, entry, false));
        for (const name of insert) for (const entry of added) writer.put(name, cells(writer, entry, true));
      },
      writeLists(writer, entries) {
        for (const list of lists) list(writer, entries);
        if (after === undefined) return;
        writer.flush();
        after(writer, entries);
      },
      remove(writer, removed) {
        for (const { row } of removed) for (const medium of [row?.media ?? []].flat()) removeMedia(writer, medium);
        for (const run of before) for (const { id } of removed) run(writer, id);
        for (const name of insert.toReversed()) for (const { id } of removed) writer.remove(name, id);
      },
    };
  };
}
