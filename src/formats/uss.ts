// Reads the Universal Schedule Standard (.uss): JSON with breakdown sheets, their elements, and stripboards with calendars.
// github.com/UniversalScheduleStandard: versions 0.1 to 1.0 name some keys in two ways, and both are read.
import { isUtf8 } from "node:buffer";
import { fold, listed, quoted } from "../spelling.ts";
import {
  type Board,
  type BoardItem,
  type BoardStrip,
  type DayBreak,
  scheduleOf,
  shootDates,
  splitDays,
} from "./board.ts";
import { bufferOf } from "./bytes.ts";
import { isRecord } from "./cells.ts";
import { Findings, Mentions, refuse } from "./findings.ts";
import type { PaperReading, ReadOptions } from "./partial.ts";
import { castName, clean, interiorExterior, maxSheets, type Sheet, scenesOfSheets } from "./sheets.ts";

type Json = Readonly<Record<string, unknown>>;

const maxBytes = 64 * 2 ** 20;

const textOf = (value: unknown): string =>
  typeof value === "string" ? clean(value) : typeof value === "number" ? String(value) : "";
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const objectsOf = (value: unknown): readonly Json[] => listOf(value).filter(isRecord);

function parse(bytes: Uint8Array): Json {
  const file = bufferOf(bytes, maxBytes, "a schedule");
  if (!isUtf8(file)) refuse("the file is not UTF-8 text");
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(file));
  } catch (error) {
    refuse(`the file is not JSON: ${(error as SyntaxError).message}`);
  }
  const root = isRecord(value) ? value.universalScheduleStandard : undefined;
  if (!isRecord(root))
    return refuse('the file is not a Universal Schedule: it has no object "universalScheduleStandard"');
  for (const name of ["breakdowns", "categories", "elements"])
    if (!Array.isArray(root[name])) refuse(`the file is not a Universal Schedule: ${name} must be a list`);
  return root;
}

interface Element {
  name: string;
  category: string;
  /** The number of the category in the Category Identification Standard. */
  id: unknown;
}

/** Elements by id. One without a category is ignored; of two categories the first counts. */
function elementsOf(root: Json): Map<string, Element> {
  const names = new Map(objectsOf(root.elements).map((element) => [element.id, textOf(element.name)]));
  const elements = new Map<string, Element>();
  for (const category of objectsOf(root.categories))
    for (const id of listOf(category.elements)) {
      const name = names.get(id);
      if (typeof id === "string" && name && !elements.has(id))
        elements.set(id, { name, category: textOf(category.name), id: category.ucid ?? category.catId });
    }
  return elements;
}

type Role = "set" | "int_ext" | "time_of_day" | "script_day" | "location" | "cast" | "tag";

const rolesById = new Map<unknown, Role>([
  [0, "set"],
  [1, "int_ext"],
  [2, "time_of_day"],
  [3, "script_day"],
  [6, "location"],
  [100, "cast"],
]);
const rolesByName = new Map<string, Role>([
  ["set", "set"],
  ["intext", "int_ext"],
  ["daynight", "time_of_day"],
  ["scriptday", "script_day"],
  ["location", "location"],
  ["castmembers", "cast"],
  ["cast", "cast"],
]);

const roleOf = ({ category, id }: Element): Role => rolesById.get(id) ?? rolesByName.get(fold(category)) ?? "tag";

/** The elements of a breakdown, and the names of those that have a role. */
function elementsIn(breakdown: Json | undefined, elements: ReadonlyMap<string, Element>) {
  const own = listOf(breakdown?.elements).flatMap((id) => elements.get(id as string) ?? []);
  const named = (role: Role): string[] => own.filter((element) => roleOf(element) === role).map(({ name }) => name);
  return { own, named, location: named("location").join("; ") || undefined };
}

