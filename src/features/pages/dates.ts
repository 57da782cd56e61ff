// Dates and times as the pages show them, and what is due.
import { AsyncLocalStorage } from "node:async_hooks";
import { day } from "../../core/times.ts";
import { plural } from "../../core/wording.ts";
import { clockOf, dateAt, wallTime, type Zone, zoneName } from "../../core/zones.ts";
import { html, type Markup } from "./html.ts";

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const two = (part: number): string => String(part).padStart(2, "0");
const short = (name: string | undefined): string => (name ?? "").slice(0, 3);

/**
 * The time zone of the page that is answered, and its time in milliseconds since 1970, so that what shows a time deep
 * inside of it needs no visit.
 */
const shown = new AsyncLocalStorage<{ zone: Zone; now: number }>();
const shownZone = (): Zone => shown.getStore()?.zone ?? null;
const shownNow = (): number => shown.getStore()?.now ?? Date.now();
/**
 * Does some work for a page whose times are those of a zone. `now` is the time by the server's clock, within a page
 * that of the page.
 */
export const inZone = <T>(zone: Zone, work: () => T, now = shownNow()): T => shown.run({ zone, now }, work);

/** What people call the zone of the page. */
export const shownZoneName = (): string => zoneName(shownZone());

/** The year of a date that is not of this year, after its month. */
const yearOf = (year: number): string => (year === clockOf(shownZone(), shownNow()).getUTCFullYear() ? "" : ` ${year}`);

/**
 * The date with which a text begins, YYYY-MM-DD, at midnight UTC. Undefined for any other text: JavaScript takes "30
 * Nov" for a day of 2001.
 */
function dateIn(text: string): Date | undefined {
  const [day] = /^\d{4}-\d\d-\d\d(?=$|T)/.exec(text) ?? [];
  const time = day === undefined ? undefined : new Date(`${day}T00:00:00Z`);
  return time?.toJSON()?.startsWith(day as string) ? time : undefined; // it has a day
}

/**
 * A calendar date, such as "Mon 23 Nov", with the year if it is not this one. Text that is no date is shown as it is.
 * Not by Intl, which takes longer than a page.
 */
export function dateText(date: string, format: "short" | "long" = "short"): string {
  const time = dateIn(date);
  if (time === undefined) return date;
  const [weekday, month] = [weekdays[time.getUTCDay()], months[time.getUTCMonth()]];
  if (format === "short")
    return `${short(weekday)} ${time.getUTCDate()} ${short(month)}${yearOf(time.getUTCFullYear())}`;
  return `${weekday} ${time.getUTCDate()} ${month} ${time.getUTCFullYear()}`;
}

/** Two calendar dates as a span, such as "31 Aug to 23 Nov"; one if they are the same. */
export const spanText = (first: string, last: string): string =>
  [...new Set([first, last].map((date) => dateText(date).replace(/^\w+ /, "")))].join(" to ");

/** A timestamp in the time zone of the page. */
export function timeText(timestamp: string): string {
  const time = clockOf(shownZone(), Date.parse(timestamp));
  const clock = `${two(time.getUTCHours())}:${two(time.getUTCMinutes())}`;
  return `${time.getUTCDate()} ${short(months[time.getUTCMonth()])}${yearOf(time.getUTCFullYear())}, ${clock}`;
}

/** A text with its moments as people read them. */
export const withTimes = (text: string): string => text.replace(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, timeText);

export const timeOf = (timestamp: string): Markup => html`<time datetime="${timestamp}">${timeText(timestamp)}</time>`;

/** The moment in the time zone of the page, as "2026-11-22T06:12:00". */
export const localTime = (milliseconds: number): string => wallTime(shownZone(), milliseconds);

/** Its calendar date there. */
export const localDate = (milliseconds: number): string => dateAt(shownZone(), milliseconds);

/** Whether something due is late: a text that is no date never is. */
export const isLate = (due: string, today: string): boolean => dateIn(due) !== undefined && due.slice(0, 10) < today;

/** "6 days late"; undefined for what is not. */
export function lateText(due: string | null | undefined, today: string): string | undefined {
  if (!due || !isLate(due, today)) return undefined;
  return `${plural(Math.round((Date.parse(today) - Date.parse(due.slice(0, 10))) / day), "day")} late`;
}

interface Due {
  due?: string | null | undefined;
}

/** The order of things by when they are due; last what is due at no time. */
export const byDue = (a: Due, b: Due): number => (a.due ?? "9999").localeCompare(b.due ?? "9999");

/** A due date, marked if it has passed and somebody waits for what is due. `today` is a calendar date. */
export const dueText = (due: string | null | undefined, today: string, isAwaited = true): Markup =>
  due ? html`<span${isAwaited && isLate(due, today) && html` class="tone bad"`}>due ${dateText(due)}</span>` : html``;
