// Compares names, bounds what a message repeats, and writes lists, numbers, sizes and durations for people.
import { minute } from "./times.ts";

/**
 * The form in which names are compared: equal for two names that differ only in case, spaces or the composition of accents. Upper case first,
 * because ß becomes SS.
 */
export const sameName = (name: string): string =>
  name.normalize("NFC").trim().replace(/\s+/g, " ").toUpperCase().toLowerCase();

/** The form in which names of people are compared: besides, signs of another width and what nobody sees do not count. */
export const samePerson = (name: string): string =>
  sameName(name.normalize("NFKC").replace(/[\p{Default_Ignorable_Code_Point}\u2800]/gu, ""));

/**
 * A text by which a cast list is sorted: by cast number, 2 before 10 and 10 before 10A, then by name; without a number last. docs/paperwork.md,
 * "The cast and the breakdown".
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
/** castPlace of the last texts: a list is sorted again for each answer, and finding a place takes longer than reading its row. */
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

/** How many characters of a text that a client sent a message repeats. */
const mostRepeated = 200;

/** A text that a client sent, for a message: not all of a long one. */
export const cut = (text: string): string =>
  text.length > mostRepeated ? `${text.slice(0, mostRepeated).toWellFormed()}…` : text;

/** How many characters a whole message has at most. */
const longestMessage = 6000;
/** How many of its last characters a longer message keeps: its end says what was done. */
const suffixLength = 300;

/** A message of any number of sentences, without the middle of a longer one: what it repeats may be of any size. */
export const bounded = (message: string): string =>
  message.length > longestMessage
    ? `${message.slice(0, longestMessage - suffixLength).toWellFormed()} … ${message.slice(-suffixLength).toWellFormed()}`
    : message;

/** A bounded message that repeats at most 200 characters in a row that have no space between them. */
export const boundedWords = (message: string): string => bounded(message).replace(/\S+/gu, (word) => cut(word));

/** A text without the characters at its end that `each` takes. An expression such as /0+$/ would begin again at each of them. */
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

const words: Readonly<Record<string, string>> = { revision_color: "revision colour" };
/** The name of a field, or a value of a closed set, as pages and messages write it: "general call" for general_call. */
export const wordOf = (value: string): string => words[value] ?? value.replaceAll("_", " ");
