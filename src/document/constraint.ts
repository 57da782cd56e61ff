// The last resort for what the checks of documents miss: an error of a constraint of the database becomes a sentence about a section.
import { CliError } from "../errors.ts";
import { type SectionName, sectionNames } from "./changes.ts";
import { sections } from "./sections.ts";

/** What a trigger refuses is no constraint of a table: it stays an internal error. */
const isConstraint = (error: unknown): error is Error =>
  /^SQLITE_CONSTRAINT(?!_TRIGGER)/.test(String((error as { code?: unknown } | null)?.code ?? ""));

/** The table and the column that the message of SQLite names, such as "vendors.name". */
function columnOf({ message }: Error): { table: string; column: string } | undefined {
  const [, table, column] = /(\w+)\.(\w+)$/.exec(message) ?? [];
  return table === undefined || column === undefined ? undefined : { table, column };
}

/** Does `work`, which writes changes of the `touched` sections. Throws CliError where the database refuses one of them. */
export async function explained<T>(touched: readonly SectionName[], work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isConstraint(error)) throw error;
    const found = columnOf(error);
    const has = (name: SectionName) =>
      found !== undefined && (sections[name].table === found.table || sections[name].tables?.includes(found.table));
    const named = sectionNames.find((name) => touched.includes(name) && has(name));
    const where = named ?? (touched.join(", ") || "the production");
    const what = found === undefined ? "" : ` (${found.table}, ${found.column})`;
    const sentence = `the database does not allow what ${where} would become${what}; nothing was imported`;
    throw Object.assign(new CliError(sentence, [], [{ sentence }]), { cause: error });
  }
}
