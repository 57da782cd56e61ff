// Finds the things of documents by their only key field, such as the number of a shoot day.
import { composed } from "../../../core/store/composed.ts";
import { cut } from "../../../core/wording.ts";
import type { Source } from "../match/matching.ts";
import type { Raw } from "../sections/form.ts";
import { kindOf, type SectionName, sections } from "../sections/sections.ts";
import type { Update } from "./update.ts";

/** The things of a section by their only key field: those that are stored are not read. */
function idsByKey(update: Update, section: SectionName, field: string): Map<unknown, number> {
  const { database, production_id } = update.rows;
  const sql = `SELECT id, ${field} AS value FROM ${sections[section].table} WHERE production_id = ? ORDER BY id`;
  const stored =
    database === undefined || update.options.is_new
      ? []
      : composed<{ id: number; value: unknown }>(database, sql).all(production_id);
  const ids = new Map(stored.map(({ id, value }) => [value, id]));
  // What an earlier document added, or named otherwise.
  for (const { id, next, before } of update.items(section).values()) {
    if (before !== undefined && ids.get(before[field]) === id) ids.delete(before[field]);
    if (next?.[field] !== undefined) ids.set(next[field], id);
  }
  return ids;
}

export function matchByKey(
  update: Update,
  source: Source,
  section: SectionName,
  given: readonly Raw[],
): (number | undefined)[] {
  const [field = ""] = sections[section].key ?? [];
  const ids = idsByKey(update, section, field);
  const formerOf = ({ was }: Raw) => (field === "day_number" && /^\d+$/.test(String(was)) ? Number(was) : was);
  const stored = given.filter(
    (item) => item.was !== undefined && formerOf(item) !== item[field] && ids.has(item[field]),
  );
  const done = new Set(stored.filter((item) => !ids.has(formerOf(item))));
  for (const one of done) for (const next of stored) if (formerOf(next) === one[field]) done.add(next); // visited too
  const seen = new Map<number, number>();
  return given.map((item, at) => {
    const place = { source, section, at };
    const key = item[field];
    if (source.problems.has(`${section}[${at}].${field}`)) return undefined;
    if (key === undefined || key === null) {
      if (!source.problems.has(`${section}[${at}]`)) update.report(place, "is required", `.${field}`);
      return undefined;
    }
    const former = item.was === undefined || done.has(item) ? undefined : ids.get(formerOf(item));
    const id = former ?? ids.get(key);
    if (id === undefined && item.was !== undefined && formerOf(item) !== key) {
      update.report(place, `names no stored ${kindOf(section)}: "${cut(String(item.was))}"`, ".was");
      return undefined;
    }
    if (
      former !== undefined &&
      former !== ids.get(key) &&
      ids.has(key) &&
      !given.some((one) => one !== item && ids.get(formerOf(one)) === ids.get(key))
    )
      update.report(
        place,
        `must be different: there is already a ${kindOf(section)} "${cut(String(key))}"`,
        `.${field}`,
      );
    const found = id ?? update.add(section).id;
    const before = seen.get(found);
    if (before !== undefined) {
      update.report(place, `is the same thing as ${section}[${before}]: "${cut(String(key))}"`);
      return undefined;
    }
    seen.set(found, at);
    if (id === undefined) ids.set(key, found);
    return found;
  });
}
