// Defines the type of a kind of list: a table of its columns, and a function that makes a document from its rows.
import type { ProductionDocument } from "../document/schema.ts";
import type { CellType } from "./cells.ts";
import type { CsvRow } from "./csv.ts";
import type { Departments } from "./departments.ts";
import type { Findings } from "./findings.ts";
import type { Header } from "./header.ts";
import { readList } from "./list_reading.ts";
import type { DateOrder, PaperDocument, PaperReading, ReadOptions } from "./partial.ts";

export interface ListOptions extends ReadOptions {
  /** Further headers, by the field that each means: {"Set": "slugline"}. */
  map?: Readonly<Record<string, string>>;
  dates?: DateOrder;
  /** The week of a cost report, YYYY-MM-DD. */
  week?: string;
}

/** What the rows of one file are read with. */
export interface OpenOptions extends ListOptions {
  departments: Departments;
}

export interface Column<T> {
  /** The headers of the column; case, spaces, punctuation and accents do not matter. The first is written on export. */
  aliases: readonly [string, ...string[]];
  cell: CellType<T>;
  required?: true;
  /** Kept only where `map` names it: the script knows it better. */
  onlyMapped?: true;
}

export type ListColumns = Record<string, Column<unknown>>;
type Value<C> = C extends Column<infer T> ? T : never;
export type Values<C extends ListColumns> = { [F in keyof C]?: Value<C[F]> };
/** A row that is written; what is undefined is an empty cell. `further` has the cells of further columns, by their headers. */
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
  /** The texts of cells that no field is read from. */
  rest: readonly string[];
  /** The cells of columns that are not known, by their headers; of kinds that keep them. */
  further: ReadonlyMap<string, string>;
}

export interface ListBuilding<C extends ListColumns, B> {
  entries: readonly ListEntry<C, B>[];
  options: OpenOptions;
  findings: Findings;
  /** The header of a field's column as the file has it, for problems. */
  headerOf(field: keyof C & string): string;
  /** Whether the file has a column for the field. */
  has(field: keyof C & string): boolean;
  /** Where that column is; -1 if there is none. */
  at(field: keyof C & string): number;
}

export interface ListReader<K extends string, C extends ListColumns, B = never> {
  kind: K;
  /** What a file of this kind is, in a sentence: "a schedule". */
  title: string;
  columns: C;
  /** Sets of columns of which one must be there. */
  needs: readonly (readonly (keyof C & string)[])[];
  /** Columns of these headers are dropped with one warning that gives the reason. */
  dropped?: { aliases: readonly string[]; because: string };
  keepsFurther?: true;
  /** Answers a function that says what a row is that has no values of its own, such as a day break. */
  banners?(header: Header, options: OpenOptions): (row: CsvRow) => B | undefined;
  build(building: ListBuilding<C, B>): PaperDocument;
  /** The rows of a whole document, for kinds that are exported. */
  rows?(document: ProductionDocument): WrittenRow<C>[];
}

/** One column, for help and documentation. */
export interface ColumnHelp {
  field: string;
  aliases: readonly string[];
  holds: string;
  required: boolean;
  onlyMapped: boolean;
}

/** A kind of list as the rest of the program uses it. */
export interface List<K extends string = string> {
  kind: K;
  title: string;
  columns: readonly ColumnHelp[];
  /** Throws FormatError with every problem of the file. */
  read(bytes: Uint8Array, options: ListOptions): PaperReading;
  /** The header row and the rows of a document, if this kind is exported. */
  table?(document: ProductionDocument): string[][];
}

/** The columns that have a value, and those without which the table could not be read again. */
function tableOf<C extends ListColumns>(
  { columns, needs }: Pick<ListReader<string, C>, "columns" | "needs">,
  rows: readonly WrittenRow<C>[],
): string[][] {
  const needed = needs[0] ?? [];
  const fields = Object.keys(columns).filter(
    (field) => needed.includes(field) || rows.some((row) => row[field] !== undefined),
  );
  const print = (row: WrittenRow<C>, field: string): string => {
    const value = row[field];
    return value === undefined ? "" : (columns[field] as C[string]).cell.print(value);
  };
  const further = [...new Set(rows.flatMap((row) => [...(row.further?.keys() ?? [])]))];
  return [
    [...fields.map((field) => (columns[field] as C[string]).aliases[0]), ...further],
    ...rows.map((row) => [
      ...fields.map((field) => print(row, field)),
      ...further.map((header) => row.further?.get(header) ?? ""),
    ]),
  ];
}

/** Makes a list of its table of columns. */
export function defineList<K extends string, C extends ListColumns, B = never>(reader: ListReader<K, C, B>): List<K> {
  const { kind, title, columns, rows } = reader;
  return {
    kind,
    title,
    columns: Object.entries(columns).map(([field, { aliases, cell, required, onlyMapped }]) => ({
      field,
      aliases,
      holds: cell.holds,
      required: required === true,
      onlyMapped: onlyMapped === true,
    })),
    read: (bytes, options) => readList(reader, bytes, options),
    ...(rows === undefined ? {} : { table: (document: ProductionDocument) => tableOf(reader, rows(document)) }),
  };
}
