// Finds out what the columns of a list mean: by their headers in several languages and by --map. Says which are ignored
// or unknown.
import { listed } from "../../core/wording.ts";
import { fold, isLikelyMistake, quoted } from "../names/names.ts";
import { type Findings, refuse } from "../paperwork/findings.ts";
import { listAt } from "../sequences/sequences.ts";
import { type Aliases, type Header, headerKey } from "./csv.ts";
import { withForeign } from "./foreign_headers.ts";
import type { ListColumns, ListReader } from "./list.ts";

/** The column of a field that it has. */
// a field is one of its keys
export const columnOf = <C extends ListColumns>(columns: C, field: string): C[string] => columns[field] as C[string];

const droppedField = "(dropped)";
/** The field of headings that lists of other kinds have, where the kind has no place for what they mean. */
export const generalField = "(general)";

/**
 * Headings of which a list of any kind may have a column, because programs that export several kinds write them beside
 * each.
 */
const generalHeaders =
  `Description, Category, Kind, Department, Note, Status, Date, ID, Project, Project Name, Project ID, Thumbnail, Image, Tags, Link,
  Links, Created, Created At, Created By, Updated, Updated At, Date Created, Date Updated, Quantity, Sheet, Sheet No, Est Time, Estimated Time, Script Page, Script Pages, Time Spent, Ready For, Task Template, Sequences, Shots`
    .split(/,\s+/)
    .map(headerKey);

/** The fields of the headers, by their keys. Throws FormatError if --map names a field that the list does not have. */
export function aliasesOf<C extends ListColumns, B>(
  reader: ListReader<C, B>,
  map: Readonly<Record<string, string>>,
): Aliases {
  const { title, columns, dropped, keepsFurther } = reader;
  const fieldsByKey = new Map(dropped?.headers.split(/,\s+/).map((header) => [headerKey(header), droppedField]));
  for (const [field, column] of Object.entries(columns))
    for (const alias of [field, ...column.aliases]) fieldsByKey.set(headerKey(alias), field);
  const aliases = withForeign(fieldsByKey);
  if (!keepsFurther) {
    const general = withForeign(new Map(generalHeaders.map((key) => [key, generalField])));
    for (const [key, field] of general) if (!aliases.has(key)) aliases.set(key, field);
  }
  for (const [header, field] of Object.entries(map)) {
    if (!Object.hasOwn(columns, field))
      refuse(`${quoted(field)} is not a column of ${title}; the columns are ${listed(Object.keys(columns))}`);
    aliases.set(headerKey(header), field);
  }
  return aliases;
}

/** The pair of --map that gives a header its meaning, as it is typed. */
export const mapFlag = (field: string, header: string): string =>
  `--map ${/^[\p{L}\p{N}._-]+$/u.test(header) ? `${field}=${header}` : JSON.stringify(`${field}=${header}`)}`;

/**
 * Says which columns are unknown, each with the field that it may mean: one of almost that name, for a single one also
 * what the file misses most.
 */
function warnOfUnknown<C extends ListColumns, B>(
  headers: readonly string[],
  { columns, wanted = [] }: ListReader<C, B>,
  known: ReadonlyMap<string, number>,
  findings: Findings,
): void {
  const missing = Object.entries(columns).filter(([field]) => !known.has(field));
  const names = missing.flatMap(([field, { aliases }]) =>
    [field, ...aliases].map((alias) => [fold(alias), field] as const),
  );
  const missed = headers.length === 1 ? wanted.find((field) => !known.has(field)) : undefined;
  const rest: string[] = [];
  for (const header of headers) {
    const near = findings.nearest(header, names);
    const field = isLikelyMistake(header, near) ? near.candidate : missed;
    if (field === undefined) rest.push(quoted(header));
    else findings.warn(`column ${header} is unknown; ${mapFlag(field, header)} reads it, otherwise it is ignored`);
  }
  if (rest.length === 0) return;
  const [are, was] = rest.length === 1 ? ["column", "was"] : ["columns", "were"];
  findings.warn(`the ${are} ${listed(rest)} ${was} ignored: the header is not known; --map says what it means`);
}

/**
 * Where the column of each field is, and where the further columns are, by their headers; of two alike the first. Says
 * what is ignored.
 */
export function placesOf<C extends ListColumns, B>(
  reader: ListReader<C, B>,
  { row, fields }: Header,
  map: Readonly<Record<string, string>>,
  findings: Findings,
): { known: Map<string, number>; further: Map<string, number> } {
  const { columns, dropped, keepsFurther } = reader;
  const mapped = new Set(Object.keys(map).map(headerKey));
  const places = { known: new Map<string, number>(), further: new Map<string, number>() };
  const ignored = new Map<string, string[]>();
  const unknown: string[] = [];
  for (const [at, header] of row.cells.entries()) {
    const field = fields[at];
    if (header === "") continue;
    if (field === generalField)
      listAt(ignored, `${reader.title} has no place for it; --map says what else it means`).push(quoted(header));
    else if (field === droppedField) listAt(ignored, dropped?.because ?? "").push(quoted(header));
    else if (field === undefined && !keepsFurther) unknown.push(header);
    else if (field !== undefined && columns[field]?.onlyMapped && !mapped.has(headerKey(header)))
      listAt(ignored, "the script says it; --map takes it from the file").push(quoted(header));
    else {
      const [found, key] = field === undefined ? [places.further, header] : [places.known, field];
      const first = found.get(key);
      const two = quoted(header);
      if (first === undefined) found.set(key, at);
      else if (field === undefined) findings.warn(`the file has two columns ${two}; the second was ignored`);
      else {
        const one = quoted(row.cells[first] ?? "");
        findings.warn(`the columns ${one} and ${two} mean the same; ${two} was ignored`, { line: row.line });
      }
    }
  }
  warnOfUnknown(unknown, reader, places.known, findings);
  for (const [because, headers] of ignored)
    findings.warn(
      `the ${headers.length === 1 ? "column" : "columns"} ${listed(headers)} ${headers.length === 1 ? "was" : "were"} ignored: ${because}`,
    );
  return places;
}

export function warnOfMap(map: Readonly<Record<string, string>>, { row }: Header, findings: Findings): void {
  const headers = new Set(row.cells.map(headerKey));
  const absent = Object.keys(map).filter((header) => !headers.has(headerKey(header)));
  if (absent.length > 0) findings.warn(`--map names ${listed(absent.map(quoted))}, which the file does not have`);
}

/** The pairs of --map with the header first: `role=Funktion` means the same as `Funktion=role`. */
export const headersFirst = (
  map: Readonly<Record<string, string>>,
  columns: ListColumns,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(map).map(([one, other]) =>
      Object.hasOwn(columns, other) || !Object.hasOwn(columns, one) ? [one, other] : [other, one],
    ),
  );
