// What checks one thing of a document as it will be: a value at a place with a problem is looked at no further.
import type { Raw } from "../sections/form.ts";
import { namedThing } from "../sections/problems.ts";
import type { Item, Place, Update } from "./update.ts";

export class Checking {
  readonly update: Update;
  readonly item: Item;
  readonly place: Place;
  /** The thing as it will be. */
  readonly thing: Raw;
  readonly #root: string;

  constructor(update: Update, item: Item, place: Place) {
    [this.update, this.item, this.place, this.thing] = [update, item, place, item.next ?? {}];
    this.#root = `${place.section}[${place.at}]`;
  }

  /** Whether the value of a field can be relied on. Fields are such as ".steps[0].status". */
  isUsable(field: string): boolean {
    return !this.place.source.problems.has(this.#root + field);
  }

  report(field: string, sentence: string): void {
    this.place.source.problems.add(this.#root + field, sentence);
  }

  /**
   * Reports a field that is present but not allowed, or absent but required. `where` is such as "on an episodic
   * production".
   */
  present(field: string, value: unknown, wanted: boolean, where: string): void {
    if (!this.isUsable(field)) return;
    const isThere = value !== undefined && value !== null;
    if (wanted && !isThere) this.report(field, `is required ${where}`);
    if (!wanted && isThere) this.report(field, `is allowed only ${where}`);
  }

  /** The items of a list that can be relied on, each with its place. */
  *items(field: string, list: unknown): Generator<[item: Raw, field: string, at: number]> {
    if (!this.isUsable(field) || !Array.isArray(list)) return;
    for (const [at, item] of list.entries()) if (this.isUsable(`${field}[${at}]`)) yield [item, `${field}[${at}]`, at];
  }

  /** The thing at a field with its name, for a sentence about another of the same list. */
  called(field: string): string {
    const { section, at } = this.place;
    const list: unknown[] = [];
    list[at] = this.update.names.namedThing(section, this.thing);
    return namedThing({ [section]: list }, this.#root + field);
  }

  /** Reports every item of a list that has the same value of a field as an earlier one. */
  distinct(field: string, list: unknown, name: string): void {
    const first = new Map<unknown, string>();
    for (const [item, here] of this.items(field, list)) {
      const before = first.get(item[name]);
      if (before === undefined) first.set(item[name], here);
      else if (this.isUsable(`${here}.${name}`))
        this.report(`${here}.${name}`, `is the same as that of ${this.called(before)}`);
    }
  }
}
