// How the pages show what differs between two texts or lists.
import { test } from "uvu";
import * as assert from "uvu/assert";
import { textsSideBySide } from "../../src/features/pages/differences.ts";

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

test("text of a document stays text", () => {
  assert.not.match(textsSideBySide("<b>x</b> and more words here", "<i>x</i> and more words here").text, /<b>|<i>/);
});

test.run();
