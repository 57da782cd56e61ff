// The cells of a schedule that say who is called on a day, and what stands between its scenes.
import { isDeepStrictEqual } from "node:util";
import { fold, quoted } from "../names/names.ts";
import { castNameOf } from "../paperwork/cast_numbers.ts";
import { timeOfDay } from "../paperwork/day_breaks.ts";
import { CellRefusal } from "../paperwork/findings.ts";
import { castKey, namesIn, spellingIn, thingsIn } from "../paperwork/known_names.ts";
import type { PartialDay } from "../paperwork/partial.ts";
import { ScriptScenes } from "../paperwork/scenes.ts";
import { type CellContext, type CellType, jsonOf, plainCell } from "./cells.ts";

type Call = NonNullable<PartialDay["calls"]>[number];
type Banner = NonNullable<PartialDay["banners"]>[number];

/** A time of day as 07:00. */
export const timeOrRefusal = (text: string): string | CellRefusal =>
  timeOfDay(text) ?? new CellRefusal(`${quoted(text)} is not a time of day`);

export const wrapCell = plainCell("a time of day", timeOrRefusal);

/** Items of a list; literal ones name things as they are, and are written as JSON. */
export type Lines<T> = readonly T[] & { readonly isLiteral?: boolean };

/** A list with one item on each line, or as JSON where a line would not be read back as the item. Documents check what JSON says. */
const linesCell = <T extends object>(
  holds: string,
  parse: (line: string) => T,
  print: (item: T) => string,
  open: (context: CellContext) => (item: T) => T,
): CellType<Lines<T>> => ({
  holds,
  open(context) {
    const known = open(context);
    return (text) => {
      const items = text.startsWith("[") ? jsonOf(text) : undefined;
      if (Array.isArray(items)) return items;
      const lines = text.split("\n").map((line) => line.trim());
      return lines.filter((line) => line !== "").map((line) => known(parse(line)));
    };
  },
  print(items) {
    const lines = items.map(print);
    const isRead = lines.every(
      (line, at) => isDeepStrictEqual(parse(line), items[at]) && !/^\s|\s$|^\[|[\r\n]/.test(line),
    );
    return isRead && !items.isLiteral ? lines.join("\n") : JSON.stringify(items);
  },
});

const clock = String.raw`(?<time>\d{1,2}(?:[:.h]\d\d|\d\d)? ?(?:[ap]\.?m?\.?|hrs?|h|uhr)?|o\/c|w\/n)`;
const note = String.raw`(?: \((?<note>[^()]*)\))?`;
const callForms = [
  new RegExp(String.raw`^${clock} (?:[-–:] ?)?(?<who>\S.*?)${note}$`, "i"),
  new RegExp(String.raw`^(?<who>\S.*?)(?: ?[:@–=] ?| - ?| )${clock}${note}$`, "i"),
];

/** "07:00 Mara (make-up first)", "Mara: 7 am"; a line without a time is a person on call. */
function callOf(line: string): Call {
  const text = line.slice(0, 1000).replace(/\s+/g, " ");
  for (const form of callForms) {
    const { who = "", time = "", note } = form.exec(text)?.groups ?? {};
    const callTime = timeOfDay(time) ?? (/^\D/.test(time) ? time.toUpperCase() : undefined);
    if (callTime !== undefined) return { who, time: callTime, ...(note === undefined || note === "" ? {} : { note }) };
  }
  return { who: line, time: "O/C" };
}

/** What a call names, in the production's spelling: an asset, the number of a character, a person or a department. */
function whoAmong({ known, departments }: CellContext): (who: string) => string {
  const { byReference, byLabel, byCastNumber } = thingsIn(known.items("assets"));
  return (who) =>
    byReference.has(who) || namesIn(known.people).names.has(who) || departments.find(who) === who
      ? who
      : (byCastNumber.get(castKey(who)) ??
        byLabel.get(fold(who)) ??
        byLabel.get(fold(castNameOf(who))) ??
        spellingIn(known.people, who) ??
        departments.find(who) ??
        who);
}

export const callsCell = linesCell<Call>(
  "calls, one on each line: 07:00 Mara",
  callOf,
  ({ who, time, note }) => `${time} ${who}${note === undefined ? "" : ` (${note})`}`,
  (context) => {
    const whoOf = whoAmong(context);
    return (call) => ({ ...call, who: whoOf(call.who) });
  },
);

const bannerText = ({ before, text }: Banner): string => (typeof before === "string" ? `${before}: ${text}` : text);

/** "12: COMPANY MOVE" stands before scene 12; a text alone stands after the last scene. */
function bannerOf(line: string): Banner {
  const [, before = "", text = ""] = /^(\S+): (.*\S)$/.exec(line) ?? [];
  return before === "" || before.length > 60 ? { text: line } : { before, text };
}

export const bannersCell = linesCell<Banner>(
  "banners, one on each line: 12: COMPANY MOVE",
  bannerOf,
  bannerText,
  ({ known }) => {
    const script = new ScriptScenes({ known });
    return (banner) => {
      const before = typeof banner.before === "string" ? script.find(banner.before) : undefined;
      return before === undefined ? { text: bannerText(banner) } : { before, text: banner.text };
    };
  },
);
