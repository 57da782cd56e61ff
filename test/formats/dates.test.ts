import { suite } from "uvu";
import * as assert from "uvu/assert";
import { dateReader, findDate } from "../../src/formats/dates.ts";
import type { DateOrder } from "../../src/formats/partial.ts";

/** What becomes of each text when they stand in one column. */
const read = (texts: string[], order?: DateOrder): string[] => {
  const reader = dateReader(texts, order);
  return texts.map((text) => {
    const reading = reader(text);
    return "date" in reading ? reading.date : reading.problem;
  });
};

const dates = suite("dates in words");

dates("are read in the ways of paper and of spreadsheets", () => {
  const may = [
    ...[
      "2026-05-08",
      "2026/5/8",
      "May 8, 2026",
      "8 May 2026",
      "8th of May 2026",
      "8-May-26",
      "08-MAY-2026",
      "May 8th 2026",
    ],
    ...[
      "Friday, May 8, 2026",
      "Fri 8 May 26",
      "Fri., 8. May 2026",
      "8 May 2026 (Friday)",
      "2026-05-08T00:00:00.000Z",
      "May-08-2026",
    ],
  ];
  assert.equal(new Set(read(may)), new Set(["2026-05-08"]));
});

dates("that are on another weekday than they say are refused", () => {
  assert.equal(read(["Friday, May 9, 2026"]), ['"Friday, May 9, 2026" is a Saturday']);
});

dates("without a year, and what is no date, are refused", () => {
  assert.equal(read(["Fri, May 8", "8/5", "soon", "2026-02-30", "31/31/2026"]), [
    '"Fri, May 8" has no year',
    '"8/5" has no year',
    '"soon" is not a date',
    '"2026-02-30" is not a date',
    '"31/31/2026" is not a date',
  ]);
});

dates.run();

const digits = suite("dates of digits");

digits("that could be two are refused with what to say", () => {
  assert.equal(read(["03/04/26"]), ["03/04/26 could be two dates; say --dates dmy or mdy"]);
  assert.equal(read(["04/06/09"]), ["04/06/09 could be three dates; say --dates dmy, mdy or ymd"]);
});

digits("are read in the order that is said", () => {
  assert.equal(read(["03/04/26"], "dmy"), ["2026-04-03"]);
  assert.equal(read(["03/04/26"], "mdy"), ["2026-03-04"]);
  assert.equal(read(["26/04/03"], "ymd"), ["2026-04-03"]);
  assert.equal(read(["05/13/26"], "dmy"), ['"05/13/26" is not a date in the order dmy']);
});

digits("are read in the only order in which the whole column can be read", () => {
  assert.equal(read(["03/04/26", "04/04/26", "13/04/26"]), ["2026-04-03", "2026-04-04", "2026-04-13"]);
  assert.equal(read(["3.4.2026", "3.13.2026"]), ["2026-03-04", "2026-03-13"]);
});

digits("are clear where both orders give one date, or the weekday decides", () => {
  assert.equal(read(["05/05/26"]), ["2026-05-05"]);
  assert.equal(read(["Fri 03/04/26", "Wed 04/03/2026"]), ["2026-04-03", "2026-03-04"]);
});

digits("in a column that mixes the orders are refused", () => {
  const mixed = "stands in a column where some dates begin with the day and some with the month";
  assert.equal(read(["13/05/26", "05/14/26"]), [`"13/05/26" ${mixed}`, `"05/14/26" ${mixed}`]);
});

digits.run();

const inside = suite("a date inside a line");

inside("is found with its weekday, and fractions are none", () => {
  assert.is(findDate("END OF DAY 3 - Friday, May 8, 2026 - Total Pages: 4 2/8"), "Friday, May 8, 2026");
  assert.is(findDate("DAY 12 -- 08/05/2026 -- 3 1/8 pgs"), "08/05/2026");
  assert.is(findDate("Total Pages: 4 2/8"), undefined);
});

inside("is looked for in linear time", () => {
  const started = performance.now();
  for (const piece of ["Friday, ", "May 8, ", "1/", "12 of ", "- "]) findDate(piece.repeat(100_000));
  assert.ok(performance.now() - started < 500);
});

inside.run();
