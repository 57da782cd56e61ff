// Reads and writes the schedule as a CSV list: a one-liner or a stripboard, with day breaks or with a column for the
// day.
import { isDeepStrictEqual } from "node:util";
import { dayKey, dayOfKey, unitKey, unitOf } from "../../graph/units.ts";
import type { ProductionDocument } from "../documents/sections/schema.ts";
import { sceneName } from "../documents/sections/sections.ts";
import { quoted } from "../names/names.ts";
import { formatEighths, parseEighths, type StripLength, typedEighths, writtenEighths } from "../names/page_lengths.ts";
import { clockTimeOf } from "../names/typed_times.ts";
import { castNameOf, castNumbersIn } from "../paperwork/cast_numbers.ts";
import { dayBreakOf, type PrintedDayBreak } from "../paperwork/day_breaks.ts";
import { CellRefusal, Findings } from "../paperwork/findings.ts";
import { castKey, shootDaysIn, thingsIn } from "../paperwork/known_names.ts";
import { append, remembering } from "../sequences/sequences.ts";
import { type CellType, dateCell, interiorCell, listCell, plainCell, textCell } from "./cells.ts";
import type { CsvRow, Header } from "./csv.ts";
import { bannersCell, callsCell, dayLinesCell, timeOrRefusal, wrapCell } from "./day_cells.ts";
import { column, defineList, type WrittenRow } from "./list.ts";
import { buildSchedule } from "./schedule_building.ts";

