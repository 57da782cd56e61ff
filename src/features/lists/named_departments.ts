// Finds the departments that the cells and headings of a list name, and collects those that the production does not
// have.
import { listed } from "../../core/wording.ts";
import { comparedLength, fold, isLikelyMistake, quoted, slugOf } from "../names/names.ts";
import { CellRefusal, type Findings } from "../paperwork/findings.ts";
import { departmentSpellings, departmentsIn } from "../paperwork/known_names.ts";
import type { PaperDocument, ProductionNames } from "../paperwork/partial.ts";

function withoutWord(text: string): string {
  const found = /\bdep(?:artmen)?t\b\.?/i.exec(text);
  if (found === null) return text.trim();
  return `${text.slice(0, found.index).trimEnd()} ${text.slice(found.index + found[0].length).trimStart()}`.trim();
}

/** A name in the other number: crew lists write Prop where the production has Props. */
const otherNumber = (text: string): string => (/s$/i.test(text) ? text.slice(0, -1) : `${text}s`);

/** Headings such as CAMERA and "Grip department"; a sentence or a name is none. */
const isHeading = (text: string): boolean =>
  text.length <= 40 && !/\d/.test(text) && (text === text.toUpperCase() || withoutWord(text) !== text.trim());

export class Departments {
  /** The names by slug. */
  readonly #names: ReadonlyMap<string, string>;
  readonly #spellings: ReadonlyMap<string, string>;
  /** The slugs of the spellings that the list has taken. */
  readonly #taken = new Map<string, string>();
  readonly #added = new Map<string, string>();

  constructor(known: ProductionNames) {
    const { names, spellings } = departmentsIn(known.items("departments"));
    this.#names = names;
    this.#spellings = spellings;
  }

  #spelt(text: string): string | undefined {
    for (const spelling of departmentSpellings(text)) {
      const slug = this.#taken.get(spelling) ?? this.#spellings.get(spelling);
      if (slug !== undefined) return slug;
    }
    return undefined;
  }

  /**
   * The slug of a department by its slug or name, in the plural or not, with the word department or without, its words
   * in any order.
   */
  find(text: string): string | undefined {
    if (this.#names.has(text)) return text;
    const name = withoutWord(text);
    return this.#spelt(text) ?? this.#spelt(name) ?? this.#spelt(otherNumber(name));
  }

  /** The slug of a department; one that the production does not have is added. */
  take(text: string): string | CellRefusal {
    const known = this.find(text);
    if (known !== undefined) return known;
    const name = withoutWord(text) || text;
    const slug = slugOf(name, "-");
    if (slug === "" || name.length > 300)
      return new CellRefusal(
        `${quoted(text)} cannot be a new department: its name has no Latin letters or digits for its slug, or is too long; a list of departments with a column Slug adds it`,
      );
    const taken = this.#names.has(slug) ? slug : (this.#spelt(slug) ?? slug);
    if (taken === slug && !this.#names.has(slug) && !this.#added.has(slug)) this.#added.set(slug, name);
    for (const spelling of departmentSpellings(text)) this.#taken.set(spelling, taken);
    return taken;
  }

  /** The slug of a department that a heading names. */
  ofHeading(text: string): string | undefined {
    const slug = this.find(text) ?? (isHeading(text) ? this.take(text) : undefined);
    return slug instanceof CellRefusal ? undefined : slug;
  }

  /** A document with the departments that it names and the production does not have. */
  withAdded(document: PaperDocument, findings: Findings): PaperDocument {
    if (this.#added.size === 0) return document;
    const used = new Set<unknown>();
    JSON.stringify(document, (key, value) => {
      if (/(?:^|_)department$/.test(key)) used.add(value);
      return value;
    });
    const departments = [...this.#added].flatMap(([slug, name]) => (used.has(slug) ? [{ slug, name }] : []));
    if (departments.length === 0) return document;
    const names = listed(departments.map(({ name }) => quoted(name)));
    findings.warn(
      `the production gets ${names} as ${departments.length === 1 ? "a new department" : "new departments"}`,
    );
    const before: (readonly [folded: string, name: string])[] = [];
    for (const { name } of departments) {
      const near = findings.nearest(name, this.#spellings);
      const isCompared = name.length >= comparedLength;
      if (isLikelyMistake(name, near)) {
        const known = this.#names.get(near.candidate) ?? near.candidate;
        findings.warn(`department ${quoted(name)} is new; the production has ${quoted(known)}`);
      } else if (isCompared) {
        const twin = findings.nearest(name, before);
        if (isLikelyMistake(name, twin) && twin.distance >= 1)
          findings.warn(`the departments ${quoted(twin.candidate)} and ${quoted(name)} are both new`);
      }
      if (isCompared) before.push([fold(name), name]);
    }
    return { departments, ...document };
  }
}
