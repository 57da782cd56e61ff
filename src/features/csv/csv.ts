// Writes tables as CSV, cell by cell without loss, and reads such cells.

// A spreadsheet takes a cell that begins with = + - or @ for a formula, some also in full width, so such text is
// written with an apostrophe before it (OWASP, CSV injection); and since reading takes spaces off both ends, so is text
// that has them.
const plainNumber = /^[-+]?\d+(?:\.\d+)?$/;
const needsApostrophe = /^'*[=+\-@＝＋－＠\s]|\s$/;
const hasApostrophe = /^'+[=+\-@＝＋－＠\s]|^'[\s\S]*\s$/;

/** How `text` is written, without the quotes of CSV. */
export const guardCell = (text: string): string =>
  needsApostrophe.test(text) && !plainNumber.test(text) ? `'${text}` : text;

const apostrophe = 0x27;
/** A text that a program wrote as a formula, so that a spreadsheet changes no number in it. */
const textFormula = /^="([^"]*)"$/;

/** What a written cell says: of `="12"`, the text of the formula. */
export function unguardCell(cell: string): string {
  if (cell.charCodeAt(0) === apostrophe && hasApostrophe.test(cell)) return cell.slice(1);
  const text = cell.trim();
  return text.startsWith("=") ? text.replace(textFormula, "$1").trim() : text;
}

const quoteIfNeeded = (cell: string): string =>
  /[",;\t|\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;

/** What may stand between cells. Spreadsheets in German and French open a file with semicolons in columns. */
export const delimiters = [",", ";", "\t", "|"] as const;
export type Delimiter = (typeof delimiters)[number];

/** Rows of texts as CSV: quotes where a cell needs them, CRLF line ends (RFC 4180). */
export const csvText = (rows: readonly (readonly string[])[], delimiter: Delimiter = ","): string =>
  rows.map((row) => `${row.map((text) => quoteIfNeeded(guardCell(text))).join(delimiter)}\r\n`).join("");

/** Texts of CSV as a file: UTF-8 with a byte order mark, because Excel otherwise reads it as Windows-1252. */
export const csvFile = (texts: readonly string[]): string => `\ufeff${texts.join("")}`;
