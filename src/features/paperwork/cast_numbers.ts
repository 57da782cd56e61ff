// Reads the cast of a scene as lists write it: names, and numbers of the cast list.
import { withoutEnd } from "../../core/wording.ts";
import { quoted } from "../names/names.ts";
import { AssetList } from "./asset_list.ts";
import type { FindingPlace, Findings } from "./findings.ts";
import { castKey, departmentsIn, thingsIn } from "./known_names.ts";
import { definedFields, type PaperDocument, type ReadOptions } from "./partial.ts";

/** "7", "12A", "7a.9" as a series numbers its cast, "1-A". */
const numberForm = /^[#_]?\d{1,4}[a-z]{0,2}(?:[.-]\d{0,4}[a-z]{0,2})*$/i;
const range = /^(\d{1,4})\s*[-–—]\s*(\d{1,4})$/;
/** More of the cast are not in one range. */
const maxRange = 100;

/**
 * The cast numbers that an item means; undefined if it is a name. A number of `known` is one number whatever is in it;
 * "1-5" is every number from 1 to 5.
 */
export function castNumbersIn(
  item: string,
  known: ReadonlyMap<string, unknown>,
  findings?: Findings,
): string[] | undefined {
  const number = withoutEnd(item.trim(), /[.:)]/);
  if (known.has(castKey(number))) return [number];
  const [, first, last] = (range.exec(number) ?? []).map(Number);
  if (first !== undefined && last !== undefined && first < last && last - first < maxRange) {
    findings?.mention(last - first);
    return Array.from({ length: last - first + 1 }, (_, at) => String(first + at));
  }
  const parts = number.split(/[\s,/&+]+/).filter((part) => part !== "");
  if (parts.length < 2) return numberForm.test(number) ? [number] : undefined;
  const numbers = parts.map((part) => castNumbersIn(part, known, findings));
  return numbers.includes(undefined) ? undefined : (numbers.flat() as string[]); // none is undefined
}

const numberBefore = /^\(?#?(?<number>\d{1,4}[a-z]?(?:\.\d{1,4})?)(?:[.):]\s*|\s*-\s+|(?<space>\s+))(?=\D)/i;

/** A name without the number before it: "1. MARA", "7a.9 MARA". */
export const castNameOf = (item: string): string => item.replace(numberBefore, "").trim() || item;

/** The number before a name, with a mark between them: "4 SAILORS" are four. */
export function castNumberOf(item: string): string | undefined {
  const { number, space } = numberBefore.exec(item)?.groups ?? {};
  return space === undefined ? number : undefined;
}

/** Warns of the cast numbers that no character has. */
export function warnOfNumbers(unknown: readonly string[], { has_cast_list }: ReadOptions, findings: Findings): void {
  const noun = unknown.length === 1 ? "number" : "numbers";
  const advice = has_cast_list ? "" : "; import a cast list first";
  if (unknown.length > 0) findings.warn(`no character has the cast ${noun} ${shortened(unknown)}${advice}`);
}

const shortened = (items: readonly string[]): string =>
  `${items.slice(0, 20).join(", ")}${items.length > 20 ? " …" : ""}`;

/**
 * The assets that a file names. Characters get the numbers beside their names: those that have none, and no number of
 * another one.
 */
export class NumberedAssets extends AssetList {
  readonly #things: ReturnType<typeof thingsIn>;
  readonly #given = new Map<string, string>();
  readonly #holders = new Map<string, string>();
  readonly #refused = new Set<string>();

  constructor({ known }: ReadOptions, findings: Findings) {
    const things = thingsIn(known.items("assets"));
    super({
      known: [...things.byReference.values()],
      departments: [...departmentsIn(known.items("departments")).names.keys()],
      findings,
      say: (sentence) => findings.warnOnce(sentence),
    });
    this.#things = things;
  }

  /** The character of a name; the file may have a number beside it. */
  character(name: string, number: string | undefined, place: FindingPlace = {}): string {
    const reference = this.label(name, { kind: "character" }, place);
    const key = castKey(number ?? "");
    const currentNumber = this.#given.get(reference) ?? this.#things.byReference.get(reference)?.cast_number;
    if (number === undefined || (typeof currentNumber === "string" && castKey(currentNumber) === key)) return reference;
    const isTaken = this.#holders.has(key) || this.#things.byCastNumber.has(key);
    if (typeof currentNumber === "string" || isTaken) this.#refused.add(`${number} of ${quoted(reference)}`);
    else {
      this.#given.set(reference, number);
      this.#holders.set(key, reference);
    }
    return reference;
  }

  /** The assets that are added, and the stored characters that get a number, as a document lists them. */
  document(findings: Findings): Pick<PaperDocument, "assets"> {
    if (this.#refused.size > 0)
      findings.warn(
        `the cast numbers ${shortened([...this.#refused])} were ignored: the character or the number is taken; a cast list changes it`,
      );
    const added = this.added.map((asset) => ({
      ...asset,
      ...definedFields({ cast_number: this.#given.get(asset.label) }),
    }));
    const stored = [...this.#given].flatMap(([reference, cast_number]) => {
      const { label, ref } = this.#things.byReference.get(reference) ?? {};
      return label === undefined ? [] : [{ label, ...definedFields({ ref }), cast_number }];
    });
    return added.length + stored.length === 0 ? {} : { assets: [...stored, ...added] };
  }
}
