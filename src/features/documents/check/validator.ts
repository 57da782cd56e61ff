// The state of checking one document: which names there are, and what is wrong at which place. The checks of the sections also
// visit things that have a problem, so that a wrong status does not hide a wrong reference beside it; a value that does not have
// its shape is skipped.
import { cut } from "../../../core/spelling.ts";
import { namedThing, type Problems } from "../sections/problems.ts";
import type { ProductionDocument } from "../sections/schema.ts";
import type { Noun } from "../sections/sections.ts";

/** What is known of an asset; undefined if it cannot be relied on. */
export interface KnownAsset {
  kind?: string | undefined;
  /** How many it has. */
  versions?: number | undefined;
}

/** What the names in a document refer to. */
export interface KnownThings {
  /** Whether a reference is to something that stays. */
  has(noun: Noun, reference: string): boolean;
  /** What is known of the asset of a reference. */
  asset(reference: string): KnownAsset;
  /** Whether something of the noun has a name that could not be read: an unknown name may be its name. */
  isUnsure(noun: Noun): boolean;
}

export type Validator = ReturnType<typeof validatorOf>;

/**
 * What checks a document as far as it could be read: a value whose place has a problem may be of any type, or absent. `problems` holds
 * what the schema found; the checks add to it.
 */
export function validatorOf(document: ProductionDocument, problems: Problems, names: KnownThings) {
  /** Whether the value at a place can be relied on: no problem was found with it. */
  const isUsable = (place: string): boolean => !problems.has(place);

  const report = (place: string, sentence: string): void => problems.add(place, sentence);

  /** The thing at a place with its name, for a sentence about another of the same list. */
  const thing = (place: string): string => namedThing(document, place);

  /** The items of a list that can be visited, each with its place; nothing if the value is not a list. */
  function* items<T>(place: string, list: readonly T[]): Generator<[item: T, place: string, at: number]> {
    if (!isUsable(place)) return;
    for (const [at, item] of list.entries()) {
      const here = `${place}[${at}]`;
      if (item !== undefined && isUsable(here)) yield [item, here, at];
    }
  }

  return {
    document,
    isUsable,
    report,
    thing,
    items,
    asset: names.asset,

    /** The production's format, if it could be read. */
    get format(): ProductionDocument["production"]["format"] | undefined {
      return isUsable("production") && isUsable("production.format") ? document.production.format : undefined;
    },

    /** Reports a reference to something that does not exist. */
    refer(place: string, noun: Noun, name: unknown): void {
      if (!isUsable(place) || typeof name !== "string") return;
      if (!names.has(noun, name) && !names.isUnsure(noun)) report(place, `names no ${noun}: "${cut(name)}"`);
    },

    /**
     * Reports every item that has the same key as an earlier one. The key is the item itself, or its field `field`. Items without a key
     * are skipped.
     */
    distinct<T>(place: string, list: readonly T[], keyOf: (item: T) => string | number | undefined, field = ""): void {
      const first = new Map<string | number, number>();
      for (const [item, here, at] of items(place, list)) {
        if (!isUsable(here + field)) continue;
        const key = keyOf(item);
        if (key === undefined) continue;
        const before = first.get(key);
        if (before === undefined) {
          first.set(key, at);
          continue;
        }
        const other = thing(`${place}[${before}]`);
        report(
          here + field,
          field === "" ? `is the same as ${other}: "${cut(String(key))}"` : `is the same as that of ${other}`,
        );
      }
    },

    /** Reports all but the first item of a list that is marked as the active one. */
    oneActive(place: string, list: readonly { active: boolean }[], what: string): void {
      let active: string | undefined;
      for (const [item, here] of items(place, list)) {
        if (!isUsable(`${here}.active`) || !item.active) continue;
        if (active === undefined) active = here;
        else report(`${here}.active`, `must be false: ${thing(active)} is the active ${what}`);
      }
    },

    /** Reports a field that is present but not allowed, or absent but required. `where` is such as "on an episodic production". */
    present(place: string, value: unknown, wanted: boolean, where: string): void {
      if (!isUsable(place)) return;
      if (wanted && value === undefined) report(place, `is required ${where}`);
      if (!wanted && value !== undefined) report(place, `is allowed only ${where}`);
    },
  };
}
