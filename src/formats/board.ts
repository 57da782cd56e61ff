// Makes shoot days from the board of a scheduling program. A calendar counts and dates the days.
import type { Board, DayBreak } from "./days.ts";
import type { Findings } from "./findings.ts";
import type { PartialDay, ReadOptions } from "./partial.ts";
import type { Sheet, SheetScenes } from "./sheets.ts";
import { ShootDays } from "./shoot_days.ts";

/** The days of `board` on `dates`, with the scenes of their sheets. Without dates, it returns no days and adds a warning. */
export function scheduleOf(
  board: Board<Sheet, DayBreak>,
  dates: readonly string[],
  scenes: SheetScenes,
  { known }: ReadOptions,
  findings: Findings,
): PartialDay[] {
  const stored = new Set(known.shoot_days.map(({ day_number }) => day_number));
  const undated = board.days.some(({ number }, at) => dates[at] === undefined && !stored.has(number));
  if (undated) {
    findings.warn("the board has no calendar that gives each of its days a date; its days were ignored");
    return [];
  }
  const days = new ShootDays(known, findings);
  for (const [at, { number, strips }] of board.days.entries()) {
    const date = dates[at];
    days.say(number, date === undefined ? {} : { date });
    days.shoot(
      number,
      strips.flatMap((sheet) => scenes.referencesOf(sheet).map((reference) => ({ reference, part: false }))),
    );
  }
  const loose = board.loose.flatMap((sheet) => scenes.referencesOf(sheet)).length;
  if (loose > 0)
    findings.warn(`${loose === 1 ? "a scene is" : `${loose} scenes are`} on the board, but on no shoot day`);
  return days.document();
}
