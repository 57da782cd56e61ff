// Defines a kind of list by a table of its columns, and writes it; read_list.ts reads it.
import type { Zone } from "../../core/zones.ts";
import type { ProductionDocument } from "../documents/sections/schema.ts";
import type { Findings } from "../paperwork/findings.ts";
import type { ListOptions, PaperDocument, PaperReading } from "../paperwork/partial.ts";
import type { CellType } from "./cells.ts";
import { aliasesOf, columnOf, generalField } from "./columns.ts";
import { type CsvRow, type Header, type Heads, headerKey } from "./csv.ts";
import type { Departments } from "./named_departments.ts";
import { headingsIn, readList } from "./read_list.ts";

/** What the rows of one file are read with. */
export interface OpenOptions extends ListOptions {
  departments: Departments;
}

export interface Column<T> {
  /**
   * The headers of the column; case, spaces, punctuation, accents and how "number" is written do not matter. The first
   * is written on export.
   */
  aliases: readonly [string, ...string[]];
  cell: CellType<T>;
  required?: true;
  /** Kept only where `map` names it: the script knows it better. */
  onlyMapped?: true;
}

/** A column of these headers, which have commas between them. */
export const column = <T>(
  headers: string,
  cell: CellType<T>,
  options: Pick<Column<T>, "required" | "onlyMapped"> = {},
  // split gives one at least
): Column<T> => ({ aliases: headers.split(", ") as [string, ...string[]], cell, ...options });

export type ListColumns = Record<string, Column<unknown>>;
type Value<C> = C extends Column<infer T> ? T : never;
export type Values<C extends ListColumns> = { [F in keyof C]?: Value<C[F]> };
/**
 * A row that is written; what is undefined is an empty cell. `further` has the cells of further columns, by their
 * headers.
 */
export type WrittenRow<C extends ListColumns> = { readonly [F in keyof C]?: Value<C[F]> | undefined } & {
  readonly further?: ReadonlyMap<string, string>;
};

/** One row with something in it. If it is a banner, `values` is empty. */
export interface ListEntry<C extends ListColumns, B> {
  line: number;
  values: Values<C>;
  banner: B | undefined;
  /** A cell of it could not be read, which is a problem already. */
  broken: boolean;
  /** The text of the cell of a field; "" if the file has no column for it. */
  text(field: keyof C & string): string;
  /** The texts of cells that no field is read from. */
  rest: readonly string[];
  /** The cells of columns that are not known, by their headers; of kinds that keep them. */
  further: ReadonlyMap<string, string>;
}

export interface ListBuilding<C extends ListColumns, B> {
  entries: readonly ListEntry<C, B>[];
  /** The rows above the headers. */
  above: readonly CsvRow[];
  options: OpenOptions;
  findings: Findings;
  /** The header of a field's column as the file has it, for problems. */
  headerOf(field: keyof C & string): string;
  /** Whether the file has a column for the field. */
  has(field: keyof C & string): boolean;
  /** Where that column is; -1 if there is none. */
  at(field: keyof C & string): number;
  /** The headers that no field is known for. */
  unknown: readonly string[];
  /**
   * Says that what a row has is in the result. A row that is neither taken nor named in a warning is named as not read.
   */
  took(line: number): void;
}

export interface ListReader<C extends ListColumns, B = never> {
  /** What a file of this kind is, in a sentence: "a schedule". */
  title: string;
  columns: C;
  /** Sets of columns of which one must be there. */
  needs: readonly (readonly (keyof C & string)[])[];
  /**
   * The fields that a column of an unknown header most likely is, if the file has no other column for them, and no
   * headings between its rows.
   */
  wanted?: readonly (keyof C & string)[];
  /** Columns of these headers, which have commas between them, are dropped with one warning that gives the reason. */
  dropped?: { headers: string; because: string };
  keepsFurther?: true;
  /** Answers a function that says what a row is that has no values of its own, such as a day break. */
  banners?(header: Header, options: OpenOptions): (row: CsvRow) => B | undefined;
  /**
   * How much else than its columns shows that a file is of the kind, or is not if it is below 0, where nobody says what
   * it is. `kinds` are those of the production's assets.
   */
  evidence?(header: Header, rows: readonly CsvRow[], kinds: ReadonlySet<string>): number;
  build(building: ListBuilding<C, B>): PaperDocument;
  /** The rows of a whole document, for kinds that are exported. */
  rows?(document: ProductionDocument): WrittenRow<C>[];
}

/** The headings of a file as a kind of list understands them. */
export interface Headings {
  /** The keys of the headers that are those of a field; true where it is the field's first name. */
  known: ReadonlyMap<string, boolean>;
  /** How many others there are, those of columns that the kind drops too. */
  unknown: number;
  /** What else than its columns shows that it is of the kind, or is not. */
  evidence: number;
  /** Where in the first rows of the file they stand. */
  start: number;
  /** The headers as the file has them. */
  headers: readonly string[];
  /** The first rows with the columns that the kind reads, below the names of these columns. */
  table: readonly (readonly string[])[];
}

/** A kind of list as the rest of the program uses it. */
export interface List {
  /** The headers and the kinds of cells, by field. */
  columns: Readonly<Record<string, { aliases: readonly string[]; cell: { holds: string } }>>;
  /** Throws FormatError with every problem of the file. */
  read(bytes: Uint8Array, options: ListOptions): PaperReading;
  /** The headings of a file; undefined if it has not those that the kind needs. */
  headings(heads: Heads, kinds?: ReadonlySet<string>): Headings | undefined;
  /** Whether a header is that of a column of the kind, or of one that it drops. */
  knows(header: string): boolean;
  /** The header row and the rows of a document, if this kind is exported. */
  table?(document: ProductionDocument): string[][];
}

/**
 * The columns that have a value, and those without which the table could not be read again. An empty list is no value.
 */
function tableOf<C extends ListColumns>(
  { columns, needs }: Pick<ListReader<C>, "columns" | "needs">,
  rows: readonly WrittenRow<C>[],
  zone: Zone,
): string[][] {
  const needed = needs[0] ?? [];
  const isEmpty = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0);
  const fields = Object.keys(columns).filter(
    (field) => needed.includes(field) || rows.some((row) => !isEmpty(row[field])),
  );
  const print = (row: WrittenRow<C>, field: string): string =>
    isEmpty(row[field]) ? "" : columnOf(columns, field).cell.print(row[field], zone);
  const further = [...new Set(rows.flatMap((row) => [...(row.further?.keys() ?? [])]))];
  return [
    [...fields.map((field) => columnOf(columns, field).aliases[0]), ...further],
    ...rows.map((row) => [
      ...fields.map((field) => print(row, field)),
      ...further.map((header) => row.further?.get(header) ?? ""),
    ]),
  ];
}

/** Makes a list of its table of columns. */
export function defineList<C extends ListColumns, B = never>(reader: ListReader<C, B>): List {
  const { columns, rows } = reader;
  return {
    columns,
    read: (bytes, options) => readList(reader, bytes, options),
    headings: (heads, kinds = new Set()) => headingsIn(reader, heads, kinds),
    knows: (header) => {
      const field = aliasesOf(reader, {}).get(headerKey(header));
      return field !== undefined && field !== generalField;
    },
    ...(rows === undefined
      ? {}
      : {
          table: (document: ProductionDocument) =>
            tableOf(reader, rows(document), document.production.time_zone ?? null),
        }),
  };
}
