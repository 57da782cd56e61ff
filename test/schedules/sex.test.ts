import { suite } from "uvu";
import * as assert from "uvu/assert";
import { problemText } from "../../src/features/documents/refusals.ts";
import { readSex } from "../../src/features/schedules/sex.ts";
import { faultsOf, noNames, readTruncated, refusalOf, script } from "../support/lists.ts";
import { encodeSex, sexRecord } from "../support/scheduling.ts";

const categories = ["Cast Members", "Extras", "Props", "Special Effects", "Makeup/Hair"];
const file = encodeSex(categories, [
  { number: "1", slugline: "EXT. ENGLAND, LONDON - NIGHT", eighths: 1 },
  {
    number: "11 A",
    slugline: "Int/Ext. Prison front door - Night",
    eighths: 12,
    elements: [
      [0, "CARAMORE (V.O.)"],
      [0, "COULSON"],
      [0, "CARAMORE"],
      [2, "Caf\xe9 key"],
      [4, "Scar"],
    ],
  },
  { number: "12", slugline: "OMITTED", eighths: 0 },
]);
const read = (bytes: Uint8Array, options = { known: noNames }) => readSex(bytes, options);

const sex = suite("a scheduling export (.sex)");

sex("becomes scenes with their length, cast and elements, without a schedule", () => {
  const { document, warnings } = read(file);
  assert.equal(document, {
    scenes: [
      {
        number: "1",
        slugline: "EXT. ENGLAND, LONDON - NIGHT",
        status: "planned",
        revision_color: "white",
        elements: { pages: "1/8" },
      },
      {
        number: "11A",
        slugline: "INT/EXT. PRISON FRONT DOOR - NIGHT",
        status: "planned",
        revision_color: "white",
        elements: { pages: "1 4/8", cast: ["CARAMORE", "COULSON"], props: ["Café key"], makeup_hair: ["Scar"] },
      },
      { number: "12", slugline: "OMITTED", status: "omitted", revision_color: "white", elements: {} },
    ],
  });
  assert.equal(warnings, []);
});

sex("has its cast under the name of its category in other languages, too", () => {
  for (const category of ["Darsteller", "Comédiens", "Reparto"]) {
    const bytes = encodeSex(
      [category.replace("é", "\xe9")],
      [{ number: "1", slugline: "EXT. QUAY - DAY", eighths: 1, elements: [[0, "INES"]] }],
    );
    assert.equal(read(bytes).document.scenes?.[0]?.elements?.cast, ["INES"], category);
  }
});

sex("adds elements to the script's scenes without their sluglines, and refuses an unknown scene", () => {
  const { document } = read(file, script("1", "11A", "12"));
  assert.equal(document.scenes?.[1], {
    number: "11A",
    elements: { pages: "1 4/8", cast: ["CARAMORE", "COULSON"], props: ["Café key"], makeup_hair: ["Scar"] },
  });
  assert.equal(
    refusalOf(() => read(file, script("1", "11", "12"))),
    ["scene 11 A is not in the script; nearest are 11 and 12 (scene 2 of the file)"],
  );
});

sex("may have elements before their scenes, and a few bytes at the end", () => {
  const [one] = [encodeSex(["Cast Members"], [])];
  const element = sexRecord(2, Buffer.from("\u0001\0\0ANN\0", "latin1"));
  const scene = sexRecord(1, Buffer.from("\u00011\t7\tINT. HALL - DAY\t\0", "latin1"));
  const { document } = read(Buffer.concat([one as Buffer, element, scene, Buffer.from([0x1a, 0, 0])]));
  assert.equal(document.scenes?.[0]?.elements, { cast: ["ANN"] });
});

sex("warns about an element with an unknown category", () => {
  const odd = encodeSex(["Cast Members"], [{ number: "1", slugline: "INT. HALL", elements: [[9, "Gun"]] }]);
  assert.match(
    read(odd).warnings.map(problemText)[0] as string,
    /^the element at byte \d+ was ignored: its category is number 9 of 1$/,
  );
});

sex("is valid by the schema of whole documents", () => {
  assert.equal(faultsOf(read(file).document), []);
});

sex.run();

const damaged = suite("a damaged scheduling export");

damaged("is refused with what is wrong", () => {
  const cases: [Buffer, RegExp][] = [
    [Buffer.from("PK\u0003\u0004"), /is a ZIP archive, .*; export the breakdown again/],
    [Buffer.from("SSI"), /does not begin with SSI\*/],
    [file.subarray(0, 30), /ends in the list of its categories/],
    [file.subarray(0, file.length - 3), /ends inside the record at byte \d+/],
    [Buffer.concat([file, Buffer.alloc(200, "x")]), /no record at byte \d+, where one must begin/],
    [encodeSex(categories, []), /the file has no scenes/],
    [Buffer.concat([file, sexRecord(3, Buffer.from([9, 0, 0, 0, 1, 0]))]), /is about scene 9, and the file has 3/],
    [Buffer.concat([file, sexRecord(2, Buffer.from([1]))]), /is too short/],
  ];
  for (const [bytes, sentence] of cases) assert.match(refusalOf(() => read(bytes))[0] as string, sentence);
});

damaged("gives a document or a message wherever it is cut off", () => {
  readTruncated(file, read, file.length);
});

damaged("does not loop on a record with length 0", () => {
  const record = sexRecord(1, Buffer.from("x"));
  record.writeUInt16LE(0, 4);
  assert.match(refusalOf(() => read(Buffer.concat([encodeSex([], []), record])))[0] as string, /has a length of 0/);
});

damaged.run();
