// Describes how the fields of things are kept in columns of their rows: one description writes them and reads them.
import { deleteMedia } from "../../store/media.ts";
import { statements } from "../../store/statement_map.ts";
import {
  type ById,
  bulkInsert,
  change,
  type Inserted,
  type StatementName,
  type Updated,
} from "../../store/statements.ts";
import type { Validator } from "../check/validator.ts";
import type { Change, Entry, FieldOf, Item, Noun, SectionChanges, SectionName, Thing } from "../sections/sections.ts";
import type { Exported, Exporter, Row } from "./exporter.ts";
import type { Cell, Cells, Writer } from "./writer.ts";

type Raw = Readonly<Record<string, unknown>>;
/** Gives a function that reads a field of a row. */
type Open = (exporter: Exporter, field: string) => (row: Row) => unknown;

interface Reading {
  /** Undefined if the row has the value under the name of the field. */
  open?: Open;
}

/** A field that is kept in a column of another name, or in several. */
export interface Kept<C extends string> extends Reading {
  /** The column; other fields may fill it too. */
  column: C;
  write(cells: Cells, thing: Raw, field: string, writer: Writer, isNew: boolean): void;
}

/** A field that is kept in the column of its own name. */
interface Own extends Reading {
  column?: undefined;
  write: Kept<string>["write"];
}

/** A list of a section's things that is kept in rows of its own. */
export interface Listed<S extends SectionName = SectionName> extends Reading {
  list(writer: Writer, changes: SectionChanges<S>): void;
}

/** A field of a part of a thing that the writer of the part writes itself. */
interface Elsewhere extends Reading {
  elsewhere: true;
}

/** How each field of a thing is kept: one that is left out does not compile. */
export type FieldsOf<T, C extends string, Further> = {
  readonly [F in keyof T]-?: Kept<C> | Further | (F extends C ? Own : never);
};

export const same: Own = {
  write(cells, thing, field) {
    cells[field] = (thing[field] ?? null) as Cell;
  },
};

export const flag: Own = {
  write(cells, thing, field) {
    cells[field] = Number(thing[field]);
  },
  open: (_, field) => (row) => row[field] === 1,
};

export const json: Own = {
  write(cells, thing, field) {
    cells[field] = JSON.stringify(thing[field]);
  },
  open: (_, field) => (row) => JSON.parse(row[field] as string),
};

/** A time that is the time of the import if the document does not say it. */
export const time: Own = {
  write(cells, thing, field, { now }, isNew) {
    const { created_at = now } = thing;
    cells[field] = (thing[field] ?? (isNew ? created_at : now)) as Cell;
  },
};

/** A reference by name, which the column has by id. */
export const named = <const C extends string>(noun: Noun, column: C): Kept<C> => ({
  column,
  write(cells, thing, field, writer) {
    cells[column] = writer.id(noun, thing[field] as string | undefined);
  },
  open: (exporter) => (row) => exporter.name(noun, row[column]),
});

/** One of `scene` and `asset`, which share a column. */
export const node = (noun: "scene" | "asset"): Kept<"node_id"> => ({
  ...named(noun, "node_id"),
  write(cells, thing, field, writer) {
    cells.node_id = writer.id(noun, thing[field] as string | undefined) ?? cells.node_id ?? null;
  },
});

/** The version of the `asset` of the thing, by its number. */
export const versionOfAsset: Kept<"version_id"> = {
  column: "version_id",
  write(cells, { asset, version }, _, writer) {
    cells.version_id = asset === undefined ? null : writer.versionId(asset as string, version as number | undefined);
  },
};

/** What tells apart two things of one label. */
export const ref = (noun: Noun): Kept<"ref"> => ({
  ...same,
  column: "ref",
  open: (exporter) => (row) => exporter.ref(noun, row.id),
});

export const elsewhere = (open?: Open): Elsewhere => ({ elsewhere: true, ...(open && { open }) });

