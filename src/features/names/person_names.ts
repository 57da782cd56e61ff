// What the name of a person may not contain: what nobody sees, and letters of several scripts in one word, so that no
// name reads as another's.

/** Default-ignorable code points, and the blank that is none of them. */
const invisible = /[\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Signs that turn the letter before them into a part of the next one (of the canonical combining class 9). */
const virama =
  /[\u094D\u09CD\u0A4D\u0ACD\u0B4D\u0BCD\u0C4D\u0CCD\u0D3B\u0D3C\u0D4D\u0DCA\u0E3A\u0EBA\u0F84\u1039\u103A\u1714\u1734\u17D2\u1A60\u1B44\u1BAA\u1BAB\u1BF2\u1BF3\uA806\uA8C4\uA953\uA9C0\uAAF6\uABED]/;
const arabicLetter = /(?=\p{L})\p{Script=Arabic}/u;
/** Letters of Arabic that do not join the letter after them. */
const joinsNone =
  /[\u0621-\u0625\u0627\u0629\u062F-\u0632\u0648\u0671-\u0677\u0688-\u0699\u06C0\u06C3-\u06CB\u06CD\u06CF\u06D2\u06D3\u06D5\u06EE\u06EF]/;
/** Letters of Arabic that join no letter before them. */
const isolated = /[\u0621\u0674]/;
const joiners = /[\u200C\u200D]/;

const isMark = (letter: string): boolean => /\p{M}/u.test(letter);

/**
 * Whether the joiner at a place is one that writing needs (RFC 5892, appendix A.1 and A.2): after a virama, or the
 * non-joiner between two letters of Arabic that would join.
 */
function isNeeded(letters: readonly string[], at: number): boolean {
  if (virama.test(letters[at - 1] ?? "")) return true;
  if (letters[at] !== "\u200C") return false;
  const before = letters.slice(0, at).findLast((letter) => !isMark(letter)) ?? "";
  const after = letters.slice(at + 1).find((letter) => !isMark(letter)) ?? "";
  const wouldJoin = arabicLetter.test(before) && !joinsNone.test(before);
  return wouldJoin && arabicLetter.test(after) && !isolated.test(after);
}

/**
 * The scripts of which words are written (UAX 31, recommended and limited use). A letter of any other is of one further
 * script.
 */
const scripts = [
  ...["Latin", "Greek", "Cyrillic", "Armenian", "Georgian", "Hebrew", "Arabic", "Syriac", "Thaana", "Nko", "Adlam"],
  ...["Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil", "Telugu", "Kannada", "Malayalam", "Sinhala"],
  ...["Thai", "Lao", "Tibetan", "Myanmar", "Khmer", "Mongolian", "Javanese", "Balinese", "Cherokee", "Ethiopic"],
  ...["Canadian_Aboriginal", "Tifinagh", "Vai", "Yi", "Hangul", "Hiragana", "Katakana", "Bopomofo", "Han"],
];
/** The scripts that one word may have together (UTS 39, highly restrictive). */
const together: readonly (readonly string[])[] = [
  ["Latin", "Han", "Hiragana", "Katakana"],
  ["Latin", "Han", "Bopomofo"],
  ["Latin", "Han", "Hangul"],
  ...scripts.map((script) => [script]),
];
const patternsOf = new Map(scripts.map((script) => [script, new RegExp(`\\p{Script_Extensions=${script}}`, "u")]));
const ofAll = /[\p{Script_Extensions=Common}\p{Script_Extensions=Inherited}]/u;

/** The scripts of a letter; empty if it is of none of these. */
const scriptsOf = (letter: string): string[] => scripts.filter((script) => patternsOf.get(script)?.test(letter));

/** Two scripts that a word mixes; undefined if it mixes none. */
function mixedScripts(word: string): string[] | undefined {
  const letters = [...word].filter((letter) => !ofAll.test(letter)).map(scriptsOf);
  const named = letters.filter((of) => of.length > 0);
  const isWhole = named.length === letters.length;
  if (
    named.length === 0 ||
    (isWhole && together.some((set) => named.every((of) => of.some((one) => set.includes(one)))))
  )
    return undefined;
  const first = named[0]?.[0] ?? "";
  const other = named.find((of) => !of.includes(first))?.[0] ?? "another script";
  return [first, other];
}

const codeOf = (letter: string): string =>
  `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

/** Letters of Latin and signs of all scripts, which most names have alone. */
const plain = /^[ -~\u00A1-\u00AC\u00AE-\u024F]*$/;

/** What is wrong with the name of a person, as the end of a sentence; undefined if nothing is. */
export function personNameProblem(name: string): string | undefined {
  if (plain.test(name)) return undefined;
  const letters = [...name];
  const hidden = letters.find(
    (letter, at) => invisible.test(letter) && !(joiners.test(letter) && isNeeded(letters, at)),
  );
  if (hidden !== undefined) return `must not have the invisible character ${codeOf(hidden)}`;
  for (const [word] of name.matchAll(/[^\s\p{Pd}/,&+()]+/gu)) {
    const mixed = mixedScripts(word);
    if (mixed !== undefined)
      return `must not mix letters of ${mixed.join(" and ")} in one word, as "${word.slice(0, 60)}" does`;
  }
  return undefined;
}
