// Finds for each thing of a partial document the stored thing that it means: by name, or by the values of its key fields.
import { listAt } from "../../sequences.ts";
import { shapeOf } from "../nouns/stored.ts";
import type { Raw } from "../sections/form.ts";
import { namings, sceneName } from "../sections/names.ts";
import { keyOf, kindOf, type SectionName, sections } from "../sections/sections.ts";
import { givenAt, type Place, report, type Slot, type Source } from "./source.ts";

/** The values of fields as one text. What is absent and what is null are the same. */
const valuesOf = (item: Raw, fields: readonly string[]): string =>
  JSON.stringify(fields.map((field) => item[field] ?? null));

/** The entries of a list, of which each can be claimed once. Their values must be in canonical form. */
export class Claims {
  readonly #entries: readonly Raw[];
  readonly #claimed = new Set<number>();
  /** For each combination of fields: the positions by their values, the first one last. */
  readonly #indexes = new Map<string, Map<string, number[]>>();

  constructor(entries: readonly Raw[]) {
    this.#entries = entries;
  }

  /** The position of the first entry that is not claimed yet and has the values that `given` has in `fields`. */
  claim(given: Raw, fields: readonly string[]): number | undefined {
    const positions = this.#indexOf(fields).get(valuesOf(given, fields));
    for (let at = positions?.pop(); at !== undefined; at = positions?.pop())
      if (!this.#claimed.has(at)) {
        this.#claimed.add(at);
        return at;
      }
    return undefined;
  }

