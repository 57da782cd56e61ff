// Makes shoot days from the board of a scheduling program, and dates them by a calendar.
import { day as oneDay } from "../../core/times.ts";
import { dayForm, daysText } from "../../graph/units.ts";
import type { Board, DayBreak } from "../paperwork/board_days.ts";
import type { Findings } from "../paperwork/findings.ts";
import { shootDaysIn } from "../paperwork/known_names.ts";
import { definedFields, type PaperReading, type PartialDay, type ReadOptions } from "../paperwork/partial.ts";
import { ShootDays } from "../paperwork/shoot_days.ts";
import type { Sheet, SheetScenes } from "./sheets.ts";

export interface ShootCalendar {
  /** YYYY-MM-DD: the date of day 1, on any weekday. */
  start: string | undefined;
  /** 0 is Sunday. */
  weekdaysOff: ReadonlySet<number>;
  datesOff: ReadonlySet<string>;
  /** Dates that are worked although their weekday is off. */
  datesOn?: ReadonlySet<string>;
}

/** A gap that no shoot has: a calendar without a working day must not be walked for ever. */
const maxGap = 1000;

/** The dates of the first `count` shoot days; fewer if the calendar has no start, or a gap of more than 1,000 days. */
function shootDates({ start, weekdaysOff, datesOff, datesOn }: ShootCalendar, count: number): string[] {
  const dates: string[] = [];
  if (start === undefined) return dates;
  let gap = 0;
  for (let time = Date.parse(`${start}T00:00:00Z`); dates.length < count && gap < maxGap; time += oneDay) {
    const date = new Date(time).toISOString().slice(0, 10);
    const off = datesOff.has(date) || (weekdaysOff.has(new Date(time).getUTCDay()) && !datesOn?.has(date));
    if (off && date !== start) gap++;
    else {
      dates.push(date);
      gap = 0;
    }
  }
  return dates;
}

/** What stands between strips, such as a company move. */
export interface Banner {
  banner: string;
}
export type BoardStrip = Sheet | Banner;
export const isSheet = (strip: BoardStrip): strip is Sheet => !("banner" in strip);

/**
 * The days of `board` with the scenes of their sheets. If the calendar does not date them, it returns no days and adds
 * a warning.
 */
function scheduleOf(
  board: Board<BoardStrip, DayBreak>,
  calendar: ShootCalendar | undefined,
  scenes: SheetScenes,
  options: ReadOptions,
  findings: Findings,
): PartialDay[] {
  const { known } = options;
  const main = board.days.filter(({ day }) => day.unit === "");
  const dates = calendar === undefined ? [] : shootDates(calendar, main.length);
  // A calendar dates the days of the main unit in their order; another unit has days of its own.
  const dateOf = new Map(main.map((day, at) => [day, dates[at]]));
  const stored = shootDaysIn(known.items("schedule")).byForm;
  const undated = board.days.filter((one) => dateOf.get(one) === undefined && !stored.has(dayForm(one.day)));
  const others = undated.filter(({ day }) => day.unit !== "");
  if (others.length > 0)
    findings.warn(
      `the file gives ${daysText(others.map(({ day }) => day))} no date; ${others.length === 1 ? "its strips were" : "their strips were"} ignored`,
    );
  if (undated.length > others.length) {
    const sentence = "the board has no calendar that gives each of its days a date; its days were ignored";
    findings.name("strip", sentence, {}, stripsOf(board));
    return [];
  }
  findings.tally.took("strip", stripsOf(board));
  const days = new ShootDays(options, findings);
  for (const one of board.days) {
    const { day, strips, breaks } = one;
    if (others.includes(one)) continue;
    days.setFields(day, definedFields({ date: dateOf.get(one) }));
    for (const { location } of breaks) days.addFields(day, { location });
    const isPlaced = breaks.some(({ location }) => location !== undefined);
    for (const strip of strips) {
      if (!isSheet(strip)) days.addText(day, strip.banner);
      else {
        if (!isPlaced) days.addFields(day, { location: strip.location });
        days.addScenes(day, scenes.mentionsOf(strip), { eighths: strip.eighths || undefined });
      }
    }
  }
  const unplaced = board.unplaced.filter(isSheet).flatMap((sheet) => scenes.mentionsOf(sheet)).length;
  if (unplaced > 0)
    findings.warn(`${unplaced === 1 ? "a scene is" : `${unplaced} scenes are`} on the board, but on no shoot day`);
  const banners = board.unplaced.filter((strip) => !isSheet(strip)).length;
  if (banners > 0)
    findings.warn(`${banners === 1 ? "a banner is" : `${banners} banners are`} on the board, but on no shoot day`);
  return days.document();
}

/** The strips of a board, on its days and on none. */
const stripsOf = ({ days, unplaced }: Board<BoardStrip, DayBreak>): number =>
  days.reduce((sum, { strips }) => sum + strips.length, unplaced.length);

/** The reading of a file with the sheets of scenes and the board on which they stand, if it has one. */
export function boardReading(
  scenes: SheetScenes,
  { board, calendar }: { board?: Board<BoardStrip, DayBreak>; calendar?: ShootCalendar | undefined },
  options: ReadOptions,
  findings: Findings,
): PaperReading {
  const schedule = board === undefined ? [] : scheduleOf(board, calendar, scenes, options, findings);
  return findings.reading({ ...scenes.document, ...(schedule.length > 0 && { schedule }) });
}
