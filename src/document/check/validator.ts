// The state of checking one document: which names there are, and what is wrong at which place. The checks of the sections also
// visit things that have a problem, so that a wrong status does not hide a wrong reference beside it; a value that does not have
// its shape is skipped.
import type { Draft } from "../match/draft.ts";
import type { Slot } from "../match/matching.ts";
import { checkProduction } from "../nouns/production.ts";
import { checkSection } from "../nouns/stored.ts";
import { eachReference, type Form, formOf } from "../sections/form.ts";
import { namedThing, type Problems } from "../sections/problems.ts";
import { documentSchema, type ProductionDocument } from "../sections/schema.ts";
import { keyOf, type Noun, namings, sectionNames } from "../sections/sections.ts";

/** What is known of a thing by its name; undefined if it cannot be relied on. */
interface Known {
  /** Of an asset. */
  kind?: string | undefined;
  /** Of an asset: how many versions it has. */
  versions?: number | undefined;
}

/** What the names in the documents of an update refer to. */
export class DraftNames {
  readonly #draft: Draft;
  readonly #ids = new Map<Noun, ReadonlyMap<string, number | undefined>>();
  #assets: ReadonlyMap<string, Known> | undefined;
  #hasUnsureScenes: boolean | undefined;

  /** The draft must not change any more. */
  constructor(draft: Draft) {
    this.#draft = draft;
  }

  /** The ids by name; the id of what is not stored is undefined. */
  ids(noun: Noun): ReadonlyMap<string, number | undefined> {
    let ids = this.#ids.get(noun);
    if (ids === undefined) {
      ids = this.#draft.names(noun);
      this.#ids.set(noun, ids);
    }
    return ids;
  }

  get(noun: Noun, name: string): Known | undefined {
    if (noun !== "asset") return this.ids(noun).has(name) ? {} : undefined;
    this.#assets ??= new Map(
      this.#draft
        .slots("assets")
        .flatMap((slot) => (slot.gone ? [] : [[keyOf("assets", slot.item) as string, knownAsset(slot)]])),
    );
    return this.#assets.get(name);
  }

  /** Whether something of the noun has a name that could not be read: an unknown name may be its name. */
  isUnsure(noun: Noun): boolean {
    if (this.#draft.unsure.has(namings[noun].list)) return true;
    if (noun !== "scene") return false;
    this.#hasUnsureScenes ??= this.#draft.slots("scenes").some((slot) => this.#lacksEpisode(slot));
    return this.#hasUnsureScenes;
  }

  /** Whether the episode, which is a part of the name of a scene, is another one than the format of the production requires. */
  #lacksEpisode({ item: { episode }, gone }: Slot): boolean {
    if (gone) return false;
    if (this.#draft.production.item.format !== "episodic") return episode !== undefined;
    return !this.ids("episode").has(episode as string);
  }
}

function knownAsset({ item, given }: Slot): Known {
  const { kind, versions = [] } = item as { kind?: string; versions?: ({ version?: unknown } | null)[] };
  const isSound = (field: string) => !given.some(({ source, at }) => source.problems.has(`assets[${at}].${field}`));
  const isNumbered = isSound("versions") && versions.every((one, at) => one?.version === at + 1);
  return { kind: isSound("kind") ? kind : undefined, versions: isNumbered ? versions.length : undefined };
}

export class Validator {
  /** As far as it could be read: a value whose place has a problem may be of any type, or absent. */
  readonly document: ProductionDocument;
  readonly #problems: Problems;
  readonly #names: DraftNames;

  /** `problems` holds what the schema found; the checks add to it. */
  constructor(document: ProductionDocument, problems: Problems, names: DraftNames) {
    this.document = document;
    this.#problems = problems;
    this.#names = names;
  }

  /** The production's format, if it could be read. */
  get format(): ProductionDocument["production"]["format"] | undefined {
    const readable = this.isUsable("production") && this.isUsable("production.format");
    return readable ? this.document.production.format : undefined;
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
    return namedThing(this.document, place);
  }

  /** The items of a list that can be visited, each with its place; nothing if the value is not a list. */
  *items<T>(place: string, list: readonly T[]): Generator<[item: T, place: string, at: number]> {
    if (!this.isUsable(place)) return;
    for (const [at, item] of list.entries()) {
      const here = `${place}[${at}]`;
      if (item !== undefined && this.isUsable(here)) yield [item, here, at];
    }
  }

  /** What is known of the thing of a name; undefined if there is none. */
  known(noun: Noun, name: string): Known | undefined {
    return this.#names.get(noun, name);
  }

  /** Reports a reference to something that does not exist, and a list that names one thing twice. */
  checkReferences(form: Form): void {
    eachReference(this.document, form, "", (noun, reference, place, isText) => {
      if (isText) return;
      if (typeof reference === "string") this.#refer(place, noun, reference);
      else if (this.isUsable(place)) {
        for (const [name, here] of this.items(place, reference)) this.#refer(here, noun, name);
        this.distinct(place, reference, (name) => name);
      }
    });
  }

  #refer(place: string, noun: Noun, name: string): void {
    if (!this.isUsable(place) || typeof name !== "string") return;
    if (this.#names.get(noun, name) === undefined && !this.#names.isUnsure(noun))
      this.report(place, `names no ${noun}: "${name}"`);
  }

  /**
   * Reports every item that has the same key as an earlier one. The key is the item itself, or its field `field`. Items without a key
   * are skipped.
   */
  distinct<T>(place: string, list: readonly T[], keyOf: (item: T) => string | number | undefined, field = ""): void {
    const first = new Map<string | number, number>();
    for (const [item, here, at] of this.items(place, list)) {
      if (!this.isUsable(here + field)) continue;
      const key = keyOf(item);
      if (key === undefined) continue;
      const before = first.get(key);
      if (before === undefined) {
        first.set(key, at);
        continue;
      }
      const other = this.thing(`${place}[${before}]`);
      this.report(here + field, field === "" ? `is the same as ${other}: "${key}"` : `is the same as that of ${other}`);
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

const form = formOf(documentSchema);

/** Adds what is wrong to `problems`, which holds what the schema found. */
export function checkDocument(document: ProductionDocument, problems: Problems, names: DraftNames): void {
  const validator = new Validator(document, problems, names);
  checkProduction(validator);
  for (const name of sectionNames) if (document[name].length > 0) checkSection(validator, name);
  validator.checkReferences(form);
}