  #indexOf(fields: readonly string[]): Map<string, number[]> {
    const name = fields.join();
    let index = this.#indexes.get(name);
    if (index === undefined) {
      index = new Map();
      for (let at = this.#entries.length - 1; at >= 0; at--)
        listAt(index, valuesOf(this.#entries[at] as Raw, fields)).push(at);
      this.#indexes.set(name, index);
    }
    return index;
  }
}

export interface Match {
  place: Place;
  /** Undefined if the thing is not stored. */
  slot: Slot | undefined;
  /** The thing's key in the document. */
  key: string;
}

/** The name under which the key of a thing stands beside its fields; no schema has such a field. */
const keyField = " key";

/** The key of a given thing. Reports the fields that it needs. */
function keyAt(place: Place): string | undefined {
  const { section } = place;
  const given = givenAt(place);
  const key = keyOf(section, given);
  const { noun, key: fields = [] } = sections[section];
  if (key === undefined) {
    const needed = noun === undefined ? fields.filter((field) => given[field] === undefined) : [namings[noun].field];
    const { problems } = place.source;
    const item = `${section}[${place.at}]`;
    for (const field of needed)
      if (field !== "episode" && !problems.has(item) && !problems.has(`${item}.${field}`))
        report(place, "is required", `.${field}`);
  }
  return key;
}

/** The slot that `was` names: by the whole key, or for a scene by its number within the episode that the document gives. */
function formerSlot(section: SectionName, given: Raw, slots: ReadonlyMap<string, Slot>): Slot | undefined {
  const former = String(given.was);
  const own = slots.get(former);
  if (own !== undefined || section !== "scenes" || typeof given.episode !== "string") return own;
  return slots.get(sceneName(former, given.episode));
}

/**
 * The keys of the things that have their new names already. The first of a chain of renames is done if nothing has its former name
 * and something has its new one; then the next one, whose former name is that new one, is done too if something has its own. A ring
 * of renames, such as a swap, has no first one: nothing shows whether it is done.
 */
function renamedBefore(section: SectionName, items: readonly Raw[], slots: ReadonlyMap<string, Slot>): Set<string> {
  const stored = items.flatMap((given) => {
    const key = keyOf(section, given);
    if (given.was === undefined || key === undefined || !slots.has(key)) return [];
    const former = formerSlot(section, given, slots);
    return [{ key, former: former && keyOf(section, former.item) }];
  });
  const following = Map.groupBy(stored, ({ former }) => former);
  const done = new Set(following.get(undefined)?.map(({ key }) => key));
  for (const before of done) for (const { key } of following.get(before) ?? []) done.add(key); // a set visits what is added
  return done;
}

/** Matches the things of a section that have one key each. */
function matchByKey(source: Source, section: SectionName, slots: readonly Slot[]): Match[] {
  const byKey = new Map(slots.map((slot) => [keyOf(section, slot.item) as string, slot]));
  const first = new Map<Slot | string, number>();
  const items = source.document[section] ?? [];
  const done = source.is_paperwork ? new Set() : renamedBefore(section, items, byKey);
  // A name that paperwork takes from a thing is free for another one of the same document.
  const renamed = source.is_paperwork ? items.filter(({ was }) => was !== undefined) : [];
  const leaving = new Set(renamed.map((given) => formerSlot(section, given, byKey)));
  return items.flatMap((given, at) => {
    const place = { source, section, at };
    const key = keyAt(place);
    if (key === undefined) return [];
    let slot = byKey.get(key);
    if (given.was !== undefined && String(given.was) !== key && !done.has(key)) {
      const former = formerSlot(section, given, byKey);
      if (former === undefined && slot === undefined) {
        report(place, `names no stored ${kindOf(section)}: "${String(given.was)}"`, ".was");
        return [];
      }
      slot = former ?? slot;
    } else if (leaving.has(slot)) slot = undefined;
    const before = first.get(slot ?? key);
    if (before !== undefined) {
      report(place, `is the same thing as ${section}[${before}]: "${key}"`);
      return [];
    }
    first.set(slot ?? key, at);
    return [{ place, slot, key }];
  });
}

/** Matches things whose key several may share: first those that say what is stored, then the others in their order. */
function matchByFields(source: Source, section: SectionName, slots: readonly Slot[]): Match[] {
  const plainKey = (item: Raw): string | undefined => keyOf(section, { ...item, number: undefined });
  const keyed = (item: Raw): Raw => ({ ...item, [keyField]: plainKey(item) });
  const claims = new Claims(
    slots.map(({ stored, item }) => keyed(stored === undefined ? shapeOf(section, item) : item)),
  );
  const numbers = new Set(slots.flatMap(({ item }) => (typeof item.number === "string" ? item.number : [])));
  const matches: Match[] = (source.document[section] ?? []).flatMap((_, at) => {
    const key = keyAt({ source, section, at });
    return key === undefined ? [] : [{ place: { source, section, at }, slot: undefined, key }];
  });
  const claim = (match: Match, fieldsOf: (given: Raw, isNumbered: boolean) => readonly string[]) => {
    if (match.slot !== undefined) return;
    const given = givenAt(match.place);
    const isNumbered = typeof given.number === "string" && numbers.has(given.number);
    // An order with a new number can be a stored one that has no number yet.
    const { number, ...rest } = shapeOf(section, given);
    const wanted = keyed(isNumbered ? { ...rest, number } : rest);
    match.slot = slots[claims.claim(wanted, fieldsOf(given, isNumbered)) ?? -1];
  };
  const givenFields = (given: Raw) =>
    Object.keys(given)
      .filter((field) => field !== "was" && given[field] !== undefined)
      .sort();
  for (const match of matches) {
    const number = givenAt(match.place).number ?? undefined;
    if (number === undefined || numbers.has(number as string))
      claim(match, (given, isNumbered) => [...(isNumbered ? [] : [keyField]), ...givenFields(given)]);
  }
  for (const match of matches)
    claim(match, ({ number }, isNumbered) =>
      isNumbered ? ["number"] : (number ?? null) === null ? [keyField] : [keyField, "number"],
    );
  return matches;
}

/** Matches the things of a section of a document with those of the production. Reports things without a key or named twice. */
export function matchSection(source: Source, section: SectionName, slots: readonly Slot[]): Match[] {
  const { noun, key = [] } = sections[section];
  return (noun === undefined && key.length > 1 ? matchByFields : matchByKey)(source, section, slots);
}
