// The words of the pages: dates with their year, sizes, and errors without names of fields.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { dateText, timeOf } from "../../src/features/pages/dates.ts";
import { sizeText } from "../../src/features/pages/html_parts.ts";
import { sentence } from "../../src/features/pages/send.ts";

const words = suite("the words of a page");

words("have the year of a date that is not of this year", () => {
  const year = new Date().getFullYear();
  assert.is(dateText("2099-12-31"), "Thu 31 Dec 2099");
  assert.match(dateText(`${year}-06-15`), /^[A-Z][a-z]{2} 15 Jun$/);
  assert.match(timeOf("2099-06-15T12:00:00.000Z").text, /15 Jun 2099, /);
  assert.match(timeOf(`${year}-06-15T12:00:00.000Z`).text, />15 Jun, /);
  for (const text of ["as soon as possible", "30 Nov", "1 December 2026", "2026-02-30", "2026-11-30ish", "46356"])
    assert.is(dateText(text), text);
});

words("name no field, keep what is quoted, and give bytes as people read them", () => {
  const cases: [string, string][] = [
    ["decided_by must be the full name of a person", "Your name must be the full name of a person."],
    ["delivery_id must be a positive integer", "Delivery must be a positive integer."],
    ['there is no person "night_owl" here', 'There is no person "night_owl" here.'],
    ["the link of `tallylight open --if_x` was used", "The link of “tallylight open --if_x” was used."],
    ["a file has at most 10737418240 bytes", "A file has at most 10.7 GB."],
    ["day_7.json: scenes[0].slug_line is not a known field", "day_7.json: scenes[0].slug_line is not a known field."],
    ["crew list.csv, line 10: nobody is named", "crew list.csv, line 10: nobody is named."],
    ["list.csv, line 2, column Pages: it is no length", "list.csv, line 2, column Pages: it is no length."],
    [
      "the production is at revision f1-1.0.c, not f1-1.0.b: shoot_days changed since",
      "The production was changed meanwhile: shoot days changed since.",
    ],
    ["the title has at most 300 bytes", "The title has at most 300 bytes."],
  ];
  for (const [error, shown] of cases) assert.is(sentence(error), shown);
  assert.is(sizeText(10_737_418_240), "10.7 GB");
});

words.run();
