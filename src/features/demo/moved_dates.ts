// Moves the dates of a demo production, so that it shoots this week whenever it is imported.
import { day } from "../../core/times.ts";
import { shifted } from "../../core/zones.ts";

/** The day on which the fixtures are written: a Friday. */
const writtenOn = "2026-11-20";

const week = 7 * day;
/**
 * Weeks begin on a Wednesday: on a Monday and a Tuesday the Friday before is nearer, and what was shot by then is past.
 * Day 0 of Unix time was a Thursday.
 */
const weekOf = (date: string): number => Math.floor((Date.parse(date) + day) / week);

/** Text that is a date, or a moment as timestamps are written, and nothing else. */
const dated = /"(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}[^"]*Z)?"/g;

/**
 * The text of a document with all dates moved by the weeks that bring the fixtures' Friday into the week of `now`. A
 * moment that the fixtures call past is at most `now`: on a Wednesday, nothing was done on the Friday to come.
 */
export function movedDates(text: string, now: string): string {
  const by = (weekOf(now.slice(0, 10)) - weekOf(writtenOn)) * 7;
  return text.replace(dated, (_written, date: string, time: string | undefined) => {
    const to = shifted(date, by);
    if (time === undefined) return `"${to}"`;
    const moved = to + time;
    return date <= writtenOn && moved > now ? `"${now}"` : `"${moved}"`;
  });
}
