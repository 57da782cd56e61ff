// Reads CSV into rows with their line numbers, and finds the header row, and with it the delimiter: with the right one,
// a row has known headers.
import { CsvError, type Options, parse } from "csv-parse/sync";
import { withCommas } from "../../core/wording.ts";
import { type Delimiter, delimiters, unguardCell } from "../csv/csv.ts";
import { fold } from "../names/names.ts";
import { type Findings, refuse } from "../paperwork/findings.ts";
import { greatest } from "../sequences/sequences.ts";

export interface CsvRow {
  /** The line of the file on which the row begins, counted from 1; a cell may hold line ends. */
  readonly line: number;
  /** Without white space around them. */
  readonly cells: readonly string[];
}

/** The limits of a file. No real list reaches them; each bounds the time or memory that a hostile file can cost. */
export const csvLimits = {
  bytes: 16 * 2 ** 20,
  rows: 100_000,
  columns: 200,
  /** With something in them, in the whole file. */
  cells: 1_000_000,
  /** Of one row, in bytes. */
  row: 2 ** 20,
  /**
   * Of cells that begin with a quote in a file with stray quotes: csv-parse copies its whole buffer for each of them.
   */
  strayQuotes: 5000,
};

class TooManyQuotes extends Error {}

/** Counts the cells that begin with a quote, record by record. */
function countQuotes(): (record: string[]) => string[] {
  let count = 0;
  return (record) => {
    for (const cell of record) if (cell.startsWith('"')) count++;
    if (count > csvLimits.strayQuotes) throw new TooManyQuotes();
    return record;
  };
}

/** What csv-parse looks for at each byte: only what the text has. */
const optionsFor = (bytes: Buffer, delimiter: Delimiter, rows: number, relaxed: boolean): Options => ({
  delimiter,
  quote: bytes.includes('"') ? '"' : null,
  record_delimiter: bytes.includes("\r") ? ["\r\n", "\n", "\r"] : "\n",
  relax_column_count: true,
  relax_quotes: relaxed,
  max_record_size: csvLimits.row,
  // The delimiters beyond are not looked for, which keeps a row of a million commas small.
  ignore_last_delimiters: csvLimits.columns + 1,
  to: rows,
  ...(relaxed ? { on_record: countQuotes() } : {}),
});

const lineEnds = (cell: string): number => (/[\r\n]/.test(cell) ? (cell.match(/\r\n|\r|\n/g)?.length ?? 0) : 0);

/** Numbers the rows by the lines on which they begin; blank rows are counted and skipped. */
function numbered(records: readonly (readonly string[])[]): { rows: CsvRow[]; next: number } {
  const rows: CsvRow[] = [];
  let line = 1;
  let filled = 0;
  for (const record of records) {
    const cells = record.map(unguardCell);
    const before = filled;
    for (const cell of cells) if (cell !== "") filled++;
    if (filled > before) rows.push({ line, cells });
    if (filled > csvLimits.cells)
      refuse(`the file has more than ${withCommas(csvLimits.cells)} cells, the maximum for a list`);
    line++;
    for (const cell of record) line += lineEnds(cell);
  }
  return { rows, next: line };
}

/** Where the record that csv-parse stopped at begins. */
function lineOfFault(bytes: Buffer, delimiter: Delimiter, error: CsvError, relaxed: boolean): number {
  const before = Number(error.records ?? 0);
  return before === 0 ? 1 : numbered(parse(bytes, optionsFor(bytes, delimiter, before, relaxed))).next;
}

function refuseFault(bytes: Buffer, delimiter: Delimiter, error: CsvError, relaxed: boolean): never {
  const line = lineOfFault(bytes, delimiter, error, relaxed);
  const most = withCommas(csvLimits.row);
  if (error.code === "CSV_QUOTE_NOT_CLOSED") refuse("a quote in the row that begins here is not closed", { line });
  if (error.code === "CSV_MAX_RECORD_SIZE")
    refuse(`the row that begins here has more than ${most} characters; perhaps a quote is not closed`, { line });
  return refuse(`the row that begins here cannot be read: ${error.message}`, { line });
}

/** The records; stray quotes, as in 6" pipe, are kept. */
function recordsOf(bytes: Buffer, delimiter: Delimiter, findings: Findings): string[][] {
  let relaxed = false;
  const { stackTraceLimit } = Error;
  for (;;)
    try {
      Error.stackTraceLimit = 0; // the parser makes an error for each row that is shorter than the first, and drops it
      return parse(bytes, optionsFor(bytes, delimiter, csvLimits.rows + 1, relaxed));
    } catch (error) {
      if (error instanceof TooManyQuotes)
        refuse(`the file has more than ${withCommas(csvLimits.strayQuotes)} cells with stray quotes`);
      if (!(error instanceof CsvError)) throw error;
      if (relaxed || !["CSV_INVALID_CLOSING_QUOTE", "INVALID_OPENING_QUOTE"].includes(error.code))
        refuseFault(bytes, delimiter, error, relaxed);
      const line = lineOfFault(bytes, delimiter, error, relaxed);
      findings.warn("a cell of this row has a quote inside; the quote was kept", { line });
      relaxed = true;
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
}

const emptyBytes = new Uint8Array(256);
for (const byte of Buffer.from(`${delimiters.join("")} \r\n`)) emptyBytes[byte] = 1;

/** Spreadsheets write empty rows down to the last one that was ever touched, a million of them. */
function withoutEmptyTail(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && emptyBytes[bytes[end - 1] ?? 0] === 1) end--;
  const lineEnd = bytes.indexOf("\n", end);
  return lineEnd < 0 ? bytes : bytes.subarray(0, lineEnd + 1);
}

