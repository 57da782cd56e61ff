// The cases of npm run growth for the regular expressions that the checker of npm run expressions cannot prove linear,
// and for the scans that stand in place of one. A row names its expression, and that command fails if no file has it
// any more.
import { Ignore } from "../../../src/agent/ignore.ts";
import { bodyLimits, parseJson } from "../../../src/core/json.ts";
import { withoutEnd } from "../../../src/core/wording.ts";
import { headingLine } from "../../../src/features/names/heading_lines.ts";
import { headingBeginning } from "../../../src/features/names/heading_words.ts";
import { wholeWords } from "../../../src/features/names/names.ts";
import { withoutClosing } from "../../../src/features/names/sluglines.ts";
import { findDate, readDate } from "../../../src/features/paperwork/dates.ts";
import { dayBreakOf } from "../../../src/features/paperwork/day_breaks.ts";
import { ScriptScenes, splitPart } from "../../../src/features/paperwork/scenes.ts";
import { havingFamilyName, replacing } from "../../../src/features/productions/name_pattern.ts";
import { briefOf } from "../../../src/features/restyle/brief.ts";
import { names } from "../../../test/support/lists.ts";
import { type Case, reader } from "./cases.ts";

/** A text that a hostile client may send: the second part is repeated. */
type Attack = readonly [before: string, repeated: string, behind: string];

interface Row {
  file: string;
  /** As it stands in the file. Of one that is built, its beginning with … in place of the rest. */
  expression: string;
  attacks: readonly Attack[];
  /** What meets the text in the program, where that bounds or changes it first. */
  run?: (text: string) => unknown;
}

const raw = String.raw;
const paperwork = "src/features/paperwork";
const namePattern = "src/features/productions/name_pattern.ts";
const withoutMira = replacing("Mira Holt", ["Mira Holt-Berg"], "somebody");
const spaces: readonly Attack[] = [
  ["1", " ", ""],
  ["1", "\t", "x"],
  ["1 ", " ", "-"],
  ["", "\n", ""],
  ["1", "-1", " 1 1"],
];
const mentions: readonly Attack[] = [
  ["", "mira ", ""],
  ["mira", " ", ""],
  ["mi", "\u0301", ""],
  ["", "mira-", ""],
  ["", "holt, ", "mira"],
];
const callsOfDays: readonly Attack[] = [
  ["DAY 1 loc: a", " ", "b"],
  ["DAY 1 ", "loc:a ", "\n"],
  ["mon", "day ", ""],
  ["mon", "d", ""],
];
const dates: readonly Attack[] = [
  ["mon", " ", "8 May"],
  ["8 May 2026", ",", "mon"],
  ["", "1/", ""],
  ["", "mon. ", ""],
];

