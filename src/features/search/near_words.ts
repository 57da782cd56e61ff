// Words that differ from a word by one letter or by the ending of a plural. A search tries them if nothing has the
// words as they were typed.
import { searchForm } from "../../core/wording.ts";

const letters = [..."abcdefghijklmnopqrstuvwxyz"];
const correctable = /^\p{L}{4,20}$/u;
/** Of more words none is corrected, so that the cost of a search is bounded. */
const maxWords = 6;

/** Endings, and what stands there in the other number. */
const endings: readonly (readonly [RegExp, string])[] = [
  [/s$/, ""],
  [/ies$/, "y"],
  [/y$/, "ies"],
  [/es$/, ""],
];

/** A word in the other number. */
const otherNumbers = (word: string): Set<string> =>
  new Set(endings.flatMap(([ending, other]) => (ending.test(word) ? [word.replace(ending, other)] : [])));

/** Lists those of `words` that the search knows, and every word that it knows with the first letter of one. */
export type KnownWords = (words: readonly string[], first: string) => readonly string[];

/**
 * Of words, those that the search knows. Nearly all begin with one letter: that part of the known words is read at
 * once, and the others are looked up.
 */
function knownOf(near: ReadonlySet<string>, first: string, knownWords: KnownWords): ReadonlySet<string> {
  const others = [...near].filter((word) => !word.startsWith(first));
  return new Set(knownWords(others, first).filter((word) => near.has(word)));
}

/** Every word that has one letter more, less or another one than `word`, two letters exchanged, or the other number. */
function nearWords(word: string): ReadonlySet<string> {
  const near = otherNumbers(word);
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    for (const letter of letters) near.add(before + letter + after);
    if (after === "") continue;
    near.add(before + after.slice(1));
    for (const letter of letters) near.add(before + letter + after.slice(1));
    if (after.length > 1) near.add(`${before}${after[1]}${after[0]}${after.slice(2)}`);
  }
  near.delete(word);
  return near;
}

/**
 * The known words that may stand for each word of a search; undefined if none may be another one. Only the words that
 * are nowhere have a wrong letter; if each is somewhere, any of them may have one.
 */
export function alternativesOf(
  words: readonly string[],
  isSomewhere: (word: string) => boolean,
  knownWords: KnownWords,
): readonly ReadonlySet<string>[] | undefined {
  if (words.length > maxWords) return undefined;
  const there = words.map(isSomewhere);
  const near = words.map(searchForm).map((word, at) => {
    if (!correctable.test(word)) return new Set<string>();
    const near = there[at] === true && there.includes(false) ? otherNumbers(word) : nearWords(word);
    return knownOf(near, [...word][0] as string, knownWords); // a correctable word has letters
  });
  return near.some(({ size }) => size > 0) ? near : undefined;
}

/**
 * The words by which a text of `present` words was found: each word itself where one begins with it, otherwise what
 * stands for it.
 */
export function correctedWords(
  words: readonly string[],
  near: readonly ReadonlySet<string>[],
  present: readonly string[],
): string[] {
  const there = present.map(searchForm);
  return words.map((word, at) => {
    if (there.some((one) => one.startsWith(searchForm(word)))) return word;
    return there.find((one) => near[at]?.has(one)) ?? word;
  });
}
