// The words and numbers of messages.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { boundedWords, withCommas, withoutEnd } from "../../src/core/wording.ts";

const words = suite("the wording of messages");

words("writes whole numbers with commas", () => {
  const numbers = [0, 7, 999, 1000, 10_007, 200_000, 1_000_000, 12_345_678, Number.MAX_SAFE_INTEGER];
  for (const number of numbers) assert.is(withCommas(number), number.toLocaleString("en-US"));
});

words("cuts each word of more than 200 letters", () => {
  const [short, long] = ["é".repeat(200), "é".repeat(201)];
  assert.is(boundedWords(`${short} ${long}\n${long}`), `${short} ${short}…\n${short}…`);
});

words("takes what a text ends with off it", () => {
  assert.is(withoutEnd("a//b///", /\//), "a//b");
  assert.is(withoutEnd("///", /\//), "");
  assert.is(withoutEnd("", /\//), "");
});

words.run();