/** Reads the rows of a list, each group by the id of the thing that it belongs to. */
export const grouped =
  <T extends Row>(rows: Exported<T>, by: keyof T & string, open: (exporter: Exporter) => (row: T) => unknown): Open =>
  (exporter) => {
    const groups = exporter.grouped(rows, by);
    const read = open(exporter);
    return ({ id }) => groups(id).flatMap((row) => read(row) ?? []);
  };

/** A list whose rows are replaced when it changes. Its items are written for one thing after the other. */
export function replaced<S extends SectionName, F extends keyof Thing<S>>(
  field: F & FieldOf<S>,
  remove: ById,
  open: Open,
  insert: (writer: Writer, id: number, items: Thing<S>[F]) => void,
): Listed<S> {
  const removeRows = changeById(remove);
  return {
    open,
    list(writer, { added, changed }) {
      const others = changed.filter(({ fields }) => fields.has(field));
      for (const { id } of others) removeRows(writer, id, {});
      for (const { id, item } of [...added, ...others]) insert(writer, id, (item as Thing<S>)[field]);
    },
  };
}

/** How a part of a thing is kept in rows of its own. */
export function partOf<T extends object>() {
  return <const I extends StatementName>(insert: I, fields: FieldsOf<T, Inserted<I>, Elsewhere>) => {
    bulkInsert(insert);
    const described: Described = Object.entries(fields);
    return {
      insert(writer: Writer, part: T, further: Cells): void {
        writer.put(insert, cellsOf(described, part as Raw, writer, true, { ...further }));
      },
      open: (exporter: Exporter) => readerOf(described, exporter),
    };
  };
}

