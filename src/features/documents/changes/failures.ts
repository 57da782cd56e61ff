// What is said of an update that the database refuses, and what becomes of its staged bytes.
import type { Blobs, Staged } from "../../../core/store/blobs.ts";
import { notImported } from "../refusals.ts";
import { type SectionName, sectionNames, sections } from "../sections/sections.ts";

/** Discards what was staged and not stored. */
export async function discardStaged(blobs: Blobs, staged: ReadonlyMap<string, Staged>): Promise<void> {
  for (const one of staged.values()) await blobs.discard(one);
  await blobs.removeUnneeded();
}

/** What a trigger refuses is no constraint of a table: it stays an internal error. */
export const isConstraint = (error: unknown): error is Error =>
  // Whatever was thrown.
  /^SQLITE_CONSTRAINT(?!_TRIGGER)/.test(String((error as { code?: unknown } | null)?.code ?? ""));

/** The table and the column that the message of SQLite names, such as "vendors.name". */
function columnOf({ message }: Error): { table: string; column: string } | undefined {
  const [, table, column] = /^(\w+)\.(\w+)$/.exec(message.slice(message.lastIndexOf(" ") + 1)) ?? [];
  return table === undefined || column === undefined ? undefined : { table, column };
}

/** What to throw for what was thrown while changes of the `touched` sections were written. */
export function databaseRefusal(error: unknown, touched: readonly SectionName[]): unknown {
  if (!isConstraint(error)) return error;
  const found = columnOf(error);
  const has = (name: SectionName) =>
    found !== undefined && (sections[name].table === found.table || sections[name].tables.includes(found.table));
  const named = sectionNames.find((name) => touched.includes(name) && has(name));
  const where = named ?? (touched.join(", ") || "the production");
  const what = found === undefined ? "" : ` (${found.table}, ${found.column})`;
  const refusal = notImported(`the database does not allow what ${where} would become${what}`);
  return Object.assign(refusal, { problems: [{ sentence: refusal.message }], cause: error });
}
