// Parsing scene headings and lengths in eighths.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { formatEighths, parseEighths } from "../../src/features/names/page_lengths.ts";
import { parseSlugline } from "../../src/features/names/sluglines.ts";
import { estimateEighths, type Paragraph } from "../../src/features/scripts/script.ts";
import { inProportion } from "../support/proportion.ts";

const sluglines = suite("a slugline");
const parts = (text: string) => {
  const { int_ext, set, time_of_day } = parseSlugline(text);
  return [int_ext, set, time_of_day];
};

sluglines("has int_ext, set and time of day", () => {
  assert.equal(parts("INT. KITCHEN - NIGHT"), ["INT", "KITCHEN", "NIGHT"]);
  assert.equal(parts("ext. the long road - day"), ["EXT", "THE LONG ROAD", "DAY"]);
  assert.equal(parts("EST. HARBOUR - DAWN"), ["EXT", "HARBOUR", "DAWN"]);
});

sluglines("is INT/EXT for inside and outside, in every spelling", () => {
  for (const prefix of ["INT/EXT.", "INT./EXT.", "I/E", "I/E.", "I./E.", "EXT./INT.", "INT. / EXT."])
    assert.equal(parts(`${prefix} CAR - DAY`), ["INT/EXT", "CAR", "DAY"], prefix);
});

sluglines("may have several times of day; whatever is none belongs to the set", () => {
  assert.equal(parts("INT. CAR -- INSIDE TRUNK"), ["INT", "CAR - INSIDE TRUNK", null]);
  assert.equal(parts("INT. CAR - NIGHT - INSIDE TRUNK"), ["INT", "CAR - INSIDE TRUNK", "NIGHT"]);
  assert.equal(parts("EXT. DODGE -- NIGHT"), ["EXT", "DODGE", "NIGHT"]);
  assert.equal(parts("EXT. HOSPITAL - WARD D - MAGIC HOUR"), ["EXT", "HOSPITAL - WARD D", "MAGIC HOUR"]);
  assert.equal(parts("INT. HALL - SAME TIME"), ["INT", "HALL", "SAME TIME"]);
  assert.equal(parts("INT. HALL - N"), ["INT", "HALL", "N"]);
  assert.equal(parts("EXT. ROOF - DAY - LATER"), ["EXT", "ROOF", "DAY - LATER"]);
  assert.equal(parts("INT. ROUND-HOUSE - NIGHT, FOG"), ["INT", "ROUND-HOUSE", "NIGHT, FOG"]);
  assert.equal(parts("INT. CAVE - DAY/MOMENTS LATER"), ["INT", "CAVE", "DAY/MOMENTS LATER"]);
});

sluglines("may have dashes and words of time in its set", () => {
  assert.equal(parts("INT. HOUSE - KITCHEN - MOMENTS LATER"), ["INT", "HOUSE - KITCHEN", "MOMENTS LATER"]);
  assert.equal(parts("INT. ACME - DAY CARE CENTRE - EARLY MORNING"), [
    "INT",
    "ACME - DAY CARE CENTRE",
    "EARLY MORNING",
  ]);
});

sluglines("accepts any dash, and before a plain time a comma, a full stop or a space", () => {
  for (const text of [
    "INT. HALL – DAY",
    "INT. HALL—DAY",
    "INT. HALL -- DAY",
    "INT. HALL -DAY",
    "INT. HALL, DAY",
    "INT. HALL. DAY.",
    "INT HALL DAY",
    "INT - HALL - DAY",
  ])
    assert.equal(parts(text), ["INT", "HALL", "DAY"], text);
});

sluglines("without a known time has no time of day", () => {
  assert.equal(parts("EXT. RANNOCH - RAIN"), ["EXT", "RANNOCH - RAIN", null]);
  assert.equal(parts("EXT. PRAÇA DA SÉ - NOITE"), ["EXT", "PRAÇA DA SÉ", "NOITE"]);
});

sluglines("without a time has none, and without INT or EXT is only a set", () => {
  assert.equal(parts("EXT. OUTSIDE THE FOOD STORE"), ["EXT", "OUTSIDE THE FOOD STORE", null]);
  assert.equal(parts("REVERSE ON DAVID"), [null, "REVERSE ON DAVID", null]);
  assert.equal(parts("INT."), ["INT", null, null]);
});

sluglines("removes a closing parenthesis from the time, and takes a script day from it", () => {
  assert.equal(parts("INT. HOUSE - DAY (1979)"), ["INT", "HOUSE", "DAY"]);
  assert.equal(parts("EXT. BACK YARD - NIGHT [CONTINUOUS]"), ["EXT", "BACK YARD", "NIGHT"]);
  assert.equal(parts("INT. CAR (MOVING) - NIGHT (FLASHBACK) (N2)"), ["INT", "CAR (MOVING)", "NIGHT"]);
  for (const [text, day] of [
    ["EXT. A - DAWN (D1)", "D1"],
    ["EXT. A - NIGHT (NIGHT 2)", "NIGHT 2"],
    ["EXT. A - DAY (1979)", null],
  ] as const)
    assert.is(parseSlugline(text).script_day, day);
});

sluglines("of any characters and any length is parsed in linear time", async () => {
  for (const piece of [" - ", "(", ") ", ", ", "INT. ", "DAY "])
    await inProportion(piece, (scale) => parseSlugline(`INT. ${piece.repeat(scale * 100_000)}`));
});

sluglines.run();

const lengths = suite("a length in eighths");

lengths("is read and written in the printed form", () => {
  for (const [text, eighths] of [
    ["1 7/8", 15],
    ["3/8", 3],
    ["2", 16],
    ["0", 0],
  ] as const) {
    assert.is(parseEighths(text), eighths);
    assert.is(formatEighths(eighths), text);
  }
});

lengths("is refused if it is not a number of eighths", () => {
  for (const text of ["1 9/8", "8/8", "0/8", "1.5", "", "x", "1 1/2", "-1", "1/8 2"])
    assert.is(parseEighths(text), undefined, text);
});

const action = (words: number): Paragraph => ({
  type: "action",
  text: Array.from({ length: words }, () => "abcde").join(" "),
});

lengths("is estimated at 56 lines a page, 60 columns of action, rounded up", () => {
  assert.is(estimateEighths([]), 1);
  // Ten words of five letters and their spaces are a line; the heading has two lines and the paragraph one below it.
  assert.is(estimateEighths([action(40)]), 1);
  assert.is(estimateEighths([action(50)]), 2);
  assert.is(estimateEighths([action(530)]), 8);
  assert.is(estimateEighths([action(540)]), 9);
});

lengths("is estimated with dialogue at 35 columns", () => {
  const speech = (words: number): Paragraph[] => [
    { type: "character", text: "ANNA" },
    { ...action(words), type: "dialogue" },
  ];
  // Six words of five letters with their spaces are 35 columns.
  assert.is(estimateEighths([...speech(24)]), 1);
  assert.is(estimateEighths([...speech(30)]), 2);
});

lengths("is estimated for words that are longer than a line", () => {
  assert.is(estimateEighths([{ type: "action", text: "x".repeat(60 * 53) }]), 8);
  assert.is(estimateEighths([{ type: "action", text: "x".repeat(60 * 53 + 1) }]), 9);
});

lengths.run();
