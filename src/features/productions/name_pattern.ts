// The ways in which a text writes a name: with any space or hyphen between its words, in a file name, with the surname
// first, without its accents, and with ue for ü or ü for ue.
import { escaped } from "../names/names.ts";

/**
 * Between two words of a name: spaces and line breaks, also as JSON writes them, a hyphen, or what stands for a space
 * in the name of a file.
 */
const gap = "(?:(?:\\s|\\\\[nrt])+|[_.‐‑–-])";

/** The signs that stand for an apostrophe or a hyphen: keyboards write the first one, word processors others. */
const apostrophe = /['’ʼ´`]/;
const hyphen = /[-‐‑–]/;

/** Letters with a stroke, which Unicode does not take apart. */
const strokes: Readonly<Record<string, string>> = { ø: "o", ł: "l", đ: "d", ı: "i" };
/**
 * How some letters are written where there is no key for them: a name with either is found where the other one is
 * written.
 */
const spelled: Readonly<Record<string, string>> = { ä: "ae", ö: "oe", ü: "ue", ø: "oe", å: "aa", æ: "ae", ß: "ss" };
const lettersSpelled = Map.groupBy(Object.keys(spelled), (letter) => spelled[letter] as string); // each has one
const parts = new RegExp(`${[...lettersSpelled.keys()].join("|")}|.`, "gsu");

const baseOf = (letter: string): string => strokes[letter] ?? letter.normalize("NFD").replace(/\p{M}+/gu, "");

/** The accented letters of the Latin, Greek and Cyrillic alphabets, by the letter without its accents. */
const accented = new Map<string, string>();
for (const [first, last] of [
  [0xc0, 0x24f],
  [0x370, 0x52f],
  [0x1ea0, 0x1eff],
] as const)
  for (let code = first; code <= last; code++) {
    const letter = String.fromCodePoint(code);
    const base = baseOf(letter.toLowerCase());
    if (base !== letter.toLowerCase()) accented.set(base, (accented.get(base) ?? base) + letter);
  }

const composed = (letter: string): string[] => [...new Set([letter, letter.normalize("NFD")])].map(escaped);

/** A letter with any accents, or with none. */
function anyAccent(letter: string): string {
  const base = baseOf(letter);
  return accented.has(base) ? `[${accented.get(base)}]\\p{M}*` : escaped(letter);
}

/** A letter, or two that spell one, with any accents and in either spelling. */
function anySpelling(part: string): string {
  const plain = Array.from(part, anyAccent).join("");
  const others = [...composed(part).slice(1), ...(lettersSpelled.get(part) ?? []).flatMap(composed)];
  return `(?:${[plain, ...others, ...(part in spelled ? [spelled[part]] : [])].join("|")})`;
}

/** A word as a part of a pattern. With `exact`, only its own accents, spelling and hyphens count. */
const wordPattern = (word: string, exact: boolean): string =>
  (
    word
      .normalize("NFC")
      .toLowerCase()
      .match(exact ? /./gsu : parts) ?? []
  )
    .map((part) => {
      if (apostrophe.test(part)) return apostrophe.source;
      if (hyphen.test(part)) return exact ? hyphen.source : gap;
      if (/\p{M}/u.test(part)) return exact ? part : `${part}?`;
      return exact ? `(?:${composed(part).join("|")})` : anySpelling(part);
    })
    .join("");

/** A name in its order, and with each end of it first: "Holt, Mira" and "van der Berg, Anna". */
function written(name: string, exact = false): string {
  const words = name
    .trim()
    .split(/\s+/)
    .map((word) => wordPattern(word, exact));
  const turned = words
    .slice(1)
    .map((_, at) => `${words.slice(at + 1).join(gap)},(?:${gap})?${words.slice(0, at + 1).join(gap)}`);
  return [words.join(gap), ...turned].join("|");
}

/** Any of these patterns as whole words. */
const wholeWords = (patterns: readonly string[], flags: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${patterns.join("|")})(?![\\p{L}\\p{N}\\p{M}])`, flags);

/** Those of other people's names that have a name as a part, or differ from it by accents and hyphens alone. */
export function longerThan(name: string, others: readonly string[]): string[] {
  const pattern = wholeWords([written(name)], "iu");
  return others.filter((other) => pattern.test(other));
}

/** Replaces a name as whole words, but not where it is one of the longer names, or a part of one. */
export function replacing(name: string, longer: readonly string[], to: string): (text: string) => string {
  const alike = new RegExp(`^(?:${written(name)})$`, "iu");
  const others = longer.map((other) => written(other, alike.test(other)));
  const [pattern, kept] = [wholeWords([...others, written(name)], "giu"), wholeWords(others, "iu")];
  return (text) => text.replace(pattern, (found) => (longer.length > 0 && kept.test(found) ? found : to));
}

/**
 * The family name of a name of several words, with what is written small before it (van der Berg); undefined for a name
 * of one word.
 */
export function familyNameOf(name: string): string | undefined {
  const [, ...words] = name.trim().split(/\s+/);
  const first = words.findLastIndex((word, at) => at < words.length - 1 && !/^\p{Ll}/u.test(word)) + 1;
  return words.length === 0 ? undefined : words.slice(first).join(" ");
}

/** A word with a capital letter and further ones before a family name: the first name of somebody else. */
const otherFirstName = /(?<![\p{L}\p{N}])(?!(?:Mrs?|Ms|Dr|Prof)\b)\p{Lu}[\p{L}’'-]+\s{1,3}$/u;
/** Characters before a family name that can be a first name. */
const maxFirstName = 40;

/** Whether a text has a family name alone or with an initial, and not as a part of somebody else's name. */
export function havingFamilyName(family: string, others: readonly string[]): (text: string) => boolean {
  const pattern = wholeWords([written(family)], "giu");
  const withoutOthers = longerThan(family, others).map((other) => replacing(other, [], ""));
  return (text) => {
    const spaced = text.replace(/\\[nrt]/g, " "); // as JSON writes white space
    const rest = withoutOthers.reduce((left, without) => without(left), spaced);
    return [...rest.matchAll(pattern)].some(
      ({ 0: found, index }) =>
        /\p{Lu}|\p{Lo}/u.test(found) && !otherFirstName.test(rest.slice(Math.max(0, index - maxFirstName), index)),
    );
  };
}

/** The first name of a name of several words; undefined for one word, a title and an initial. */
export function firstNameOf(name: string): string | undefined {
  const [first = "", ...others] = name.trim().split(/\s+/);
  const isNone = others.length === 0 || /^\p{L}?\.?$|^(?:Mrs?|Ms|Dr|Prof)\.?$/u.test(first);
  return isNone ? undefined : first;
}

/** What stands small before a family name. */
const particles = "af|av|da|de|del|della|den|der|di|du|la|le|ten|ter|van|von|zu|zur";
/** A word with a capital letter behind a first name, the family name of somebody else, or a second first name. */
const otherFamilyName = new RegExp(`^(?:\\s{1,3}(?:(?:${particles})\\s){0,2}\\p{Lu}\\p{L}|[-‐‑–]\\p{L})`, "u");
/** Characters behind a first name that can be a family name's begin. */
const maxParticles = 20;

/** Whether a text has a first name alone, and not as a part of somebody else's name. */
export function havingFirstName(first: string, others: readonly string[]): (text: string) => boolean {
  const pattern = wholeWords([written(first, true)], "giu");
  const withoutOthers = longerThan(first, others).map((other) => replacing(other, [], ""));
  return (text) => {
    const spaced = text.replace(/\\[nrt]/g, " "); // as JSON writes white space
    const rest = withoutOthers.reduce((left, without) => without(left), spaced);
    return [...rest.matchAll(pattern)].some(
      ({ 0: found, index }) =>
        /\p{Lu}|\p{Lo}/u.test(found) &&
        !otherFamilyName.test(rest.slice(index + found.length, index + found.length + maxParticles)),
    );
  };
}

/**
 * A condition that holds for every text of a column that may have a name, with the parameter :like of likeOf: LIKE
 * looks for the name without accents, and what has other characters than those of ASCII may have any.
 */
export const mayHaveName = (column: string): string => `(${column} LIKE :like OR ${column} GLOB '*[^ -~]*')`;

/** The longest word of a name without accents; anything may stand for what can be written in several ways. */
export function likeOf(name: string): string {
  const [longest = ""] = name
    .trim()
    .split(/\s+/)
    .sort((one, other) => other.length - one.length);
  const letters = Array.from(longest.normalize("NFC").toLowerCase(), (letter) => {
    const base = baseOf(letter);
    return /^[a-z0-9]$/.test(base) && spelled[letter] === undefined ? base : "%";
  });
  return `%${letters.join("")}%`;
}
