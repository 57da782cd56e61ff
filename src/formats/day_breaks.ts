// Recognises the day breaks of a stripboard or a one-liner in a row of text, as scheduling programs and people print them.

import type { DayBreak } from "./board.ts";
import { findDate } from "./dates.ts";
import { said } from "./partial.ts";

export interface PrintedDayBreak extends DayBreak {
  line: number;
  /** As it is printed; whether it can be read depends on the other dates. */
  date?: string;
  general_call?: string;
  location?: string;
}

const number = String.raw`(?:#|no\.?|number)?\s*(?<number>\d{1,4})`;
const shootDay = String.raw`(?:(?:main|second|2nd|first|1st)\s+unit\s+)?(?:shoot(?:ing)?\s*)?day`;
/** In the order in which they are tried. */
const forms: readonly (readonly [edge: DayBreak["edge"], form: RegExp])[] = [
  ["end", new RegExp(`^end\\s*(?:of\\s*)?${shootDay}\\b\\s*(?:${number}\\b)?`, "i")],
  ["end", new RegExp(`^${shootDay}\\s*-?\\s*break\\b\\s*(?:${number}\\b)?`, "i")],
  ["end", new RegExp(`^${shootDay}\\s*${number}\\s*(?:ends?|wraps?)\\b`, "i")],
  ["start", new RegExp(`^(?:start|begin(?:ning)?)\\s*(?:of\\s*)?${shootDay}\\b\\s*(?:${number}\\b)?`, "i")],
  ["either", new RegExp(`^${shootDay}\\s*${number}\\b(?!\\s*/\\s*\\d|[:.]\\d)`, "i")],
];

const callTime =
  /\bcall(?:\s*time)?\b\s*(?:is|at)?\s*[:=@–-]?\s*(\d{1,2}(?:[:.h]?\d\d)?\s*(?:[ap]\.?m?\.?)?)(?![\d/])/i;

/** The text after "Location:", up to what a day break says next. */
const locationText =
  /\bloc(?:ation)?s?\s*[:=]\s*(\S.*?)(?=\s*(?:[|;]|\s[-–—]\s|\b(?:general |unit |crew )?call\b|\btotal\b|\bpages?\b|\bdate\b|\bwrap\b|$))/i;

/** The day break that `text` is, or undefined: "END OF DAY 3 - Friday, May 8, 2026 - Total Pages: 4 2/8", "DAY 12". */
export function dayBreakOf(text: string, line: number): PrintedDayBreak | undefined {
  const bare = text.slice(0, 300).replace(/^[^\p{L}\p{N}]+/u, "");
  for (const [edge, form] of forms) {
    const found = form.exec(bare);
    if (found === null) continue;
    const rest = bare.slice(found[0].length);
    const date = findDate(rest);
    const general_call = callTime.exec(rest)?.[1];
    const location = locationText.exec(rest)?.[1];
    const { number } = found.groups ?? {};
    return { edge, line, ...(number && { number: Number(number) }), ...said({ date, general_call, location }) };
  }
  return undefined;
}

/** "7:00 AM", "0700" and "7.00" as 07:00; what is no time of day as it is. */
export function timeOfDay(text: string): string {
  const found = /^(\d{1,2})\s*(?:[:.h]?\s*(\d\d))?(?::\d\d)?\s*(?:([ap])\.?\s*m?\.?|hrs?|h)?$/i.exec(text.trim());
  const [, hourText, minuteText, half] = found ?? [];
  if (hourText === undefined || (minuteText === undefined && half === undefined)) return text.trim();
  const hour = half === undefined ? Number(hourText) : (Number(hourText) % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  const minute = Number(minuteText ?? 0);
  if (hour > 23 || minute > 59) return text.trim();
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}