/** The number of a day in a text without a unit; 0 if there is none. */
function dayNumberIn(text: string): number {
  const bare = text
    .replace(/^(?:(?:shoot(?:ing)?\s*)?day|drehtag|tag|dt|jour|[dj])\s*/i, "")
    .replace(/^(?:#|no\.?|nr\.?)\s*/i, "");
  const digits = /^(\d+)(?:\s*(?:of|\/)\s*\d+)?$/i.exec(bare)?.[1] ?? "";
  return digits.length > 15 ? 0 : Number(digits);
}

/** A day whose unit is undefined where the cell says none. */
type DayCell = { unit?: string; day_number: number };

/**
 * The unit at the beginning of a text and what follows it: one that the production has, or words that end in "Unit".
 */
function unitBefore(text: string, units: ReadonlyMap<string, string>): [unit: string | undefined, rest: string] {
  const known = dayOfKey(text);
  if (known !== undefined && known.unit !== "" && units.has(unitKey(known.unit)))
    return [known.unit, String(known.day_number)];
  const word = /\bunit\b[ ,:-]*/gi;
  word.lastIndex = 1; // something stands before the word
  const found = word.exec(text.slice(0, 100));
  if (found === null || found.index > 40) return [undefined, text];
  return [unitOf(text.slice(0, found.index + "unit".length)), text.slice(word.lastIndex)];
}

const dayCell: CellType<DayCell> = {
  holds: "the number of the shoot day, of another unit such as 2nd Unit 3",
  open({ known }) {
    const { units } = shootDaysIn(known.items("schedule"));
    return remembering((text) => {
      const [unit, rest] = unitBefore(text, units);
      const day_number = dayNumberIn(rest);
      if (day_number === 0) return new CellRefusal(`${quoted(text)} is not the number of a shoot day`);
      return { ...(unit !== undefined && { unit }), day_number };
    });
  },
  print: (day) => dayKey(day),
};

const unitCell = plainCell("the unit of the shoot day; empty: the main unit", (text) =>
  text.length > 40 ? new CellRefusal("the text has more than 40 characters") : unitOf(text),
);

const pages = plainCell<StripLength>(
  'pages in eighths, such as "1 7/8"; "~1 7/8" is the estimate of the script',
  (text) => {
    const bare = text
      .replace(/^~\s*/, "")
      .replace(/(?:pages?|pgs?\.?|p\.?|seiten?|s\.?)$/i, "")
      .trimEnd();
    const eighths = typedEighths(bare);
    if (eighths === undefined) return new CellRefusal(`${quoted(text)} is not a number of eighths`);
    return { eighths, ...(text.startsWith("~") && { isEstimate: true }) };
  },
  ({ eighths, isEstimate = false }) => `${isEstimate ? "~" : ""}${writtenEighths(eighths)}`,
);

const castList = listCell("names, or the numbers of the cast list", /[\n;,]/);
/** The cast of a strip: names, and numbers of the cast list. */
export interface StripCast {
  names: readonly string[];
  numbers: readonly string[];
  /** A name could be read as a cast number, so that the names are written as JSON. */
  isLiteral?: boolean;
}

/** Names stay, with the numbers before them taken off; numbers alone are those of the cast list. */
function castIn(items: readonly string[], known: ReadonlyMap<string, string>, findings?: Findings): StripCast {
  const [names, numbers]: [string[], string[]] = [[], []];
  for (const item of items) {
    const castNumbers = castNumbersIn(item, known, findings);
    if (castNumbers === undefined) names.push(castNameOf(item));
    else append(numbers, castNumbers);
  }
  return { names, numbers };
}

const cast: CellType<StripCast> = {
  holds: castList.holds,
  open(context) {
    const read = castList.open(context);
    const { byCastNumber } = thingsIn(context.known.items("assets"));
    const findings = new Findings();
    return (text) => {
      const items = read(text.replace(castPrefix, ""));
      if (items instanceof CellRefusal) return items;
      return text.startsWith("[") ? { names: items, numbers: [] } : castIn(items, byCastNumber, findings);
    };
  },
  print({ names, isLiteral }, zone) {
    const isRead = isDeepStrictEqual(castIn(names, new Map()).names, names);
    return isRead && !isLiteral && !castPrefix.test(names[0] ?? "")
      ? castList.print([...names], zone)
      : JSON.stringify(names);
  },
};
const castPrefix = /^c(?:ast)?\s*:\s*/i;

/** A call that an older version stored in another way than 07:00 is exported in quotes, and stays as it is. */
const time = plainCell(
  "a time of day",
  (text) => {
    if (text.length > 100) return new CellRefusal("the text has more than 100 characters");
    return unquoted(text) ?? timeOrRefusal(text);
  },
  (value) => (clockTimeOf(value) === value ? value : `"${value}"`),
);
const unquoted = (text: string): string | undefined => /^"([\s\S]*)"$/.exec(text)?.[1];

export const scheduleColumns = {
  day: column("Day, Shoot Day, Shooting Day, Day No, Shoot Day No", dayCell),
  unit: column("Unit, Shooting Unit, Shoot Unit", unitCell),
  date: column("Date, Shoot Date, Shooting Date, Shoot Day Date", dateCell),
  general_call: column("Call, General Call, Unit Call, Crew Call, Call Time", time),
  status: column("Day Status", textCell(100)),
  location: column("Location, Locations, Shooting Location, Day Location", textCell(500)),
  notes: column("Day Notes", textCell()),
  wrap: column("Wrap, Wrap Time, Est Wrap, Estimated Wrap", wrapCell),
  time_zone: column("Time Zone, Timezone, Day Time Zone", textCell(100, "the IANA name of the day's time zone")),
  calls: column("Calls, Individual Calls, Cast Calls, Call Times", callsCell),
  banners: column("Banners", bannersCell),
  lines: column("Lines, Sheet Lines", dayLinesCell),
  scenes: column("Scene, Scenes, Sc, Scs, Scene No, Sc No", textCell(1000, "a scene, or several: 12, 14A pt")),
  part: column("Part, Scene Part, Strip Part", textCell(50, "the part of the scene that is shot, such as pt2")),
  episode: column("Episode, Ep, Eps, Episode No, Ep No", textCell(50)),
  slugline: column("Slugline, Scene Heading, Heading, Slug", textCell(500), { onlyMapped: true }),
  int_ext: column("I/E, Int/Ext, Int./Ext., Interior/Exterior", interiorCell, { onlyMapped: true }),
  set: column("Set, Set Name, Sets", textCell(500), { onlyMapped: true }),
  time_of_day: column("D/N, Day/Night, Time of Day", textCell(100), { onlyMapped: true }),
  synopsis: column("Synopsis, Description, Scene Description", textCell(), { onlyMapped: true }),
  pages: column("Pages, Pgs, Pg, Page Count, Page Length, Pages (8ths), Page 8th", pages),
  script_day: column("Script Day, Story Day", textCell(100)),
  cast: column("Cast, Cast ID, Cast IDs, Cast Members, Cast No, Cast Numbers, ID List, Characters, Character", cast),
};

/**
 * A row is a day break if its text is one, and no scene and no day of its own stands in its columns. What stands in the
 * columns of the day beside that text counts too.
 */
function dayBreaks({ fields }: Header): (row: CsvRow) => PrintedDayBreak | undefined {
  const [sceneAt, dayAt] = [fields.indexOf("scenes"), fields.indexOf("day")];
  return ({ cells, line }) => {
    const filled = cells.filter((cell) => cell !== "");
    const [scene, day] = [cells[sceneAt] ?? "", cells[dayAt] ?? ""];
    if (day !== "" && (day !== filled[0] || /^\d+$/.test(day))) return undefined;
    if (scene !== "" && dayBreakOf(scene, line) === undefined) return undefined;
    const found = dayBreakOf(filled.join(" "), line);
    if (found === undefined) return undefined;
    const dayFields = dayColumns.flatMap((field) => {
      const cell = cells[fields.indexOf(field)] ?? "";
      return cell === "" || cell === filled[0] ? [] : [[field, field === "unit" ? unitOf(cell) : cell] as const];
    });
    return { ...found, ...Object.fromEntries(dayFields) };
  };
}
const dayColumns = ["unit", "general_call", "location", "wrap"] as const;

/** A schedule has days: in a column, or in breaks between its scenes. */
function hasDays(header: Header, list: readonly CsvRow[]): boolean {
  const breakOf = dayBreaks(header);
  return header.fields.some((field) => field === "day" || field === "date") || list.some((row) => breakOf(row));
}

/** Writes the cast of a scene, where its elements have it as a list of names. */
export function castWriter({ assets }: ProductionDocument) {
  const numbers = new Map(
    assets.flatMap(({ cast_number: number }) => (number === undefined ? [] : [[castKey(number), number]])),
  );
  return ({ cast }: Record<string, unknown>): StripCast | undefined => {
    const isList = Array.isArray(cast) && cast.every((name) => typeof name === "string");
    if (!isList || cast.length === 0 || new Set(cast).size < cast.length) return undefined;
    const isLiteral = cast.some((name) => castNumbersIn(name, numbers) !== undefined);
    return { names: cast, numbers: [], isLiteral };
  };
}

/** The length of a scene, where its elements have it as eighths. */
export function lengthOf({ pages, pages_estimated }: Record<string, unknown>): StripLength | undefined {
  const eighths = typeof pages === "string" ? parseEighths(pages) : undefined;
  if (eighths === undefined || formatEighths(eighths) !== pages) return undefined;
  return { eighths, ...(pages_estimated === true && { isEstimate: true }) };
}

/** The cells of a day: "2nd Unit 3" in one, where a reader sees the unit; otherwise in two. */
function dayColumnsOf(day_number: number, unit: string | null | undefined): { day: DayCell; unit?: string } {
  if ((unit ?? "") === "") return { day: { day_number } };
  const name = unit ?? "";
  const isRead = unitBefore(`${name} ${day_number}`, new Map())[0] === name;
  return isRead ? { day: { unit: name, day_number } } : { day: { day_number }, unit: name };
}

/**
 * One row for each strip; a day without strips has one row too. The fields of a scene are at its first strip, those of
 * a day at its first row.
 */
function rows(document: ProductionDocument): WrittenRow<typeof scheduleColumns>[] {
  const { schedule, scenes, assets, people, departments } = document;
  const castOf = castWriter(document);
  const called = new Set([
    ...assets.map(({ ref, label }) => ref ?? label),
    ...people.map(({ name }) => name),
    ...departments.map(({ slug }) => slug),
  ]);
  const unseen = new Map(scenes.map((scene) => [sceneName(scene.number, scene.episode), scene]));
  const sluglines = new Map([...unseen].map(([reference, { slugline }]) => [reference, slugline]));
  return schedule.flatMap(({ day_number, unit, date, general_call, status, scenes, ...rest }) => {
    const parts = new Map(rest.parts.map((part) => [part.scene, part]));
    const { location, notes, wrap, time_zone, calls, banners, lines } = rest;
    const isLiteral = calls.some(({ who }) => !called.has(who)); // a reader would look for what it may mean
    const sheet = { location, notes, wrap, time_zone, banners, lines, calls: Object.assign([...calls], { isLiteral }) };
    return (scenes.length === 0 ? [undefined] : scenes).map((reference, at) => {
      const { elements = {} } = unseen.get(reference ?? "") ?? {};
      if (reference !== undefined) unseen.delete(reference);
      const part = parts.get(reference ?? "");
      return {
        ...dayColumnsOf(day_number, unit),
        date,
        general_call,
        status,
        ...(at === 0 && sheet),
        scenes: reference,
        part: part?.text,
        slugline: sluglines.get(reference ?? ""),
        pages: lengthOf(part ?? elements),
        cast: castOf(elements),
      };
    });
  });
}

export const scheduleList = defineList({
  title: "a schedule",
  columns: scheduleColumns,
  needs: [["scenes"]],
  banners: dayBreaks,
  evidence: (header, list) => (hasDays(header, list) ? 1 : -2),
  build: buildSchedule,
  rows,
});
