// Finds for each thing of a partial document the stored thing that it means: by name, or by the values of its key fields.
import { isDeepStrictEqual } from "node:util";
import type { SectionName } from "./changes.ts";
import type { Slot } from "./draft.ts";
import { givenAt, type Place, report, type Source } from "./given.ts";
import { namings, sceneName } from "./names.ts";
import type { Raw } from "./partial_schema.ts";
import { keyOf, kindOf, sections } from "./sections.ts";
import { shapeOf } from "./stored.ts";

export interface Match {
  place: Place;
  /** Undefined if the thing is not stored. */
  slot: Slot | undefined;
  /** The thing's key in the document. */
  key: string;
}

/** Whether every field that is given has the value that is stored. */
export function covers(name: SectionName, stored: Raw, given: Raw): boolean {
  const shaped = shapeOf(name, given);
  return Object.keys(given).every((field) => field === "was" || isDeepStrictEqual(shaped[field], stored[field]));
}

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
  const done = renamedBefore(section, source.document[section] ?? [], byKey);
  return (source.document[section] ?? []).flatMap((given, at) => {
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
    }
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
  const byKey = Map.groupBy(slots, ({ item }) => plainKey(item));
  const byNumber = new Map(
    slots.flatMap((slot) => (typeof slot.item.number === "string" ? [[slot.item.number, slot]] : [])),
  );
  const taken = new Set<Slot>();
  const matches: Match[] = (source.document[section] ?? []).flatMap((_, at) => {
    const key = keyAt({ source, section, at });
    return key === undefined ? [] : [{ place: { source, section, at }, slot: undefined, key }];
  });
  const take = (match: Match, wanted: (slot: Slot, given: Raw) => boolean) => {
    if (match.slot !== undefined) return;
    const given = givenAt(match.place);
    const numbered = section === "purchase_orders" ? byNumber.get(given.number as string) : undefined;
    const candidates = numbered === undefined || taken.has(numbered) ? (byKey.get(plainKey(given)) ?? []) : [numbered];
    match.slot = candidates.find((slot) => !taken.has(slot) && wanted(slot, given));
    if (match.slot !== undefined) taken.add(match.slot);
  };
  for (const match of matches) take(match, (slot, given) => covers(section, slot.item, given));
  for (const match of matches)
    take(
      match,
      ({ item }, given) => given.number === undefined || item.number === undefined || item.number === given.number,
    );
  return matches;
}

/** Matches the things of a section of a document with those of the production. Reports things without a key or named twice. */
export function matchSection(source: Source, section: SectionName, slots: readonly Slot[]): Match[] {
  const { noun, key = [] } = sections[section];
  return (noun === undefined && key.length > 1 ? matchByFields : matchByKey)(source, section, slots);
}
