// Scripts as other programs write them, read by the program and by a second reader, field by field.
// Thorough: only --all runs it.
import { readdirSync, readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readFountain } from "../../src/features/scripts/fountain.ts";
import { assertCounted, showCounts } from "../support/counted.ts";
import { assertCountedDamaged } from "../support/damaged_files.ts";
import { readFdx } from "../support/script_readers.ts";
import { secondFdx, secondFountain, wordsOf } from "../support/second_script_reader.ts";

const folder = new URL("./corpus/", import.meta.url);
const corpus = suite("a script of the corpus");

for (const file of readdirSync(folder).sort()) {
  corpus(`has the same scenes, cast and words in both readers: ${file}`, () => {
    const bytes = readFileSync(new URL(file, folder));
    const [read, second] = file.endsWith(".fdx") ? [readFdx, secondFdx] : [readFountain, secondFountain];
    const script = read(bytes);
    assertCounted(script, file);
    showCounts(script, file);
    assert.equal(script.problems, []);
    const scenes = script.scenes.map(({ number, slugline, characters, paragraphs }) => ({
      number,
      slugline,
      cast: [...characters],
      words: wordsOf(paragraphs.map(({ text }) => text)),
    }));
    assert.equal(scenes, second(bytes.toString()));
  });
}

/** The scripts of other tests and the samples that come with the program. */
const others = ["./corpus/", "./colours/", "./former/", "./restored/", "./night_ferry/", "../../fixtures/paperwork/"];

for (const place of others) {
  const own = new URL(place, import.meta.url);
  for (const file of readdirSync(own).filter((name) => /\.(?:fountain|fdx)$/.test(name)))
    corpus(`is counted, and although it is damaged: ${place}${file}`, () => {
      assertCountedDamaged(file.endsWith(".fdx") ? readFdx : readFountain, readFileSync(new URL(file, own)), file);
    });
}

corpus.run();
