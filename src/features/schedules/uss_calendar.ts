// Reads the calendar of a stripboard in a Universal Schedule.
import { hour } from "../../core/times.ts";
import { firstOf, plural } from "../../core/wording.ts";
import { fold, quoted } from "../names/names.ts";
import type { Findings } from "../paperwork/findings.ts";
import type { ShootCalendar } from "./board.ts";
import { type UssObject, ussList, ussObjects, ussText } from "./uss_elements.ts";

/** The calendar day of a moment that stands for a local midnight: in UTC that is up to 12 hours before or after. */
function dayOf(value: unknown): string | undefined {
  const time = typeof value === "string" ? Date.parse(value.replace(/\+0000$/, "Z")) : Number.NaN;
  const shifted = new Date(time + 12 * hour - 1);
  return Number.isNaN(shifted.getTime()) ? undefined : shifted.toISOString().slice(0, 10);
}

const isOff = ({ type, effect, name }: UssObject): boolean =>
  [type, effect].includes("dayOff") || ["holiday", "dayOff"].includes(String(name));

export function calendarOf(root: UssObject, stripboard: UssObject, findings: Findings): ShootCalendar {
  const calendar = ussObjects(root.calendars).find(({ id }) => id === stripboard.calendar);
  if (calendar === undefined && typeof stripboard.calendar === "string")
    findings.warn(
      `the calendar ${quoted(stripboard.calendar)} of the stripboard is not in the file: its days have no dates`,
    );
  const events = ussObjects(calendar?.events);
  const isStart = ({ type, effect }: UssObject): boolean => type === "start" || effect === "start";
  nameDates(
    events.filter((event) => isStart(event) || isOff(event)),
    findings,
  );
  const others = events.filter((event) => !isStart(event) && !isOff(event)).map(eventText);
  if (others.length > 0)
    findings.warn(
      `${plural(others.length, "event")} of the calendar ${others.length === 1 ? "is" : "are"} no start and no day off and ${others.length === 1 ? "was" : "were"} ignored: ${firstOf(others)}`,
    );
  const notes = events.filter((event) => isStart(event) || isOff(event)).flatMap(noteOf);
  if (notes.length > 0) findings.warn(`notes of special days were ignored: ${firstOf(notes)}`);
  const start = dayOf(events.find(isStart)?.date);
  const weekdays = ussList(calendar?.daysOff);
  const unknown = weekdays.filter((each) => typeof each !== "number").map((each) => quoted(String(each)));
  if (unknown.length > 0) findings.warn(`days off that are no weekday from 0 to 6 were ignored: ${firstOf(unknown)}`);
  const datesOff = new Set(events.filter(isOff).flatMap(({ date }) => dayOf(date) ?? []));
  return { start, weekdaysOff: new Set(weekdays.filter((each) => typeof each === "number")), datesOff };
}

/** An event by what it is called and its date. */
const eventText = (event: UssObject): string => {
  const text = [event.name, event.type, event.effect, event.description].map(ussText).find((one) => one !== "");
  return `${quoted(text ?? "")} on ${dayOf(event.date) ?? "no date"}`;
};

const eventWords = new Set(["", "start", "dayoff", "holiday", "event"]);

/** What an event that is read says beside its date and its effect. */
const noteOf = ({ id: _, created: __, date, ...fields }: UssObject): string[] =>
  Object.values(fields)
    .map(ussText)
    .filter((text) => !eventWords.has(fold(text)))
    .map((text) => `${quoted(text)} on ${dayOf(date) ?? "no date"}`);

/** Warns of the events of a calendar that have no date. */
function nameDates(events: readonly UssObject[], findings: Findings): void {
  const undated = events.filter(({ date }) => dayOf(date) === undefined).map(({ date }) => quoted(String(date)));
  findings.tally.saw("date", events.length);
  findings.tally.took("date", events.length - undated.length);
  if (undated.length > 0)
    findings.name("date", `dates of the calendar were ignored: ${firstOf(undated)}`, {}, undated.length);
}
