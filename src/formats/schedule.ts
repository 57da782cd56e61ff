// Reads and writes the schedule as a CSV list: a one-liner or a stripboard, with day breaks or with a column for the day.
import { sceneName } from "../document/sections/names.ts";
import type { ProductionDocument } from "../document/sections/schema.ts";
import { quoted } from "../spelling.ts";
import { CellRefusal, type CellType, dateCell, listCell, textCell } from "./cells.ts";
import type { CsvRow, Header } from "./csv.ts";
import { dayBreakOf, type PrintedDayBreak, timeOfDay } from "./day_breaks.ts";
import { bannersCell, callsCell, wrapCell } from "./day_cells.ts";
import { defineList, type WrittenRow } from "./list.ts";
import { buildSchedule } from "./schedule_building.ts";
import { formatEighths, parseEighths } from "./script.ts";

const dayNumber: CellType<number> = {
  holds: "the number of the shoot day",
  open: () => (text) => {
    const found = /^(?:(?:shoot(?:ing)?\s*)?day|d)?\s*(?:#|no\.?)?\s*(\d{1,15})(?:\s*(?:of|\/)\s*\d{1,15})?$/i.exec(
      text,
    );
    const day = Number(found?.[1] ?? 0);
    return day > 0 ? day : new CellRefusal(`${quoted(text)} is not the number of a shoot day`);
  },
  print: String,
};

/** Spreadsheets turn 1 7/8 into 1.875. */
const pages: CellType<number> = {
  holds: 'pages in eighths, such as "1 7/8"',
  open: () => (text) => {
    const bare = text.replace(/\s*(?:pages?|pgs?\.?|p\.?)$/i, "");
    const eighths = parseEighths(bare) ?? (/^\d{0,4}\.\d{1,3}0*$/.test(bare) ? Number(bare) * 8 : undefined);
    return eighths !== undefined && Number.isInteger(eighths)
      ? eighths
      : new CellRefusal(`${quoted(text)} is not a number of eighths`);
  },
  print: formatEighths,
};

const castList = listCell("names, or the numbers of the cast list", /[\n;,]/);
const isCastNumber = (item: string): boolean => /^\d{1,4}[a-z]{0,2}$/i.test(item);

export const namesAmong = (items: readonly string[]): string[] =>
  items
    .filter((item) => !item.split(/[\s./&-]+/).every((each) => each === "" || isCastNumber(each)))
    .map((name) => name.replace(/^\(?\d{1,4}[a-z]?(?:[.):]\s*|\s*-\s+|\s+)(?=\D)/i, "").trim() || name);

/** The cast of a strip: names, and numbers of the cast list. */
export interface StripCast {
  names: readonly string[];
  numbers: readonly string[];
}

/** Names stay, with the numbers before them taken off; numbers alone are those of the cast list. */
const cast: CellType<StripCast> = {
  holds: castList.holds,
  open(context) {
    const read = castList.open(context);
    return (text) => {
      const items = read(text);
      if (items instanceof CellRefusal) return items;
      if (text.startsWith("[")) return { names: items, numbers: [] };
      const numbers = items
        .filter((item) => namesAmong([item]).length === 0)
        .flatMap((item) => item.split(/[\s./&-]+/));
      return { names: namesAmong(items), numbers: numbers.filter((number) => number !== "") };
    };
  },
  print({ names }) {
    const printed = castList.print([...names]);
    return namesAmong(names).join("\n") === names.join("\n") ? printed : JSON.stringify(names);
  },
};

/** A call that is written in another way than 07:00 is exported in quotes, and stays as it is. */
const time: CellType<string> = {
  holds: "a time of day",
  open: () => (text) =>
    text.length > 100 ? new CellRefusal("the text has more than 100 characters") : (unquoted(text) ?? timeOfDay(text)),
  print: (value) => (timeOfDay(value) === value && unquoted(value) === undefined ? value : `"${value}"`),
};
const unquoted = (text: string): string | undefined => /^"([\s\S]*)"$/.exec(text)?.[1];

