// The state of checking one document: what its names refer to, and what is wrong at which place. The rules also visit things that have a
// problem, so that a wrong status does not hide a wrong reference beside it; a value that does not have its shape is skipped.
import { cut } from "../../../core/spelling.ts";
import type { Slot, Source } from "../match/matching.ts";
import type { Target } from "../match/target.ts";
import { isRecord } from "../sections/form.ts";
import { namedThing } from "../sections/problems.ts";
import { type Item, type Noun, namings, type Production, type SectionName } from "../sections/sections.ts";

/** The things of a document by their sections and indexes. */
export type Lists = { [S in SectionName]?: unknown[] };

/** What is known of an asset; undefined if it cannot be relied on. */
interface KnownAsset {
  kind?: unknown;
  /** How many it has. */
  versions?: number | undefined;
}

function knownAsset({ item: { kind, versions = [] }, given }: Slot): KnownAsset {
  const isSound = (field: string) => !given.some(({ source, at }) => source.problems.has(`assets[${at}].${field}`));
  const isNumbered =
    isSound("versions") &&
    Array.isArray(versions) &&
    versions.every((one, at) => isRecord(one) && one.version === at + 1);
  return { kind: isSound("kind") ? kind : undefined, versions: isNumbered ? versions.length : undefined };
}

export type KnownThings = ReturnType<typeof knownThings>;

/** What the names in the documents of an update refer to: things as they will be. The target must not change any more. */
export function knownThings(target: Target) {
  let assets: ReadonlyMap<string, Slot> | undefined;
  let hasUnsureScenes: boolean | undefined;

  /** Whether a reference is to something that stays. */
  const has = (noun: Noun, reference: unknown): boolean =>
    typeof reference === "string" && target.names.of(noun).stays(reference);

  /** Whether the episode, which is a part of the name of a scene, is another one than the format of the production requires. */
  function lacksEpisode(slot: Slot): boolean {
    if (slot.gone) return false;
    const episode = slot.field("episode");
    return target.production.item.format === "episodic" ? !has("episode", episode) : episode !== undefined;
  }

  return {
    has,
    /** What is known of the asset of a reference. */
    asset(reference: string): KnownAsset {
      assets ??= new Map(target.slots("assets").flatMap((slot) => (slot.gone ? [] : [[slot.ref, slot]])));
      const found = assets.get(reference);
      return found === undefined ? {} : knownAsset(found);
    },
    /** Whether something of the noun has a name that could not be read: an unknown name may be its name. */
    isUnsure(noun: Noun): boolean {
      if (target.unsure.has(namings[noun].list)) return true;
      if (noun !== "scene") return false;
      hasUnsureScenes ??= target.slots("scenes").some(lacksEpisode);
      return hasUnsureScenes;
    },
  };
}

export type Validator = ReturnType<typeof validatorOf>;

/**
 * What checks a document as far as it could be read: a value whose place has a problem may be of any type, or absent. The checks add to
 * the problems of the document.
 */
export function validatorOf(
  { document, problems }: Source,
  { production, lists }: { production: unknown; lists: Lists },
  names: KnownThings,
) {
  /** Whether the value at a place can be relied on: no problem was found with it. */
  const isUsable = (place: string): boolean => !problems.has(place);

  const report = (place: string, sentence: string): void => problems.add(place, sentence);

  /** The thing at a place with its name, for a sentence about another of the same list. */
  const thing = (place: string): string => namedThing(lists, place);

  /** The items of a list that can be visited, each with its place; nothing if the value is not a list. */
  function* items<T>(place: string, list: readonly T[]): Generator<[item: T, place: string, at: number]> {
    if (!isUsable(place)) return;
    for (const [at, item] of list.entries()) {
      const here = `${place}[${at}]`;
      if (item !== undefined && isUsable(here)) yield [item, here, at];
    }
  }

  return {
    isUsable,
    report,
    thing,
    items,
    asset: names.asset,

    /** The production as it will be. */
    production: production as Production, // it was parsed; where that failed is a problem
    /** Whether the document has episodes. */
    hasEpisodes: (document.episodes?.length ?? 0) > 0,
    /** The things of a section that the document names. */
    things: <S extends SectionName>(section: S): readonly Item<S>[] => (lists[section] ?? []) as Item<S>[], // parsed as such

    /** The production's format, if it could be read. */
    get format(): Production["format"] | undefined {
      return isUsable("production") && isUsable("production.format") ? this.production.format : undefined;
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
