// Computes the moments of a shoot day from its times of day: a night's wrap and calls are on the next date. Everything
// that compares such times uses this.
import { day, hour } from "../core/times.ts";
import { dateAt, endOfDate, momentAt, shifted, type Zone } from "../core/zones.ts";
import { byDate, type UnitDay } from "./units.ts";

/** What is known of the hours of a day. Times are texts such as 08:00; other texts are unknown times. */
export interface DayHours {
  date: string;
  general_call?: string | null | undefined;
  wrap?: string | null | undefined;
  /** Without one, that of the production. */
  time_zone?: Zone | undefined;
}

/** The minutes of a time of day; undefined if the text is none. */
function minutesOf(time: string | null | undefined): number | undefined {
  const [matched, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(time ?? "") ?? [];
  return matched === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

const minutesOfDay = 1440;
/**
 * A personal time that is so much before the call is after midnight, if there is no wrap; one that reads so much later
 * than what follows it is before midnight.
 */
const maxBefore = 720;

/** The zone of a day. */
export const zoneOfDay = ({ time_zone }: Pick<DayHours, "time_zone">, zone: Zone): Zone => time_zone ?? zone;

/** The minutes of somebody's time since the beginning of the date of a day; undefined if it is no time. */
export function personalMinutes({ general_call, wrap }: DayHours, time: string | null | undefined): number | undefined {
  const [own, call, end] = [minutesOf(time), minutesOf(general_call), minutesOf(wrap)];
  if (own === undefined || call === undefined) return own;
  const isNext = end === undefined ? call - own > maxBefore : end <= call && own <= end;
  return isNext ? own + minutesOfDay : own;
}

/** When somebody's time of a day is. `zone` is the production's. */
export function personalMoment(day: DayHours, time: string | null | undefined, zone: Zone): number | undefined {
  const minutes = personalMinutes(day, time);
  return minutes === undefined ? undefined : momentAt(zoneOfDay(day, zone), day.date, minutes);
}

/** What comes before the time of a call, the last first. */
const beforeCall = ["costume", "makeup", "pickup"] as const;
type CallTime = "time" | "on_set" | (typeof beforeCall)[number];

/** The date of each time of a call that is not on the date of its day. Times that are words have none. */
export function otherDates(
  day: DayHours,
  call: Partial<Record<CallTime, string | null | undefined>>,
): Partial<Record<CallTime, string>> {
  const times: [CallTime, number | undefined][] = [
    ["time", personalMinutes(day, call.time)],
    ["on_set", personalMinutes(day, call.on_set)],
  ];
  let following = times[0]?.[1];
  for (const name of beforeCall) {
    const own = minutesOf(call[name]);
    if (own === undefined) continue;
    following = following === undefined ? personalMinutes(day, call[name]) : nearestBefore(own, following);
    times.push([name, following]);
  }
  const dates = times.map(([name, minutes = 0]) => [name, Math.floor(minutes / minutesOfDay)] as const);
  return Object.fromEntries(dates.flatMap(([name, days]) => (days === 0 ? [] : [[name, shifted(day.date, days)]])));
}

/** A time of day that comes before another time: on its date, or on the one before if it reads so much later. */
function nearestBefore(time: number, following: number): number {
  const date = Math.floor(following / minutesOfDay) * minutesOfDay;
  return date + time - following > maxBefore ? date + time - minutesOfDay : date + time;
}

/** When a day wraps. `own` is the call that counts where the day has no general call. */
export function wrapMoment(day: DayHours, zone: Zone, own?: string | null): number | undefined {
  const [wrap, call] = [minutesOf(day.wrap), minutesOf(day.general_call) ?? minutesOf(own)];
  if (wrap === undefined) return undefined;
  const minutes = call !== undefined && wrap <= call ? wrap + minutesOfDay : wrap;
  return momentAt(zoneOfDay(day, zone), day.date, minutes);
}

/** How long before its call a day begins, and how long after it a day without a wrap ends. */
const [early, longest] = [3 * hour, 14 * hour];

/** From when to when a day runs, and what is still to come before it begins: its call, otherwise its date. */
function runOf(day: DayHours, zone: Zone): { from: number; to: number; call: number } {
  const call = personalMoment(day, day.general_call, zone);
  const own = zoneOfDay(day, zone);
  if (call !== undefined) return { from: call - early, to: wrapMoment(day, zone) ?? call + longest, call };
  const from = momentAt(own, day.date);
  return { from, to: endOfDate(own, day.date), call: from };
}

/** The present date where a day is shot. */
export const dateOfDay = (day: DayHours, now: number, zone: Zone): string => dateAt(zoneOfDay(day, zone), now);

/**
 * A day that is so many dates before that of UTC is over: it runs for less than two dates, and no zone is further away
 * than one.
 */
const farDates = 3;
const isFar = ({ date }: DayHours, now: number): boolean => date < dateAt("UTC", now - farDates * day);

/** Whether a day has ended. */
export const isOver = (day: DayHours, now: number, zone: Zone): boolean =>
  isFar(day, now) || runOf(day, zone).to <= now;

/** Whether a day runs at a moment. */
export function runsAt(day: DayHours, now: number, zone: Zone): boolean {
  const { from, to } = runOf(day, zone);
  return from <= now && now < to;
}

/**
 * Today's day: the one that runs, of several the one that began first; otherwise the first that is still to come,
 * otherwise the last. Of days that begin at one moment, that of the main unit counts.
 */
export function todaysDay<D extends DayHours & UnitDay>(days: readonly D[], now: number, zone: Zone): D | undefined {
  const dated = byDate(days);
  const near = dated.filter((of) => !isFar(of, now));
  const until = (date: string) => near.filter((of) => of.date <= date);
  const by = (moment: "from" | "call") => (one: D, other: D) => runOf(one, zone)[moment] - runOf(other, zone)[moment];
  const runs = until(dateAt("UTC", now + farDates * day)).filter((of) => runsAt(of, now, zone));
  if (runs.length > 0) return runs.toSorted(by("from"))[0];
  const isToCome = (of: D) => runOf(of, zone).call > now;
  const next = near.find(isToCome);
  // Another one of these dates may begin before it, because of its call or its zone.
  return next === undefined
    ? dated.at(-1)
    : until(shifted(next.date, farDates)).filter(isToCome).toSorted(by("call"))[0];
}

/** The day at which a list of days stands: today's, or the next one. Undefined if all are over. */
export function followingDay<D extends DayHours & UnitDay>(
  days: readonly D[],
  now: number,
  zone: Zone,
): { day: D; isToday: boolean } | undefined {
  const day = days.every((one) => isOver(one, now, zone)) ? undefined : todaysDay(days, now, zone);
  return day && { day, isToday: runsAt(day, now, zone) || day.date === dateOfDay(day, now, zone) };
}
