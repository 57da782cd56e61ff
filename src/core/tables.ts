// Tables on a terminal, and the output of rows as one.
import type { Output } from "./command.ts";

/** Formats rows as a table with a header line. */
export const tabled = <R extends object>(rows: readonly R[], columns: readonly (keyof R & string)[]): string[] =>
  aligned([columns, ...rows.map((row) => columns.map((name) => cell(row[name])))]);

/**
 * The output of a command that lists rows: whole with --json, otherwise a table of some columns. `rowOf` makes the row
 * of the table, by default the row itself.
 */
export function rowsOutput<R extends object>(rows: readonly R[], columns: readonly (keyof R & string)[]): Output;
export function rowsOutput<R, S extends object>(
  rows: readonly R[],
  columns: readonly (keyof S & string)[],
  rowOf: (row: R) => S,
): Output;
export function rowsOutput<R extends object>(
  rows: readonly R[],
  columns: readonly (keyof R & string)[],
  rowOf = (row: R) => row,
): Output {
  return { document: rows, lines: tabled(rows.map(rowOf), columns) };
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.join(" ");
  const lines = String(value).split("\n"); // a row is one line
  return lines.length === 1
    ? String(value)
    : lines
        .map((line) => line.trim())
        .filter(Boolean)
        .join(" ");
}

/** What starts a character that takes two columns of a terminal: of Chinese, Japanese and Korean, and most emoji. */
const wide =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation})/u;
/** What asks for the emoji of a character that is a sign of text otherwise. */
const emojiSelector = "\ufe0f";

/** Made for the first text that needs it. */
let characters: Intl.Segmenter | undefined;

/** How many columns of a terminal a text takes. */
function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  characters ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  let width = 0;
  for (const { segment } of characters.segment(text))
    width += wide.test(segment) || segment.includes(emojiSelector) ? 2 : 1;
  return width;
}

/** Lines of texts in columns, two spaces apart. Each column is as wide as its longest text on a terminal. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const sizes = rows.map((row) => row.map(widthOf));
  const widths: number[] = [];
  for (const row of sizes) for (const [at, size] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, size);
  return rows.map((row, line) =>
    row
      .map((text, at) => text + " ".repeat((widths[at] ?? 0) - (sizes[line]?.[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
