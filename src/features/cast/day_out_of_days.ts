// The day out of days as a table: a character a row, a shoot day a column, and sums. It is shown as a page and written as CSV.
import { castPlace } from "../../core/wording.ts";
import { csvText } from "../csv/csv.ts";

interface ShootDay {
  id: number;
  day_number: number;
  date: string;
}

/** A character with its days, as GET /cast/days answers it. */
export interface CastRow {
  label: string;
  cast_number: string | null;
  performer: string | null;
  days: readonly { shoot_day_id: number; work: string }[];
  totals: Readonly<Record<"work" | "hold" | "total", number>>;
}

type Numbered = Pick<CastRow, "label" | "cast_number">;

/** The order of a cast list: by number, then by name. */
export function castOrder(a: Numbered, b: Numbered): number {
  // There is one text for each of the two.
  const [one, two] = [a, b].map(({ cast_number, label }) => castPlace(cast_number, label)) as [string, string];
  return one < two ? -1 : Number(one > two);
}

export const totalNames = { work: "Work", hold: "Hold", total: "Total" } as const;
export const totalKeys = Object.keys(totalNames) as (keyof typeof totalNames)[]; // safe: the keys of the object above

/** Whether a character works on a day, or only holds. */
export const isWork = (code: string): boolean => code !== "H";

/** The shoot days in the order of the calendar. */
export const byDate = <T extends ShootDay>(days: readonly T[]): T[] =>
  days.toSorted((a, b) => (a.date === b.date ? a.day_number - b.day_number : a.date < b.date ? -1 : 1));

/** The codes of each character, by the id of the shoot day. */
export const codesOf = ({ days }: CastRow): ReadonlyMap<number, string> =>
  new Map(days.map(({ shoot_day_id, work }) => [shoot_day_id, work]));

/** A function that says how many characters work on the day of an id, and the totals of all characters together. */
export function sumsOf(cast: readonly CastRow[]): { working(day: number): number; totals: readonly number[] } {
  const sums = new Map<number, number>();
  for (const { days } of cast)
    for (const { shoot_day_id, work } of days)
      if (isWork(work)) sums.set(shoot_day_id, (sums.get(shoot_day_id) ?? 0) + 1);
  const totals = totalKeys.map((key) => cast.reduce((sum, { totals }) => sum + totals[key], 0));
  return { working: (day) => sums.get(day) ?? 0, totals };
}

/** The day out of days as CSV, with a byte order mark for Excel. */
export function dayOutOfDaysText(cast: readonly CastRow[], schedule: readonly ShootDay[]): string {
  const days = byDate(schedule);
  const { working, totals } = sumsOf(cast);
  const rows = cast.toSorted(castOrder).map((row) => {
    const [codes, { cast_number, label, performer, totals }] = [codesOf(row), row];
    const cells = days.map(({ id }) => codes.get(id) ?? "");
    return [cast_number ?? "", label, performer ?? "", ...cells, ...totalKeys.map((key) => `${totals[key]}`)];
  });
  const head = days.map(({ day_number }) => `Day ${day_number}`);
  return `\ufeff${csvText([
    ["No.", "Character", "Performer", ...head, ...Object.values(totalNames)],
    ["", "", "", ...days.map(({ date }) => date), ...totalKeys.map(() => "")],
    ...rows,
    ["", "Working", "", ...days.map(({ id }) => `${working(id)}`), ...totals.map(String)],
  ])}`;
}
