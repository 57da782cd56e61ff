// Reads the file of a list: finds the headers, reads each cell by its column, and reports every problem at once. Each
// row is read, or named.
import { firstOf, listed } from "../../core/wording.ts";
import { isRecord } from "../documents/sections/form.ts";
import { quoted } from "../names/names.ts";
import { utf8Of } from "../paperwork/bytes.ts";
import { CellRefusal, Findings, refuse } from "../paperwork/findings.ts";
import type { ListOptions, PaperReading } from "../paperwork/partial.ts";
import { listAt } from "../sequences/sequences.ts";
import { aliasesOf, columnOf, generalField, headersFirst, placesOf, warnOfMap } from "./columns.ts";
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
import type { Headings, ListColumns, ListEntry, ListReader, OpenOptions, Values } from "./list.ts";
import { Departments } from "./named_departments.ts";
import { withoutTotals } from "./totals.ts";

/** How many rows show how a kind would read them. */
const shownRows = 3;

/** The headings of a file as a kind of list understands them; undefined if it has not those that the kind needs. */
export function headingsIn<C extends ListColumns, B>(
  reader: ListReader<C, B>,
  heads: Heads,
  kinds: ReadonlySet<string>,
): Headings | undefined {
  const aliases = aliasesOf(reader, {});
  const { header, rows } = headIn(heads, aliases, reader.needs);
  if (header === undefined) return undefined;
  const cells = header.row.cells.filter((cell) => cell !== "");
  const known = cells.map(headerKey).flatMap((key) => {
    const column = reader.columns[aliases.get(key) ?? ""];
    return column === undefined ? [] : [[key, headerKey(column.aliases[0]) === key] as const];
  });
  const evidence = reader.evidence?.(header, rows, kinds) ?? 0;
  const read = header.fields.flatMap((field, at) => {
    const column = reader.columns[field ?? ""];
    return column === undefined ? [] : [{ at, name: column.aliases[0] }];
  });
  const start = rows.indexOf(header.row);
  const body = rows.slice(start + 1, start + 1 + shownRows);
  const table = [read.map(({ name }) => name), ...body.map((row) => read.map(({ at }) => row.cells[at] ?? ""))];
  return { known: new Map(known), unknown: cells.length - known.length, evidence, headers: cells, start, table };
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

/** Counts the columns, and names those that have cells and no heading. */
function nameColumns(
  { row }: Header,
  rows: readonly CsvRow[],
  { known, further }: { known: ReadonlyMap<string, number>; further: ReadonlyMap<string, number> },
  findings: Findings,
): void {
  const filled = new Set<number>();
  for (const { cells } of rows) for (const [at, cell] of cells.entries()) if (cell !== "") filled.add(at);
  const headed = new Set(row.cells.flatMap((cell, at) => (cell === "" ? [] : [at])));
  const nameless = [...filled.difference(headed)].sort((one, other) => one - other);
  const read = known.size + further.size;
  findings.tally.saw("column", headed.size + nameless.length);
  findings.tally.took("column", read);
  findings.tally.named("column", headed.size - read); // by placesOf
  if (nameless.length === 0) return;
  const numbers = firstOf(nameless.map((at) => at + 1));
  const sentence =
    nameless.length === 1
      ? `column ${numbers} has no heading and was ignored`
      : `the columns ${numbers} have no headings and were ignored`;
  findings.name("column", sentence, { line: row.line }, nameless.length);
}

/** The cells of a column with something in them, as far as somebody asks for them. */
const cellsIn = (rows: readonly CsvRow[], at: number, banners: ReadonlyMap<CsvRow, unknown>): Iterable<string> => ({
  *[Symbol.iterator]() {
    for (const row of rows) {
      const cell = row.cells[at];
      if (cell && !banners.has(row)) yield cell;
    }
  },
});

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((cell, at) => cell === other[at]);

const noCells: ReadonlyMap<string, string> = new Map();

/** The cells of further columns, by their headers. */
function furtherCells(cells: readonly string[], further: ReadonlyMap<string, number>): ReadonlyMap<string, string> {
  if (further.size === 0) return noCells;
  return new Map([...further].flatMap(([name, at]) => (cells[at] ? [[name, cells[at]] as const] : [])));
}

function entriesOf<C extends ListColumns, B>(
  reader: ListReader<C, B>,
  header: Header,
  rows: readonly CsvRow[],
  options: OpenOptions,
  findings: Findings,
): ListEntry<C, B>[] {
  const bannerOf = reader.banners?.(header, options);
  const banners = new Map<CsvRow, B>();
  for (const row of rows) {
    const banner = bannerOf?.(row);
    if (banner !== undefined) banners.set(row, banner);
  }
  const hasHeadings = banners.size > 0;
  const asked = hasHeadings ? { ...reader, wanted: [] } : reader;
  const { known, further } = placesOf(asked, header, options.map ?? {}, findings);
  let lineNow = 0;
  const columns = [...known].map(([field, at]) => {
    const { cell, required = false } = columnOf(reader.columns, field);
    const column = cellsIn(rows, at, banners);
    const name = header.row.cells[at] ?? "";
    const say = (sentence: string): void => findings.warn(sentence, { line: lineNow, column: name });
    return { field, at, name, required, read: cell.open({ ...options, column, say }) };
  });
  nameColumns(header, rows, { known, further }, findings);
  const readAt = new Set(known.values());
  return rows.map((row) => {
    const { line, cells } = row;
    lineNow = line;
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
      text: (field) => cells[known.get(field) ?? -1] ?? "",
      rest: cells.filter((cell, at) => cell !== "" && !readAt.has(at)),
      further: furtherCells(cells, further),
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
  const body = rows.slice(line + 1).filter(({ cells }) => !isSame(cells, header.row.cells));
  findings.tally.saw("row", body.length);
  const counted = withoutTotals(reader, header, body, findings);
  const entries = entriesOf(reader, header, counted, options, findings);
  const headerOf = (field: string): string =>
    header.row.cells[header.fields.indexOf(field)] ?? columnOf(reader.columns, field).aliases[0];
  const at = (field: string): number => header.fields.indexOf(field);
  const has = (field: string): boolean => at(field) >= 0;
  const isUnknown = (field: string | undefined) => field === undefined || field === generalField;
  const unknown = header.row.cells.filter((cell, at) => cell !== "" && isUnknown(header.fields[at]));
  const taken = new Set<number>();
  const took = (line: number): void => void taken.add(line);
  const built = reader.build({ entries, above, options, findings, headerOf, has, at, unknown, took });
  nameAbove(above, taken, findings);
  nameUntaken(entries, taken, body.length, findings);
  const read = findings.reading(options.departments.withAdded(built, findings));
  const columnAt = (field: string) => (has(field) ? { column: headerOf(field) } : {});
  return { ...read, origin: originIn(read.document, entries, columnAt) };
}

/** The texts of a row, also those of its lists, and of a name that stands in two columns. */
function textsOf(values: object): Set<string> {
  const texts = Object.values(values)
    .flat()
    .flatMap((value) => (typeof value === "string" || typeof value === "number" ? String(value) : []));
  return new Set([...texts, ...texts.map((text, at) => `${text} ${texts[at + 1]}`)]);
}

/** Finds the line of what a place of a document names: that of the first row with the names on the way to it. */
function originIn(
  document: object,
  entries: readonly Pick<ListEntry<ListColumns, unknown>, "line" | "values">[],
  columnAt: (field: string) => { column?: string },
): NonNullable<PaperReading["origin"]> {
  const withText = new Map<string, number[]>();
  return (place) => {
    if (withText.size === 0)
      for (const [at, { values }] of entries.entries())
        for (const text of textsOf(values)) listAt(withText, text).push(at);
    let value: unknown = document;
    let rows: readonly number[] | undefined;
    for (const step of place.match(/\w+/g) ?? []) {
      value = isRecord(value) ? value[step] : Array.isArray(value) ? value[Number(step)] : undefined;
      if (!isRecord(value)) continue;
      const thing = value;
      const key = keyTexts.find((field) => field in thing);
      const own = (key === undefined ? undefined : withText.get(String(thing[key]))) ?? [];
      rows = rows === undefined ? own : rows.filter((at) => own.includes(at));
    }
    const line = entries[rows?.[0] ?? -1]?.line;
    return line === undefined ? {} : { line, ...columnAt(/(\w+)(?:\[\d+\])*$/.exec(place)?.[1] ?? "") };
  };
}
/** What names a thing of a document, the surest first. */
const keyTexts = ["number", "label", "title", "name", "person", "slug", "account", "day_number"];

/** Names the rows above the headings, titles for the most part, as far as nothing was read from them. */
function nameAbove(above: readonly CsvRow[], taken: ReadonlySet<number>, findings: Findings): void {
  const left = above.filter(({ line }) => !taken.has(line) && !findings.hasNamed(line));
  const texts = left.map(({ cells }) => quoted(cells.filter((cell) => cell !== "").join(" ")));
  const were = left.length === 1 ? "the row above the headings was" : `the ${left.length} rows above the headings were`;
  if (left.length > 0) findings.warn(`${were} not read: ${firstOf(texts)}`);
}

/** Names the rows that are neither in the result nor in a warning. `count` is how many rows the file has, sums too. */
function nameUntaken(
  entries: readonly { line: number; banner: unknown }[],
  taken: ReadonlySet<number>,
  count: number,
  findings: Findings,
): void {
  const left = entries.filter(({ line, banner }) => banner === undefined && !taken.has(line));
  for (const { line } of left)
    if (!findings.hasNamed(line))
      findings.warn("this row has nothing that such a list keeps, and was ignored", { line });
  const named = left.length + count - entries.length;
  findings.tally.took("row", count - named);
  findings.tally.named("row", named);
}
