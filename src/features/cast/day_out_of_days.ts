// The day out of days as a table: a character a row, a date a column, and sums. It is shown as a page and written as
// CSV.
import { castPlace, compareNames } from "../../core/wording.ts";
import { byDate, dayTitle, type UnitDay } from "../../graph/units.ts";
import { csvFile, csvText, type Delimiter } from "../csv/csv.ts";

interface ShootDay extends UnitDay {
  id: number;
  date: string;
}

/** A character with its days, as GET /cast/days answers it. */
export interface CastRow {
  label: string;
  cast_number: string | null;
  performer: string | null;
  days: readonly { date: string; work: string }[];
  totals: Readonly<Record<"work" | "hold" | "total", number>>;
}

type Numbered = Pick<CastRow, "label" | "cast_number">;

/** The order of a cast list: by number, then by name. */
export function castOrder(a: Numbered, b: Numbered): number {
  const [one, two] = [castPlace(a.cast_number, ""), castPlace(b.cast_number, "")];
  return one === two ? compareNames(a.label, b.label) : one < two ? -1 : 1;
}

export const totalNames = { work: "Work", hold: "Hold", total: "Total" } as const;
export const totalKeys = Object.keys(totalNames) as (keyof typeof totalNames)[]; // safe: the keys of the object above

/** Whether a character works on a day, or only holds. */
export const isWork = (code: string): boolean => code !== "H";

/** A date with its shoot days, in the order of the calendar. */
export interface ShootDate<T = ShootDay> {
  date: string;
  days: readonly T[];
}
export const shootDatesIn = <T extends ShootDay>(days: readonly T[]): ShootDate<T>[] =>
  [...Map.groupBy(byDate(days), ({ date }) => date)].map(([date, days]) => ({ date, days }));

/** The codes of each character, by date: all entries of a date have one. */
export const codesOf = ({ days }: CastRow): ReadonlyMap<string, string> =>
  new Map(days.map(({ date, work }) => [date, work]));

/** A function that says how many characters work on a date, and the totals of all characters together. */
export function sumsOf(cast: readonly CastRow[]): { working(date: string): number; totals: readonly number[] } {
  const sums = new Map<string, number>();
  for (const row of cast)
    for (const [date, work] of codesOf(row)) if (isWork(work)) sums.set(date, (sums.get(date) ?? 0) + 1);
  const totals = totalKeys.map((key) => cast.reduce((sum, { totals }) => sum + totals[key], 0));
  return { working: (date) => sums.get(date) ?? 0, totals };
}

/** The day out of days as rows of texts. */
export function dayOutOfDaysRows(cast: readonly CastRow[], schedule: readonly ShootDay[]): string[][] {
  const dates = shootDatesIn(schedule);
  const { working, totals } = sumsOf(cast);
  const rows = cast.toSorted(castOrder).map((row) => {
    const [codes, { cast_number, label, performer, totals }] = [codesOf(row), row];
    const cells = dates.map(({ date }) => codes.get(date) ?? "");
    return [cast_number ?? "", label, performer ?? "", ...cells, ...totalKeys.map((key) => `${totals[key]}`)];
  });
  const head = dates.map(({ days }) => days.map(dayTitle).join(", "));
  return [
    ["No.", "Character", "Performer", ...head, ...Object.values(totalNames)],
    ["", "", "", ...dates.map(({ date }) => date), ...totalKeys.map(() => "")],
    ...rows,
    ["", "Working", "", ...dates.map(({ date }) => `${working(date)}`), ...totals.map(String)],
  ];
}

/** The day out of days as a file. */
export const dayOutOfDaysText = (
  cast: readonly CastRow[],
  schedule: readonly ShootDay[],
  delimiter?: Delimiter,
): string => csvFile([csvText(dayOutOfDaysRows(cast, schedule), delimiter)]);
