// Tells what the paragraphs of a Final Draft file are, by their types and by the types that the file defines itself.
import { firstOf, plural } from "../../core/wording.ts";
import { quoted } from "../names/names.ts";
import { type FdxElement, inside } from "./fdx_elements.ts";
import type { ParagraphType } from "./script.ts";

export const printedTypes: ReadonlyMap<string, ParagraphType> = new Map([
  ["character", "character"],
  ["dialogue", "dialogue"],
  ["parenthetical", "parenthetical"],
  ["transition", "transition"],
  ["lyrics", "lyrics"],
  ["singing", "lyrics"],
]);
export const headingType = "scene heading";
/** The types of Final Draft that are printed as action is. */
const actionTypes = new Set(
  `action|general|shot|cast list|new act|end of act|show/ep. title|teaser/act one|insert|more|continued|text|image|sequence|alt scenes|normal|unspecified`.split(
    "|",
  ),
);
const outline = /^outline\b/;
/** What is never printed in a script. */
const unprinted = /^(?:outline\b.*|note|summary|beat|synopsis)$/;
export const isOutline = (type: string): boolean => outline.test(type);
export const isUnprinted = (type: string): boolean => unprinted.test(type);

/** In small letters: programs differ in them. */
export const paragraphType = ({ attributes }: FdxElement): string => (attributes.Type ?? "Action").trim().toLowerCase();
const isKnownType = (type: string): boolean =>
  printedTypes.has(type) || type === headingType || actionTypes.has(type) || unprinted.test(type);

export class FdxTypes {
  /** As what the file paginates the types of its own, such as one with the name of another language. */
  readonly #own = new Map<string, string>();
  /** The types as they are written, each as it is read: a file has few. */
  readonly #read = new Map<string | undefined, string>();
  readonly #unknown = new Map<string, { name: string; line: number; count: number }>();

  constructor(root: FdxElement) {
    for (const one of inside(root, "ElementSettings")) {
      const paginated = inside(one, "Behavior").at(-1)?.attributes.PaginateAs?.trim().toLowerCase();
      if (paginated !== undefined && !isKnownType(paragraphType(one))) this.#own.set(paragraphType(one), paginated);
    }
  }

  /** The type of a paragraph; of one of the file's own that as which it is paginated. */
  of(paragraph: FdxElement): string {
    const { Type: written } = paragraph.attributes;
    const known = this.#read.get(written);
    if (known !== undefined) return known;
    const type = paragraphType(paragraph);
    const read = this.#own.get(type) ?? type;
    this.#read.set(written, read);
    return read;
  }

  /** Counts a printed paragraph whose type nothing explains. */
  saw({ attributes, line }: FdxElement, type: string): void {
    if (isKnownType(type)) return;
    const { Type: name = "" } = attributes;
    const found = this.#unknown.get(type) ?? { name, line, count: 0 };
    this.#unknown.set(type, { ...found, count: found.count + 1 });
  }

  /** What is said of such paragraphs, once. */
  unknown(): { line: number; sentence: string }[] {
    const all = [...this.#unknown.values()];
    const [first] = all;
    this.#unknown.clear();
    if (first === undefined) return [];
    const named = firstOf(all.map(({ name, count }) => `${quoted(name)} (${plural(count, "paragraph")})`));
    const [types, are] = all.length === 1 ? ["type", "is"] : ["types", "are"];
    return [{ line: first.line, sentence: `the ${types} ${named} ${are} unknown and read as action` }];
  }
}
