// How fields are kept in the columns of rows: it follows from the form of a field and the columns of the table. One description writes and
// reads.
import type { Field, Form, Raw } from "../sections/form.ts";
import { isReference, nounIn } from "../sections/references.ts";
import type { Noun } from "../sections/sections.ts";
import type { Exporter, Row } from "./exporter.ts";
import type { Cell, Cells, Writer } from "./writer.ts";

/** A field that is kept in columns of its row. */
export interface Kept {
  /** The name of the field. */
  key: string;
  write(cells: Cells, thing: Raw, writer: Writer, isNew: boolean): void;
  /** Gives a function that reads the field of a row. Undefined if the row has the value under the name of the field. */
  open?(exporter: Exporter): (row: Row) => unknown;
}

const same = (key: string): Kept => ({
  key,
  write(cells, thing) {
    cells[key] = (thing[key] ?? null) as Cell; // a text, or a number
  },
});

const flag = (key: string): Kept => ({
  key,
  write(cells, thing) {
    cells[key] = Number(thing[key]);
  },
  open: () => (row) => row[key] === 1,
});

const json = (key: string): Kept => ({
  key,
  write(cells, { [key]: value }) {
    cells[key] = value === undefined || value === null ? null : JSON.stringify(value);
  },
  open: () => (row) => (row[key] === null ? undefined : JSON.parse(row[key] as string)), // write made it
});

/** A time that is the time of the import if the document does not say it. */
const time = (key: string): Kept => ({
  key,
  write(cells, thing, { now }, isNew) {
    const { created_at = now } = thing;
    cells[key] = (thing[key] ?? (isNew ? created_at : now)) as Cell; // a timestamp is a text
  },
});

const byCell: Readonly<Record<NonNullable<Form["cell"]>, (key: string) => Kept>> = { flag, json, time };

/** A reference by name, which the column has by id. A scene and an asset may share one. */
const reference = (key: string, noun: Noun, column: string): Kept => ({
  key,
  write(cells, thing, writer) {
    const name = (thing[key] ?? undefined) as string | undefined; // a name or a reference
    cells[column] = writer.id(noun, name) ?? cells[column] ?? null;
  },
  open: (exporter) => (row) => exporter.name(noun, row[column]),
});

/** The reference that distinguishes two things of one label. The row keeps what is stored: null for a generated one. */
const ref = (noun: Noun): Kept => ({ ...same("ref"), open: (exporter) => (row) => exporter.ref(noun, row.id) });

/** The number of a version of the `asset` of the thing. The row is read with it. */
const versionOfAsset: Kept = {
  key: "version",
  write(cells, { asset, version }, writer) {
    // As the schema has them.
    cells.version_id = asset === undefined ? null : writer.versionId(asset as string, version as number | undefined);
  },
};

/** The column with the id of what a text names, by what it may name. */
type Named = readonly (readonly [noun: Noun, column: string])[];

/** The first of the columns that has the id of something with that name; undefined if nothing has it. */
export function firstNamed(
  named: Named,
  idOf: (noun: Noun) => number | undefined,
): readonly [string, number] | undefined {
  for (const [noun, column] of named) {
    const id = idOf(noun);
    if (id !== undefined) return [column, id];
  }
  return undefined;
}

/** A text that may name things of several nouns. The column of its own name has what names nothing. */
const referenceOrText = (key: string, named: Named): Kept => ({
  key,
  write(cells, thing, writer) {
    const text = thing[key] as string; // the schema requires it
    const idOf = (noun: Noun) => (isReference(text) && nounIn(text) === noun ? writer.idOf(text) : undefined);
    const target = firstNamed(named, idOf);
    for (const [, column] of named) cells[column] = column === target?.[0] ? target[1] : null;
    cells[key] = target === undefined ? text : null;
  },
  open: (exporter) => (row) =>
    named.reduce<unknown>((name, [noun, column]) => name ?? exporter.name(noun, row[column]), undefined) ?? row[key],
});

/** Scenes and assets are nodes. */
const tableNoun = (noun: Noun): string => (noun === "scene" || noun === "asset" ? "node" : noun);
export const columnOfNoun = (noun: Noun): string => `${tableNoun(noun)}_id`;

/** How a field is kept in one of the columns. Throws an Error for one without a column. */
export function keptIn({ key, form }: Pick<Field, "key" | "form">, columns: ReadonlySet<string>, own?: Noun): Kept {
  const { noun, nouns } = form;
  if (key === "ref" && own !== undefined) return ref(own);
  if (nouns !== undefined) {
    const named = nouns.map((one) => [one, columnOfNoun(one)] as const);
    return referenceOrText(key, named);
  }
  if (noun !== undefined) {
    const names = [`${key}_id`, `${key}_${columnOfNoun(noun)}`, columnOfNoun(noun)];
    const column = names.find((name) => columns.has(name));
    if (column !== undefined) return reference(key, noun, column);
  }
  if (key === "version" && !columns.has(key) && columns.has("version_id")) return versionOfAsset;
  if (!columns.has(key)) throw new Error(`no column keeps the field ${key}: its table has ${[...columns].join(", ")}`);
  const cell = form.fields === undefined ? form.cell : "json";
  return cell === undefined ? same(key) : byCell[cell](key);
}

/** The items of a list of references, each in the column of a row. */
export const linkIn = (key: string, noun: Noun, column = columnOfNoun(noun)): Kept => reference(key, noun, column);
