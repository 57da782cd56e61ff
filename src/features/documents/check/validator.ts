// The state of checking one document: what its names refer to, and what is wrong at which place. The rules also visit things that have a
// problem, so that a wrong status does not hide a wrong reference beside it; a value that does not have its shape is skipped.
import { cut } from "../../../core/wording.ts";
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

/**
 * What checks a document as far as it could be read: a value whose place has a problem may be of any type, or absent. The checks add to
 * the problems of the document.
 */
export class Validator {
  /** Whether the document has episodes. */
  readonly hasEpisodes: boolean;
  /** The production as it will be. */
  readonly production: Production;
  readonly #problems: Source["problems"];
  readonly #lists: Lists;
  readonly #known: KnownThings;

  constructor(
    { document, problems }: Source,
    { production, lists }: { production: unknown; lists: Lists },
    known: KnownThings,
  ) {
    this.hasEpisodes = (document.episodes?.length ?? 0) > 0;
    this.production = production as Production; // it was parsed; where that failed is a problem
    this.#problems = problems;
    this.#lists = lists;
    this.#known = known;
  }

  /** Whether the value at a place can be relied on: no problem was found with it. */
  isUsable(place: string): boolean {
    return !this.#problems.has(place);
  }

  report(place: string, sentence: string): void {
    this.#problems.add(place, sentence);
  }

  /** The thing at a place with its name, for a sentence about another of the same list. */
  thing(place: string): string {
    return namedThing(this.#lists, place);
  }

  /** The things of a section that the document names. */
  things<S extends SectionName>(section: S): readonly Item<S>[] {
    return (this.#lists[section] ?? []) as Item<S>[]; // parsed as such; where that failed is a problem
  }

  /** The items of a list that can be visited, each with its place; nothing if the value is not a list. */
  *items<T>(place: string, list: readonly T[]): Generator<[item: T, place: string, at: number]> {
    if (!this.isUsable(place)) return;
    for (const [at, item] of list.entries()) {
      const here = `${place}[${at}]`;
      if (item !== undefined && this.isUsable(here)) yield [item, here, at];
    }
  }

  asset(reference: string): KnownAsset {
    return this.#known.asset(reference);
  }

  /** The production's format, if it could be read. */
  get format(): Production["format"] | undefined {
    return this.isUsable("production") && this.isUsable("production.format") ? this.production.format : undefined;
  }

  /** Reports a reference to something that does not exist. */
  refer(place: string, noun: Noun, name: unknown): void {
    if (!this.isUsable(place) || typeof name !== "string") return;
    if (!this.#known.has(noun, name) && !this.#known.isUnsure(noun))
      this.report(place, `names no ${noun}: "${cut(name)}"`);
  }

  /**
   * Reports every item that has the same key as an earlier one. The key is the item itself, or its field `field`. Items without a key
   * are skipped.
   */
  distinct<T>(place: string, list: readonly T[], keyOf: (item: T) => string | number | undefined, field = ""): void {
    const first = new Map<string | number, number>();
    for (const [item, here, at] of this.items(place, list)) {
      const key = this.isUsable(here + field) ? keyOf(item) : undefined;
      if (key === undefined) continue;
      const before = first.get(key);
      if (before === undefined) {
        first.set(key, at);
        continue;
      }
      const same = `is the same as ${field === "" ? "" : "that of "}${this.thing(`${place}[${before}]`)}`;
      this.report(here + field, field === "" ? `${same}: "${cut(String(key))}"` : same);
    }
  }

  /** Reports all but the first item of a list that is marked as the active one. */
  oneActive(place: string, list: readonly { active: boolean }[], what: string): void {
    let active: string | undefined;
    for (const [item, here] of this.items(place, list)) {
      if (!this.isUsable(`${here}.active`) || !item.active) continue;
      if (active === undefined) active = here;
      else this.report(`${here}.active`, `must be false: ${this.thing(active)} is the active ${what}`);
    }
  }

  /** Reports a field that is present but not allowed, or absent but required. `where` is such as "on an episodic production". */
  present(place: string, value: unknown, wanted: boolean, where: string): void {
    if (!this.isUsable(place)) return;
    if (wanted && value === undefined) this.report(place, `is required ${where}`);
    if (!wanted && value !== undefined) this.report(place, `is allowed only ${where}`);
  }
}