function eighthsOf(pages: unknown, place: string, findings: Findings): number | undefined {
  if (pages === null || pages === undefined) return undefined;
  const eighths = typeof pages === "number" ? Math.round(pages * 8) : Number.NaN;
  if (typeof pages === "number" && eighths >= 0 && Math.abs(pages * 8 - eighths) < 0.01) return eighths;
  findings.problem(`${place}: ${quoted(String(pages))} is not a number of pages in eighths`);
  return undefined;
}

interface Counts {
  findings: Findings;
  mentions: Mentions;
}

function sheetOf(
  breakdown: Json,
  at: number,
  elements: ReadonlyMap<string, Element>,
  { findings, mentions }: Counts,
): Sheet {
  const place = `breakdowns[${at}]`;
  mentions.add(listOf(breakdown.elements).length);
  const { own, named, location } = elementsIn(breakdown, elements);
  const tags = Map.groupBy(
    own.filter((element) => ["tag", "location"].includes(roleOf(element))),
    ({ category }) => category,
  );
  return {
    scenes: textOf(breakdown.scene),
    place,
    int_ext: interiorExterior(named("int_ext")[0] ?? ""),
    set: named("set")[0] ?? "",
    time_of_day: (named("time_of_day")[0] ?? "").toUpperCase(),
    synopsis: clean(typeof breakdown.description === "string" ? breakdown.description : "", 2000),
    script_day: named("script_day")[0] ?? "",
    eighths: eighthsOf(breakdown.pages, place, findings),
    location,
    cast: named("cast").map(castName),
    texts: { comments: clean(typeof breakdown.comments === "string" ? breakdown.comments : "", 2000) },
    tags: new Map([...tags].map(([category, list]) => [category, list.map(({ name }) => name)])),
  };
}

type Strip = BoardItem<BoardStrip, DayBreak>;

/** The strips and day breaks of a board: ids in a row with breakdowns of type day between them, or a list of ids for each day. */
function itemsOf(
  board: Json,
  breakdowns: ReadonlyMap<unknown, Json>,
  sheets: ReadonlyMap<unknown, Sheet>,
  locationOf: (breakdown: Json | undefined) => string | undefined,
): Strip[] {
  const entries = listOf(board.breakdownIds ?? board.breakdownArrays);
  const isDay = (id: unknown): boolean => breakdowns.get(id)?.type === "day";
  const edge = isDay(entries.find((id) => sheets.has(id) || isDay(id))) ? "start" : "end";
  const stripOf = (id: unknown): Strip[] => {
    const breakdown = breakdowns.get(id);
    const banner = breakdown?.type === "banner" ? textOf(breakdown.description) : "";
    const strip = sheets.get(id) ?? (banner === "" ? undefined : { banner });
    return strip === undefined ? [] : [{ strip }];
  };
  return entries.flatMap((entry): Strip[] => {
    if (Array.isArray(entry)) return [...entry.flatMap(stripOf), { dayBreak: { edge: "end" } }];
    if (!isDay(entry)) return stripOf(entry);
    const location = locationOf(breakdowns.get(entry));
    return [{ dayBreak: { edge, ...(location !== undefined && { location }) } }];
  });
}

/** The board that is shot, not the boneyard of what is left over. */
const mainBoard = (stripboard: Json): Json | undefined => {
  const boards = objectsOf(stripboard.boards);
  return boards.find(({ name }) => name === "stripboard") ?? boards.find(({ name }) => name !== "boneyard");
};