export const scheduleColumns = {
  day: {
    aliases: ["Day", "Shoot Day", "Shooting Day", "Day No", "Day Number", "Shoot Day No", "Shoot Day Number"],
    cell: dayNumber,
  },
  date: { aliases: ["Date", "Shoot Date", "Shooting Date", "Shoot Day Date"], cell: dateCell },
  general_call: { aliases: ["Call", "General Call", "Unit Call", "Crew Call", "Call Time"], cell: time },
  status: { aliases: ["Day Status"], cell: textCell(100) },
  location: { aliases: ["Location", "Locations", "Shooting Location", "Day Location"], cell: textCell(500) },
  notes: { aliases: ["Day Notes"], cell: textCell() },
  wrap: { aliases: ["Wrap", "Wrap Time", "Est Wrap", "Estimated Wrap"], cell: wrapCell },
  calls: { aliases: ["Calls", "Individual Calls", "Cast Calls", "Call Times"], cell: callsCell },
  banners: { aliases: ["Banners"], cell: bannersCell },
  scenes: {
    aliases: [
      "Scene",
      "Scenes",
      "Sc",
      "Scs",
      "Scene No",
      "Scene Nos",
      "Scene Number",
      "Scene Numbers",
      "Sc No",
      "Sc Nos",
      "Scene Nr",
    ],
    cell: textCell(1000, "a scene, or several: 12, 14A pt"),
  },
  episode: { aliases: ["Episode", "Ep", "Eps", "Episode No"], cell: textCell(50) },
  slugline: { aliases: ["Slugline", "Scene Heading", "Heading", "Slug"], cell: textCell(500), onlyMapped: true },
  int_ext: { aliases: ["I/E", "Int/Ext", "Int./Ext.", "Interior/Exterior"], cell: textCell(100), onlyMapped: true },
  set: { aliases: ["Set", "Set Name", "Sets"], cell: textCell(500), onlyMapped: true },
  time_of_day: { aliases: ["D/N", "Day/Night", "Time of Day"], cell: textCell(100), onlyMapped: true },
  synopsis: { aliases: ["Synopsis", "Description", "Scene Description"], cell: textCell(), onlyMapped: true },
  pages: { aliases: ["Pages", "Pgs", "Pg", "Page Count", "Page Length", "Pages (8ths)", "Script Pages"], cell: pages },
  script_day: { aliases: ["Script Day", "Story Day"], cell: textCell(100) },
  cast: { aliases: ["Cast", "Cast ID", "Cast IDs", "Cast Members", "Cast No", "Characters", "Character"], cell: cast },
} as const;

/** A row is a day break if its text is one, and no scene and no day of its own stands in its columns. */
function dayBreaks({ fields }: Header): (row: CsvRow) => PrintedDayBreak | undefined {
  const [sceneAt, dayAt] = [fields.indexOf("scenes"), fields.indexOf("day")];
  return ({ cells, line }) => {
    const filled = cells.filter((cell) => cell !== "");
    const [scene, day] = [cells[sceneAt] ?? "", cells[dayAt] ?? ""];
    if (day !== "" && (day !== filled[0] || /^\d+$/.test(day))) return undefined;
    if (scene !== "" && dayBreakOf(scene, line) === undefined) return undefined;
    return dayBreakOf(filled.join(" "), line);
  };
}

type ScheduleRow = WrittenRow<typeof scheduleColumns>;

/** The names of the cast, where the scene's elements have them as a list of names. */
export function castNamesOf({ cast }: Record<string, unknown>): string[] | undefined {
  if (!Array.isArray(cast) || cast.length === 0 || new Set(cast).size < cast.length) return undefined;
  return cast.every((name) => typeof name === "string") ? cast : undefined;
}

/** The length of a scene, where its elements have it as eighths. */
export function lengthOf({ pages }: Record<string, unknown>): number | undefined {
  const eighths = typeof pages === "string" ? parseEighths(pages) : undefined;
  return eighths !== undefined && formatEighths(eighths) === pages ? eighths : undefined;
}

/** One row for each strip; a day without strips has one row too. The fields of a scene are at its first strip, those of a day at its first row. */
function rows({ schedule, scenes, assets, people, departments }: ProductionDocument): ScheduleRow[] {
  const called = new Set([
    ...assets.map(({ ref, label }) => ref ?? label),
    ...people.map(({ name }) => name),
    ...departments.map(({ slug }) => slug),
  ]);
  const unseen = new Map(scenes.map((scene) => [sceneName(scene.number, scene.episode), scene]));
  const sluglines = new Map([...unseen].map(([reference, { slugline }]) => [reference, slugline]));
  return schedule.flatMap(
    ({ day_number, date, general_call, status, location, notes, wrap, calls, banners, scenes }): ScheduleRow[] => {
      const day = { day: day_number, date, general_call, status };
      const isText = calls.some(({ who }) => !called.has(who)); // a reader would look for what it may mean
      const listed = Object.assign([...calls], isText ? { isLiteral: true as const } : {});
      const sheet = { location, notes, wrap, calls: listed, banners };
      if (scenes.length === 0) return [{ ...day, ...sheet }];
      return scenes.map((reference, at): ScheduleRow => {
        const { elements = {} } = unseen.get(reference) ?? {};
        unseen.delete(reference);
        const names = castNamesOf(elements);
        return {
          ...{ ...day, ...(at === 0 && sheet), scenes: reference, slugline: sluglines.get(reference) },
          ...{ pages: lengthOf(elements), cast: names && { names, numbers: [] } },
        };
      });
    },
  );
}

export const scheduleList = defineList({
  title: "a schedule",
  columns: scheduleColumns,
  needs: [["scenes"]],
  banners: dayBreaks,
  build: buildSchedule,
  rows,
});
