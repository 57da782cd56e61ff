// Recognises the day breaks of a stripboard or a one-liner in a row of text, as scheduling programs and people print them.
import type { DayBreak } from "./board_days.ts";
import { findDate } from "./dates.ts";
import { definedFields } from "./partial.ts";

/** What a line of text says about a day. */
export interface DayFacts {
  general_call?: string;
  location?: string;
}

export interface PrintedDayBreak extends DayBreak, DayFacts {
  line: number;
  /** As it is printed; whether it can be read depends on the other dates. */
  date?: string;
  wrap?: string;
}

// Every run of spaces was made one before these are tried: with \s* beside \s* they would take quadratic time.
const number = String.raw`(?:#|no\.?|number)? ?(?<number>\d{1,4})`;
const shootDay = `(?:(?:(?:main|second|2nd|first|1st) unit )?(?:shoot(?:ing)? ?)?day|drehtag|jour(?: de tournage)?)`;
/** In the order in which they are tried. */
const forms: readonly (readonly [edge: DayBreak["edge"], form: RegExp])[] = [
  ["end", new RegExp(`^(?:end ?(?:of ?)?|ende ?(?:von ?)?|fin ?(?:du ?)?)${shootDay}\\b ?(?:${number}\\b)?`, "i")],
  ["end", new RegExp(`^${shootDay} ?-? ?break\\b ?(?:${number}\\b)?`, "i")],
  ["end", new RegExp(`^${shootDay} ?${number} ?(?:ends?|wraps?)\\b`, "i")],
  ["start", new RegExp(`^(?:start|begin(?:ning)?) ?(?:of ?)?${shootDay}\\b ?(?:${number}\\b)?`, "i")],
  ["either", new RegExp(`^${shootDay} ?${number}\\b(?! ?/ ?\\d|[:.]\\d)`, "i")],
  [
    "either",
    new RegExp(
      `^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\\b|\\d{1,4}[-/.]).{5,60}?\\bshoot(?:ing)? ?day ?${number}\\b`,
      "i",
    ),
  ],
];

const clock = String.raw`(\d{1,2}(?:[:.h]?\d\d)? ?(?:[ap]\.?m?\.?)?)`;
const callTime = new RegExp(String.raw`\bcall(?: ?time)?\b ?(?:is|at)? ?[:=@–-]? ?${clock}(?![\d/])`, "i");
const callRow = new RegExp(
  String.raw`^(?:(?:approx(?:imate|\.)?|general|unit|crew) )*call(?: ?time)? ?[:=@–-]? ?${clock}$`,
  "i",
);

/** The text after "Location:", up to what a day break says next. */
const locationText =
  /\bloc(?:ation)?s? ?[:=] ?(\S.*?)(?= ?(?:[|;,*]| [-–—]{1,3})? ?(?:(?:\b(?:general |unit |crew )?call|\btotal|\bpages?|\bpgs|\bdate|\bwrap|\bsun(?:rise|set))\b|$))/i;
const locationRow = /^loc(?:ation)?s? ?[:=] ?(\S.*)$/i;

/** The call and the location that a text has in the forms given. */
function factsIn(text: string, call = callTime, location = locationText): DayFacts {
  const plain = text.replace(/\s+/g, " ");
  const time = call.exec(plain)?.[1];
  return definedFields({ general_call: time && (timeOfDay(time) ?? time.trim()), location: location.exec(plain)?.[1] });
}

/** What a row between the strips says about its day if it is nothing else: "Approximate Call Time: 8a", "Location: Harbour". */
export const rowFactsOf = (text: string): DayFacts => factsIn(text, callRow, locationRow);

/** The day break that `text` is, or undefined: "END OF DAY 3 - Friday, May 8, 2026 - Total Pages: 4 2/8", "DAY 12". */
export function dayBreakOf(text: string, line: number): PrintedDayBreak | undefined {
  const bare = text
    .slice(0, 300)
    .replace(/^[^\p{L}\p{N}]+/u, "")
    .replace(/\s+/g, " ");
  for (const [edge, form] of forms) {
    const found = form.exec(bare);
    if (found === null) continue;
    const rest = bare.slice(found[0].length);
    const date = findDate(rest) ?? findDate(found[0]);
    const { number } = found.groups ?? {};
    return { edge, line, ...(number && { number: Number(number) }), ...definedFields({ date }), ...factsIn(rest) };
  }
  return undefined;
}

const clockTime = /^(\d{1,2})(?:\s*(?:[:.h]\s*)?(\d\d)(?::\d\d)?)?(?:\s*(?:([ap])(?:\.?\s*m)?\.?|(hrs?|h|uhr)))?$/i;

/** "7:00 AM", "0700", "7.00", "7h" and "7 Uhr" as 07:00; undefined for any other text, also for 0.25, which spreadsheets write for 6:00. */
export function timeOfDay(text: string): string | undefined {
  const bare = text.trim();
  const found = bare.startsWith("0.") ? null : clockTime.exec(bare);
  const [, hourText, minuteText, half, unit] = found ?? [];
  if (hourText === undefined || (minuteText ?? half ?? unit) === undefined) return undefined;
  const hour = half === undefined ? Number(hourText) : (Number(hourText) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  const minute = Number(minuteText ?? 0);
  if (hour > 23 || minute > 59) return undefined;
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}
