// How the pages show what differs between two texts or lists.
// Thorough: only --all runs it.
import { test } from "uvu";
import * as assert from "uvu/assert";
import { ComparedTexts } from "../../src/features/pages/differences.ts";
import { inProportion } from "../support/proportion.ts";

const textsSideBySide = (before: string, after: string) => new ComparedTexts().sideBySide(before, after);

const marked = (before: string, after: string) =>
  [...textsSideBySide(before, after).text.matchAll(/<(del|ins)>([^<]*)<\/\1>/g)].map(([, kind, text]) => [
    kind,
    text?.trim(),
  ]);

test("only the words that differ are marked, each run of them once", () => {
  assert.equal(marked("He takes the last train home, alone.", "He takes the first bus home, quite alone."), [
    ["del", "last train"],
    ["ins", "first bus"],
    ["ins", "quite"],
  ]);
  assert.equal(marked("the same words", "the  same\nwords"), []);
});

test("texts with little in common differ as a whole, and so do those that are too long to compare", () => {
  assert.equal(marked("On the page.", "Ada waits at the harbour until dawn and leaves."), [
    ["del", "On the page."],
    ["ins", "Ada waits at the harbour until dawn and leaves."],
  ]);
  const long = (word: string) => `start ${Array.from({ length: 5_000 }, (_, at) => `${word}${at}`).join(" ")} end`;
  assert.is(marked(long("a"), long("b")).length, 2);
});

test("only the passages that differ are shown, with two lines around them, and the whole on demand", () => {
  const lines = Array.from({ length: 40 }, (_, at) => `Line ${at} stays.`);
  const after = lines.with(12, "Line 12 goes.").with(14, "Line 14 goes.").with(30, "Line 30 goes.");
  const [shown = "", whole = ""] = textsSideBySide(lines.join("\n\n"), after.join("\n\n")).text.split("<details>");
  const numbers = (text: string) => [...text.matchAll(/Line (\d+)/g)].map(([, number]) => Number(number));
  const near = [
    [10, 11, 12, 13, 14, 15, 16],
    [28, 29, 30, 31, 32],
  ];
  assert.equal(
    numbers(shown),
    near.flatMap((passage) => [...passage, ...passage]),
  );
  assert.equal(numbers(whole), [...lines.keys(), ...lines.keys()]);
  assert.not.match(
    textsSideBySide("One line.", "One word.").text,
    /<details>/,
    "what is whole already is not shown twice",
  );
  assert.not.match(textsSideBySide(lines.slice(0, 3).join("\n"), lines.slice(0, 3).join("\n")).text, /<del>|<ins>/);
});

test("of texts that are too long to compare, or of a page that has compared enough, the beginnings are shown, which says so", () => {
  const long = (last: string) => `${"word ".repeat(12_000)}${last}`;
  const shown = textsSideBySide(long("one"), long("two")).text;
  assert.match(shown, /Too long to compare word by word/);
  assert.match(shown, /\(and 58,003 more characters\)/);
  const texts = new ComparedTexts();
  const half = (last: string) => `${"word ".repeat(9_000)}${last}`;
  const compared = Array.from({ length: 30 }, () => texts.sideBySide(half("one"), half("two")).text);
  assert.is(compared.filter((text) => !text.includes("Too long")).length, 22, "two million characters");
});

test("comparing takes time in proportion to the texts, whatever words they have", () =>
  inProportion("the comparison of texts of few different words", (scale) => {
    const text = (seed: number) =>
      Array.from({ length: Math.round(2_000 * scale) }, (_, at) => `w${(at * seed) % 7}`).join(" ");
    return textsSideBySide(`start ${text(3)}`, text(5));
  }));

test("text of a document stays text", () => {
  assert.not.match(textsSideBySide("<b>x</b> and more words here", "<i>x</i> and more words here").text, /<b>|<i>/);
});

test.run();
