// The hours of shoot days: nights, calls after midnight, clock changes, two zones, and which day today's is.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { timestampAt } from "../../src/core/times.ts";
import { castClashes, type DaySheet } from "../../src/features/clashes/clashes.ts";
import { type DayHours, isOver, otherDates, personalMoment, todaysDay, wrapMoment } from "../../src/graph/day_hours.ts";
import type { UnitDay } from "../../src/graph/units.ts";

const at = (moment: number | undefined) => (moment === undefined ? undefined : timestampAt(moment).slice(0, 16));
const day = (date: string, general_call?: string, wrap?: string, more: Partial<DayHours & UnitDay> = {}) => ({
  day_number: 1,
  date,
  general_call,
  wrap,
  ...more,
});

const hours = suite("the hours of a day");

hours(
  "a wrap that is not after the call is on the next date, and so is a personal time that is not after such a wrap",
  () => {
    const night = day("2026-05-02", "18:00", "05:30");
    assert.is(at(wrapMoment(night, "UTC")), "2026-05-03T05:30");
    assert.is(at(personalMoment(night, "01:00", "UTC")), "2026-05-03T01:00");
    assert.is(at(personalMoment(night, "05:30", "UTC")), "2026-05-03T05:30");
    assert.is(at(personalMoment(night, "05:31", "UTC")), "2026-05-02T05:31");
    assert.is(at(personalMoment(night, "17:00", "UTC")), "2026-05-02T17:00");
    assert.is(at(wrapMoment(day("2026-05-02", "18:00", "18:00"), "UTC")), "2026-05-03T18:00");
    const early = day("2026-05-02", "08:00", "20:00");
    assert.is(at(personalMoment(early, "05:00", "UTC")), "2026-05-02T05:00");
    assert.is(at(wrapMoment(early, "UTC")), "2026-05-02T20:00");
  },
);

hours("without a wrap, a personal time more than 12 hours before the call is on the next date", () => {
  const open = day("2026-05-02", "18:00");
  assert.is(at(personalMoment(open, "05:59", "UTC")), "2026-05-03T05:59");
  assert.is(at(personalMoment(open, "06:00", "UTC")), "2026-05-02T06:00");
  assert.is(at(personalMoment(day("2026-05-02"), "01:00", "UTC")), "2026-05-02T01:00");
  assert.is(personalMoment(open, "O/C", "UTC"), undefined);
});

hours("what comes before a call and reads later by more than 12 hours is on the date before", () => {
  const early = day("2026-05-02", "01:00", "12:00");
  assert.equal(otherDates(early, { time: "01:00", pickup: "23:30", makeup: "00:15" }), { pickup: "2026-05-01" });
  assert.equal(
    otherDates(early, { time: "01:00", pickup: "22:10", makeup: "23:00", costume: "23:30", on_set: "02:00" }),
    {
      pickup: "2026-05-01",
      makeup: "2026-05-01",
      costume: "2026-05-01",
    },
  );
  const night = day("2026-05-02", "18:00", "05:30");
  const after = { time: "2026-05-03", on_set: "2026-05-03" };
  assert.equal(otherDates(night, { time: "01:00", pickup: "23:30", makeup: "00:15", on_set: "02:00" }), {
    ...after,
    makeup: "2026-05-03",
  });
  assert.equal(otherDates(night, { time: "17:00", pickup: "16:00", makeup: "16:30" }), {});
  assert.equal(otherDates(day("2026-05-02", "12:00"), { time: "12:00", pickup: "23:59" }), {}, "not by more than 12 h");
  assert.equal(otherDates(early, { time: "O/C", pickup: "W/N" }), {});
});

const ada = { id: 1, label: "ADA" };
const sheet = (day_number: number, hours: DayHours, calls?: DaySheet["calls"]): DaySheet => ({
  ...hours,
  day_number,
  calls,
  scenes: [{ name: "1", characters: [ada] }],
});
const rest = (before: DayHours, after: DayHours, zone: string): string | undefined =>
  /(\S+) h after/.exec(castClashes(sheet(2, after), [sheet(1, before)], 24, zone)[0] ?? "")?.[1];

hours("a rest is the difference of real time across a clock change, and between zones", () => {
  const [before, after] = [day("2026-03-07", "08:00", "20:00"), day("2026-03-08", "07:00")];
  assert.is(rest(before, after, "America/Los_Angeles"), "10");
  assert.is(rest(before, after, "Europe/Budapest"), "11");
  const [october, november] = [day("2026-10-31", "08:00", "21:00"), day("2026-11-01", "07:00")];
  assert.is(rest(october, november, "America/Los_Angeles"), "11");
  const away = { time_zone: "Asia/Seoul" };
  assert.is(
    rest(day("2026-05-01", "08:00", "20:00"), day("2026-05-02", "12:00", undefined, away), "Europe/Budapest"),
    "9",
  );
});