/** No stripboard is marked as the current one: the one with the most days is read, of equals the first. */
function chooseBoard(
  root: Json,
  breakdowns: ReadonlyMap<unknown, Json>,
  sheets: ReadonlyMap<unknown, Sheet>,
  locationOf: (breakdown: Json | undefined) => string | undefined,
  findings: Findings,
) {
  const stripboards = objectsOf(root.stripboards);
  let chosen: { stripboard: Json; board: Board<BoardStrip, DayBreak> } | undefined;
  for (const stripboard of stripboards) {
    const board = splitDays(itemsOf(mainBoard(stripboard) ?? {}, breakdowns, sheets, locationOf));
    if (chosen === undefined || board.days.length > chosen.board.days.length) chosen = { stripboard, board };
  }
  const others = stripboards.filter((each) => each !== chosen?.stripboard).map(({ name }) => quoted(textOf(name)));
  if (others.length > 0)
    findings.warn(
      `the stripboard ${quoted(textOf(chosen?.stripboard.name))} was read; ignored: ${listed(others.slice(0, 10))}`,
    );
  return chosen;
}

/** The calendar day of a moment that stands for a local midnight: in UTC that is up to 12 hours before or after. */
function dayOf(value: unknown): string | undefined {
  const time = typeof value === "string" ? Date.parse(value.replace(/\+0000$/, "Z")) : Number.NaN;
  const shifted = new Date(time + 12 * 3_600_000 - 1);
  return Number.isNaN(shifted.getTime()) ? undefined : shifted.toISOString().slice(0, 10);
}

const isOff = ({ type, effect, name }: Json): boolean =>
  [type, effect].includes("dayOff") || ["holiday", "dayOff"].includes(String(name));

function datesOf(root: Json, stripboard: Json, count: number): string[] {
  const calendar = objectsOf(root.calendars).find(({ id }) => id === stripboard.calendar);
  const events = objectsOf(calendar?.events);
  const start = dayOf(events.find(({ type, effect }) => type === "start" || effect === "start")?.date);
  if (start === undefined) return [];
  const weekdaysOff = new Set(listOf(calendar?.daysOff).filter((each) => typeof each === "number"));
  const datesOff = new Set(events.filter(isOff).flatMap(({ date }) => dayOf(date) ?? []));
  return shootDates({ start, weekdaysOff, datesOff }, count);
}

/** Throws FormatError with every problem of the file. */
export function readUss(bytes: Uint8Array, options: ReadOptions): PaperReading {
  const [findings, mentions] = [new Findings(), new Mentions()];
  const root = parse(bytes);
  const all = objectsOf(root.breakdowns);
  if (all.length > maxSheets) refuse(`the file has more than ${maxSheets} breakdowns`);
  const elements = elementsOf(root);
  const breakdowns = new Map(all.map((breakdown) => [breakdown.id, breakdown]));
  const strips = all.flatMap((each, at) =>
    each.type === "day" || each.type === "banner"
      ? []
      : [[each.id, sheetOf(each, at, elements, { findings, mentions })] as const],
  );
  const sheets = new Map<unknown, Sheet>(strips);
  const episode = options.episode ?? options.known.episodes.find((code) => code === textOf(root.episode));
  const own = episode === undefined ? options : { ...options, episode };
  const color = textOf(root.scriptColor).toLowerCase() || "white";
  const scenes = scenesOfSheets(
    strips.map(([, sheet]) => sheet),
    own,
    color,
    findings,
    mentions,
  );
  const locationOf = (breakdown: Json | undefined) => elementsIn(breakdown, elements).location;
  const numbered = objectsOf(root.elements).filter(({ id, elementId }) => {
    const element = elements.get(id as string);
    return textOf(elementId) !== "" && element !== undefined && roleOf(element) === "cast";
  });
  if (numbered.length > 0) findings.warn("the cast numbers of the file were ignored: a cast list gives them");
  const chosen = chooseBoard(root, breakdowns, sheets, locationOf, findings);
  const dates = chosen === undefined ? [] : datesOf(root, chosen.stripboard, chosen.board.days.length);
  const schedule = chosen === undefined ? [] : scheduleOf(chosen.board, dates, scenes, own, findings);
  findings.refuse();
  return {
    document: { scenes: scenes.scenes, ...(schedule.length === 0 ? {} : { schedule }) },
    warnings: findings.warnings,
  };
}
