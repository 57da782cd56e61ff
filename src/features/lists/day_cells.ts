// The cells of a schedule that say who is called on a day, and what stands between its scenes.
import { isDeepStrictEqual } from "node:util";
import { sameName, samePerson, withoutAccents } from "../../core/wording.ts";
import { callWords } from "../documents/sections/schema.ts";
import { meantOf } from "../names/meant.ts";
import { quoted } from "../names/names.ts";
import { clockTimeOf, typedTime } from "../names/typed_times.ts";
import { castNameOf } from "../paperwork/cast_numbers.ts";
import { CellRefusal } from "../paperwork/findings.ts";
import { castKey, namesIn, spellingIn, thingsIn } from "../paperwork/known_names.ts";
import type { PartialDay } from "../paperwork/partial.ts";
import { ScriptScenes } from "../paperwork/scenes.ts";
import { type CellContext, type CellType, jsonOf, plainCell } from "./cells.ts";

type Call = NonNullable<PartialDay["calls"]>[number];
type Banner = NonNullable<PartialDay["banners"]>[number];
type DayLine = NonNullable<PartialDay["lines"]>[number];

/** A time of day as 07:00. */
export const timeOrRefusal = (text: string): string | CellRefusal =>
  typedTime(text) ?? new CellRefusal(`${quoted(text)} is not a time of day`);

export const wrapCell = plainCell("a time of day", timeOrRefusal);

/** Items of a list; literal ones name things as they are, and are written as JSON. */
export type Lines<T> = readonly T[] & { readonly isLiteral?: boolean };

/**
 * A list with one item on each line, or as JSON where a line would not be read back as the item. Documents check what
 * JSON says.
 */
