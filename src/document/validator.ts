// The state of checking one document: what is named, and what is wrong where. The checks of the sections visit broken things
// too, so that one wrong status does not hide the wrong reference beside it; a value that has not its shape is passed over.
import { type Noun, nameOf, namings, nouns } from "./names.ts";
import { namedThing } from "./places.ts";
import type { Problems } from "./problems.ts";
import type { ProductionDocument } from "./schema.ts";

type Lists = Omit<ProductionDocument, "document" | "document_version" | "production">;

const fold = (name: string): string => name.trim().toLowerCase();

export class Validator {
  /** As far as it could be read: a value whose place has a problem may be of any type, or absent. */
  readonly document: ProductionDocument;
  /** Assets, by position, whose versions are not numbered as they should be: a version's number says nothing of them. */
  readonly misnumbered = new Set<number>();
  readonly #problems: Problems;
  readonly #names = new Map<Noun, Map<string, number>>();
  /** Nouns of which something has no name of its own: a reference that names nothing may be to it, and is not reported. */
  readonly #unsure = new Set<Noun>();

  /** `problems` holds what the schema found; what the checks find is added to it. */
  constructor(document: ProductionDocument, problems: Problems) {
    this.document = document;
    this.#problems = problems;
    for (const noun of nouns) this.#name(noun);
  }

  /** The production's format, where it could be read. */
  get format(): ProductionDocument["production"]["format"] | undefined {
    const readable = this.isUsable("production") && this.isUsable("production.format");
    return readable ? this.document.production.format : undefined;
  }

  /** Whether the value at a place can be relied on: nothing was found to be wrong with it. */
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

  /** The items of a list that can be visited, each with its place; none where the list is no list. */
  *items<T>(place: string, list: readonly T[]): Generator<[item: T, place: string, at: number]> {
    if (!this.isUsable(place)) return;
    for (const [at, item] of list.entries()) {
      const here = `${place}[${at}]`;
      if (this.isUsable(here)) yield [item, here, at];
    }
  }

  /** Visits every item of a section with its place. */
  each<K extends keyof Lists>(section: K, visit: (item: Lists[K][number], place: string) => void): void {
    for (const [item, place] of this.items<Lists[K][number]>(section, this.document[section])) visit(item, place);
  }

  /** The position of what `name` refers to. Reports a name that nothing goes by. */
  refer(place: string, noun: Noun, name: string | undefined): number | undefined {
    if (name === undefined || !this.isUsable(place)) return undefined;
    const position = this.#names.get(noun)?.get(name);
    if (position === undefined && !this.#unsure.has(noun)) this.report(place, `names no ${noun}: "${name}"`);
    return position;
  }

  /** As refer, for a list that must not name one thing twice. */
  referEach(place: string, noun: Noun, list: readonly string[]): void {
    for (const [name, here] of this.items(place, list)) this.refer(here, noun, name);
    this.distinct(place, list, (name) => name);
  }

  /** Reports every item whose key stands a second time; the key is the item itself, or at `field` below it. */
  distinct<T>(place: string, list: readonly T[], keyOf: (item: T) => string | number, field = ""): void {
    const first = new Map<string | number, number>();
    for (const [item, here, at] of this.items(place, list)) {
      if (!this.isUsable(here + field)) continue;
      const key = keyOf(item);
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

  /** Reports a field that is there where it may not be, or absent where it must be: "on an episodic production". */
  present(place: string, value: unknown, wanted: boolean, where: string): void {
    if (!this.isUsable(place)) return;
    if (wanted && value === undefined) this.report(place, `is required ${where}`);
    if (!wanted && value !== undefined) this.report(place, `must be left out except ${where}`);
  }

  /** The name of a thing; undefined where it has none that can be relied on. */
  #nameOf(noun: Noun, item: unknown, place: string): string | undefined {
    const { field, refs } = { refs: false, ...namings[noun] };
    if (!this.isUsable(place)) return undefined;
    if (noun === "vendor") return nameOf(noun, item);
    if (!this.isUsable(`${place}.${field}`) || (refs && !this.isUsable(`${place}.ref`))) return undefined;
    if (noun === "scene" && !this.#hasEpisode(item as { episode?: unknown }, place)) return undefined;
    return nameOf(noun, item);
  }

  /** Whether the episode, which is a part of the scene's name, is as the format wants it. */
  #hasEpisode({ episode }: { episode?: unknown }, place: string): boolean {
    if (!this.isUsable(`${place}.episode`)) return false;
    if (this.format === "single") return episode === undefined;
    const known = typeof episode === "string" && this.#names.get("episode")?.has(episode) === true;
    return this.format === "episodic" ? known : known || episode === undefined;
  }

  #name(noun: Noun): void {
    const { list, field, refs, folded } = { refs: false, folded: false, ...namings[noun] };
    const names = new Map<string, number>();
    this.#names.set(noun, names);
    if (!this.isUsable(list)) {
      this.#unsure.add(noun);
      return;
    }
    const seen = folded ? new Map<string, number>() : names;
    (this.document[list] as readonly unknown[]).forEach((item, at) => {
      const place = `${list}[${at}]`;
      const name = this.#nameOf(noun, item, place);
      if (name === undefined) {
        this.#unsure.add(noun);
        return;
      }
      const key = folded ? fold(name) : name;
      const before = seen.get(key);
      if (!names.has(name)) names.set(name, at);
      if (before === undefined) {
        seen.set(key, at);
        return;
      }
      this.#unsure.add(noun); // what should have another name may be referred to by it
      const other = this.thing(`${list}[${before}]`);
      if (noun === "vendor") this.report(place, `is the same as ${other}`);
      else if (!refs) this.report(`${place}.${field}`, `is the same as that of ${other}`);
      else if ((item as { ref?: string }).ref === undefined)
        this.report(`${place}.ref`, `is required: ${other} goes by the same name`);
      else this.report(`${place}.ref`, `must be another one: ${other} goes by it already`);
    });
  }
}
