// Reads the Universal Schedule Standard (.uss): JSON with breakdown sheets, their elements, and stripboards with calendars.
// github.com/UniversalScheduleStandard: versions 0.1 to 1.0 name some keys in two ways, and both are read.
import { isUtf8 } from "node:buffer";
import { errorOf } from "../../core/errors.ts";
import { hour } from "../../core/times.ts";
import { firstOf, listed, plural } from "../../core/wording.ts";
import { isRecord } from "../documents/sections/form.ts";
import { interiorExterior } from "../names/heading_words.ts";
import { fold, quoted } from "../names/names.ts";
import { type Board, type BoardItem, type DayBreak, splitDays } from "../paperwork/board_days.ts";
import { bufferOf } from "../paperwork/bytes.ts";
import { cleanText } from "../paperwork/clean_text.ts";
import { Findings, refuse } from "../paperwork/findings.ts";
import type { PaperReading, ReadOptions } from "../paperwork/partial.ts";
import { type BoardStrip, boardReading, isSheet, type ShootCalendar } from "./board.ts";
import { castName, maxSheets, type Sheet, scenesOfSheets } from "./sheets.ts";

type Json = Readonly<Record<string, unknown>>;

const maxBytes = 64 * 2 ** 20;

const textOf = (value: unknown): string =>
  typeof value === "string" ? cleanText(value) : typeof value === "number" ? String(value) : "";
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const objectsOf = (value: unknown): readonly Json[] => listOf(value).filter(isRecord);

