import { suite } from "uvu";
import * as assert from "uvu/assert";
import { compareNumbers } from "../../src/features/names/sluglines.ts";
import { ScriptScenes, sceneNumbers } from "../../src/features/paperwork/scenes.ts";
import { cipherNames, names } from "../support/lists.ts";

const numbers = ["1", "2", "3", "A4", "4", "4A", "12", "13", "14", "14A", "15", "150C", "151", "12-12"];
const single = new ScriptScenes({ known: names({ scenes: numbers }) });
const read = (text: string, script = single, episode?: string): string[] => {
  const { scenes, unknown } = script.read(text, episode);
  return unknown.length > 0
    ? unknown.map((message) => (typeof message === "string" ? message : message()))
    : scenes.map(({ reference, part }) => (part ? `${reference} in part` : reference));
};

const mentions = suite("scenes in a cell");

mentions("are one scene, several, or a range", () => {
  assert.equal(read("12"), ["12"]);
  assert.equal(read("12, 14A;15"), ["12", "14A", "15"]);
  assert.equal(read("Sc. 12 & 13\nand 15"), ["12", "13", "15"]);
  assert.equal(read("12-14A"), ["12", "13", "14", "14A"]);
  assert.equal(read("12 13"), ["12", "13"]);
});

mentions("may be parts of scenes", () => {
  for (const text of ["14A pt", "14Apt2", "14A (pt. 2)", "14A PART 1", "14A, pt", "14A pt 1 of 3", "Scene 14A part B"])
    assert.equal(read(text), ["14A in part"], text);
});

mentions("match with any case, spaces and leading zeros", () => {
  assert.equal(read("014 a"), ["14A"]);
  assert.equal(read("a4"), ["A4"]);
});

mentions("match the exact number first", () => {
  assert.equal(read("12-12"), ["12-12"]);
});

mentions("that are unknown are refused with their neighbours", () => {
  assert.equal(read("150D"), ["scene 150D is not in the script; nearest are 150C and 151"]);
  assert.equal(read("4AA"), ["scene 4AA is not in the script; nearest are 4A and 12"]);
  assert.equal(read("900"), ["scene 900 is not in the script; nearest is 151"]);
  assert.equal(read("12, 150D, 13B pt2").length, 2);
  assert.equal(read("Prologue"), ["scene Prologue is not in the script"]);
});

mentions("are refused if the production has no script", () => {
  assert.match(
    read("1", new ScriptScenes({ known: names({}) }))[0] as string,
    /has no scenes yet; import the script first$/,
  );
});

mentions.run();

const episodic = suite("scenes of an episodic production");
const series = new ScriptScenes({ known: cipherNames });

episodic("have their episode, in any of the usual forms", () => {
  assert.equal(read("102/3A", series), ["102/3A"]);
  assert.equal(read("102-3a", series), ["102/3A"]);
  assert.equal(read("3A", series, "102"), ["102/3A"]);
  assert.equal(read("3A", new ScriptScenes({ known: cipherNames, episode: "102" })), ["102/3A"]);
});

episodic("without an episode are refused with the episodes that have the number", () => {
  assert.equal(read("3", series), ["scene 3 is in episodes 101, 102 and 103; write 101/3, or add --episode"]);
});

episodic("name neighbours in their own episode", () => {
  assert.match(read("3B", series, "102")[0] as string, /nearest are 102\/3A and 102\/4$/);
});

episodic.run();

const order = suite("the order of scene numbers");

order("has A12 before 12 and 12A after it", () => {
  const sorted = ["A12", "12", "12A", "12AA", "12B", "13", "100"];
  assert.equal(sorted.toReversed().toSorted(compareNumbers), sorted);
});

order("is not needed to parse a cell", () => {
  assert.equal(sceneNumbers("166, 169"), [
    { number: "166", part: "" },
    { number: "169", part: "" },
  ]);
  assert.equal(sceneNumbers("89PT1"), [{ number: "89", part: "PT1" }]);
  assert.equal(sceneNumbers("11 A"), [{ number: "11A", part: "" }]);
});

order.run();
