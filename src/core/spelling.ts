// Compares names as people write them: ignores case, spaces, punctuation and accents, and finds typing errors. Writes numbers for people.

/** Two names are the same if this is the same: lower-case letters and digits, without accents. */
export const fold = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");

/** Two names are equal if they differ only in case, in spaces or in the composition of accents. Upper case first, because ß becomes SS. */
export const sameName = (name: string): string =>
  name.normalize("NFC").trim().replace(/\s+/g, " ").toUpperCase().toLowerCase();

/** What a cast list is sorted by: numbers by value, so that 2 is before 10 and 10 before 10A, then by name; without a number last. */
export function castPlace(number: string | null | undefined, name: string): string {
  const text = (number ?? "").replace(/^[\s#]+/, "").toUpperCase();
  const valued = text.replace(/\d+/g, (digits) => {
    const value = digits.replace(/^0+(?=\d)/, "");
    return `${String(value.length).padStart(2, "0")}${value}`;
  });
  const rank = text === "" ? 3 : /^\d/.test(text) ? 1 : 2;
  return [rank, valued, sameName(name)].join("\u0001"); // before every letter: 10 is before 10A
}

/** The words of `name` in lower case, without accents, with `mark` between them: "Make-up / Hair" as make_up_hair. */
export const slugOf = (name: string, mark: "_" | "-"): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, mark)
    .replace(/^[-_]+|[-_]+$/g, "")
    .slice(0, 64)
    .replace(/[-_]+$/, "");

/** Whether a key of this name would be one of JavaScript's own, which documents do not take. */
export const isReservedKey = (key: string): boolean => key in Object.prototype || key === "prototype";

/** How many letters are to be added, left out or replaced (Levenshtein); of long names the first 64 letters count. */
export function distance(one: string, other: string): number {
  let same = 0; // a common prefix does not affect the distance
  while (same < 64 && same < one.length && one[same] === other[same]) same++;
  const [from, to] = [one.slice(same, 64), other.slice(same, 64)];
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}

/** A name that is begun, such as "cam" for camera, is nearer than any that is spelt in another way. */
const distanceOf = (wanted: string, spelling: string): number =>
  wanted.length > 2 && spelling.startsWith(wanted) && spelling !== wanted ? 0.5 : distance(wanted, spelling);

/** The candidate whose folded spelling comes nearest to `name`, and how far it is; the first of equals. */
export function nearest(
  name: string,
  spellings: Iterable<readonly [folded: string, candidate: string]>,
): { candidate: string; distance: number } | undefined {
  const wanted = fold(name);
  let best: { candidate: string; distance: number } | undefined;
  for (const [folded, candidate] of spellings) {
    const far = distanceOf(wanted, folded);
    if (best === undefined || far < best.distance) best = { candidate, distance: far };
  }
  return best;
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
export const boundedWords = (message: string): string => bounded(message).replace(/\S{201,}/gu, cut);

/** The known word that is closest to `word`; undefined if none is close, or if `word` is known. */
export function closestWord(word: string, known: Iterable<string>): string | undefined {
  const found = nearest(
    word,
    [...known].map((one) => [fold(one), one] as const),
  );
  const letters = fold(word).length;
  const most = letters < 4 ? 1 : letters < 8 ? 2 : 3;
  return found === undefined || found.candidate === word || found.distance > most ? undefined : found.candidate;
}

/** What a cell or a name says, for a sentence: in quotes, on one line, at most 60 characters. */
export function quoted(text: string): string {
  const line = text.slice(0, 200).replace(/\s+/g, " ").trim();
  return `"${line.length > 60 ? `${line.slice(0, 57)}...` : line}"`;
}

/** "A", "A and B", "A, B and C". */
export const listed = (names: readonly string[], word = "and"): string =>
  names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} ${word} ${names.at(-1)}`;

/** Whole numbers in their order, three and more in a row as one: "2", "4 to 9". */
export function runsOf(numbers: readonly number[]): string[] {
  const runs: [first: number, last: number][] = [];
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const run = runs.at(-1);
    if (run?.[1] === number - 1) run[1] = number;
    else runs.push([number, number]);
  }
  const written = ([first, last]: [number, number]): string[] =>
    last - first > 1 ? [`${first} to ${last}`] : [...new Set([first, last])].map(String);
  return runs.flatMap(written);
}

/** The first of some names, and how many more there are: "A, B and 3 more". */
export const firstOf = (names: readonly unknown[], most = 5, mark = ", "): string =>
  `${names.slice(0, most).join(mark)}${names.length > most ? ` and ${names.length - most} more` : ""}`;

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+");
/** Any of the names, as whole words. */
export const wholeWords = (names: readonly string[], flags: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${names.map(escaped).join("|")})(?![\\p{L}\\p{N}])`, flags);

/** A whole number with commas: 10,000. toLocaleString would load the tables of all languages, several megabytes. */
export const withCommas = (number: number): string => String(number).replace(/\B(?=(?:\d{3})+$)/g, ",");

/** What a shell reads as one word. Text that needs no quotes stays as it is. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** A size for people: 1.4 MB. */
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** A duration in words that are short: "6 minutes", "365 days". */
export function durationText(milliseconds: number): string {
  const minutes = Math.round(Math.abs(milliseconds) / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  return minutes < 2880 ? `${Math.round(minutes / 60)} hours` : `${Math.round(minutes / 1440)} days`;
}

const words: Readonly<Record<string, string>> = { revision_color: "revision colour" };
/** A field or a value of a closed set, as people read it. */
export const wordOf = (value: string): string => words[value] ?? value.replaceAll("_", " ");
