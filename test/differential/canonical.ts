// Values in a form in which two of them are the same text if they say the same: the order of the fields of a thing says
// nothing, nor does the order of warnings, or that in which a sentence lists what was changed.
import type { Json } from "../support/update.ts";

/** The facts of a summary, such as "Scenes: scene 5: status planned -> done, synopsis …". */
const facts = (summary: string): string =>
  summary
    .split(/, |; |\. |: /)
    .sort()
    .join(", ");

/** A longer summary may have been cut. */
const maxWhole = 300;

/** A value with sorted fields and facts. A summary that was cut may have other facts, and another length. */
export const canonical = (value: Json): Json =>
  JSON.parse(
    JSON.stringify(value ?? null, (name, one) => {
      if (name === "summary" && typeof one === "string") {
        const said = one.replaceAll("general call", "crew call").replaceAll("scene scene", "scene"); // the former words
        return said.length > maxWhole && said.includes("…") ? "…" : facts(said);
      }
      if (name === "warnings" && Array.isArray(one)) return one.toSorted();
      if (typeof one !== "object" || one === null || Array.isArray(one)) return one;
      return Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)));
    }),
  );

/** Columns with JSON. */
const ofJson = new Set(["data", "changes", "detail", "elements", "registry", "spec", "figures"]);

/** The row of a table as a text. */
export const textOfRow = (row: Readonly<Record<string, Json>>): string =>
  JSON.stringify(
    canonical(
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          ofJson.has(name) && typeof value === "string" ? JSON.parse(value) : value,
        ]),
      ),
    ),
  );

/** Columns whose texts may differ though they say the same. */
export const isFree = (column: string): boolean => column === "summary" || ofJson.has(column);
