// The fields of urlencoded forms.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { formPairsOf } from "../../src/features/pages/form_pairs.ts";
import { randomOf } from "../support/random.ts";

const test = suite("a urlencoded form");
const parts = ["a", "=", "&", "%", "+", "4", "é", "?", " ", "%41", "%zz", "%E4", "%C3%A4", "\0", "😀", "%F0%9F%98%80"];

test("has the fields that URLSearchParams reads, escaped or not", () => {
  const next = randomOf(1);
  for (let count = 0; count < 5_000; count++) {
    const text = Array.from({ length: Math.floor(next() * 14) }, () => parts[Math.floor(next() * parts.length)]).join(
      "",
    );
    assert.equal(formPairsOf(text), [...new URLSearchParams(`&${text}`)], text);
  }
});

test.run();
