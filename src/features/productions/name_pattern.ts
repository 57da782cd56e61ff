// The ways in which a text writes a name: with any space between its words, in a file name, and with the surname first.
import { escaped } from "../names/names.ts";

/** Between two words of a name: spaces and line breaks, also as JSON writes them, or what stands for a space in the name of a file. */
const gap = "(?:(?:\\s|\\\\[nrt])+|[_.-])";

/** The signs that stand for an apostrophe or a hyphen: keyboards write the first one, word processors others. */
const apostrophe = "['’ʼ´`]";
const hyphen = "[-‐‑–]";

/** A word as a part of a pattern. */
const wordPattern = (word: string): string =>
  escaped(word).replaceAll(new RegExp(apostrophe, "g"), apostrophe).replaceAll(new RegExp(hyphen, "g"), hyphen);

/** A name in its order, and with each end of it first: "Holt, Mira" and "van der Berg, Anna". */
function orders(name: string): string[] {
  const words = name.trim().split(/\s+/).map(wordPattern);
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

/** Those of other people's names that have a name as a part. */
export function longerThan(name: string, others: readonly string[]): string[] {
  const pattern = anyOf([name], "iu");
  return others.filter((other) => pattern.test(other));
}

/** Replaces a name as whole words, but not as a part of one of the longer names. */
export function replacing(name: string, longer: readonly string[], to: string): (text: string) => string {
  const [pattern, kept] = [anyOf([...longer, name], "giu"), anyOf(longer, "iu")];
  return (text) => text.replace(pattern, (found) => (longer.length > 0 && kept.test(found) ? found : to));
}

/**
 * What LIKE finds in every text that may have a name: its longest word. LIKE ignores the case of ASCII letters only; other characters, and how many an
 * accent is, what JSON escapes, apostrophes and hyphens are any.
 */
export function likeOf(name: string): string {
  const [longest = ""] = name
    .trim()
    .split(/\s+/)
    .sort((one, other) => other.length - one.length);
  const text = longest.normalize("NFD").replace(/[%_^]/g, "^$&");
  return `%${text.replace(/\w?\P{ASCII}+|["\\'`-]+/gu, "%")}%`;
}
