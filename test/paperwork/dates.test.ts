import { suite } from "uvu";
import * as assert from "uvu/assert";
import { dateReader, findDate } from "../../src/features/paperwork/dates.ts";
import type { DateOrder } from "../../src/features/paperwork/partial.ts";
import { inProportion } from "../support/proportion.ts";

/** How each text is read if all of them are in one column: a date or a problem. */
const read = (texts: string[], order?: DateOrder): string[] => {
  const reader = dateReader(texts, order);
  return texts.map((text) => {
    const reading = reader(text);
    return typeof reading === "string" ? reading : String(reading.message);
  });
};

const dates = suite("dates in words");

dates("are read in the forms of call sheets and of spreadsheets", () => {
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

dates("may have a weekday that ends in t before their time of day", () =>
  assert.equal(read(["9 May 2026 Sat 10:00"]), ["2026-05-09"]),
);

dates("are refused if the weekday is wrong", () => {
  assert.equal(read(["Friday, May 9, 2026"]), ['"Friday, May 9, 2026" is a Saturday']);
});

dates("are refused if the year is missing or the text is not a date", () => {
  assert.equal(read(["Fri, May 8", "8/5", "soon", "2026-02-30", "31/31/2026"]), [
    '"Fri, May 8" has no year',
    '"8/5" has no year',
    '"soon" is not a date',
    '"2026-02-30" is not a date',
    '"31/31/2026" is not a date',
  ]);
});

dates.run();

const foreignDates = suite("dates in German and French");

foreignDates("have their months and weekdays", () => {
  assert.equal(
    read(["5. Mai 2026", "Do, 12. März 2026", "Mi 07.01.2026", "24. Dez. 2026", "1er août 2026".replace("er", "")]),
    ["2026-05-05", "2026-03-12", "2026-01-07", "2026-12-24", "2026-08-01"],
  );
  assert.equal(read(["lundi 5 janvier 2026", "mardi 14 juillet 2026", "Mo 06.01.2026"]), [
    "2026-01-05",
    "2026-07-14",
    '"Mo 06.01.2026" is not a Monday',
  ]);
});

foreignDates.run();

const numericDates = suite("dates in digits");

numericDates("are refused with the --dates flag to use if they are ambiguous", () => {
  assert.equal(read(["03/04/26"]), ["03/04/26 could be two dates; add --dates dmy or mdy"]);
  assert.equal(read(["04/06/09"]), ["04/06/09 could be three dates; add --dates dmy, mdy or ymd"]);
});

numericDates("are read in the order that the flag gives", () => {
  assert.equal(read(["03/04/26"], "dmy"), ["2026-04-03"]);
  assert.equal(read(["03/04/26"], "mdy"), ["2026-03-04"]);
  assert.equal(read(["26/04/03"], "ymd"), ["2026-04-03"]);
  assert.equal(read(["05/13/26"], "dmy"), ['"05/13/26" is not a date in the order dmy']);
});

numericDates("are read in the only order that fits the whole column", () => {
  assert.equal(read(["03/04/26", "04/04/26", "13/04/26"]), ["2026-04-03", "2026-04-04", "2026-04-13"]);
  assert.equal(read(["3/4/2026", "3/13/2026"]), ["2026-03-04", "2026-03-13"]);
});

numericDates("with points never begin with the month, whatever stands beside them and whatever the flag says", () => {
  for (const order of [undefined, "dmy", "mdy"] as const)
    assert.equal(read(["3.4.2026", "03.12.26", "5. 1. 2026"], order), ["2026-04-03", "2026-12-03", "2026-01-05"]);
  assert.equal(read(["03.04.2026", "3/13/2026"]), ["2026-04-03", "2026-03-13"]);
  assert.equal(read(["3.13.2026"]), ['"3.13.2026" is not a date']);
});

numericDates("are unambiguous if both orders give the same date, or if the weekday decides", () => {
  assert.equal(read(["05/05/26"]), ["2026-05-05"]);
  assert.equal(read(["Fri 03/04/26", "Wed 04/03/2026"]), ["2026-04-03", "2026-03-04"]);
});

numericDates("are refused in a column that mixes the orders", () => {
  const mixed = "is in a column in which some dates begin with the day and some with the month";
  assert.equal(read(["13/05/26", "05/14/26"]), [`"13/05/26" ${mixed}`, `"05/14/26" ${mixed}`]);
});

numericDates.run();

const inside = suite("a date inside a line");

inside("is found with its weekday; fractions are not dates", () => {
  assert.is(findDate("END OF DAY 3 - Friday, May 8, 2026 - Total Pages: 4 2/8"), "Friday, May 8, 2026");
  assert.is(findDate("DAY 12 -- 08/05/2026 -- 3 1/8 pgs"), "08/05/2026");
  assert.is(findDate("Total Pages: 4 2/8"), undefined);
});

inside("is found in linear time", async () => {
  for (const piece of ["Friday, ", "May 8, ", "1/", "12 of ", "- "])
    await inProportion(piece, (scale) => findDate(piece.repeat(scale * 100_000)));
});

inside.run();
