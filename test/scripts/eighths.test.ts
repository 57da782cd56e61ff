import { suite } from "uvu";
import * as assert from "uvu/assert";
import { formatEighths, parseEighths } from "../../src/features/names/page_lengths.ts";

const eighths = suite("eighths of a page");

eighths("are read and written as whole pages and eighths", () => {
  const texts = ["1 7/8", "7/8", "2", "0", "12 1/8"];
  assert.equal(texts.map(parseEighths), [15, 7, 16, 0, 97]);
  assert.equal(
    texts.map((text) => formatEighths(parseEighths(text) as number)),
    texts,
  );
});

eighths("are refused with nine eighths, halves or decimals", () => {
  for (const text of ["1 9/8", "8/8", "0/8", "1/2", "1.5", "", "x", "1 7/8 pages", "-1"])
    assert.is(parseEighths(text), undefined, text);
});

eighths.run();
