// The demo shoots in the week in which it is imported.
import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { movedDates } from "../../src/features/demo/moved_dates.ts";

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/${name}.json`, import.meta.url), "utf8");
const dates = suite("the dates of the demo");

for (const [now, friday] of [
  ["2026-11-18T00:00:00.000Z", "2026-11-20"],
  ["2026-11-24T23:59:59.000Z", "2026-11-20"],
  ["2026-11-25T00:00:00.000Z", "2026-11-27"],
  ["2027-03-10T12:00:00.000Z", "2027-03-12"],
  ["2024-02-29T12:00:00.000Z", "2024-03-01"],
] as const)
  dates(`on ${now}, 20 November is ${friday}`, () => {
    assert.is(movedDates('{"date": "2026-11-20"}', now), `{"date": "${friday}"}`);
  });

dates("all dates keep their distances, and nothing else changes", () => {
  const text = fixture("the-silver-button");
  const days = (of: string) => (JSON.parse(of).schedule as { date: string }[]).map(({ date }) => Date.parse(date));
  const moved = movedDates(text, "2027-03-12T12:00:00.000Z");
  const by = 16 * 7 * 86_400_000;
  assert.equal(
    days(moved),
    days(text).map((date) => date + by),
  );
  const without = (of: string) => of.replaceAll(/\d{4}-\d\d-\d\d/g, "");
  assert.is(without(moved), without(text));
});

dates("what the fixtures call past is not in the future on a Wednesday; what ends later still does", () => {
  const now = "2026-11-18T08:00:00.000Z";
  const moved = movedDates('["2026-11-20T10:00:00.000Z", "2026-11-15T10:00:00.000Z", "2099-12-31T00:00:00.000Z"]', now);
  assert.equal(JSON.parse(moved), [now, "2026-11-15T10:00:00.000Z", "2099-12-31T00:00:00.000Z"]);
});

dates("a text that names a date is left", () => {
  const text = '{"note": "due 2026-11-20", "date": "2026-11-20 or later"}';
  assert.is(movedDates(text, "2027-03-12T12:00:00.000Z"), text);
});

dates.run();
