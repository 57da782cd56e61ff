// Computes moments from dates and times of day in a time zone, and dates and times of day from moments. It asks Intl
// for the offset alone: Node 24 has no Temporal, whose `compatible` it follows, and a package for it would be 200 KB
// for these few lines.
import { day, minute } from "./times.ts";

/** The IANA name of a time zone; null is the server's. */
export type Zone = string | null;

/** At most one for each name that Intl knows, in any case: it throws for any other. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
  formats.set(zone, format);
  return format;
}

/** Whether a text is the name of a time zone, in any case. */
export function isZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false; // Intl takes offsets, too
  try {
    return formatOf(name) !== undefined;
  } catch {
    return false;
  }
}

/**
 * A zone's name as Intl spells it, if it differs in case alone: Intl also renames Asia/Kolkata, which nobody there
 * expects.
 */
export function spelledZone(name: string): string {
  const { timeZone } = formatOf(name).resolvedOptions();
  return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
}

/** How much a zone is ahead of UTC at a moment, in milliseconds. */
function offsetAt(zone: Zone, moment: number): number {
  if (zone === null) return -new Date(moment).getTimezoneOffset() * minute;
  const [, sign, hours, minutes = "0", seconds = "0"] =
    /GMT([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/.exec(formatOf(zone).format(moment)) ?? [];
  if (sign === undefined) return 0;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes) + Number(seconds) / 60) * minute;
}

/** The moment as a date whose UTC fields are what clocks and calendars of the zone show. */
export const clockOf = (zone: Zone, moment: number): Date => new Date(moment + offsetAt(zone, moment));

/** The calendar date of a moment. */
export const dateAt = (zone: Zone, moment: number): string => clockOf(zone, moment).toISOString().slice(0, 10);

/** The moment as "2026-11-22T06:12:00". */
export const wallTime = (zone: Zone, moment: number): string => clockOf(zone, moment).toISOString().slice(0, 19);

/** A timestamp by the clocks of a zone, with its offset: 2026-05-01T05:30:00.000+02:00. In UTC as it is. */
export function inZoneOf(zone: Zone, timestamp: string): string {
  const moment = Date.parse(timestamp);
  const offset = offsetAt(zone, moment) / minute;
  if (offset === 0 || !Number.isInteger(offset)) return timestamp;
  const [minutes, two] = [Math.abs(offset), (part: number) => String(part).padStart(2, "0")];
  const ahead = `${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  return `${wallTime(zone, moment)}${timestamp.slice(19, -1)}${ahead}`;
}

/** A calendar date, some days later. */
export const shifted = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * day).toISOString().slice(0, 10);

/**
 * The moment so many minutes after the beginning of a date by the clocks of a zone. An hour that they skip is read by
 * the offset before it, and the first one of two that they show is taken.
 */
export function momentAt(zone: Zone, date: string, minutes = 0): number {
  const clock = Date.parse(`${date}T00:00:00Z`) + minutes * minute;
  const [before, after] = [offsetAt(zone, clock - day), offsetAt(zone, clock + day)];
  const [first, last] = [clock - before, clock - after];
  return offsetAt(zone, first) !== before && offsetAt(zone, last) === after ? last : first;
}

/** When a calendar date ends: the beginning of the next one. */
export const endOfDate = (zone: Zone, date: string): number => momentAt(zone, shifted(date, 1));

/** What people call a zone: its city, or the whole name where that has none. */
export function zoneName(zone: Zone): string {
  const name = zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return name.startsWith("Etc/") ? name : name.slice(name.lastIndexOf("/") + 1).replaceAll("_", " ");
}
