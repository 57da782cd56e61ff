// Timestamps as inputs: each day of the calendar and no other, in the stored format.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import * as v from "valibot";
import * as input from "../../src/core/inputs.ts";
import { detailOf } from "../../src/core/inputs.ts";

const timestamps = suite("timestamps");
const digits = (value: number): string => String(value).padStart(2, "0");

timestamps("have the days of the calendar, with and without milliseconds", () => {
  for (const year of [2023, 2024])
    for (let month = 0; month <= 13; month++)
      for (let day = 0; day <= 32; day++) {
        const date = `${year}-${digits(month)}-${digits(day)}`;
        const utc = new Date(Date.UTC(year, month - 1, day));
        const exists = utc.getUTCMonth() === month - 1 && utc.getUTCDate() === day;
        for (const time of ["T23:59:59", "T23:59:59.000"]) {
          const result = v.safeParse(input.timestamp, `${date}${time}Z`);
          assert.equal(
            [result.success, result.output],
            [exists, exists ? `${date}T23:59:59.000Z` : result.output],
            date,
          );
        }
      }
});

timestamps("are stored in UTC with milliseconds", () => {
  const given = {
    "2024-02-29T01:00:00+02:00": "2024-02-28T23:00:00.000Z",
    "2026-03-01T09:00:00.123456Z": "2026-03-01T09:00:00.123Z",
  };
  for (const [text, stored] of Object.entries(given)) assert.is(v.parse(input.timestamp, text), stored);
});

timestamps("say once what is wrong, whatever checks a text fails", () => {
  for (const text of ["2026-13-01", "tomorrow", "2026-13-01T09:00:00Z"]) {
    const { issues = [] } = v.safeParse(v.object({ since: input.timestamp }), { since: text });
    assert.is(detailOf(issues), "since must be an ISO-8601 timestamp such as 2026-03-01T09:00:00Z", text);
  }
});

timestamps("keep more digits than three where they are asked for, in every way they are written", () => {
  const given = {
    "2026-03-01T09:00:00.123Z": "2026-03-01T09:00:00.123Z",
    "2026-03-01T09:00:00.1234500Z": "2026-03-01T09:00:00.12345Z",
    "2028-02-29T09:00:00.000Z": "2028-02-29T09:00:00.000Z",
    "2026-03-01T09:00:00Z": "2026-03-01T09:00:00.000Z",
  };
  for (const [written, stored] of Object.entries(given)) assert.is(v.parse(input.preciseTimestamp, written), stored);
  for (const wrong of ["2026-02-29T09:00:00.000Z", "2026-03-01T25:00:00.000Z", "2026-03-01 09:00:00.000Z", 5])
    assert.is(v.safeParse(input.preciseTimestamp, wrong).success, false, String(wrong));
});

timestamps.run();

const texts = suite("texts");
const problemOf = (value: unknown): string => detailOf(v.safeParse(input.text(5), value).issues ?? [], "it");

texts("are returned as they are, of ASCII or not", () => {
  for (const value of ["a", "a b c", '~!"', " a ", "é", "a\tb\n", "\u{1f3ac}"])
    assert.is(v.parse(input.text(5), value), value);
});

texts("are refused with what is wrong", () => {
  assert.is(problemOf("abcdef"), "it must have at most 5 characters");
  assert.is(problemOf("éééééé"), "it must have at most 5 characters");
  for (const empty of ["", " ", "\n\t"]) assert.is(problemOf(empty), "it must not be empty");
  for (const control of ["a\0", "\u007f", "a\u0007b"])
    assert.is(problemOf(control), "it must not contain control characters");
  assert.is(problemOf("\ud800"), "it must be well-formed Unicode");
  assert.is(problemOf(7), "it must be text");
});

texts.run();
