// Which names are one, in forty scripts: case, width, composition, quotes, dashes and spaces do not count; every letter
// and mark does.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { sameName, samePerson, withoutAccents } from "../../src/core/wording.ts";

const world = suite("names of the world");

/** In each script a name, and another one that differs in one letter or mark. */
const scripts: readonly (readonly [script: string, name: string, other: string])[] = [
  ["Latin", "Łódź Ærø", "Lódź Ærø"],
  ["Greek", "Οδυσσεύς", "Οδυσσεάς"],
  ["Cyrillic", "БОЙ", "БОИ"],
  ["Armenian", "Արամ", "Արամե"],
  ["Georgian", "ნინო", "ნანო"],
  ["Hebrew", "שָׁלוֹם", "שׁלום"],
  ["Arabic", "عَلِي", "علي"],
  ["Syriac", "ܐܒܐ", "ܐܡܐ"],
  ["Thaana", "އަލީ", "އިލީ"],
  ["Nko", "ߒߞߏ", "ߒߞߊ"],
  ["Adlam", "𞤀𞤁𞤤𞤢𞤥", "𞤀𞤁𞤤𞤢𞤲"],
  ["Devanagari", "करण", "किरण"],
  ["Bengali", "কমল", "কোমল"],
  ["Gurmukhi", "ਸਿੰਘ", "ਸੰਘ"],
  ["Gujarati", "કરણ", "કિરણ"],
  ["Oriya", "ରବି", "ରବୀ"],
  ["Tamil", "மணி", "மாணி"],
  ["Telugu", "రవి", "రావి"],
  ["Kannada", "ರವಿ", "ರಾವಿ"],
  ["Malayalam", "രവി", "രാവി"],
  ["Sinhala", "රවි", "රාවි"],
  ["Thai", "มาลี", "มาลา"],
  ["Lao", "ແກ້ວ", "ແກວ"],
  ["Tibetan", "བོད", "བད"],
  ["Myanmar", "မောင်", "မောင်း"],
  ["Khmer", "សុខ", "សូខ"],
  ["Mongolian", "ᠪᠠᠲᠤ", "ᠪᠠᠲᠠ"],
  ["Javanese", "ꦗꦮ", "ꦗꦮꦶ"],
  ["Balinese", "ᬩᬮᬶ", "ᬩᬮᬷ"],
  ["Cherokee", "ᏣᎳᎩ", "ᏣᎳᎢ"],
  ["Ethiopic", "አበበ", "አበባ"],
  ["Canadian Aboriginal", "ᐃᓄᒃ", "ᐃᓄᐃ"],
  ["Tifinagh", "ⴰⵎⵔ", "ⴰⵎⵏ"],
  ["Vai", "ꕙꔤ", "ꕙꔥ"],
  ["Yi", "ꆈꌠ", "ꆈꌣ"],
  ["Hangul", "김민준", "김민준이"],
  ["Hiragana", "はは", "ぱぱ"],
  ["Katakana", "パパ", "ハハ"],
  ["Bopomofo", "ㄅㄆ", "ㄅㄇ"],
  ["Han", "王芳", "王方"],
];

world("are two where one letter or one mark is another, in each of forty scripts", () => {
  assert.is(scripts.length, 40);
  for (const [script, name, other] of scripts) {
    assert.is.not(sameName(name), sameName(other), script);
    // Accents of Latin and Greek letters alone are no difference to a reference.
    const isAccent = name.normalize("NFD").replace(/\p{M}/gu, "") === other.normalize("NFD").replace(/\p{M}/gu, "");
    if (isAccent) assert.is.not(withoutAccents(name), withoutAccents(other), script);
  }
});

world("are one however they are composed, cased and spaced, in each of forty scripts", () => {
  for (const [script, name] of scripts)
    for (const form of [name.normalize("NFD"), name.toUpperCase(), name.toLowerCase(), `\u3000${name}\u00a0 `])
      assert.is(sameName(form), sameName(name), script);
});

const one: readonly (readonly string[])[] = [
  ["O'Brien", "O’Brien", "OʼBrien", "Oʻbrien", "o‛brien", 'O"BRIEN'],
  ["Anna-Maria", "Anna‑Maria", "ANNA–MARIA", "Anna—Maria", "Anna−Maria"],
  ["STRASSE", "Straße", "STRAẞE", "strasse"],
  ["ΟΔΥΣΣΕΎΣ", "Οδυσσεύς", "οδυσσεύσ"],
  ["Işıl", "IŞIL", "İŞİL", "işil"],
  ["Ａｎｎａ　Ｅｋ", "anna ek", "ANNA\u2003EK"],
  ["ｶﾀｶﾅ", "カタカナ"],
  ["が", "か\u3099"],
  ["Zoë", "ZOE\u0308"],
  ["Å", "\u212b", "a\u030a"],
];
world("are one with other quotes, dashes, spaces, widths and capitals", () => {
  for (const names of one) assert.is(new Set(names.map(sameName)).size, 1, names.join(" "));
});

world("are two where a letter of its own looks like another one with an accent, or ー is left out", () => {
  const two = [
    ["Łukasz", "Lukasz"],
    ["Søren", "Soren"],
    ["Ærø", "Aero"],
    ["ケーキ", "ケキ"],
    ["Zoë", "Zoe"],
    ["É", "E"],
  ];
  for (const [first = "", second = ""] of two) assert.is.not(sameName(first), sameName(second), first);
});

world("differ in accents alone in Latin and Greek letters, and in no other", () => {
  for (const [name = "", other = ""] of [
    ["Zoë", "ZOE"],
    ["Οδυσσεύς", "ΟΔΥΣΣΕΥΣ"],
    ["René", "Rene"],
    ["Ǻ", "a"],
  ])
    assert.is(withoutAccents(name), withoutAccents(other));
  for (const [name = "", other = ""] of [
    ["БОЙ", "БОИ"],
    ["ŁÓDŹ", "LODZ"],
    ["करण", "किरण"],
    ["が", "か"],
    ["ё", "е"],
  ])
    assert.is.not(withoutAccents(name), withoutAccents(other));
});

world("have the same form when it is formed again, and plain ones that of the long way", () => {
  for (const [, name] of scripts) assert.is(sameName(sameName(name)), sameName(name));
  const latin = Array.from({ length: 0x180 - 0xc0 }, (_, at) => `x${String.fromCharCode(0xc0 + at)}y`);
  for (const plain of ["  Ada  LOVELACE ", 'The "Rope"', "R2-D2's", ...latin])
    assert.is(sameName(plain), sameName(`${plain}\u00a0`));
});

world("of a person do not count what nobody sees", () => {
  assert.is(samePerson("Is\u200bla Reed"), samePerson("Isla Reed"));
  assert.is(samePerson("علی\u200cرضا"), samePerson("علیرضا"));
  assert.is.not(sameName("Is\u200bla Reed"), sameName("Isla Reed"));
});

world.run();
