// Finds the things of documents by their only key, such as the number of a shoot day within its unit. Tells which
// renames were done before, of keys and of names.
import { composed } from "../../../core/store/composed.ts";
import { cut } from "../../../core/wording.ts";
import { dayForm, dayOfKey, unitKey } from "../../../graph/units.ts";
import type { Source } from "../read/sources.ts";
import type { Raw } from "../sections/form.ts";
import { keyOf, kindOf, type SectionName, sections, unitDayOf } from "../sections/sections.ts";
import type { Update } from "./update.ts";

/**
 * The new names of renames that were done before: the first of a chain, whose former name nothing has, and those that
 * follow it. A ring of renames, such as a swap, has no first one.
 */
export function renamedBefore(
  renames: readonly { was: string | undefined; name: string | undefined }[],
  isKnown: (name: string) => boolean,
): Set<string> {
  const stored = renames.flatMap(({ was, name }) =>
    was !== undefined && name !== undefined && isKnown(name) ? [{ was, name }] : [],
  );
  const following = Map.groupBy(stored, ({ was }) => was);
  const done = new Set(stored.filter(({ was }) => !isKnown(was)).map(({ name }) => name));
  for (const name of done) for (const next of following.get(name) ?? []) done.add(next.name); // visited too
  return done;
}

/** What makes two keys of a section one; undefined where a thing has none. */
function formOf(section: SectionName, item: Raw): string | undefined {
  const [field = ""] = sections[section].key?.slice(-1) ?? [];
  const value = item[field] ?? undefined;
  // a date or a name
  return value === undefined || section !== "schedule" ? (value as string | undefined) : dayForm(unitDayOf(item));
}

/** What `was` says that a thing was called, in the same form. */
function formerOf(section: SectionName, { was }: Raw): string | undefined {
  if (was === undefined) return undefined;
  const day = section === "schedule" ? dayOfKey(String(was)) : undefined;
  return day === undefined ? String(was) : dayForm(day);
}

/** The keys of a section: which thing has each, and the names of units as they were first written. */
class KeysOfSection {
  readonly ids = new Map<string | undefined, number>();
  readonly #units = new Map<string, string>();
  readonly #section: SectionName;

  /** Those that are stored are not read as things. */
  constructor(update: Update, section: SectionName) {
    this.#section = section;
    const { database, production_id } = update.rows;
    const { key = [], table } = sections[section];
    const sql = `SELECT id, ${key.join(", ")} FROM ${table} WHERE production_id = ? ORDER BY id`;
    if (database !== undefined && !update.options.is_new)
      for (const { id, ...item } of composed<Raw & { id: number }>(database, sql).all(production_id))
        this.#put(item, id);
    // What an earlier document added, or named otherwise.
    for (const { id, next, before } of update.items(section).values()) {
      if (before !== undefined && this.ids.get(formOf(section, before)) === id)
        this.ids.delete(formOf(section, before));
      if (next !== undefined) this.#put(next, id);
    }
  }

  #put(item: Raw, id: number): void {
    const form = formOf(this.#section, item);
    if (form !== undefined) this.ids.set(form, id);
    this.spell(item);
  }

  /** A unit has the name with which it was first written. */
  spell(item: Raw): void {
    const { unit } = item;
    if (typeof unit !== "string" || unit === "") return;
    const form = unitKey(unit);
    const known = this.#units.get(form);
    if (known === undefined) this.#units.set(form, unit);
    else item.unit = known;
  }
}

/** With `was`, a day stays in its unit where the document says none. */
function inFormerUnit(section: SectionName, item: Raw): void {
  const former = section === "schedule" && item.unit === undefined ? dayOfKey(String(item.was ?? "")) : undefined;
  if (former !== undefined && former.unit !== "") item.unit = former.unit;
}

export function matchByKey(
  update: Update,
  source: Source,
  section: SectionName,
  items: readonly Raw[],
): (number | undefined)[] {
  const [field = ""] = sections[section].key?.slice(-1) ?? [];
  const keys = new KeysOfSection(update, section);
  const { ids } = keys;
  for (const item of items) {
    inFormerUnit(section, item);
    keys.spell(item);
  }
  const given = items.map((item) => ({ item, name: formOf(section, item), was: formerOf(section, item) }));
  const done = renamedBefore(
    given.filter(({ name, was }) => was !== name),
    (form) => ids.has(form),
  );
  const leaving = new Set(given.flatMap(({ was }) => (was === undefined ? [] : (ids.get(was) ?? []))));
  const seen = new Map<number, number>();
  return given.map(({ item, name: form, was }, at) => {
    const place = { source, section, at };
    if (source.problems.has(`${section}[${at}].${field}`)) return undefined;
    if (form === undefined) {
      if (!source.problems.has(`${section}[${at}]`)) update.report(place, "is required", `.${field}`);
      return undefined;
    }
    const key = cut(keyOf(section, item) ?? "");
    const former = was === undefined || done.has(form) ? undefined : ids.get(was);
    const id = former ?? ids.get(form);
    if (id === undefined && was !== undefined && was !== form) {
      update.report(place, `names no stored ${kindOf(section)}: "${cut(String(item.was))}"`, ".was");
      return undefined;
    }
    const holder = ids.get(form);
    if (former !== undefined && holder !== undefined && former !== holder && !leaving.has(holder))
      update.report(place, `must be different: there is already a ${kindOf(section)} "${key}"`, `.${field}`);
    const found = id ?? update.add(section).id;
    const before = seen.get(found);
    if (before !== undefined) {
      update.report(place, `is the same thing as ${section}[${before}]: "${key}"`);
      return undefined;
    }
    seen.set(found, at);
    if (id === undefined) ids.set(form, found);
    return found;
  });
}
