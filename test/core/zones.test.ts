// Moments of dates and times of day in time zones: a table of zones and of clock changes, and the same as Temporal
// where the runtime has it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { nextQuarter, timestampAt } from "../../src/core/times.ts";
import { dateAt, endOfDate, isZone, momentAt, spelledZone, wallTime, zoneName } from "../../src/core/zones.ts";

const zones = suite("time zones");

const clock = (text: string) => {
  const [hours, minutes] = text.split(":").map(Number) as [number, number];
  return hours * 60 + minutes;
};
/** Zone, date, time of day, and the moment that it is. */
const table = [
  ["UTC", "2026-05-01", "05:30", "2026-05-01T05:30"],
  ["Europe/Budapest", "2026-05-01", "05:30", "2026-05-01T03:30"],
  ["Asia/Seoul", "2026-05-01", "05:30", "2026-04-30T20:30"],
  ["Asia/Kolkata", "2026-05-01", "05:30", "2026-05-01T00:00"],
  ["Australia/Adelaide", "2026-01-10", "12:00", "2026-01-10T01:30"],
  ["Pacific/Chatham", "2026-01-10", "12:00", "2026-01-09T22:15"],
  ["Pacific/Kiritimati", "2026-01-10", "12:00", "2026-01-09T22:00"],
  ["America/St_Johns", "2026-01-10", "12:00", "2026-01-10T15:30"],
  ["America/Los_Angeles", "2026-03-08", "01:59", "2026-03-08T09:59"],
  ["America/Los_Angeles", "2026-03-08", "02:30", "2026-03-08T10:30"], // skipped: it is 03:30
  ["America/Los_Angeles", "2026-03-08", "03:00", "2026-03-08T10:00"],
  ["America/Los_Angeles", "2026-11-01", "01:30", "2026-11-01T08:30"], // the first of two
  ["America/Los_Angeles", "2026-11-01", "02:00", "2026-11-01T10:00"],
  ["Europe/Budapest", "2026-03-29", "02:30", "2026-03-29T01:30"],
  ["Europe/Budapest", "2026-10-25", "02:30", "2026-10-25T00:30"],
  ["Australia/Lord_Howe", "2026-10-04", "02:15", "2026-10-03T15:45"], // clocks change by half an hour
  ["Pacific/Apia", "2011-12-30", "12:00", "2011-12-30T22:00"], // a date that was skipped
] as const;

zones("a date and a time of day are one moment, also where clocks skip or repeat it", () => {
  for (const [zone, date, time, moment] of table)
    assert.is(timestampAt(momentAt(zone, date, clock(time))).slice(0, 16), moment, `${zone} ${date} ${time}`);
});

interface Temporal {
  PlainDateTime: {
    from(text: string): { toZonedDateTime(zone: string, options: object): { epochMilliseconds: number } };
  };
}
zones("the moments are those of Temporal, around the clock changes of a year", () => {
  const { Temporal: temporal } = globalThis as { Temporal?: Temporal };
  if (temporal === undefined) return; // Node 24 has none; Deno has
  for (const zone of new Set(table.map(([name]) => name)))
    for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += 31 * 60_000 * 7) {
      const text = timestampAt(at).slice(0, 16);
      const expected = temporal.PlainDateTime.from(text).toZonedDateTime(zone, { disambiguation: "compatible" });
      assert.is(
        momentAt(zone, text.slice(0, 10), clock(text.slice(11))),
        expected.epochMilliseconds,
        `${zone} ${text}`,
      );
    }
});

zones(
  "a date ends where the next begins, on a quarter of an hour in UTC, and 23 or 25 hours after its beginning",
  () => {
    const hours = (zone: string, date: string) => (endOfDate(zone, date) - momentAt(zone, date)) / 3_600_000;
    assert.is(hours("America/Los_Angeles", "2026-03-08"), 23);
    assert.is(hours("America/Los_Angeles", "2026-11-01"), 25);
    assert.is(hours("Australia/Lord_Howe", "2026-10-04"), 23.5);
    for (const [zone, date] of table) assert.is(nextQuarter(endOfDate(zone, date) - 1), endOfDate(zone, date), zone);
  },
);

zones("a moment has the date and the clock of the zone", () => {
  const moment = Date.parse("2026-03-08T10:30:15Z");
  assert.is(wallTime("America/Los_Angeles", moment), "2026-03-08T03:30:15");
  assert.is(wallTime("Asia/Kolkata", moment), "2026-03-08T16:00:15");
  assert.is(dateAt("Pacific/Kiritimati", moment), "2026-03-09");
  assert.is(dateAt("Pacific/Pago_Pago", moment), "2026-03-07");
});

zones("names are those of IANA in any case; an offset and any other text is none", () => {
  for (const name of ["Europe/Budapest", "europe/budapest", "UTC", "Asia/Kolkata", "Asia/Calcutta"])
    assert.ok(isZone(name), name);
  for (const name of ["+02:00", "-0800", "GMT+2", "Europe/Atlantis", "", "Budapest", "Z"])
    assert.not.ok(isZone(name), name);
  assert.is(spelledZone("europe/budapest"), "Europe/Budapest");
  assert.is(spelledZone("Asia/Kolkata"), "Asia/Kolkata");
  assert.is(zoneName("America/Los_Angeles"), "Los Angeles");
  assert.is(zoneName("Etc/GMT+5"), "Etc/GMT+5");
});

zones.run();
