// Makes shoot days from the board of a scheduling program. A calendar counts and dates the days.
import type { Board, DayBreak } from "./days.ts";
import type { Findings } from "./findings.ts";
import { shootDaysIn } from "./known.ts";
import type { PartialDay, ReadOptions } from "./partial.ts";
import type { Sheet, SheetScenes } from "./sheets.ts";
import { ShootDays } from "./shoot_days.ts";

/** What stands between strips, such as a company move. */
export interface Banner {
  banner: string;
}
export type BoardStrip = Sheet | Banner;
const isSheet = (strip: BoardStrip): strip is Sheet => !("banner" in strip);

/** The days of `board` on `dates`, with the scenes of their sheets. Without dates, it returns no days and adds a warning. */
export function scheduleOf(
  board: Board<BoardStrip, DayBreak>,
  dates: readonly string[],
  scenes: SheetScenes,
  { known }: ReadOptions,
  findings: Findings,
): PartialDay[] {
  const stored = shootDaysIn(known.shoot_days).byNumber;
  const undated = board.days.some(({ number }, at) => dates[at] === undefined && !stored.has(number));
  if (undated) {
    findings.warn("the board has no calendar that gives each of its days a date; its days were ignored");
    return [];
  }
  const days = new ShootDays(known, findings);
  for (const [at, { number, strips, breaks }] of board.days.entries()) {
    const date = dates[at];
    days.say(number, date === undefined ? {} : { date });
    for (const { location } of breaks) days.tell(number, { location });
    const isPlaced = breaks.some(({ location }) => location !== undefined);
    for (const strip of strips) {
      if (!isSheet(strip)) days.stand(number, strip.banner);
      else {
        if (!isPlaced) days.tell(number, { location: strip.location });
        days.shoot(
          number,
          scenes.referencesOf(strip).map((reference) => ({ reference, part: false })),
        );
      }
    }
  }
  const loose = board.loose.filter(isSheet).flatMap((sheet) => scenes.referencesOf(sheet)).length;
  if (loose > 0)
    findings.warn(`${loose === 1 ? "a scene is" : `${loose} scenes are`} on the board, but on no shoot day`);
  return days.document();
}
