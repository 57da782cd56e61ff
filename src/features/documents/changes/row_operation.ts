// An operation on the rows of a table, and which of its times are those of the transaction that writes it: operations
// are made before it.

import type { AnySection } from "../sections/sections.ts";
import type { Row } from "./rows.ts";

/** What is stored of scripts and is in no document: rows that are things of their own, in the table of the name. */
export type ScriptTable = "script_drafts" | "script_scenes";

/** One change: of the cells of a row, of a row that comes or goes (null), or of the rows of a list. */
export interface RowOperation {
  section: AnySection | ScriptTable;
  /** The id of the thing. */
  id: number;
  /** The list of the thing to which the row belongs; empty for its own row. */
  field: string;
  table: string;
  key: Row;
  from: Row | Row[] | null;
  to: Row | Row[] | null;
}

/** An operation on what a document has. */
export type SectionOperation = RowOperation & { section: AnySection };

export const isScriptTable = (section: RowOperation["section"]): section is ScriptTable =>
  section === "script_drafts" || section === "script_scenes";
export const isOfSection = (operation: RowOperation): operation is SectionOperation =>
  !isScriptTable(operation.section);

/** When operations were made, and when they are written. */
export interface Times {
  now: string;
  planned: string;
}

/** The column with the time, by table. */
const columns: Readonly<Record<string, string | undefined>> = {
  script_drafts: "imported_at",
  script_changes: "decided_at",
};

export const isStamped = (table: string): boolean => table in columns;

/** A row of a table, or cells of one, with the time of the transaction. */
export function stamped(table: string, row: Row, { now, planned }: Times): Row {
  const column = columns[table];
  return column !== undefined && row[column] === planned ? { ...row, [column]: now } : row;
}

/** Operations as they are written. */
export const stampedOperations = (operations: readonly RowOperation[], times: Times): readonly RowOperation[] =>
  times.now === times.planned
    ? operations
    : operations.map((one) =>
        isStamped(one.table) && one.to !== null && !Array.isArray(one.to)
          ? { ...one, to: stamped(one.table, one.to, times) }
          : one,
      );
