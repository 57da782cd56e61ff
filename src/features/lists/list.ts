// Defines a kind of list by a table of its columns, and reads and writes its files: finds the headers, reads each cell by its column, and
// reports every problem at once.
import { isDeepStrictEqual } from "node:util";
import { listed } from "../../core/wording.ts";
import type { ProductionDocument } from "../documents/sections/schema.ts";
import { quoted } from "../names/names.ts";
import { utf8Of } from "../paperwork/bytes.ts";
import { CellRefusal, Findings, refuse } from "../paperwork/findings.ts";
import type { ListOptions, PaperDocument, PaperReading } from "../paperwork/partial.ts";
import { type CellType, money } from "./cells.ts";
import { aliasesOf, headersFirst, placesOf, warnOfMap } from "./columns.ts";
import {
  type CsvRow,
  csvLimits,
  findHeader,
  type Header,
  type Heads,
  headerKey,
  headIn,
  headsOf,
  readRows,
} from "./csv.ts";
import { Departments } from "./departments.ts";

/** What the rows of one file are read with. */
export interface OpenOptions extends ListOptions {
  departments: Departments;
}

export interface Column<T> {
  /** The headers of the column; case, spaces, punctuation, accents and how "number" is written do not matter. The first is written on export. */
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
): Column<T> => ({ aliases: headers.split(", ") as [string, ...string[]], cell, ...options }); // split gives one at least

export type ListColumns = Record<string, Column<unknown>>;
/** The column of a field that it has. */
const columnOf = <C extends ListColumns>(columns: C, field: string): C[string] => columns[field] as C[string]; // a field is one of its keys

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
}

export interface ListReader<C extends ListColumns, B = never> {
  /** What a file of this kind is, in a sentence: "a schedule". */
  title: string;
  columns: C;
  /** Sets of columns of which one must be there. */
  needs: readonly (readonly (keyof C & string)[])[];
  /** The fields that a column of an unknown header most likely is, if the file has no other column for them, and no headings between its rows. */
  wanted?: readonly (keyof C & string)[];
  /** Columns of these headers, which have commas between them, are dropped with one warning that gives the reason. */
  dropped?: { headers: string; because: string };
  keepsFurther?: true;
  /** Answers a function that says what a row is that has no values of its own, such as a day break. */
  banners?(header: Header, options: OpenOptions): (row: CsvRow) => B | undefined;
  /** How much else than its columns shows that a file is of the kind, or is not if it is below 0, where nobody says what it is. */
  evidence?(header: Header, rows: readonly CsvRow[]): number;
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
  /** The headers as the file has them. */
  headers: readonly string[];
}

/** A kind of list as the rest of the program uses it. */
export interface List {
  /** The headers and the kinds of cells, by field. */
  columns: Readonly<Record<string, { aliases: readonly string[]; cell: { holds: string } }>>;
  /** Throws FormatError with every problem of the file. */
  read(bytes: Uint8Array, options: ListOptions): PaperReading;
  /** The headings of a file; undefined if it has not those that the kind needs. */
  headings(heads: Heads): Headings | undefined;
  /** Whether a header is that of a column of the kind, or of one that it drops. */
  knows(header: string): boolean;
  /** The header row and the rows of a document, if this kind is exported. */
  table?(document: ProductionDocument): string[][];
}

/** The columns that have a value, and those without which the table could not be read again. An empty list is no value. */
function tableOf<C extends ListColumns>(
  { columns, needs }: Pick<ListReader<C>, "columns" | "needs">,
  rows: readonly WrittenRow<C>[],
): string[][] {
  const needed = needs[0] ?? [];
  const isEmpty = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0);
  const fields = Object.keys(columns).filter(
    (field) => needed.includes(field) || rows.some((row) => !isEmpty(row[field])),
  );
  const print = (row: WrittenRow<C>, field: string): string =>
    isEmpty(row[field]) ? "" : columnOf(columns, field).cell.print(row[field]);
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
    headings: (heads) => headingsIn(reader, heads),
    knows: (header) => aliasesOf(reader, {}).has(headerKey(header)),
    ...(rows === undefined ? {} : { table: (document: ProductionDocument) => tableOf(reader, rows(document)) }),
  };
}

function headingsIn<C extends ListColumns, B>(reader: ListReader<C, B>, heads: Heads): Headings | undefined {
  const aliases = aliasesOf(reader, {});
  const { header, rows } = headIn(heads, aliases, reader.needs);
  if (header === undefined) return undefined;
  const cells = header.row.cells.filter((cell) => cell !== "");
  const known = cells.map(headerKey).flatMap((key) => {
    const column = reader.columns[aliases.get(key) ?? ""];
    return column === undefined ? [] : [[key, headerKey(column.aliases[0]) === key] as const];
  });
  const evidence = reader.evidence?.(header, rows) ?? 0;
  return { known: new Map(known), unknown: cells.length - known.length, evidence, headers: cells };
}

function refuseWithoutHeader<C extends ListColumns, B>(
  { title, columns, needs }: ListReader<C, B>,
  rows: readonly CsvRow[],
): never {
  const sets = needs.map((set) => listed(set.map((field) => quoted(columnOf(columns, field).aliases[0]))));
  const [first] = rows;
  const found =
    first === undefined
      ? "the file has no rows"
      : `line ${first.line} has ${listed(first.cells.slice(0, 12).map(quoted))}`;
  return refuse(`no row has the headers of ${title}: they must name ${listed(sets, "or")}; ${found}`);
}