const linesCell = <T extends object>(
  holds: string,
  parse: (line: string) => T,
  print: (item: T) => string,
  open: (context: CellContext) => (item: T) => T | CellRefusal,
): CellType<Lines<T>> => ({
  holds,
  open(context) {
    const known = open(context);
    return (text) => {
      const items = text.startsWith("[") ? jsonOf(text) : undefined;
      if (Array.isArray(items)) return items;
      const lines = text.split("\n").map((line) => line.trim());
      const read = lines.filter((line) => line !== "").map((line) => known(parse(line)));
      const isRead = (item: T | CellRefusal): item is T => !(item instanceof CellRefusal);
      return read.find((item) => item instanceof CellRefusal) ?? read.filter(isRead);
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

const clock = String.raw`(?<time>\d{1,2}(?:[:.h]\d\d|\d\d)? ?(?:[ap]\.?m?\.?|hrs?|h|uhr)?|${callWords.join("|")})`;
const note = String.raw`(?: \((?<note>[^()]*)\))?`;
const callForms = [
  new RegExp(String.raw`^${clock} (?:[-–:] ?)?(?<who>\S.*?)${note}$`, "i"),
  new RegExp(String.raw`^(?<who>\S.*?)(?: ?[:@–=] ?| - ?| )${clock}${note}$`, "i"),
];

const onCall = "O/C";

/** What a call has in brackets before its note, by its field: "make-up 06:15". */
const timeNames = { pickup: "pick-up", makeup: "make-up", costume: "costume", on_set: "on set" } as const;
const timeForms = [
  ["pickup", /^pick-? ?up:? (.+)$/i],
  ["makeup", /^make-? ?up:? (.+)$/i],
  ["costume", /^costume:? (.+)$/i],
  ["on_set", /^on[ -]set:? (.+)$/i],
] as const;

/** A time as a call has it, or a word of call sheets; undefined for any other text. */
const callTimeOf = (text: string): string | undefined =>
  clockTimeOf(text) ?? callWords.find((word) => word === text.toUpperCase());

/**
 * The times at the beginning of what stands in brackets, and the note that follows: "pick-up 05:45, on set 08:00, bring
 * boots".
 */
function bracketsOf(text: string): Partial<Call> {
  const found: Partial<Call> = {};
  const parts = text.split(", ");
  for (const [at, part] of parts.entries()) {
    const [field, , time] = timeForms
      .map(([name, form]) => [name, form, callTimeOf(form.exec(part)?.[1] ?? "")] as const)
      .find(([name, , read]) => read !== undefined && found[name] === undefined) ?? [undefined];
    if (field === undefined || time === undefined) return { ...found, note: parts.slice(at).join(", ") };
    found[field] = time;
  }
  return found;
}

/** "07:00 Mara (make-up first)", "Mara: 7 am"; a line without a time is a person on call. */
function callOf(line: string): Call {
  const text = line.slice(0, 1000).replace(/\s+/g, " ");
  for (const form of callForms) {
    const { who = "", time = "", note = "" } = form.exec(text)?.groups ?? {};
    const callTime = callTimeOf(time);
    if (callTime !== undefined) return { who, time: callTime, ...(note !== "" && bracketsOf(note)) };
  }
  return { who: line, time: onCall };
}

/**
 * What a call names, in the production's spelling: an asset, a character by number or performer, a person or a
 * department; what is named so but for accents; otherwise the text as it is. A refusal if several are.
 */
function whoAmong({ known, departments, say }: CellContext): (who: string) => string | CellRefusal {
  const things = thingsIn(known.items("assets"));
  const namedBy = (who: string): string | undefined =>
    things.byLabel.get(sameName(who)) ?? things.byLabel.get(sameName(castNameOf(who))) ?? spellingIn(known.people, who);
  const isAsWritten = (who: string): boolean =>
    things.byReference.has(who) || namesIn(known.people).names.has(who) || departments.find(who) === who;
  return (who) => {
    if (isAsWritten(who)) return who;
    const found = things.byCastNumber.get(castKey(who)) ?? namedBy(who);
    if (found !== undefined) return found;
    const [played, ...others] = things.byPerformer.get(samePerson(who)) ?? [];
    if (played !== undefined && others.length === 0) return played;
    const department = played === undefined ? departments.find(who) : undefined;
    if (department !== undefined) return department;
    const form = withoutAccents(who);
    const alike = [...(things.unaccented.get(form) ?? []), ...(namesIn(known.people).unaccented.get(form) ?? [])];
    const meant = meantOf(who, played === undefined ? alike : [played, ...others]);
    if (meant?.found !== undefined) say(meant.sentence);
    return meant === undefined ? who : (meant.found ?? new CellRefusal(meant.sentence));
  };
}

export const callsCell = linesCell<Call>(
  "calls, one on each line: 07:00 Mara",
  callOf,
  ({ who, time, note, ...times }) => {
    const before = timeForms.flatMap(([field]) =>
      times[field] === undefined ? [] : `${timeNames[field]} ${times[field]}`,
    );
    const brackets = [...before, ...(note === undefined ? [] : [note])].join(", ");
    return `${time} ${who}${brackets === "" ? "" : ` (${brackets})`}`;
  },
  (context) => {
    const whoOf = whoAmong(context);
    return (call) => {
      if (call.time === onCall && /^\d{1,2}[:.]\d\d\b/.test(call.who))
        return new CellRefusal(`${quoted(call.who)} does not begin with a time of day`);
      const who = whoOf(call.who);
      return who instanceof CellRefusal ? who : { ...call, who };
    };
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

/** "Base: Yard behind stage 2"; what has no label is refused. */
export const dayLinesCell = linesCell<DayLine>(
  "lines of the call sheet, each with its label: Base: Yard behind stage 2",
  (line) => {
    const at = line.indexOf(":");
    const text = line.slice(at + 1).trimStart();
    return at < 1 || at > 100 || text === "" ? { label: "", text: line } : { label: line.slice(0, at).trim(), text };
  },
  ({ label, text }) => `${label}: ${text}`,
  () => (line) =>
    line.label === ""
      ? new CellRefusal(`${quoted(line.text)} has no label; write it as Base: Yard behind stage 2`)
      : line,
);
