// Reads the Universal Schedule Standard (.uss): JSON with breakdown sheets, their elements, and stripboards with
// calendars. github.com/UniversalScheduleStandard: versions 0.1 to 1.0 name some keys in two ways, and both are read.

import { isUtf8 } from "node:buffer";
import { errorOf } from "../../core/errors.ts";
import { firstOf, listed, plural } from "../../core/wording.ts";
import { unitOf } from "../../graph/units.ts";
import { isRecord } from "../documents/sections/form.ts";
import { interiorExterior } from "../names/heading_words.ts";
import { quoted } from "../names/names.ts";
import { eighthsOfPages } from "../names/page_lengths.ts";
import { type Board, type BoardItem, type DayBreak, splitDays } from "../paperwork/board_days.ts";
import { bufferOf } from "../paperwork/bytes.ts";
import { Findings, refuse } from "../paperwork/findings.ts";
import type { PaperReading, ReadOptions } from "../paperwork/partial.ts";
import { type BoardStrip, boardReading, isSheet } from "./board.ts";
import { castName, maxScenesText, maxSheets, type Sheet, scenesOfSheets } from "./sheets.ts";
import { calendarOf } from "./uss_calendar.ts";
import {
  castNumbersOf,
  type Element,
  elementsIn,
  elementsOf,
  nameFields,
  nameShapes,
  type UssObject,
  ussList,
  ussObjects,
  ussText,
} from "./uss_elements.ts";

const maxBytes = 64 * 2 ** 20;

