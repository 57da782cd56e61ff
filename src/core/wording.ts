// Compares names, bounds what a message repeats, and writes lists, numbers, sizes and durations for people.
import { minute } from "./times.ts";

/** Characters that turn the direction of the text after them, so that it reads as another one. */
export const directionControls = /[\u202A-\u202E\u2066-\u2069]/g;

const quoteMarks = /[\p{Quotation_Mark}\u02BB\u02BC]/gu;
/** What a keyboard has, and the dot that the search index has between the parts of a text. */
const plainName = /^[ -~·]*$/;
/** Besides, the letters of Latin that have one small and one capital form, each in one character. */
const latinName = /^[ -~·À-ÖØ-Þà-öø-įĴ-ľŁ-ňŊ-ž]*$/;
const plainKey = (name: string): string => {
  const text = name.trim();
  return (/ {2}|"/.test(text) ? text.replace(/ {2,}/g, " ").replaceAll('"', "'") : text).toLowerCase();
};

const nameForm = (name: string): string => {
  if (latinName.test(name)) return plainKey(name); // as below, in a quarter of the time
  // Lower case first, for ẞ; then upper case, because ß becomes SS there, ı becomes I, and ς becomes Σ.
  const cased = name.normalize("NFKC").toLowerCase().toUpperCase().toLowerCase();
  return cased
    .replace(/i\u0307/g, "i") // İ
    .replaceAll("ς", "σ")
    .replace(quoteMarks, "'")
    .replace(/\p{Dash}/gu, "-")
    .trim()
    .replace(/\s+/g, " ")
    .normalize("NFKC");
};

/** The last name that was asked for: whoever meets a name looks it up in several places. */
let lastName = "";
let lastForm = "";

/**
 * The form in which names are compared: equal for two that people read as one. They may differ in case (ß is ss, ı and
 * İ are i), width, composition, and the kinds of quotes, dashes and spaces. Every other letter and mark counts.
 * docs/format.md, "The rules of the format".
 */
export function sameName(name: string): string {
  if (name !== lastName) [lastName, lastForm] = [name, nameForm(name)];
  return lastForm;
}

/** The form in which names of people are compared: besides, what nobody sees does not count. */
export const samePerson = (name: string): string =>
  sameName(name.replace(/[\p{Default_Ignorable_Code_Point}\u2800]/gu, ""));

/**
 * The form of a name without the accents of Latin and Greek letters. Marks of other scripts count, and ł, ø and æ are
 * letters of their own.
 */
export function withoutAccents(name: string): string {
  const form = sameName(name);
  if (plainName.test(form)) return form;
  const apart = form.normalize("NFD");
  const bare = latinName.test(form)
    ? apart.replace(/\p{M}+/gu, "")
    : apart.replace(/([\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu, "$1");
  return bare.normalize("NFC");
}

/** Latin letters that no accent makes, as they are written without them. */
const plainLetters: Readonly<Record<string, string>> = {
  ...{ ß: "ss", æ: "ae", œ: "oe", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ħ: "h", ı: "i", ŧ: "t", ŋ: "ng" },
};
const plainLetter = new RegExp(`[${Object.keys(plainLetters).join("")}]`, "g");

/** A text in lower case with the usual letters in place of ß, æ, ł and their like. */
export const inPlainLetters = (text: string): string =>
  text.replace(plainLetter, (letter) => plainLetters[letter] ?? letter);

/** Of Chinese, Japanese, Korean and Thai, which a reader finds by any part: a class of regular expressions. */
const unspaced = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}ー";
const unspacedCharacter = new RegExp(`[${unspaced}]\\p{M}*`, "gu");

/** What the search index has as one token: a run of letters, digits, marks and private characters, or one of those. */
export const searchToken = new RegExp(`[${unspaced}]\\p{M}*|(?:[^\\P{L}${unspaced}]|[\\p{N}\\p{M}\\p{Co}])+`, "gu");

/**
 * The form in which the search index has a text, and in which a search asks for words: that of names, without accents
 * of Latin and Greek letters, in usual letters. Each character of Chinese, Japanese, Korean and Thai stands alone
 * between spaces, so that any part of a text is a phrase of tokens.
 */
export function searchForm(text: string): string {
  const form = withoutAccents(text);
  if (plainName.test(form)) return form;
  return inPlainLetters(form).replace(unspacedCharacter, " $& ").replace(/\s+/g, " ").trim();
}

/** How many characters of a text that a client sent a message repeats. */
const maxRepeated = 200;

/** A text that a client sent, for a message: not all of a long one. */
export const cut = (text: string): string =>
  text.length > maxRepeated ? `${text.slice(0, maxRepeated).toWellFormed()}…` : text;

/** How many characters a whole message has at most. */
const maxMessage = 6000;
/** How many of its last characters a longer message keeps: its end says what was done. */
const suffixLength = 300;

/** A message of any number of sentences, without the middle of a longer one: what it repeats may be of any size. */
export const bounded = (message: string): string =>
  message.length > maxMessage
    ? `${message.slice(0, maxMessage - suffixLength).toWellFormed()} … ${message.slice(-suffixLength).toWellFormed()}`
    : message;

/** A bounded message that repeats at most 200 characters in a row that have no space between them. */
export const boundedWords = (message: string): string => bounded(message).replace(/\S+/gu, (word) => cut(word));

/**
 * A text without the characters at its end that `each` takes. An expression such as /0+$/ would begin again at each of
 * them.
 */
export function withoutEnd(text: string, each: RegExp): string {
  let end = text.length;
  while (end > 0 && each.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** "A", "A and B", "A, B and C". */
export const listed = (names: readonly string[], word = "and"): string =>
  names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}`;

/** The first of some names, and how many more there are: "A, B and 3 more". */
export const firstOf = (names: readonly unknown[], most = 5, mark = ", "): string =>
  `${names.slice(0, most).join(mark)}${names.length > most ? ` and ${names.length - most} more` : ""}`;

/** A count with what is counted: "1 scene", "3 scenes". */
export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** A whole number with commas: 10,000. toLocaleString would load the tables of all languages, several megabytes. */
export const withCommas = (number: number): string =>
  number < 1000 ? String(number) : `${withCommas(Math.floor(number / 1000))},${String(number % 1000).padStart(3, "0")}`;

/** What a shell reads as one word. Text that needs no quotes stays as it is. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** A size for people: 1.4 MB. */
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** A duration, in minutes below 2 hours, in hours below 2 days, otherwise in days: "6 minutes", "365 days". */
export function durationText(milliseconds: number): string {
  const minutes = Math.round(Math.abs(milliseconds) / minute);
  if (minutes < 120) return `${minutes} minutes`;
  return minutes < 2880 ? `${Math.round(minutes / 60)} hours` : `${Math.round(minutes / 1440)} days`;
}

const words: Readonly<Record<string, string>> = {
  revision_color: "revision colour",
  general_call: "crew call",
  changes_requested: "changes asked",
};
/** The name of a field, or a value of a closed set, as pages and messages write it: "call sheet" for call_sheet. */
export const wordOf = (value: string): string => words[value] ?? value.replaceAll("_", " ");

/** How a warning ends about the text of scenes that an import stores although nothing else changes. */
export const textIsStored = "is stored for the next comparison";

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
