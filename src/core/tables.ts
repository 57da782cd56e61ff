// The output of rows, as a table.
import type { Output } from "./command.ts";
import { aligned } from "./wording.ts";

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