type Described<S extends SectionName = SectionName> = readonly (readonly [
  field: string,
  Reading & Partial<Pick<Kept<string>, "write"> & Pick<Listed<S>, "list">>,
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

function readerOf<S extends SectionName>(described: Described<S>, exporter: Exporter): (row: Row) => Row {
  const reads = described.flatMap(([field, { open }]) => (open ? [[field, open(exporter, field)] as const] : []));
  return (row) => {
    const thing = { ...row };
    for (const [field, read] of reads) thing[field] = read(row);
    return thing;
  };
}

const byId = new Map<StatementName, (writer: Writer, id: number, cells: Cells) => void>();
/** A statement that changes a row, or rows of a thing, by an id. */
function changeById(name: StatementName): (writer: Writer, id: number, cells: Cells) => void {
  const known = byId.get(name);
  if (known !== undefined) return known;
  const run = change<Cells>(name);
  const made = (writer: Writer, id: number, cells: Cells): void => {
    writer.flush();
    run(writer.store, { ...cells, production_id: writer.production_id, id });
  };
  byId.set(name, made);
  return made;
}

/** Declares an UPDATE of one row of a production by its id. */
export const updateOf = <const U extends StatementName>(
  name: U,
): ((writer: Writer, id: number, columns: Readonly<Record<Updated<U>, Cell>>) => void) => changeById(name);

/** Declares a DELETE of rows of a production by an id: their own, or that of the thing they belong to. */
export const deleteOf = (name: ById): ((writer: Writer, id: number) => void) => {
  const run = changeById(name);
  return (writer, id) => run(writer, id, {});
};

/** Removes the row of a collected medium, if there is one. Its bytes go once nothing else needs them. */
export function removeMedia(writer: Writer, media: unknown): void {
  if (media === undefined || media === null) return;
  const { id: media_id } = media as { id: number }; // a collected medium has its id
  deleteMedia(writer.store, { production_id: writer.production_id, media_id });
}

/** What is done with the things of a section. */
export interface Rows<S extends SectionName = SectionName> {
  /** Checks the rules between the fields of a thing. */
  check?: ((validator: Validator, thing: Item<S>, place: string) => void) | undefined;
  /** Checks the rules between things. */
  checkAll?: ((validator: Validator, things: readonly Item<S>[]) => void) | undefined;
  collect(exporter: Exporter): Row[];
  /** Writes the rows of added and changed things. */
  write(writer: Writer, changes: SectionChanges<S>): void;
  /** Writes what is kept in rows of its own, once what it refers to is written. */
  writeLists(writer: Writer, changes: SectionChanges<S>): void;
  /** Removes the rows of things, after everything that refers to them. */
  remove(writer: Writer, removed: readonly Entry<S>[]): void;
}

interface Description<S extends SectionName, I extends StatementName> extends Pick<Rows<S>, "check" | "checkAll"> {
  /** The statement that reads them, in the order of the document. */
  read: Exported<Row>;
  /** A thing that is made of several rows has several. */
  insert: readonly I[];
  update?: readonly StatementName[];
  /** Sets the unique columns aside, so that things can exchange them: those of the `unique` fields. */
  park?: ById;
  unique?: readonly FieldOf<S>[];
  /** What removes a thing, and before it the rows that belong to it. */
  remove?: readonly ById[];
  fields: FieldsOf<Thing<S>, Inserted<I>, Listed<S>>;
  /** The columns that no field has. */
  further?(entry: Entry<S>): Partial<Record<Inserted<I>, Cell>>;
  /** Is called after all rows of added and changed things. */
  after?(writer: Writer, entries: readonly Entry<S>[]): void;
}

const thingOf = <S extends SectionName>({ item }: Entry<S>): Raw =>
  typeof item === "object" ? (item as Raw) : { name: item }; // a plain text is a name

/** Describes the rows of a section. */
export function rowsOf<S extends SectionName>() {
  return <const I extends StatementName>(description: Description<S, I>): Rows<S> => {
    const {
      read,
      insert,
      update = [],
      park,
      unique = [],
      remove = [],
      fields,
      further,
      after,
      check,
      checkAll,
    } = description;
    for (const name of insert) bulkInsert(name);
    const [updates, removals] = [update.map(changeById), remove.map(changeById)];
    const setAside = park && changeById(park);
    const described = Object.entries(fields) as Described<S>;
    const lists = described.flatMap(([, { list }]) => list ?? []);
    const columns = new Set<string>(insert.flatMap((name) => statements[name][1]));
    let isChecked = false;
    const cells = (writer: Writer, entry: Entry<S>, isNew: boolean): Cells => {
      const made = cellsOf(described, thingOf(entry), writer, isNew, { id: entry.id, ...further?.(entry) });
      for (const column of isChecked ? [] : Object.keys(made)) // each entry has the same columns
        if (!columns.has(column)) throw new Error(`${insert[0]} has no column ${column}`);
      isChecked = true;
      return made;
    };
    return {
      ...{ check, checkAll },
      collect: (exporter) => exporter.things(read).map(readerOf(described, exporter)),
      write(writer, { added, changed, removed }) {
        const areLeaving = (one: Change<S>) => unique.some((field) => one.fields.has(field));
        if (setAside) for (const { id } of [...removed, ...changed.filter(areLeaving)]) setAside(writer, id, {});
        if (updates.length === 0 && changed.length > 0) throw new Error(`${insert[0]} writes what is never changed`);
        for (const entry of changed) for (const run of updates) run(writer, entry.id, cells(writer, entry, false));
        for (const name of insert) for (const entry of added) writer.put(name, cells(writer, entry, true));
      },
      writeLists(writer, changes) {
        for (const list of lists) list(writer, changes);
        if (after === undefined) return;
        writer.flush();
        after(writer, [...changes.added, ...changes.changed]);
      },
      remove(writer, removed) {
        for (const { row } of removed) for (const medium of [row?.media ?? []].flat()) removeMedia(writer, medium);
        for (const run of removals) for (const { id } of removed) run(writer, id, {});
      },
    };
  };
}
