// Writes tables as CSV, cell by cell without loss, and reads such cells.

// A spreadsheet takes a cell that begins with = + - or @ for a formula, so such text is written with an apostrophe before it
// (OWASP, CSV injection); and since reading takes spaces off both ends, so is text that has them.
const plainNumber = /^[-+]?\d+(?:\.\d+)?$/;
const needsApostrophe = /^'*[=+\-@\s]|\s$/;
const hasApostrophe = /^'+[=+\-@\s]|^'[\s\S]*\s$/;

/** How `text` is written, without the quotes of CSV. */
export const guardCell = (text: string): string =>
  needsApostrophe.test(text) && !plainNumber.test(text) ? `'${text}` : text;

const apostrophe = 0x27;

/** What a written cell says. */
export const unguardCell = (cell: string): string =>
  cell.charCodeAt(0) === apostrophe && hasApostrophe.test(cell) ? cell.slice(1) : cell.trim();

const quoteIfNeeded = (cell: string): string =>
  /[",;\t|\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

/** Rows of texts as CSV: commas, quotes where a cell needs them, CRLF line ends (RFC 4180). */
export const csvText = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map((text) => quoteIfNeeded(guardCell(text))).join(",")}\r\n`).join("");