hours("a night's own call after midnight counts from there, for its rest before and after", () => {
  const calls = [{ who: "ADA", time: "01:00", node_id: 1 as never }];
  const first = sheet(1, day("2026-05-01", "08:00", "20:00"));
  const night = sheet(2, day("2026-05-02", "18:00", "05:30"), calls);
  const last = sheet(3, day("2026-05-03", "10:00", "19:00"));
  assert.equal(castClashes(night, [first], 11, "UTC"), []);
  assert.match(
    castClashes(night, [first], 40, "UTC")[0] ?? "",
    /called at 01:00, 29 h after the wrap of day 1 at 20:00/,
  );
  assert.match(
    castClashes(last, [night], 11, "UTC")[0] ?? "",
    /called at 10:00, 4.5 h after the wrap of day 2 at 05:30/,
  );
  const twice = sheet(2, day("2026-05-02", "18:00", "05:30"), [
    ...calls,
    { who: "ADA", time: "19:00", node_id: 1 as never },
  ]);
  assert.match(castClashes(twice, [first], 40, "UTC")[0] ?? "", /called at 19:00, 23 h/);
});

/** Four nights, each a call, a wrap and a person's time; they are the same texts in every zone. */
const nights = [
  ["2026-03-07", "18:00", "05:30", "01:00"],
  ["2026-03-28", "17:00", "04:00", "02:30"],
  ["2026-05-02", "18:00", "05:30", "00:15"],
  ["2026-10-31", "16:00", "03:30", "01:30"],
] as const;
/**
 * The moments of call, wrap and own time in UTC, as MM-DD HH:MM, and the hours from call to wrap. Clocks change on 8
 * March and 1 November in Los Angeles, on 29 March in Budapest. Python's zoneinfo made the table.
 */
const zonesOfNights: readonly (readonly [zone: string, ...nights: readonly string[]])[] = [
  [
    "UTC",
    "03-07 18:00, 03-08 05:30, 03-08 01:00: 11.5",
    "03-28 17:00, 03-29 04:00, 03-29 02:30: 11",
    "05-02 18:00, 05-03 05:30, 05-03 00:15: 11.5",
    "10-31 16:00, 11-01 03:30, 11-01 01:30: 11.5",
  ],
  [
    "Europe/London",
    "03-07 18:00, 03-08 05:30, 03-08 01:00: 11.5",
    "03-28 17:00, 03-29 03:00, 03-29 01:30: 10",
    "05-02 17:00, 05-03 04:30, 05-02 23:15: 11.5",
    "10-31 16:00, 11-01 03:30, 11-01 01:30: 11.5",
  ],
  [
    "Europe/Budapest",
    "03-07 17:00, 03-08 04:30, 03-08 00:00: 11.5",
    "03-28 16:00, 03-29 02:00, 03-29 01:30: 10",
    "05-02 16:00, 05-03 03:30, 05-02 22:15: 11.5",
    "10-31 15:00, 11-01 02:30, 11-01 00:30: 11.5",
  ],
  [
    "Asia/Kolkata",
    "03-07 12:30, 03-08 00:00, 03-07 19:30: 11.5",
    "03-28 11:30, 03-28 22:30, 03-28 21:00: 11",
    "05-02 12:30, 05-03 00:00, 05-02 18:45: 11.5",
    "10-31 10:30, 10-31 22:00, 10-31 20:00: 11.5",
  ],
  [
    "Asia/Seoul",
    "03-07 09:00, 03-07 20:30, 03-07 16:00: 11.5",
    "03-28 08:00, 03-28 19:00, 03-28 17:30: 11",
    "05-02 09:00, 05-02 20:30, 05-02 15:15: 11.5",
    "10-31 07:00, 10-31 18:30, 10-31 16:30: 11.5",
  ],
  [
    "America/Los_Angeles",
    "03-08 02:00, 03-08 12:30, 03-08 09:00: 10.5",
    "03-29 00:00, 03-29 11:00, 03-29 09:30: 11",
    "05-03 01:00, 05-03 12:30, 05-03 07:15: 11.5",
    "10-31 23:00, 11-01 11:30, 11-01 08:30: 12.5",
  ],
  [
    "Australia/Adelaide",
    "03-07 07:30, 03-07 19:00, 03-07 14:30: 11.5",
    "03-28 06:30, 03-28 17:30, 03-28 16:00: 11",
    "05-02 08:30, 05-02 20:00, 05-02 14:45: 11.5",
    "10-31 05:30, 10-31 17:00, 10-31 15:00: 11.5",
  ],
  [
    "America/St_Johns",
    "03-07 21:30, 03-08 08:00, 03-08 04:30: 10.5",
    "03-28 19:30, 03-29 06:30, 03-29 05:00: 11",
    "05-02 20:30, 05-03 08:00, 05-03 02:45: 11.5",
    "10-31 18:30, 11-01 07:00, 11-01 04:00: 12.5",
  ],
];

