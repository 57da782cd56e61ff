// Takes the characters out of the names in a document that turn the direction of text, because a name with one reads as
// another.
import { directionControls, plural } from "../../../core/wording.ts";

/** The fields that are names, or that name things. */
const named = new Set(
  `label title code name number slug ref was who scene scenes asset assets ingredient ingredients person people department departments vendor vendors
  delivery deliveries episode approval engagement from_department to_department to external_to before performer cast_number costumes`.split(
    /\s+/,
  ),
);

/** Takes them out of every name in the value. Returns how many names had some. */
export function takeDirections(value: unknown, isName = false): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  const object = value as Record<string, unknown>; // an array has its items by their numbers
  for (const [key, item] of Object.entries(object)) {
    const isNamed = Array.isArray(value) ? isName : named.has(key);
    if (typeof item !== "string") count += takeDirections(item, isNamed);
    else if (isNamed) {
      const plain = item.replace(directionControls, "");
      if (plain !== item) {
        object[key] = plain;
        count++;
      }
    }
  }
  return count;
}

/** What is said about it. */
export const directionsTaken = (count: number): string =>
  `characters that turn the direction of text were taken out of ${plural(count, "name")}`;