function parse(bytes: Uint8Array): UssObject {
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

/** Warns of what breakdowns and boards name and the file does not have, or has without a name or a category. */
function nameUnknown(root: UssObject, elements: ReadonlyMap<unknown, Element>, findings: Findings): void {
  const unknown = ussObjects(root.breakdowns).flatMap((breakdown, at) =>
    ussList(breakdown.elements).flatMap((id) =>
      elements.has(id) ? [] : [`${quoted(String(id))} of breakdowns[${at}]`],
    ),
  );
  if (unknown.length > 0)
    findings.name(
      "element",
      `${plural(unknown.length, "element")} of breakdowns ${unknown.length === 1 ? "has" : "have"} no name or no category in the file and ${unknown.length === 1 ? "was" : "were"} ignored: ${firstOf(unknown)}`,
      {},
      unknown.length,
    );
  const { length } = ussList(root.elements);
  if (length > 0 && ussObjects(root.breakdowns).every(({ elements }) => ussList(elements).length === 0))
    findings.warn(`the file has ${plural(length, "element")}, and no breakdown names one`);
  const named = new Set(ussObjects(root.breakdowns).flatMap((breakdown) => ussList(breakdown.elements)));
  const unused = [...elements].flatMap(([id, { name }]) => (named.size === 0 || named.has(id) ? [] : [quoted(name)]));
  if (unused.length > 0) findings.warn(`no breakdown names ${plural(unused.length, "element")}: ${firstOf(unused)}`);
  const known = new Set(ussObjects(root.breakdowns).map(({ id }) => id));
  const strips = ussObjects(root.stripboards)
    .flatMap((stripboard) => ussObjects(stripboard.boards))
    .flatMap((board) => ussList(board.breakdownIds ?? board.breakdownArrays).flat())
    .filter((id) => !known.has(id));
  if (strips.length > 0)
    findings.warn(
      `the boards name ${plural(strips.length, "breakdown")} that the file does not have: ${firstOf(strips.map((id) => quoted(String(id))))}`,
    );
}

function eighthsOf(pages: unknown, place: string, findings: Findings): number | undefined {
  if (pages === null || pages === undefined) return undefined;
  const eighths = typeof pages === "number" ? eighthsOfPages(pages) : undefined;
  if (eighths !== undefined) return eighths;
  findings.problem(`${place}: ${quoted(String(pages))} is not a number of pages in eighths`);
  return undefined;
}

function sheetOf(breakdown: UssObject, at: number, elements: ReadonlyMap<unknown, Element>, findings: Findings): Sheet {
  const place = `breakdowns[${at}]`;
  findings.mention(ussList(breakdown.elements).length);
  const { own, named, location } = elementsIn(breakdown, elements);
  const tags = Map.groupBy(
    own.filter((element) => ["tag", "location"].includes(element.role)),
    ({ category }) => category,
  );
  return {
    scenes: findings.clean(ussText(breakdown.scene), maxScenesText, place),
    place,
    int_ext: interiorExterior(named("int_ext").join("/")),
    set: named("set").join(" / "),
    time_of_day: named("time_of_day").join("/").toUpperCase(),
    synopsis: findings.clean(ussText(breakdown.description), 2000, place),
    script_day: named("script_day").join(", "),
    fields: own.filter((element) => !["tag", "location", "cast"].includes(element.role)).length,
    eighths: eighthsOf(breakdown.pages, place, findings),
    location,
    cast: named("cast").map((name) => castName(name, findings)),
    texts: { comments: findings.clean(ussText(breakdown.comments), 2000, place) },
    tags: new Map([...tags].map(([category, list]) => [category, list.map(({ name }) => name)])),
  };
}

type Item = BoardItem<BoardStrip, DayBreak>;

/** What a breakdown is on a board; undefined for a banner without text. */
function itemOf(
  breakdown: UssObject,
  at: number,
  elements: ReadonlyMap<unknown, Element>,
  findings: Findings,
): Item | undefined {
  findings.tally.saw("element", ussList(breakdown.elements).length);
  if (breakdown.type !== "day" && breakdown.type !== "banner")
    return { strip: sheetOf(breakdown, at, elements, findings) };
  const { own, location } = elementsIn(breakdown, elements);
  if (breakdown.type === "day") {
    nameElements(
      own.filter((element) => element.role !== "location"),
      `the day breakdowns[${at}]`,
      findings,
    );
    findings.tally.took("element", own.filter((element) => element.role === "location").length);
    for (const text of new Set([breakdown.bannerText, breakdown.description, breakdown.comments].map(ussText)))
      if (text !== "") findings.warn(`the text of the day breakdowns[${at}] was ignored: ${quoted(text)}`);
    const unit = ussText(breakdown.unit);
    const said = { ...(unit !== "" && { unit: unitOf(unit) }), ...(location !== undefined && { location }) };
    return { dayBreak: { edge: "end", ...said } };
  }
  nameElements(own, `the banner breakdowns[${at}]`, findings);
  const texts = [breakdown.bannerText, breakdown.description, breakdown.comments].map(ussText);
  const [banner = "", ...others] = [...new Set(texts)].filter((text) => text !== "");
  for (const text of others)
    findings.warn(`the banner breakdowns[${at}] is ${quoted(banner)}; ignored: ${quoted(text)}`);
  if (banner !== "") return { strip: { banner: findings.clean(banner) } };
  findings.warn(`the banner breakdowns[${at}] has no text and was ignored`);
  return undefined;
}

/** Warns of elements of something that is no scene. */
function nameElements(own: readonly Element[], place: string, findings: Findings): void {
  const names = firstOf(own.map(({ name }) => quoted(name)));
  if (own.length > 0) findings.name("element", `elements of ${place} were ignored: ${names}`, {}, own.length);
}

/**
 * The strips and day breaks of a board: ids in a row with breakdowns of type day between them, or a list of ids for
 * each day.
 */
function itemsOf(board: UssObject, items: ReadonlyMap<unknown, Item | undefined>): Item[] {
  const entries = ussList(board.breakdownIds ?? board.breakdownArrays);
  const found = entries.flatMap((entry): Item[] => {
    if (!Array.isArray(entry)) return [items.get(entry) ?? []].flat();
    const strips = entry.flatMap((id) => items.get(id) ?? []).filter((item) => "strip" in item);
    return [...strips, { dayBreak: { edge: "end" } }];
  });
  const first = found.find((item) => "dayBreak" in item || isSheet(item.strip));
  if (first === undefined || "strip" in first || entries.some(Array.isArray)) return found;
  return found.map((item) => ("strip" in item ? item : { dayBreak: { ...item.dayBreak, edge: "start" } }));
}

/**
 * Counts the strips of the board that is read. Warnings name those that the file does not have, and banners without
 * text.
 */
function countStrips(board: UssObject, items: ReadonlyMap<unknown, Item | undefined>, findings: Findings): void {
  const ids = ussList(board.breakdownIds ?? board.breakdownArrays).flat();
  const found = ids.map((id) => items.get(id));
  const breaks = found.filter((item) => item !== undefined && "dayBreak" in item).length;
  findings.tally.saw("strip", ids.length - breaks);
  findings.tally.named("strip", found.filter((item) => item === undefined).length);
}

/** Warns of boards beside the one that is read and the boneyard. */
function nameBoards(stripboard: UssObject, findings: Findings): void {
  const main = mainBoard(stripboard);
  const others = ussObjects(stripboard.boards).filter(
    (board) =>
      board !== main && board.name !== "boneyard" && ussList(board.breakdownIds ?? board.breakdownArrays).length > 0,
  );
  if (others.length > 0)
    findings.warn(
      `the board ${quoted(ussText(main?.name))} of the stripboard was read; ignored: ${firstOf(others.map(({ name }) => quoted(ussText(name))))}`,
    );
}

/** The board that is shot, not the boneyard of what is left over. */
const mainBoard = (stripboard: UssObject): UssObject | undefined => {
  const boards = ussObjects(stripboard.boards);
  return boards.find(({ name }) => name === "stripboard") ?? boards.find(({ name }) => name !== "boneyard");
};

/** No stripboard is marked as the current one: the one with the most days is read, of equals the first. */
function chooseBoard(root: UssObject, items: ReadonlyMap<unknown, Item | undefined>, findings: Findings) {
  const stripboards = ussObjects(root.stripboards);
  let chosen: { stripboard?: UssObject; board?: Board<BoardStrip, DayBreak> } = {};
  for (const stripboard of stripboards) {
    const board = splitDays(itemsOf(mainBoard(stripboard) ?? {}, items));
    if (board.days.length > (chosen.board?.days.length ?? -1)) chosen = { stripboard, board };
  }
  countStrips(mainBoard(chosen.stripboard ?? {}) ?? {}, items, findings);
  nameBoards(chosen.stripboard ?? {}, findings);
  const others = stripboards.filter((each) => each !== chosen.stripboard).map(({ name }) => quoted(ussText(name)));
  if (others.length > 0)
    findings.warn(
      `the stripboard ${quoted(ussText(chosen.stripboard?.name))} was read; ignored: ${listed(others.slice(0, 10))}`,
    );
  return { ...chosen, calendar: calendarOf(root, chosen.stripboard ?? {}, findings) };
}

/** Throws FormatError with every problem of the file. */
export function readUss(bytes: Uint8Array, options: ReadOptions): PaperReading {
  const findings = new Findings();
  const root = parse(bytes);
  const all = ussObjects(root.breakdowns);
  nameShapes(root, findings);
  nameFields(root, findings);
  if (all.length > maxSheets) refuse(`the file has more than ${maxSheets} breakdowns`);
  const elements = elementsOf(root, findings);
  nameUnknown(root, elements, findings);
  const read = all.map((each, at) => itemOf(each, at, elements, findings));
  const items = new Map(all.map(({ id }, at) => [id, read[at]] as const));
  const episode = options.episode ?? options.known.episodes.find((code) => code === ussText(root.episode));
  const own = episode === undefined ? options : { ...options, episode };
  const color = ussText(root.scriptColor).toLowerCase() || "white";
  const sheets = read.flatMap((item) =>
    item !== undefined && "strip" in item && isSheet(item.strip) ? [item.strip] : [],
  );
  const scenes = scenesOfSheets(sheets, own, color, findings, castNumbersOf(root, elements, findings));
  return boardReading(scenes, chooseBoard(root, items, findings), own, findings);
}
