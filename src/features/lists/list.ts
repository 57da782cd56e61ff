// Defines a kind of list by a table of its columns, and reads and writes its files: finds the headers, reads each cell by its column, and
// reports every problem at once.
import { isDeepStrictEqual } from "node:util";
import { listed } from "../../core/spelling.ts";
import type { ProductionDocument } from "../documents/sections/schema.ts";
import { quoted } from "../names/names.ts";
import { utf8Of } from "../paperwork/bytes.ts";
import { CellRefusal, Findings, refuse } from "../paperwork/findings.ts";
import type { ListOptions, PaperDocument, PaperReading } from "../paperwork/partial.ts";
import { listAt } from "../sequences/sequences.ts";
import type { CellType } from "./cells.ts";
import {
  type Aliases,
  type CsvRow,
  csvLimits,
  findDelimiter,
  findHeader,
  type Header,
  headerKey,
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
}

export interface ListReader<C extends ListColumns, B = never> {
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

/** A kind of list as the rest of the program uses it. */
export interface List {
  /** The headers and the kinds of cells, by field. */
  columns: Readonly<Record<string, { aliases: readonly string[]; cell: { holds: string } }>>;
  /** Throws FormatError with every problem of the file. */
  read(bytes: Uint8Array, options: ListOptions): PaperReading;
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
    isEmpty(row[field]) ? "" : (columns[field] as C[string]).cell.print(row[field]);
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
export function defineList<C extends ListColumns, B = never>(reader: ListReader<C, B>): List {
  const { columns, rows } = reader;
  return {
    columns,
    read: (bytes, options) => readList(reader, bytes, options),
    ...(rows === undefined ? {} : { table: (document: ProductionDocument) => tableOf(reader, rows(document)) }),
  };
}

const droppedField = "(dropped)";

function aliasesOf<C extends ListColumns, B>(reader: ListReader<C, B>, map: Readonly<Record<string, string>>): Aliases {
  const { title, columns, dropped } = reader;
  const aliases = new Map(dropped?.aliases.map((alias) => [headerKey(alias), droppedField]));
  for (const [field, column] of Object.entries(columns))
    for (const alias of [field, ...column.aliases]) aliases.set(headerKey(alias), field);
  for (const [header, field] of Object.entries(map)) {
    if (!Object.hasOwn(columns, field))
      refuse(`${quoted(field)} is not a column of ${title}; the columns are ${listed(Object.keys(columns))}`);
    aliases.set(headerKey(header), field);
  }
  return aliases;
}

function refuseWithoutHeader<C extends ListColumns, B>(
  { title, columns, needs }: ListReader<C, B>,
  rows: readonly CsvRow[],
): never {
  const sets = needs.map((set) => listed(set.map((field) => quoted((columns[field] as C[string]).aliases[0]))));
  const [first] = rows;
  const found =
    first === undefined
      ? "the file has no rows"
      : `line ${first.line} has ${listed(first.cells.slice(0, 12).map(quoted))}`;
  return refuse(`no row has the headers of ${title}: they must name ${listed(sets, "or")}; ${found}`);
}

/** Where the column of each field is, and where the further columns are, by their headers; of two alike the first. Says what is ignored. */
function placesOf<C extends ListColumns, B>(
  { columns, dropped, keepsFurther }: ListReader<C, B>,
  { row, fields }: Header,
  map: Readonly<Record<string, string>>,
  findings: Findings,
): { known: Map<string, number>; further: Map<string, number> } {
  const mapped = new Set(Object.keys(map).map(headerKey));
  const places = { known: new Map<string, number>(), further: new Map<string, number>() };
  const ignored = new Map<string, string[]>();
  for (const [at, header] of row.cells.entries()) {
    const field = fields[at];
    if (header === "") continue;
    if (field === droppedField) listAt(ignored, dropped?.because ?? "").push(quoted(header));
    else if (field === undefined && !keepsFurther)
      listAt(ignored, "the header is not known; --map says what it means").push(quoted(header));
    else if (field !== undefined && columns[field]?.onlyMapped && !mapped.has(headerKey(header)))
      listAt(ignored, "the script says it; --map takes it from the file").push(quoted(header));
    else {
      const [found, key] = field === undefined ? [places.further, header] : [places.known, field];
      const first = found.get(key);
      const two = quoted(header);
      if (first === undefined) found.set(key, at);
      else if (field === undefined) findings.warn(`the file has two columns ${two}; the second was ignored`);
      else {
        const kept = quoted(row.cells[first] as string);
        findings.warn(`the columns ${kept} and ${two} mean the same; ${two} was ignored`, { line: row.line });
      }
    }
  }
  for (const [because, headers] of ignored)
    findings.warn(
      `the ${headers.length === 1 ? "column" : "columns"} ${listed(headers)} ${headers.length === 1 ? "was" : "were"} ignored: ${because}`,
    );
  return places;
}

function warnOfMap(map: Readonly<Record<string, string>>, { row }: Header, findings: Findings): void {
  const headers = new Set(row.cells.map(headerKey));
  const absent = Object.keys(map).filter((header) => !headers.has(headerKey(header)));
  if (absent.length > 0) findings.warn(`--map names ${listed(absent.map(quoted))}, which the file does not have`);
}

const totalWord = /^(?:(?:grand|sub|overall)[\s-]*|gesamt|zwischen)?(?:totals?|summen?)(?=$|[^\p{L}])[^\p{L}]*$/iu;

/** Whether a row is a sum: a total in the place of a name, and no other name. */
function isTotal({ cells }: CsvRow, places: readonly number[]): boolean {
  const names = places.flatMap((at) => (/\p{L}/u.test(cells[at] ?? "") ? (cells[at] as string) : []));
  return names.length > 0 && names.every((name) => totalWord.test(name));
}

/** The rows without those that are sums, which are said. */
function withoutTotals<C extends ListColumns, B>(
  { needs }: ListReader<C, B>,
  { fields }: Header,
  rows: readonly CsvRow[],
  findings: Findings,
): CsvRow[] {
  const needed = new Set<string | undefined>(needs.flat());
  const places = fields.flatMap((field, at) => (needed.has(field) ? [at] : []));
  return rows.filter((row) => {
    if (!isTotal(row, places)) return true;
    const name = places.map((at) => row.cells[at] ?? "").find((cell) => totalWord.test(cell)) as string;
    findings.warn(`${quoted(name)} is a total and was skipped`, { line: row.line });
    return false;
  });
}

function entriesOf<C extends ListColumns, B>(
  reader: ListReader<C, B>,
  header: Header,
  rows: readonly CsvRow[],
  options: OpenOptions,
  findings: Findings,
): ListEntry<C, B>[] {
  const bannerOf = reader.banners?.(header, options);
  const banners = new Map(rows.map((row) => [row, bannerOf?.(row)]));
  const { known, further } = placesOf(reader, header, options.map ?? {}, findings);
  const columns = [...known].map(([field, at]) => {
    const { cell, required = false } = reader.columns[field] as C[string];
    const column = rows.flatMap((row) => (banners.get(row) === undefined && row.cells[at]) || []);
    return { field, at, name: header.row.cells[at] as string, required, read: cell.open({ ...options, column }) };
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
  const options = { ...given, departments: new Departments(given.known) };
  const findings = new Findings();
  const text = utf8Of(bytes, csvLimits.bytes, findings);
  const aliases = aliasesOf(reader, options.map ?? {});
  const rows = readRows(text, findDelimiter(text, aliases, reader.needs), findings);
  const header = findHeader(rows, aliases, reader.needs);
  if (header === undefined) return refuseWithoutHeader(reader, rows);
  warnOfMap(options.map ?? {}, header, findings);
  const line = rows.indexOf(header.row);
  const above = rows.slice(0, line);
  // A printed list repeats its headers on every page.
  const body = rows.slice(line + 1).filter(({ cells }) => !isDeepStrictEqual(cells, header.row.cells));
  const entries = entriesOf(reader, header, withoutTotals(reader, header, body, findings), options, findings);
  const headerOf = (field: string): string =>
    header.row.cells[header.fields.indexOf(field)] ?? (reader.columns[field] as C[string]).aliases[0];
  const at = (field: string): number => header.fields.indexOf(field);
  const has = (field: string): boolean => at(field) >= 0;
  const built = reader.build({ entries, above, options, findings, headerOf, has, at });
  return findings.reading(options.departments.withAdded(built, findings));
}
