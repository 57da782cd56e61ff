// The state of checking one document: what is named, what is broken, and every problem with its place. Broken items are
// passed over, so that one wrong status does not hide the wrong reference beside it.
import type * as v from "valibot";
import { type Noun, nameOf, namings, nouns } from "./names.ts";
import type { ProductionDocument } from "./schema.ts";

type Lists = Omit<ProductionDocument, "document" | "document_version" | "production">;

const fold = (name: string): string => name.trim().toLowerCase();

export class Checking {
  readonly document: ProductionDocument;
  readonly problems: string[] = [];
  readonly #broken = new Set<string>();
  readonly #names = new Map<Noun, Map<string, number>>();
  /** Nouns whose names are not all readable: what refers to them cannot be judged. */
  readonly #unsure = new Set<Noun>();

  constructor(document: ProductionDocument, issues: readonly v.BaseIssue<unknown>[]) {
    this.document = document;
    for (const { path } of issues) {
      this.#broken.add(String(path?.[0]?.key));
      this.#broken.add(`${path?.[0]?.key}[${path?.[1]?.key}]`);
    }
    for (const noun of nouns) this.#name(noun);
  }

  /** The production, where it could be read. */
  get production(): ProductionDocument["production"] | undefined {
    return this.#broken.has("production") ? undefined : this.document.production;
  }

  report(place: string, sentence: string): void {
    this.problems.push(`${place} ${sentence}`);
  }

  /** Visits every sound item of a list with its place. */
  each<K extends keyof Lists>(list: K, visit: (item: Lists[K][number], place: string) => void): void {
    const items: unknown = this.document[list];
    if (!Array.isArray(items)) return;
    items.forEach((item, at) => {
      const place = `${list}[${at}]`;
      if (this.#broken.size === 0 || !this.#broken.has(place)) visit(item, place);
    });
  }

  /** The position of what `name` refers to. Reports a name that nothing goes by. */
  refer(place: string, noun: Noun, name: string | undefined): number | undefined {
    if (name === undefined) return undefined;
    const position = this.#names.get(noun)?.get(name);
    if (position === undefined && !this.#unsure.has(noun)) this.report(place, `names no ${noun}: "${name}"`);
    return position;
  }

  /** As refer, for a list that must not name one thing twice. */
  referEach(place: string, noun: Noun, list: readonly string[]): void {
    for (const [at, name] of list.entries()) this.refer(`${place}[${at}]`, noun, name);
    this.distinct(place, list);
  }

  /** Reports every value that stands a second time. */
  distinct(place: string, values: readonly (string | number)[], field = ""): void {
    if (new Set(values).size === values.length) return;
    const first = new Map<string | number, number>();
    for (const [at, value] of values.entries()) {
      const before = first.get(value);
      if (before === undefined) first.set(value, at);
      else this.report(`${place}[${at}]${field}`, `is the same as ${place}[${before}]${field}: "${value}"`);
    }
  }

  /** Reports a field that is there where it may not be, or absent where it must be: "on an episodic production". */
  present(place: string, value: unknown, wanted: boolean, where: string): void {
    if (wanted && value === undefined) this.report(place, `is required ${where}`);
    if (!wanted && value !== undefined) this.report(place, `must be left out except ${where}`);
  }

  #name(noun: Noun): void {
    const { list, field, refs, folded } = { refs: false, folded: false, ...namings[noun] };
    const names = new Map<string, number>();
    this.#names.set(noun, names);
    const items: unknown = this.document[list];
    if (!Array.isArray(items)) {
      this.#unsure.add(noun);
      return;
    }
    const seen = folded ? new Map<string, number>() : names;
    items.forEach((item: unknown, at) => {
      const name = nameOf(noun, item);
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
      const place = noun === "vendor" ? `${list}[${at}]` : `${list}[${at}].${field}`;
      if (refs) this.report(`${list}[${at}]`, `needs a ref of its own: ${list}[${before}] goes by "${name}" too`);
      else this.report(place, `is the same as that of ${list}[${before}]: "${name}"`);
    });
  }
}
