// Names as people write them: ignores case, spaces, punctuation and accents, finds typing errors, and makes identifiers
// and patterns of names.
import { distance } from "fastest-levenshtein";
import { inPlainLetters } from "../../core/wording.ts";

/** Two names are the same if this is the same: lower-case letters and digits, without accents. */
export const fold = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");

/**
 * In lower case, without accents; empty if most of the letters are not Latin, so that none of a few is taken for the
 * name.
 */
function latinOf(name: string): string {
  const plain = inPlainLetters(name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase());
  const others = plain.match(/[^a-z\P{L}]/gu)?.length ?? 0;
  return others > 0 && others >= (plain.match(/[a-z]/g)?.length ?? 0) ? "" : plain;
}

/**
 * The words of `name` in lower case, without accents, with `mark` between them: "Make-up / Hair" as make_up_hair. Empty
 * for names that are not Latin.
 */
export const slugOf = (name: string, mark: "_" | "-"): string =>
  latinOf(name)
    .replace(/[^a-z0-9]+/g, mark)
    .replace(/^[-_]|[-_]$/g, "") // a mark stands alone: the line above makes one of what stands together
    .slice(0, 64)
    .replace(/[-_]$/, "");

/** Whether a key of this name would be one of JavaScript's own, which documents do not take. */
export const isReservedKey = (key: string): boolean => key in Object.prototype || key === "prototype";

/** Of longer names only so many letters are compared. */
const maxLetters = 64;

export interface Near {
  candidate: string;
  /** How many letters are to be added, left out or replaced, or swapped with the one beside them. */
  distance: number;
}

/** Whether a name is likely a misspelling of the one that is nearest. */
export const isLikelyMistake = (name: string, near: Near | undefined): near is Near =>
  near !== undefined && near.distance <= (name.length < 6 ? 1 : 2);

/** Shorter names differ in few letters anyway: SFX and VFX. */
export const comparedLength = 4;

/** How many pairs of names may still be compared, and whether more were asked for. */
export interface Comparisons {
  left: number;
  isCut: boolean;
}

/** A name that is begun, such as "cam" for camera, is nearer than any that is spelt in another way. */
const isBegin = (wanted: string, spelling: string): boolean =>
  wanted.length > 2 && spelling.startsWith(wanted) && spelling !== wanted;

/** The distance of two spellings; `without` is Levenshtein's, which counts a swap of two letters as two steps. */
function distanceWithSwaps(one: string, other: string, without: number): number {
  if (without < 2 || without > furthest) return without;
  let [beforeLast, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= one.length; row++) {
    const steps = [row];
    for (let column = 1; column <= other.length; column++) {
      const at = (list: readonly number[], place: number): number => list[place] ?? Number.POSITIVE_INFINITY;
      const replaced = at(last, column - 1) + (one[row - 1] === other[column - 1] ? 0 : 1);
      const isSwap = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const swapped = isSwap && row > 1 ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY;
      steps.push(Math.min(at(last, column) + 1, at(steps, column - 1) + 1, replaced, swapped));
    }
    [beforeLast, last] = [last, steps];
  }
  return last[other.length] ?? without;
}
/** What is further apart is no typing error, with swaps or without. */
const furthest = 6;

/**
 * The candidate whose folded spelling comes nearest to `name`; the first of equals. Undefined if there is none, and as
 * soon as no comparison of two names is left.
 */
export function nearest(
  name: string,
  spellings: Iterable<readonly [folded: string, candidate: string]>,
  comparisons: Comparisons = { left: Number.POSITIVE_INFINITY, isCut: false },
): Near | undefined {
  const wanted = fold(name);
  const letters = wanted.slice(0, maxLetters);
  let best: Near | undefined;
  for (const [folded, candidate] of spellings) {
    const other = folded.slice(0, maxLetters);
    const begins = isBegin(wanted, folded);
    // cannot be nearer
    if (!begins && best !== undefined && Math.abs(letters.length - other.length) >= best.distance) continue;
    if (comparisons.left === 0) comparisons.isCut = true;
    if (comparisons.isCut) return undefined;
    comparisons.left--;
    const without = begins ? 0.5 : distance(letters, other);
    // each swap saves one step of two
    const mayBeNearer = best === undefined || Math.ceil(without / 2) < best.distance;
    const far = begins || !mayBeNearer ? without : distanceWithSwaps(letters, other, without);
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
