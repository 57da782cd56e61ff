// The order of names: on pages that which readers expect, whatever the language of the server is; of a cast list, that
// of its numbers.
import { sameName } from "./wording.ts";

let collator: Intl.Collator | undefined; // made at its first use: most requests sort no names

/** Compares two names: É is beside E, 2 before 10, and case counts last. */
export function compareNames(one: string, other: string): number {
  collator ??= new Intl.Collator("en", { numeric: true });
  return collator.compare(one, other);
}

/**
 * A text by which a cast list is sorted: by cast number, 2 before 10 and 10 before 10A, then by name; without a number
 * last. docs/paperwork.md, "The cast and the breakdown".
 */
export function castPlace(number: string | null | undefined, name: string): string {
  const text = (number ?? "").replace(/^[\s#]+/, "").toUpperCase();
  const valued = text.replace(/\d+/g, (digits) => {
    const value = digits.replace(/^0+(\d)/, "$1");
    return `${String(value.length).padStart(2, "0")}${value}`;
  });
  const rank = text === "" ? 3 : /^\d/.test(text) ? 1 : 2;
  return [rank, valued, sameName(name)].join("\u0001"); // before every letter: 10 is before 10A
}

const places = new Map<string, string>();
const maxPlaces = 1000;
/**
 * castPlace of the last texts: a list is sorted again for each answer, and finding a place takes longer than reading
 * its row.
 */
export function castPlaceOf(number: unknown, name: string): string {
  const text = number === null ? "" : String(number);
  const key = `${text}\u0001${name}`;
  const known = places.get(key);
  if (known !== undefined) return known;
  const place = castPlace(text, name);
  if (places.size >= maxPlaces) places.clear();
  places.set(key, place);
  return place;
}
