// Makes shoot days from the board of a scheduling program, and dates them by a calendar.
import { day } from "../../core/times.ts";
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
const longestGap = 1000;

/** The dates of the first `count` shoot days; fewer if the calendar has no start, or a gap of more than 1,000 days. */
function shootDates({ start, weekdaysOff, datesOff, datesOn }: ShootCalendar, count: number): string[] {
  const dates: string[] = [];
  if (start === undefined) return dates;
  let gap = 0;
  for (let time = Date.parse(`${start}T00:00:00Z`); dates.length < count && gap < longestGap; time += day) {
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

/** The days of `board` with the scenes of their sheets. If the calendar does not date them, it returns no days and adds a warning. */
function scheduleOf(
  board: Board<BoardStrip, DayBreak>,
  calendar: ShootCalendar | undefined,
  scenes: SheetScenes,
  { known }: ReadOptions,
  findings: Findings,
): PartialDay[] {
  const dates = calendar === undefined ? [] : shootDates(calendar, board.days.length);
  const stored = shootDaysIn(known.items("schedule")).byNumber;
  const undated = board.days.some(({ number }, at) => dates[at] === undefined && !stored.has(number));
  if (undated) {
    findings.warn("the board has no calendar that gives each of its days a date; its days were ignored");
    return [];
  }
  const days = new ShootDays(known, findings);
  for (const [at, { number, strips, breaks }] of board.days.entries()) {
    const date = dates[at];
    days.setFields(number, definedFields({ date }));
    for (const { location } of breaks) days.addFields(number, { location });
    const isPlaced = breaks.some(({ location }) => location !== undefined);
    for (const strip of strips) {
      if (!isSheet(strip)) days.addText(number, strip.banner);
      else {
        if (!isPlaced) days.addFields(number, { location: strip.location });
        days.addScenes(
          number,
          scenes.referencesOf(strip).map((reference) => ({ reference, part: false })),
        );
      }
    }
  }
  const unplaced = board.unplaced.filter(isSheet).flatMap((sheet) => scenes.referencesOf(sheet)).length;
  if (unplaced > 0)
    findings.warn(`${unplaced === 1 ? "a scene is" : `${unplaced} scenes are`} on the board, but on no shoot day`);
  return days.document();
}

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