const totalWord =
  /^(?:(?:(?:grand|sub|sous|overall)[\s-]*|gesamt|zwischen)?(?:totals?|summen?|sommes?)|gesamt|insgesamt)[^\p{L}]*$/iu;

/** The word of a row that is a sum: in the place of a name or first in the row, beside no other name. */
function totalIn({ cells }: CsvRow, places: readonly number[]): string | undefined {
  const names = places.flatMap((at) => cells[at] ?? []).filter((cell) => /\p{L}/u.test(cell));
  const first = cells.find((cell) => cell !== "") ?? "";
  return names.every((name) => totalWord.test(name))
    ? [...names, first].find((text) => totalWord.test(text))
    : undefined;
}

/** The rows without those that are sums, which are said. */
function withoutTotals<C extends ListColumns, B>(
  { needs, columns }: ListReader<C, B>,
  { fields }: Header,
  rows: readonly CsvRow[],
  findings: Findings,
): CsvRow[] {
  // An amount may have letters, those of its currency, and is no name.
  const needed = new Set<string | undefined>(needs.flat().filter((field) => columns[field]?.cell !== money));
  const places = fields.flatMap((field, at) => (needed.has(field) ? [at] : []));
  return rows.filter((row) => {
    const name = totalIn(row, places);
    if (name === undefined) return true;
    warnOfTotal(name, row.line, findings);
    return false;
  });
}

/** Whether a text beside an amount says that the row is a sum. */
export const namesTotal = (text: string): boolean => /\btotals?\b|summe\b/i.test(text);

export const warnOfTotal = (name: string, line: number, findings: Findings): void =>
  findings.warn(`${quoted(name)} is a total and was skipped`, { line });

function entriesOf<C extends ListColumns, B>(
  reader: ListReader<C, B>,
  header: Header,
  rows: readonly CsvRow[],
  options: OpenOptions,
  findings: Findings,
): ListEntry<C, B>[] {
  const bannerOf = reader.banners?.(header, options);
  const banners = new Map(rows.map((row) => [row, bannerOf?.(row)]));
  const hasHeadings = [...banners.values()].some((banner) => banner !== undefined);
  const asked = hasHeadings ? { ...reader, wanted: [] } : reader;
  const { known, further } = placesOf(asked, header, options.map ?? {}, findings);
  const columns = [...known].map(([field, at]) => {
    const { cell, required = false } = columnOf(reader.columns, field);
    const column = rows.flatMap((row) => (banners.get(row) === undefined && row.cells[at]) || []);
    return { field, at, name: header.row.cells[at] ?? "", required, read: cell.open({ ...options, column }) };
  });
  const readAt = new Set(known.values());
  return rows.map((row) => {
    const { line, cells } = row;
    const banner = banners.get(row);
    const values: Record<string, unknown> = {};
    let broken = false;
    // A row without any value misses none.
    const isRead = banner === undefined && columns.some(({ at }) => (cells[at] ?? "") !== "");
    for (const { field, at, name, required, read } of isRead ? columns : []) {
      const cell = cells[at] ?? "";
      if (cell === "" && !required) continue;
      const value = cell === "" ? new CellRefusal("the cell is empty, and every row needs it") : read(cell);
      if (!(value instanceof CellRefusal)) values[field] = value;
      else {
        broken = true;
        findings.problem(value.message, value.ofRow ? { line } : { line, column: name });
      }
    }
    return {
      line,
      banner,
      broken,
      // Each value came from the reader of its own field's column.
      values: values as Values<C>,
      rest: cells.filter((cell, at) => cell !== "" && !readAt.has(at)),
      further: new Map([...further].flatMap(([name, at]) => (cells[at] ? [[name, cells[at]] as const] : []))),
    };
  });
}

/** Throws FormatError with every problem of the file. */
export function readList<C extends ListColumns, B>(
  reader: ListReader<C, B>,
  bytes: Uint8Array,
  given: ListOptions,
): PaperReading {
  const map = headersFirst(given.map ?? {}, reader.columns);
  const options = { ...given, map, departments: new Departments(given.known) };
  const findings = new Findings();
  const text = utf8Of(bytes, csvLimits.bytes, findings);
  const aliases = aliasesOf(reader, map);
  const rows = readRows(text, headIn(headsOf(text), aliases, reader.needs).delimiter, findings);
  const header = findHeader(rows, aliases, reader.needs);
  if (header === undefined) return refuseWithoutHeader(reader, rows);
  warnOfMap(map, header, findings);
  const line = rows.indexOf(header.row);
  const above = rows.slice(0, line);
  // A printed list repeats its headers on every page.
  const body = rows.slice(line + 1).filter(({ cells }) => !isDeepStrictEqual(cells, header.row.cells));
  const entries = entriesOf(reader, header, withoutTotals(reader, header, body, findings), options, findings);
  const headerOf = (field: string): string =>
    header.row.cells[header.fields.indexOf(field)] ?? columnOf(reader.columns, field).aliases[0];
  const at = (field: string): number => header.fields.indexOf(field);
  const has = (field: string): boolean => at(field) >= 0;
  const unknown = header.row.cells.filter((cell, at) => cell !== "" && header.fields[at] === undefined);
  const built = reader.build({ entries, above, options, findings, headerOf, has, at, unknown });
  return findings.reading(options.departments.withAdded(built, findings));
}
