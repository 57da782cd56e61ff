// The ways in which a text writes a name: with any space between its words, in a file name, and with the surname first.
import { escaped } from "../names/names.ts";

/** Between two words of a name: spaces and line breaks, also as JSON writes them, or what stands for a space in the name of a file. */
const gap = "(?:(?:\\s|\\\\[nrt])+|[_.-])";

/** A name in its order, and with each end of it first: "Holt, Mira" and "van der Berg, Anna". */
function orders(name: string): string[] {
  const words = name.trim().split(/\s+/).map(escaped);
  const turned = words
    .slice(1)
    .map((_, at) => `${words.slice(at + 1).join(gap)},(?:${gap})?${words.slice(0, at + 1).join(gap)}`);
  return [words.join(gap), ...turned];
}

/** The forms in which a text may have a name: as it is, composed and decomposed. */
const forms = (name: string): string[] => [...new Set([name, name.normalize("NFC"), name.normalize("NFD")])];

/** Any of the names as whole words, in any of these ways. */
export const anyOf = (names: readonly string[], flags: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${names.flatMap(forms).flatMap(orders).join("|")})(?![\\p{L}\\p{N}])`, flags);

/** Replaces a name as whole words, but not as a part of one of the longer names. */
export function replacing(name: string, longer: readonly string[], to: string): (text: string) => string {
  const [pattern, kept] = [anyOf([...longer, name], "giu"), anyOf(longer, "iu")];
  return (text) => text.replace(pattern, (found) => (longer.length > 0 && kept.test(found) ? found : to));
}

/**
 * What LIKE finds in every text that may have a name: its longest word. LIKE ignores the case of ASCII letters only; other characters, and how many an
 * accent is, and what JSON escapes, are any.
 */
export function likeOf(name: string): string {
  const [longest = ""] = name
    .trim()
    .split(/\s+/)
    .sort((one, other) => other.length - one.length);
  const text = longest.normalize("NFD").replace(/[%_^]/g, "^$&");
  return `%${text.replace(/\w?\P{ASCII}+|["\\]+/gu, "%")}%`;
}
