// The units of shoot days: what names one unit, and what a day of a unit is called. The main unit has no name.
import { firstOf, sameName } from "../core/wording.ts";

/** A shoot day by its number, which counts within its unit. */
export interface UnitDay {
  unit?: string | null | undefined;
  day_number: number;
}

const usualUnits: Readonly<Record<string, string>> = {
  ...{ main: "", first: "", "1st": "" },
  ...{ second: "2nd Unit", "2nd": "2nd Unit" },
};

/** The form in which the names of units are compared: with or without the word Unit. */
const bareUnit = (name: string): string => sameName(name).replace(/ unit$/, "");

/**
 * The name of a unit; "" for the main unit. "Second unit" is "2nd Unit"; a name of another unit stays as it is written.
 */
export function unitOf(text: string): string {
  const name = text.trim();
  const bare = bareUnit(name);
  return Object.hasOwn(usualUnits, bare) ? (usualUnits[bare] ?? name) : name;
}

/** What makes two names of units one: "Splinter" is "Splinter Unit". */
export const unitKey = (unit: string | null | undefined): string => (unit ? bareUnit(unitOf(unit)) : "");

/** What makes two days one. */
export const dayForm = ({ unit, day_number }: UnitDay): string => `${unitKey(unit)} ${day_number}`;

/** A day as a document, a list or a command names it: "3", "2nd Unit 3". */
export const dayKey = ({ unit, day_number }: UnitDay): string =>
  (unit ?? "") === "" ? String(day_number) : `${unit} ${day_number}`;

/** A day within a sentence: "day 3", "2nd Unit 3". */
export const dayText = (day: UnitDay): string => ((day.unit ?? "") === "" ? `day ${dayKey(day)}` : dayKey(day));

/** Days within a sentence: "day 3", "days 3 and 4", "day 3 and 2nd Unit 3". It names at most `most`. */
export function daysText(days: readonly UnitDay[], most = 20): string {
  if (days.some(({ unit }) => (unit ?? "") !== "")) return firstOf(days.map(dayText), most, " and ");
  return `${days.length === 1 ? "day" : "days"} ${firstOf(days.map(dayKey), most, " and ")}`;
}

/** A day as a heading: "Day 3", "2nd Unit 3". */
export const dayTitle = (day: UnitDay): string => dayText(day).replace(/^day /, "Day ");

/** The days from the first to the last of some: "Day 3", "Days 3 to 5", "Day 3 to 2nd Unit 5". */
export function spanTitle(days: readonly UnitDay[]): string {
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return "";
  if (first === last) return dayTitle(first);
  const isMain = [first, last].every(({ unit }) => (unit ?? "") === "");
  return isMain ? `Days ${dayKey(first)} to ${dayKey(last)}` : `${dayTitle(first)} to ${dayTitle(last)}`;
}

/** The day that a text such as "3" or "Second Unit 3" names; undefined if it names none. */
export function dayOfKey(text: string): { unit: string; day_number: number } | undefined {
  const words = text.slice(0, 200).trim().split(/\s+/);
  const digits = words.pop() ?? "";
  if (!/^\d{1,15}$/.test(digits)) return undefined;
  if (words.at(-1)?.toLowerCase() === "day") words.pop();
  return { unit: unitOf(words.join(" ")), day_number: Number(digits) };
}

/** In the order of the schedule: by number, of equal ones the main unit first. */
export const byNumber = (a: UnitDay, b: UnitDay): number => a.day_number - b.day_number || byUnit(a, b);

const byUnit = (a: UnitDay, b: UnitDay): number => {
  const [one, other] = [a, b].map(({ unit }) => sameName(unitOf(unit ?? ""))) as [string, string]; // one for each
  return one < other ? -1 : Number(one > other);
};

/** In the order of the calendar: by date, then the main unit, the other units, and the number. */
export const byDate = <T extends UnitDay & { date: string }>(days: readonly T[]): T[] =>
  days.toSorted((a, b) => (a.date === b.date ? byUnit(a, b) || a.day_number - b.day_number : a.date < b.date ? -1 : 1));
