// Says of a tool what it returns, and how large that is at most.
import { maxPage } from "../../core/listing.ts";
import type { Operation } from "../../core/operation.ts";
import type { ToolSet } from "../addresses/paths.ts";

const fieldsOf = (schema: unknown): string =>
  typeof schema === "object" && schema !== null && "entries" in schema
    ? Object.keys(schema.entries ?? {}).join(", ")
    : "";

/** How many rows a tool's list has if the call does not say. */
export const rowsOfTool = 50;

/** Whether the list of an operation comes in pages. */
export const isPaged = ({ input }: Operation): boolean => "after" in input.entries && "limit" in input.entries;

const pages = `in pages of ${rowsOfTool} rows unless limit says otherwise, each of at most about ${maxPage / 1024} KB; a second text says how to get the next`;

/**
 * The summary of an operation, for a set of tools with what it returns; for an assistant only that its list comes in
 * pages.
 */
export function descriptionOf(row: Operation, set: ToolSet | undefined): string {
  const { summary, output } = row;
  if (set === undefined) return summary;
  if (set === "assistant")
    return isPaged(row) ? `${summary} ${rowsOfTool} rows a page; a second text says how to go on.` : summary;
  const item = output !== "bytes" && "item" in output ? output.item : undefined;
  const returned = item === undefined ? `an object (${fieldsOf(output)})` : `a list of (${fieldsOf(item)})`;
  return `${summary} Returns ${returned}${isPaged(row) ? `, ${pages}` : ""}.`;
}
