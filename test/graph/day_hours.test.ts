// The hours of shoot days: nights, calls after midnight, clock changes, two zones, and which day today's is.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { timestampAt } from "../../src/core/times.ts";
import { castClashes, type DaySheet } from "../../src/features/clashes/clashes.ts";
import { type DayHours, isOver, personalMoment, todaysDay, wrapMoment } from "../../src/graph/day_hours.ts";

const at = (moment: number | undefined) => (moment === undefined ? undefined : timestampAt(moment).slice(0, 16));
const day = (date: string, general_call?: string, wrap?: string, more: Partial<DayHours> = {}): DayHours => ({
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

const ada = { id: 1, label: "ADA" };
const sheet = (day_number: number, hours: DayHours, calls?: DaySheet["calls"]): DaySheet => ({
  day_number,
  ...hours,
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

const found = (days: readonly DayHours[], now: string, zone = "UTC"): string | undefined =>
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

hours.run();