/**
 * Every row of UTF-8 text that has a cell with something in it. Throws FormatError if a quote is not closed or the file
 * passes one of the limits. Time is linear in the size of the file.
 */
export function readRows(bytes: Buffer, delimiter: Delimiter, findings: Findings): CsvRow[] {
  const records = recordsOf(withoutEmptyTail(bytes), delimiter, findings);
  if (records.length > csvLimits.rows)
    refuse(`the file has more than ${withCommas(csvLimits.rows)} rows, the maximum for a list`);
  const { rows } = numbered(records);
  for (const { line, cells } of rows) {
    const beyond = cells[csvLimits.columns];
    if (beyond !== undefined && /[^,;\t|\s]/.test(beyond))
      findings.problem(`this row has more than ${csvLimits.columns} columns`, { line });
  }
  return rows;
}

const headBytes = 64 * 2 ** 10;
const headRows = 100;

/** The first rows that can be read, to find out the format of the file before problems are reported. */
function readHead(bytes: Buffer, delimiter: Delimiter): CsvRow[] {
  const head = bytes.subarray(0, headBytes);
  const read = (rows: number): CsvRow[] => numbered(parse(head, optionsFor(head, delimiter, rows, true))).rows;
  try {
    return read(headRows);
  } catch (error) {
    if (error instanceof TooManyQuotes) return [];
    if (!(error instanceof CsvError)) throw error;
    const before = Number(error.records ?? 0);
    return before === 0 ? [] : read(before);
  }
}

export interface Header {
  row: CsvRow;
  /** The field of each column, in the order of the file; undefined where no field is known for it. */
  fields: readonly (string | undefined)[];
}

/** Two headers are the same if this is the same: "Scene Nr." and "scene number". */
export const headerKey = (header: string): string =>
  (header.trim() === "#" ? "no" : fold(header)).replace(/(?:numbers?|nummern?|numeros?|nos?|nrs?)$/, "no");

/** The field of each header, by its key. */
export type Aliases = ReadonlyMap<string, string>;
/** Fields of which one whole set must be there. */
export type Needs = readonly (readonly string[])[];

const knownIn = (fields: readonly (string | undefined)[]): Set<string> =>
  new Set(fields.filter((field) => field !== undefined));

/** How many columns of the row are known; 0 if the row has not what is needed. */
function countFields(fields: readonly (string | undefined)[], needs: Needs): number {
  const known = knownIn(fields);
  return needs.some((set) => set.every((field) => known.has(field))) ? known.size : 0;
}

/**
 * The first of the rows with the most known columns. Titles and blank lines may precede it. A row below one that knows
 * as many columns, and has not what is needed, is none: its words are values.
 */
export function findHeader(rows: readonly CsvRow[], aliases: Aliases, needs: Needs): Header | undefined {
  let found: Header | undefined;
  let most = 0;
  let above = 0; // the most known columns of a row above that has several cells
  for (const row of rows.slice(0, 100)) {
    const fields = row.cells.map((cell) => (cell === "" ? undefined : aliases.get(headerKey(cell))));
    const known = knownIn(fields).size;
    if (known === 0) continue;
    const count = countFields(fields, needs);
    const isBelow = known <= above;
    if (row.cells.filter((cell) => cell !== "").length > 1) above = Math.max(above, known);
    if (count <= most || isBelow) continue;
    found = { row, fields };
    most = count;
  }
  return found;
}

/** The first rows of a text, as each delimiter parts them. */
export type Heads = readonly { delimiter: Delimiter; rows: readonly CsvRow[] }[];

export const headsOf = (bytes: Buffer): Heads =>
  delimiters.map((delimiter) => ({ delimiter, rows: readHead(bytes, delimiter) }));

export interface Head {
  delimiter: Delimiter;
  rows: readonly CsvRow[];
  header: Header | undefined;
}

/** The head in which the row of headers has the most known columns; without headers, the one with the most cells. */
export function headIn(heads: Heads, aliases: Aliases, needs: Needs): Head {
  const found = heads.map(({ delimiter, rows }) => {
    const header = findHeader(rows, aliases, needs);
    const fields = header === undefined ? 0 : countFields(header.fields, needs);
    return { delimiter, rows, header, fields, cells: greatest(rows.map((row) => row.cells.length)) };
  });
  return found.reduce((best, one) =>
    one.fields > best.fields || (one.fields === best.fields && one.cells > best.cells) ? one : best,
  );
}
