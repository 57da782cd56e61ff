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

const number = String.raw`(?:#|no\.?|number)?\s*(?<number>\d{1,4})`;
const shootDay = String.raw`(?:(?:(?:main|second|2nd|first|1st)\s+unit\s+)?(?:shoot(?:ing)?\s*)?day|drehtag|jour(?:\s+de\s+tournage)?)`;
/** In the order in which they are tried. */
const forms: readonly (readonly [edge: DayBreak["edge"], form: RegExp])[] = [
  [
    "end",
    new RegExp(
      `^(?:end\\s*(?:of\\s*)?|ende\\s*(?:von\\s*)?|fin\\s*(?:du\\s*)?)${shootDay}\\b\\s*(?:${number}\\b)?`,
      "i",
    ),
  ],
  ["end", new RegExp(`^${shootDay}\\s*-?\\s*break\\b\\s*(?:${number}\\b)?`, "i")],
  ["end", new RegExp(`^${shootDay}\\s*${number}\\s*(?:ends?|wraps?)\\b`, "i")],
  ["start", new RegExp(`^(?:start|begin(?:ning)?)\\s*(?:of\\s*)?${shootDay}\\b\\s*(?:${number}\\b)?`, "i")],
  ["either", new RegExp(`^${shootDay}\\s*${number}\\b(?!\\s*/\\s*\\d|[:.]\\d)`, "i")],
  [
    "either",
    new RegExp(
      `^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\\b|\\d{1,4}[-/.]).{5,60}?\\bshoot(?:ing)?\\s*day\\s*${number}\\b`,
      "i",
    ),
  ],
];

const clock = String.raw`(\d{1,2}(?:[:.h]?\d\d)?\s*(?:[ap]\.?m?\.?)?)`;
const callTime = new RegExp(String.raw`\bcall(?:\s*time)?\b\s*(?:is|at)?\s*[:=@–-]?\s*${clock}(?![\d/])`, "i");
const callRow = new RegExp(
  String.raw`^(?:(?:approx(?:imate|\.)?|general|unit|crew)\s+)*call(?:\s*time)?\s*[:=@–-]?\s*${clock}$`,
  "i",
);

/** The text after "Location:", up to what a day break says next. */
const locationText =
  /\bloc(?:ation)?s?\s*[:=]\s*(\S.*?)(?=\s*(?:[|;,*]|\s[-–—]{1,3})?\s*(?:(?:\b(?:general |unit |crew )?call|\btotal|\bpages?|\bpgs|\bdate|\bwrap|\bsun(?:rise|set))\b|$))/i;
const locationRow = /^loc(?:ation)?s?\s*[:=]\s*(\S.*)$/i;

/** The call and the location that a text has in the forms given. */
function factsIn(text: string, call = callTime, location = locationText): DayFacts {
  const time = call.exec(text)?.[1];
  return definedFields({ general_call: time && (timeOfDay(time) ?? time.trim()), location: location.exec(text)?.[1] });
}

/** What a row between the strips says about its day if it is nothing else: "Approximate Call Time: 8a", "Location: Harbour". */
export const rowFactsOf = (text: string): DayFacts => factsIn(text, callRow, locationRow);

/** The day break that `text` is, or undefined: "END OF DAY 3 - Friday, May 8, 2026 - Total Pages: 4 2/8", "DAY 12". */
export function dayBreakOf(text: string, line: number): PrintedDayBreak | undefined {
  const bare = text.slice(0, 300).replace(/^[^\p{L}\p{N}]+/u, "");
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

/** "7:00 AM", "0700", "7.00", "7h" and "7 Uhr" as 07:00; undefined for any other text, also for 0.25, which spreadsheets write for 6:00. */
export function timeOfDay(text: string): string | undefined {
  const found = /^(?!0\.)(\d{1,2})\s*(?:[:.h]?\s*(\d\d))?(?::\d\d)?\s*(?:([ap])\.?\s*m?\.?|(hrs?|h|uhr))?$/i.exec(
    text.trim(),
  );
  const [, hourText, minuteText, half, unit] = found ?? [];
  if (hourText === undefined || (minuteText ?? half ?? unit) === undefined) return undefined;
  const hour = half === undefined ? Number(hourText) : (Number(hourText) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  const minute = Number(minuteText ?? 0);
  if (hour > 23 || minute > 59) return undefined;
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}