hours("four nights are the moments of their clocks in eight zones, across two clock changes", () => {
  for (const [zone, ...expected] of zonesOfNights)
    for (const [nth, [date, call, wrap, own]] of nights.entries()) {
      const night = day(date, call, wrap);
      const [from, to] = [personalMoment(night, call, zone) ?? 0, wrapMoment(night, zone) ?? 0];
      const moments = [from, to, personalMoment(night, own, zone)].map((one) => at(one)?.slice(5).replace("T", " "));
      assert.is(`${moments.join(", ")}: ${(to - from) / 3_600_000}`, expected[nth], `${zone} ${date}`);
    }
});

const found = (days: readonly (DayHours & UnitDay)[], now: string, zone = "UTC"): string | undefined =>
  todaysDay(days, Date.parse(now), zone)?.date;

hours("today's day is the one that runs: from 3 hours before its call to its wrap", () => {
  const days = [day("2026-05-01", "08:00", "20:00"), day("2026-05-02", "18:00", "05:30"), day("2026-05-03", "10:00")];
  assert.is(found(days, "2026-04-01T00:00Z"), "2026-05-01");
  assert.is(found(days, "2026-05-01T19:59Z"), "2026-05-01");
  assert.is(found(days, "2026-05-01T20:00Z"), "2026-05-02");
  assert.is(found(days, "2026-05-03T05:29Z"), "2026-05-02");
  assert.is(found(days, "2026-05-03T05:30Z"), "2026-05-03");
  assert.is(found(days, "2026-05-03T23:59Z"), "2026-05-03");
  assert.is(found(days, "2026-06-01T00:00Z"), "2026-05-03");
  assert.is(found(days, "2026-05-03T03:00Z", "America/Los_Angeles"), "2026-05-02");
  const now = Date.parse("2026-05-03T06:00Z");
  assert.equal(
    days.map((one) => isOver(one, now, "UTC")),
    [true, true, false],
  );
});

hours(
  "of several that run it is the first that began; one without a call runs on its date; one without a wrap for 14 hours",
  () => {
    const days = [day("2026-05-01", "12:00"), day("2026-05-01", "06:00", "20:00"), day("2026-05-02")];
    assert.is(todaysDay(days, Date.parse("2026-05-01T13:00Z"), "UTC"), days[1]);
    assert.is(todaysDay(days, Date.parse("2026-05-01T21:00Z"), "UTC"), days[0]);
    assert.is(todaysDay(days, Date.parse("2026-05-02T01:59Z"), "UTC"), days[0]);
    assert.is(todaysDay(days, Date.parse("2026-05-02T02:00Z"), "UTC"), days[2]);
    assert.is(todaysDay([], 0, "UTC"), undefined);
  },
);

hours("of days that begin at one moment it is the main unit's, whatever their numbers are", () => {
  const second = day("2026-05-02", "18:00", "05:30", { unit: "2nd Unit", day_number: 1 });
  const main = day("2026-05-02", "18:00", "05:30", { day_number: 12 });
  for (const now of ["2026-05-01T12:00Z", "2026-05-03T02:00Z"])
    for (const days of [
      [second, main],
      [main, second],
    ])
      assert.is(todaysDay(days, Date.parse(now), "UTC"), main, now);
});

hours("of days that are still to come it is the one whose call is first, also by the clocks of another zone", () => {
  const [late, early] = [
    day("2026-05-02", "18:00", "05:30"),
    day("2026-05-02", "07:00", "19:00", { unit: "2nd Unit" }),
  ];
  assert.is(todaysDay([late, early], Date.parse("2026-05-02T02:00Z"), "UTC"), early);
  assert.is(todaysDay([late, early], Date.parse("2026-05-02T14:30Z"), "UTC"), early, "it runs");
  assert.is(todaysDay([late, early], Date.parse("2026-05-02T19:00Z"), "UTC"), late);
  const seoul = day("2026-05-03", "06:00", "18:00", { time_zone: "Asia/Seoul", day_number: 2 }); // 2 May, 21:00 UTC
  const angeles = day("2026-05-02", "20:00", "08:00", { time_zone: "America/Los_Angeles" }); // 3 May, 03:00 UTC
  assert.is(todaysDay([angeles, seoul], Date.parse("2026-05-02T10:00Z"), "UTC"), seoul);
  assert.is(todaysDay([angeles, seoul], Date.parse("2026-05-03T05:00Z"), "UTC"), seoul, "it began first");
  assert.is(todaysDay([angeles, seoul], Date.parse("2026-05-03T09:00Z"), "UTC"), angeles);
});

hours.run();
