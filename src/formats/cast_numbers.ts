// Reads the cast of a scene as lists write it: names, and numbers of the cast list.
import { sameName } from "../spelling.ts";
import type { Findings, Mentions } from "./findings.ts";

/** Two cast numbers are the same if this is the same: "#01A" is 1a, but 1.9 is not 19. */
export const castKey = (number: string): string =>
  sameName(number)
    .replace(/^#\s*|[.:)]$/g, "")
    .replace(/^0+(?=\d)/, "");

/** "7", "12A", "7a.9" as a series numbers its cast, "1-A". */
const numberForm = /^[#_]?\d{1,4}[a-z]{0,2}(?:[.-]\d{0,4}[a-z]{0,2})*$/i;
const range = /^(\d{1,4})\s*[-–—]\s*(\d{1,4})$/;
/** More of the cast are not in one range. */
const maxRange = 100;

/**
 * The cast numbers that an item means; undefined if it is a name. A number of `known` is one number whatever is in it; "1-5" is every
 * number from 1 to 5.
 */
export function castNumbersIn(
  item: string,
  known: ReadonlyMap<string, unknown>,
  mentions: Mentions,
): string[] | undefined {
  const number = item.trim().replace(/[.:)]+$/, "");
  if (known.has(castKey(number))) return [number];
  const [first, last] = (range.exec(number) ?? []).slice(1).map(Number) as [number?, number?];
  if (first !== undefined && last !== undefined && first < last && last - first < maxRange) {
    mentions.add(last - first);
    return Array.from({ length: last - first + 1 }, (_, at) => String(first + at));
  }
  const parts = number.split(/[\s,/&+]+/).filter((part) => part !== "");
  if (parts.length < 2) return numberForm.test(number) ? [number] : undefined;
  const numbers = parts.map((part) => castNumbersIn(part, known, mentions));
  return numbers.includes(undefined) ? undefined : (numbers.flat() as string[]); // none is undefined
}

/** A name without the number before it: "1. MARA", "7a.9 MARA". */
export const castNameOf = (item: string): string =>
  item.replace(/^\(?#?\d{1,4}[a-z]?(?:\.\d{1,4})?(?:[.):]\s*|\s*-\s+|\s+)(?=\D)/i, "").trim() || item;

/** Warns of the cast numbers that no character has. */
export function warnOfNumbers(unknown: readonly string[], findings: Findings): void {
  const shown = `${unknown.slice(0, 20).join(", ")}${unknown.length > 20 ? " …" : ""}`;
  const noun = unknown.length === 1 ? "number" : "numbers";
  if (unknown.length > 0) findings.warn(`no character has the cast ${noun} ${shown}; import a cast list first`);
}
