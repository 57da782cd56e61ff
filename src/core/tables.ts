// The output of rows, as a table.
import type { Output } from "./command.ts";

/** Formats rows as a table with a header line. Each column is as wide as its longest value. */
export function tabled<R extends object>(rows: readonly R[], columns: readonly (keyof R & string)[]): string[] {
  const texts: (readonly string[])[] = [columns, ...rows.map((row) => columns.map((name) => cell(row[name])))];
  const widths = columns.map((_, at) => texts.reduce((most, line) => Math.max(most, line[at]?.length ?? 0), 0));
  return texts.map((line) =>
    line
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** The output of a command that lists rows: whole with --json, otherwise a table of some columns. `rowOf` makes the row of the table, by default the row itself. */
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
