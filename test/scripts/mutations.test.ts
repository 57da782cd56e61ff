// Randomly damaged files: every result is a document or messages; nothing else is thrown.
// Thorough: only --all runs it.
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { csvText } from "../../src/features/csv/csv.ts";
import { knownKinds, listOfKind } from "../../src/features/lists/lists.ts";
import { FormatError } from "../../src/features/paperwork/findings.ts";
import { readMsd } from "../../src/features/schedules/msd.ts";
import { readSex } from "../../src/features/schedules/sex.ts";
import { readUss } from "../../src/features/schedules/uss.ts";
import { cipherNames, faultsOf, noNames, silverButtonNames } from "../support/lists.ts";
import { assertProperty, sampling } from "../support/sampling.ts";
import { encodeEpsf, encodeSex, msdSections } from "../support/scheduling.ts";

const damage = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.nat({ max: 12 }),
    put: fc.uint8Array({ maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 6 },
);

function damaged(bytes: Buffer, damages: readonly { at: number; cut: number; put: Uint8Array }[]): Buffer {
  return damages.reduce((file, { at, cut, put }) => {
    const start = Math.floor(at * file.length);
    return Buffer.concat([file.subarray(0, start), put, file.subarray(start + cut)]);
  }, bytes);
}

/** Reads a file and validates the document by the schema, or checks the messages. */
function assertRead(read: () => { document: Parameters<typeof faultsOf>[0] }): void {
  try {
    assert.equal(faultsOf(read().document), []);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    assert.ok(error.problems.length > 0 && error.problems.every(({ sentence }) => sentence.length > 5));
  }
}

const files = suite("a file with random damage");

files("of a scheduling program gives a document or messages", () => {
  const sheets = [
    {
      id: "1",
      scenes: "1, 2",
      attributes: { IE: "INT", Set: "Hall", DN: "Day", NumScriptPages: "12" },
      elements: [["Props", "Key"]] as [string, string][],
    },
    { id: "2", scenes: "3" },
  ];
  const calendar =
    '<ScheduleDates><ScheduleDate Name="ProductionStartDate" Date="04/01/2009"/></ScheduleDates><DaysOff Sun="1"/>';
  const xml = msdSections({
    sheets,
    boards: { B: { calendar: "C", days: [["1"], ["2"]] } },
    calendars: { C: calendar },
  });
  const uss = JSON.stringify({
    universalScheduleStandard: {
      breakdowns: [
        { id: "b", type: "scene", scene: "1", pages: 1.5, elements: ["e"] },
        { id: "d", type: "day" },
      ],
      categories: [{ name: "Props", elements: ["e"] }],
      elements: [{ id: "e", name: "Key" }],
      stripboards: [{ calendar: "c", boards: [{ name: "stripboard", breakdownIds: ["b", "d"] }] }],
      calendars: [{ id: "c", daysOff: [0], events: [{ type: "start", date: "2026-05-08T07:00:00.000Z" }] }],
    },
  });
  const sex = encodeSex(
    ["Cast Members", "Props"],
    [{ number: "1", slugline: "INT. HALL - DAY", eighths: 9, elements: [[0, "ANN"]] }],
  );
  const known = { known: noNames };
  assertProperty(
    fc.property(damage, fc.nat({ max: 3 }), (damages, section) => {
      assertRead(() => readSex(damaged(sex, damages), known));
      assertRead(() => readUss(damaged(Buffer.from(uss), damages), known));
      assertRead(() => readMsd(damaged(encodeEpsf(xml), damages), known));
      const text = damaged(Buffer.from(xml[section] as string), damages).toString();
      assertRead(() => readMsd(encodeEpsf(xml.with(section, text)), known));
    }),
    sampling(50, 1),
  );
});

const words = fc.constantFrom(
  ...[
    "12",
    "14A pt",
    "1 7/8",
    "Friday, May 8, 2026",
    "03/04/26",
    "$1,234.50",
    "1.234",
    "vfx",
    "Camera",
    "Yes",
    "TBC",
    "open",
    "=1+1",
    "'x",
    "a,b",
    "END OF DAY 3",
  ],
  ...[
    "DAY 12",
    "x\ny",
    "31",
    "102/3A",
    "[1]",
    '{"a":1}',
    "",
    "",
    "Isla Farquhar",
    "Total",
    "0700",
    "-",
    "\u0007",
    "1-64",
    "2026-11-23",
    "sent",
    "external",
  ],
);

for (const kind of knownKinds)
  files(`gives a document or messages, as a list with any cells and any order of columns: ${kind}`, () => {
    const headers = fc.shuffledSubarray([
      ...Object.values(listOfKind(kind).columns).map(({ aliases }) => aliases[0] as string),
      "Phone",
      "Nonsense",
      "__proto__",
    ]);
    const table = headers.chain((own) =>
      fc
        .array(fc.array(words, { minLength: own.length, maxLength: own.length }), { maxLength: 8 })
        .map((rows) => [own, ...rows]),
    );
    assertProperty(
      fc.property(
        table,
        fc.option(damage, { nil: [] }),
        fc.constantFrom(silverButtonNames, cipherNames, noNames),
        (rows, damages, known) => {
          const file = damaged(Buffer.from(csvText(rows)), damages);
          assertRead(() => listOfKind(kind).read(file, { known, week: "2026-11-23" }));
        },
      ),
      sampling(50, 1),
    );
  });

files.run();