const rows: readonly Row[] = [
  {
    file: "src/cli/help.ts",
    expression: raw`/\S.{0,98}\S(?!\S)|\S+/g`,
    attacks: [
      ["", "a", ""],
      ["", "a ", ""],
      ["", "\n", ""],
      ["a", "\n", "a"],
    ],
  },
  {
    file: `${paperwork}/cast_numbers.ts`,
    expression: raw`/^\(?#?(?<number>\d{1,4}[a-z]?(?:\.\d{1,4})?)(?:[.):]\s*|\s*-\s+|(?<space>\s+))(?=\D)/i`,
    attacks: [
      ["1", " ", "2"],
      ["1.", " ", "2"],
      ["1", " ", "-"],
      ["1 -", " ", "2"],
    ],
  },
  {
    file: `${paperwork}/scenes.ts`,
    expression: raw`/[\s([,-]*(?:pts?|parts?)\.?\s*(?:[0-9]{1,2}|[a-d]|[ivx]{1,4})?\s*(?:(?:of|\/)\s*\d{1,2}\s*)?[)\]]*$/i`,
    attacks: [["1", " ", "pt x"], ["1 pt", " ", "x"], ["1", "pt ", "x"], ...spaces],
    run: splitPart,
  },
  {
    file: `${paperwork}/scenes.ts`,
    expression: raw`/^(\S+?)\s*(?:[-–—]|to|thru)\s*(\S+)$/i`,
    attacks: spaces,
    run: (text) => new ScriptScenes({ known: names({ scenes: ["1", "2"] }) }).references([text], 1),
  },
  {
    file: `${paperwork}/dates.ts`,
    expression: raw`/^(?<word>(?:sun|mon|…`,
    attacks: dates,
    run: (text) => readDate(text),
  },
  {
    file: `${paperwork}/dates.ts`,
    expression: raw`/^(?<rest>.*[^\s,(])[\s,]*\(?(?<word>(?:sun|mon|…`,
    attacks: dates,
    run: (text) => readDate(text),
  },
  {
    file: `${paperwork}/dates.ts`,
    expression: raw`/(?:(?:sun|mon|…`,
    attacks: dates,
    run: findDate,
  },
  {
    file: `${paperwork}/day_breaks.ts`,
    expression: raw`/^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\b|\d{1,4}[-/.]).{5,60}?\b(?:(?<unit>[a-z0-9]…`,
    attacks: callsOfDays,
    run: (text) => dayBreakOf(text, 1),
  },
  {
    file: `${paperwork}/day_breaks.ts`,
    expression: raw`/\bloc(?:ation)?s? ?[:=] ?(\S.*?)(?= ?(?:[|;,*]| [-–—]{1,3})? ?(?:(?:\b(?:general |unit |crew )?call|\btotal|\bpages?|\bpgs|\bdate|\bwrap|\bsun(?:rise|set))\b|$))/i`,
    attacks: callsOfDays,
    run: (text) => dayBreakOf(text, 1),
  },
  {
    file: "src/features/names/heading_lines.ts",
    expression: raw`/^(?:(?:SECUENCIAS|SEQUÊNCIAS|…`,
    attacks: [...spaces, ["1.", " ", ""], ["1 -", " ", ""], ["scene 1", "\u3000", ""], ["1 bild:", " ", ""]],
    run: headingLine,
  },
  {
    file: "src/features/names/heading_words.ts",
    expression: raw`/^(?:(?:WN|PL|IC|DIS|ΕΣΩ|ΕΞΩ)(?=\.|\s?\/)|…`,
    attacks: [
      ["int", " ", "x"],
      ["innen", ".", ""],
      ["", "wn/", ""],
    ],
    run: headingBeginning,
  },
  {
    file: "src/agent/ignore.ts",
    expression: raw`/^(?:\.lucid_audit|\.DS_Store|…`,
    attacks: [
      ["", "._", ""],
      [".nfs", "a", "/"],
      ["a", ".tmp", "b"],
    ],
    run: (text) => new Ignore(["*.tmp", ".a*b"]).takes(text, `a/${text}`),
  },
  { file: namePattern, expression: raw`/(?<![\p{L}\p{N}])(?:…`, attacks: mentions, run: withoutMira },
  {
    file: namePattern,
    expression: raw`/(?<![\p{L}\p{N}])(?!(?:Mrs?|Ms|Dr|Prof)\b)\p{Lu}[\p{L}’'-]+\s{1,3}$/u`,
    attacks: mentions,
    run: havingFamilyName("Holt", []),
  },
  {
    file: namePattern,
    expression: raw`/^(?:…`,
    attacks: mentions,
    run: (text) => replacing("Mira Holt", [text.slice(0, 300)], "somebody"), // no name is longer
  },
  {
    file: "src/features/names/names.ts",
    expression: raw`/(?<![\p{L}\p{N}])(?:…`,
    attacks: mentions,
    run: (text) => text.replace(wholeWords(["Mira Holt", "Mira"], "giu"), ""),
  },
];

/** The expressions that a doubling test names. */
export const namedExpressions = rows.map(({ file, expression }) => ({
  file,
  title: `${file} ${expression}`,
  names: (text: string): boolean =>
    expression.endsWith("…") ? text.startsWith(expression.slice(0, -1)) : text === expression,
}));

/** Runs an expression as it stands in a file over a text. */
function over(expression: string): (text: string) => unknown {
  const end = expression.lastIndexOf("/");
  const made = new RegExp(expression.slice(1, end), expression.slice(end + 1));
  return (text) => text.replace(made, "");
}

const attack = (name: string, attacks: readonly Attack[], run: (text: string) => unknown, size = 5000): Case =>
  reader(name, size, (count) => {
    const texts = attacks.map(([before, repeated, behind]) => before + repeated.repeat(count) + behind);
    return () => {
      for (const text of texts) run(text);
    };
  });

const completion = (content: string): string => JSON.stringify({ choices: [{ message: { content } }] });

const scans: readonly Case[] = [
  attack("scan of the end of a text", [["a", "/", "/b/"]], (text) => withoutEnd(text, /\//), 100_000),
  attack(
    "scan of a path by a pattern with several wildcards",
    [
      ["", "a", "/y"],
      ["a", "/a", "/c"],
    ],
    (text) => new Ignore(["**a**a**a**a**b/x", "a/**/**/**/**/b"]).takes("y", text),
    2_000,
  ),
  attack(
    "scan of parentheses at an end",
    [
      ["a", "(b)", ""],
      ["a", "( ", ")"],
      ["a", ")", ""],
      ["a ", " ", "x)"],
    ],
    (text) => withoutClosing(text),
    20_000,
  ),
  attack(
    "scan of the numbers in a JSON text",
    [
      ["[0.1", "0", "1]"],
      ["[0", ",0.10000000000000000000001", "]"],
    ],
    (text) => {
      parseJson(text, { ...bodyLimits(), values: Number.POSITIVE_INFINITY });
    },
  ),
  attack(
    "scan of a completion of a model",
    [
      ["```json\n", "\n", "x"],
      ["```\t", "\t", "\n```"],
      ["```\n", "```", ""],
    ],
    (text) => briefOf(completion(text)),
  ),
];

export const expressions: readonly Case[] = [
  ...rows.map(({ file, expression, attacks, run }) =>
    attack(`expression ${file} ${expression}`, attacks, run ?? over(expression)),
  ),
  ...scans,
];
