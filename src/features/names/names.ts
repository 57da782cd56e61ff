// Names as people write them: ignores case, spaces, punctuation and accents, finds typing errors, and makes identifiers and patterns of names.

/** Two names are the same if this is the same: lower-case letters and digits, without accents. */
export const fold = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");

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
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
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

/** A text as a part of a regular expression, with any space where it has one. */
export const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\s+/g, "\\s+");

/** Any of the names, as whole words. */
export const wholeWords = (names: readonly string[], flags: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${names.map(escaped).join("|")})(?![\\p{L}\\p{N}])`, flags);