function parse(bytes: Uint8Array): Json {
  const file = bufferOf(bytes, maxBytes, "a schedule");
  if (!isUtf8(file)) refuse("the file is not UTF-8 text");
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(file));
  } catch (error) {
    refuse(`the file is not JSON: ${errorOf(error).message}`);
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

/**
 * Elements by id. Version 0.1 lists them in their category, 1.0 names the category in each element; of two categories the first counts. One
 * without a name or a category is none.
 */
function elementsOf(root: Json): Map<unknown, Element> {
  const categories = objectsOf(root.categories);
  const listing = new Map<unknown, Json>();
  for (const category of categories)
    for (const id of listOf(category.elements)) if (!listing.has(id)) listing.set(id, category);
  const byId = new Map(categories.map((category) => [category.id, category]));
  return new Map(
    objectsOf(root.elements).flatMap((element): [unknown, Element][] => {
      const category = listing.get(element.id) ?? byId.get(element.category);
      const name = textOf(element.name);
      if (name === "" || category === undefined) return [];
      return [[element.id, { name, category: textOf(category.name), id: category.ucid ?? category.catId }]];
    }),
  );
}

/** Warns of what breakdowns and boards name and the file does not have, or has without a name or a category. */
function nameUnknown(root: Json, elements: ReadonlyMap<unknown, Element>, findings: Findings): void {
  const unknown = objectsOf(root.breakdowns).flatMap((breakdown, at) =>
    listOf(breakdown.elements).flatMap((id) =>
      elements.has(id) ? [] : [`${quoted(String(id))} of breakdowns[${at}]`],
    ),
  );
  if (unknown.length > 0)
    findings.warn(
      `${plural(unknown.length, "element")} of breakdowns ${unknown.length === 1 ? "has" : "have"} no name or no category in the file and ${unknown.length === 1 ? "was" : "were"} ignored: ${firstOf(unknown)}`,
    );
  const known = new Set(objectsOf(root.breakdowns).map(({ id }) => id));
  const strips = objectsOf(root.stripboards)
    .flatMap((stripboard) => objectsOf(stripboard.boards))
    .flatMap((board) => listOf(board.breakdownIds ?? board.breakdownArrays).flat())
    .filter((id) => !known.has(id));
  if (strips.length > 0)
    findings.warn(
      `the boards name ${plural(strips.length, "breakdown")} that the file does not have: ${firstOf(strips.map((id) => quoted(String(id))))}`,
    );
}

/** What the elements of a category are: by the number of the category, otherwise by its name. All others are tags. */
const roles = [
  ["set", 0, "set"],
  ["int_ext", 1, "intext"],
  ["time_of_day", 2, "daynight"],
  ["script_day", 3, "scriptday"],
  ["location", 6, "location"],
  ["cast", 100, "castmembers", "cast"],
] as const satisfies readonly (readonly [role: string, id: number, ...names: string[]])[];
type Role = (typeof roles)[number][0] | "tag";

function roleOf({ category, id }: Element): Role {
  const name = fold(category);
  const found =
    roles.find(([, own]) => own === id) ?? roles.find(([, , ...names]) => names.some((one) => one === name));
  return found?.[0] ?? "tag";
}

/** The cast numbers of the file, by name. */
const castNumbersOf = (root: Json, elements: ReadonlyMap<unknown, Element>): Map<string, string> =>
  new Map(
    objectsOf(root.elements).flatMap(({ id, elementId }): [string, string][] => {
      const [element, number] = [elements.get(id), textOf(elementId).slice(0, 50)];
      return number === "" || element === undefined || roleOf(element) !== "cast"
        ? []
        : [[castName(element.name), number]];
    }),
  );

/** The elements of a breakdown, and the names of those that have a role. */
function elementsIn(breakdown: Json, elements: ReadonlyMap<unknown, Element>) {
  const own = listOf(breakdown.elements).flatMap((id) => elements.get(id) ?? []);
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

function sheetOf(breakdown: Json, at: number, elements: ReadonlyMap<unknown, Element>, findings: Findings): Sheet {
  const place = `breakdowns[${at}]`;
  findings.mention(listOf(breakdown.elements).length);
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
    synopsis: cleanText(typeof breakdown.description === "string" ? breakdown.description : "", 2000),
    script_day: named("script_day")[0] ?? "",
    eighths: eighthsOf(breakdown.pages, place, findings),
    location,
    cast: named("cast").map(castName),
    texts: { comments: cleanText(typeof breakdown.comments === "string" ? breakdown.comments : "", 2000) },
    tags: new Map([...tags].map(([category, list]) => [category, list.map(({ name }) => name)])),
  };
}

type Item = BoardItem<BoardStrip, DayBreak>;

/** What a breakdown is on a board; undefined for a banner without text. */
function itemOf(
  breakdown: Json,
  at: number,
  elements: ReadonlyMap<unknown, Element>,
  findings: Findings,
): Item | undefined {
  if (breakdown.type === "day") {
    const { location } = elementsIn(breakdown, elements);
    return { dayBreak: { edge: "end", ...(location !== undefined && { location }) } };
  }
  if (breakdown.type !== "banner") return { strip: sheetOf(breakdown, at, elements, findings) };
  const banner = textOf(breakdown.bannerText) || textOf(breakdown.description);
  return banner === "" ? undefined : { strip: { banner } };
}

/** The strips and day breaks of a board: ids in a row with breakdowns of type day between them, or a list of ids for each day. */
function itemsOf(board: Json, items: ReadonlyMap<unknown, Item | undefined>): Item[] {
  const entries = listOf(board.breakdownIds ?? board.breakdownArrays);
  const found = entries.flatMap((entry): Item[] => {
    if (!Array.isArray(entry)) return [items.get(entry) ?? []].flat();
    const strips = entry.flatMap((id) => items.get(id) ?? []).filter((item) => "strip" in item);
    return [...strips, { dayBreak: { edge: "end" } }];
  });
  const first = found.find((item) => "dayBreak" in item || isSheet(item.strip));
  if (first === undefined || "strip" in first || entries.some(Array.isArray)) return found;
  return found.map((item) => ("strip" in item ? item : { dayBreak: { ...item.dayBreak, edge: "start" } }));
}

/** The board that is shot, not the boneyard of what is left over. */
const mainBoard = (stripboard: Json): Json | undefined => {
  const boards = objectsOf(stripboard.boards);
  return boards.find(({ name }) => name === "stripboard") ?? boards.find(({ name }) => name !== "boneyard");
};

/** No stripboard is marked as the current one: the one with the most days is read, of equals the first. */
function chooseBoard(root: Json, items: ReadonlyMap<unknown, Item | undefined>, findings: Findings) {
  const stripboards = objectsOf(root.stripboards);
  let chosen: { stripboard?: Json; board?: Board<BoardStrip, DayBreak> } = {};
  for (const stripboard of stripboards) {
    const board = splitDays(itemsOf(mainBoard(stripboard) ?? {}, items));
    if (board.days.length > (chosen.board?.days.length ?? -1)) chosen = { stripboard, board };
  }
  const others = stripboards.filter((each) => each !== chosen.stripboard).map(({ name }) => quoted(textOf(name)));
  if (others.length > 0)
    findings.warn(
      `the stripboard ${quoted(textOf(chosen.stripboard?.name))} was read; ignored: ${listed(others.slice(0, 10))}`,
    );
  return { ...chosen, calendar: calendarOf(root, chosen.stripboard ?? {}, findings) };
}

/** The calendar day of a moment that stands for a local midnight: in UTC that is up to 12 hours before or after. */
function dayOf(value: unknown): string | undefined {
  const time = typeof value === "string" ? Date.parse(value.replace(/\+0000$/, "Z")) : Number.NaN;
  const shifted = new Date(time + 12 * hour - 1);
  return Number.isNaN(shifted.getTime()) ? undefined : shifted.toISOString().slice(0, 10);
}

const isOff = ({ type, effect, name }: Json): boolean =>
  [type, effect].includes("dayOff") || ["holiday", "dayOff"].includes(String(name));

function calendarOf(root: Json, stripboard: Json, findings: Findings): ShootCalendar {
  const calendar = objectsOf(root.calendars).find(({ id }) => id === stripboard.calendar);
  if (calendar === undefined && typeof stripboard.calendar === "string")
    findings.warn(
      `the calendar ${quoted(stripboard.calendar)} of the stripboard is not in the file: its days have no dates`,
    );
  const events = objectsOf(calendar?.events);
  const start = dayOf(events.find(({ type, effect }) => type === "start" || effect === "start")?.date);
  const weekdaysOff = new Set(listOf(calendar?.daysOff).filter((each) => typeof each === "number"));
  const datesOff = new Set(events.filter(isOff).flatMap(({ date }) => dayOf(date) ?? []));
  return { start, weekdaysOff, datesOff };
}

/** Throws FormatError with every problem of the file. */
export function readUss(bytes: Uint8Array, options: ReadOptions): PaperReading {
  const findings = new Findings();
  const root = parse(bytes);
  const all = objectsOf(root.breakdowns);
  if (all.length > maxSheets) refuse(`the file has more than ${maxSheets} breakdowns`);
  const elements = elementsOf(root);
  nameUnknown(root, elements, findings);
  const read = all.map((each, at) => itemOf(each, at, elements, findings));
  const items = new Map(all.map(({ id }, at) => [id, read[at]] as const));
  const episode = options.episode ?? options.known.episodes.find((code) => code === textOf(root.episode));
  const own = episode === undefined ? options : { ...options, episode };
  const color = textOf(root.scriptColor).toLowerCase() || "white";
  const sheets = read.flatMap((item) =>
    item !== undefined && "strip" in item && isSheet(item.strip) ? [item.strip] : [],
  );
  const scenes = scenesOfSheets(sheets, own, color, findings, castNumbersOf(root, elements));
  return boardReading(scenes, chooseBoard(root, items, findings), own, findings);
}
