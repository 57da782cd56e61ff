// Recognises the day breaks of a stripboard or a one-liner in a row of text, as scheduling programs and people print
// them.
import { unitOf } from "../../graph/units.ts";
import { clockTimeOf } from "../names/typed_times.ts";
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
const ofUnit = `(?:(?<unit>[a-z0-9][a-z0-9-]{0,19}) unit )?`;
const shootDay = `(?:${ofUnit}(?:shoot(?:ing)? ?)?day|drehtag|jour(?: de tournage)?)`;
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
      `^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\\b|\\d{1,4}[-/.]).{5,60}?\\b${ofUnit}shoot(?:ing)? ?day ?${number}\\b`,
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

/** A unit that the rest of a day break names: "END OF DAY 3 - 2ND UNIT". */
const unitText =
  /\b(main|first|second|third|fourth|[1-9](?:st|nd|rd|th)|splinter|action|stunts?|aerial|drone|underwater|plate|insert|b) unit\b(?! ?(?:call|move)\b)/i;

/** The text after "Location:", up to what a day break says next. */
const locationText =
  /\bloc(?:ation)?s? ?[:=] ?(\S.*?)(?= ?(?:[|;,*]| [-–—]{1,3})? ?(?:(?:\b(?:general |unit |crew )?call|\btotal|\bpages?|\bpgs|\bdate|\bwrap|\bsun(?:rise|set))\b|$))/i;
const locationRow = /^loc(?:ation)?s? ?[:=] ?(\S.*)$/i;

/** The call and the location that a text has in the forms given. */
function factsIn(text: string, call = callTime, location = locationText): DayFacts {
  const plain = text.replace(/\s+/g, " ");
  const time = call.exec(plain)?.[1];
  return definedFields({
    general_call: time && (clockTimeOf(time) ?? time.trim()),
    location: location.exec(plain)?.[1],
  });
}

/**
 * What a row between the strips says about its day if it is nothing else: "Approximate Call Time: 8a", "Location:
 * Harbour".
 */
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
    const unit = found.groups?.unit ?? unitText.exec(rest)?.[1];
    const said = { ...(number && { number: Number(number) }), ...(unit && { unit: unitOf(`${unit} unit`) }) };
    return { edge, line, ...said, ...definedFields({ date }), ...factsIn(rest) };
  }
  return undefined;
}
