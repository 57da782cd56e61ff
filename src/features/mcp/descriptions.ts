// Says of a tool what it returns and how large that is, from the recorded examples of the description.
import type * as v from "valibot";
import { type Examples, readExamples } from "../../core/examples.ts";
import type { Operation } from "../../core/operation.ts";
import { withCommas } from "../../core/spelling.ts";

let recorded: Examples | undefined; // read with the first list of all tools, to save memory at rest

const fieldsOf = (schema: unknown): string =>
  Object.keys((schema as { entries?: v.ObjectEntries } | undefined)?.entries ?? {}).join(", ");

/** With one significant digit: sizes of other productions differ. */
const about = (bytes: number): string => {
  const unit = 10 ** Math.max(1, Math.floor(Math.log10(bytes)));
  return `about ${withCommas(Math.max(1, Math.round(bytes / unit)) * unit)} bytes`;
};

/** How many rows a tool's list has if the call does not say. */
export const rowsOfTool = 50;

/** Whether the list of an operation comes in pages. */
export const isPaged = ({ input }: Operation): boolean => "after" in input.entries && "limit" in input.entries;

/** The summary of an operation with what it returns. */
export function descriptionOf(row: Operation): string {
  recorded ??= readExamples();
  const { answer, rows, bytes = JSON.stringify(answer)?.length ?? 0 } = recorded[row.name] ?? {};
  const item = (row.output as { item?: unknown }).item;
  const size =
    bytes === 0 || rows === 0
      ? ""
      : `, ${about(bytes / Math.max(1, rows ?? 1))}${rows === undefined ? " in the demo" : " a row"}`;
  const pages = isPaged(row) ? `; ${rowsOfTool} rows unless limit says otherwise, and the rest with after` : "";
  if (item === undefined) return `${row.summary} Returns an object (${fieldsOf(row.output)})${size}${pages}.`;
  return `${row.summary} Returns a list of (${fieldsOf(item)})${size}${pages}.`;
}
