// Reads and writes a breakdown as a CSV list: an element in each row, or a scene in each row with a column for each
// category.
import { listed, sameName } from "../../core/wording.ts";
import type { ProductionDocument } from "../documents/sections/schema.ts";
import { sceneName } from "../documents/sections/sections.ts";
import { quoted } from "../names/names.ts";
import { eighthsSaid, formatEighths } from "../names/page_lengths.ts";
import { castNameOf, castNumberOf, castNumbersIn, NumberedAssets } from "../paperwork/cast_numbers.ts";
import { type AssetRule, categoryKey, categoryOf, likelyKind, ruleOf } from "../paperwork/categories.ts";
import { oneLineOf } from "../paperwork/clean_text.ts";
import type { Findings } from "../paperwork/findings.ts";
import { GatheredScenes } from "../paperwork/gathered_scenes.ts";
import { kindsIn, thingsIn } from "../paperwork/known_names.ts";
import type { PaperDocument } from "../paperwork/partial.ts";
import { ScriptScenes, splitPart } from "../paperwork/scenes.ts";
import { remembering } from "../sequences/sequences.ts";
import { type CellType, listCell, plainText, textCell } from "./cells.ts";
import type { CsvRow, Header } from "./csv.ts";
import { column, defineList, type ListBuilding, type WrittenRow } from "./list.ts";
import { scheduleColumns } from "./schedule.ts";

const { episode, pages, script_day } = scheduleColumns;
const { slugline, int_ext, set, time_of_day, synopsis } = scheduleColumns;

const elementNames = listCell("the name of an element, or several: Rope; Lamp", /[;\n]/, 300);
/** One name, or several with semicolons or lines between them that are in no known name. */
const elementCell: CellType<string[]> = {
  ...elementNames,
  open(context) {
    const read = elementNames.open(context);
    const { byLabel } = thingsIn(context.known.items("assets"));
    return (text) => (byLabel.has(sameName(text)) ? [text] : read(text));
  },
};

const columns = {
  scenes: { ...scheduleColumns.scenes, cell: textCell(10_000, "scenes: 1, 4A, 7-9") },
  category: column("Category, Element Category, Breakdown Category, Element Type, Type, Tag", textCell(100)),
  element: column(
    "Element, Element Name, Breakdown Element, Item, Item Name, Name, Tagged Resource Required",
    elementCell,
  ),
  episode,
  pages,
  script_day,
};

const maxCategory = 100;

/** In a list of elements, a cell alone is the category of the rows below it. */
function categories({ fields }: Header): (row: CsvRow) => string | undefined {
  const [isList, hasCategories] = [fields.includes("element"), fields.includes("category")];
  return ({ cells }) => {
    const [text, ...others] = cells.filter((cell) => cell !== "");
    if (!isList || text === undefined || others.length > 0) return undefined;
    const field = fields[cells.indexOf(text)];
    if (field === "scenes" || (hasCategories && field !== "category")) return undefined;
    const category = oneLineOf(text.split(/[:(]/, 1)[0] ?? "");
    const behind = text.slice(category.length).replace(/^[\s:]+/, "");
    // "PROPS (3)" and "Props:" are headings; behind other words something is said that no category is.
    return category.length > maxCategory || (behind !== "" && !/^\([^\p{L}]*\)$/u.test(behind)) ? undefined : category;
  };
}

type Building = ListBuilding<typeof columns, string>;

/**
 * The names in a cell: between semicolons or lines where the column has them, otherwise between commas that are in no
 * known name.
 */
function splitNames(cell: string, hasLines: boolean, known: ReadonlyMap<string, string>, findings: Findings): string[] {
  const tidy = (parts: readonly string[]) =>
    parts.map((part) => findings.clean(part, 300)).filter((part) => part !== "");
  if (hasLines) {
    if (!/[;\n]/.test(cell) && cell.includes(",") && !known.has(sameName(cell)))
      findings.warnOnce(
        `${quoted(cell)} is read as one name, because other cells of its column have semicolons or lines between names`,
      );
    return tidy(cell.split(/[;\n]/));
  }
  const parts = cell.split(",");
  const names: string[] = [];
  for (let at = 0; at < parts.length; ) {
    let length = Math.min(maxCommas, parts.length - at);
    while (length > 1 && !known.has(sameName(parts.slice(at, at + length).join(",")))) length--;
    names.push(parts.slice(at, at + length).join(","));
    at += length;
  }
  return tidy(names);
}
const maxCommas = 6;

/** Links the elements of scenes that are assets, and lists the others. */
function needsOf({ options, findings }: Building) {
  const gathered = new GatheredScenes(options);
  const assets = new NumberedAssets(options, findings);
  const { byReference, byCastNumber } = thingsIn(options.known.items("assets"));
  const kinds = kindsIn(options.known.items("assets"));
  /** The asset of a name, or the characters of numbers of the cast list. */
  const assetsOf = (name: string, rule: AssetRule, line: number): string[] => {
    if (byReference.get(name)?.kind === rule.kind) return [name];
    if (rule.kind !== "character") return [assets.label(name, rule, { line })];
    const numbers = castNumbersIn(name, byCastNumber, findings);
    return numbers === undefined
      ? [assets.character(castNameOf(name), castNumberOf(name), { line })]
      : gathered.charactersOf(numbers);
  };
  const ruleNamed = remembering((category) => {
    const rule = ruleOf(category, kinds);
    const other = rule === undefined ? likelyKind(category, kinds) : undefined;
    if (other !== undefined)
      findings.warn(`the category ${quoted(category)} is a list of its scenes; it is nearly ${quoted(other)}`);
    return { rule };
  });
  const add = (references: readonly string[], category: string, names: readonly string[], line: number): void => {
    const { rule } = ruleNamed(category);
    const elementNames = rule === undefined ? names : names.flatMap((name) => assetsOf(name, rule, line));
    findings.mention(references.length * elementNames.length, { line });
    for (const reference of references)
      if (rule === undefined) gathered.add(reference, { lists: [[categoryKey(category), elementNames]] });
      else for (const asset of elementNames) gathered.sceneOf(reference).assets.add(asset);
  };
  const document = (): PaperDocument => ({ ...assets.document(findings), scenes: gathered.document(findings) });
  return { gathered, add, document };
}

function build(building: Building): PaperDocument {
  const { entries, options, findings, has, at, headerOf, took } = building;
  const script = new ScriptScenes(options, findings);
  const needs = needsOf(building);
  const { byLabel } = thingsIn(options.known.items("assets"));
  const headers = [...new Set(entries.flatMap(({ further }) => [...further.keys()]))];
  const isList = has("element");
  if (isList && headers.length > 0)
    findings.warn(
      `${listed(headers.map(quoted))} ${headers.length === 1 ? "was" : "were"} ignored: the elements have a column of their own`,
    );
  if (!isList && has("category"))
    findings.warn(`the column ${quoted(headerOf("category"))} was ignored: the file has no column of elements`);
  // Merged cells have the scene in their first row alone.
  const isBelow = isList && at("scenes") < at("element");
  const lined = new Set(
    headers.filter((header) => entries.some(({ further }) => /[;\n]/.test(further.get(header) ?? ""))),
  );
  let heading: string | undefined;
  let above: string | undefined;
  for (const { line, values, banner, further, broken } of entries) {
    heading = banner ?? values.category ?? heading;
    const { element, episode, pages, script_day } = values;
    const cell = values.scenes ?? (isBelow && element !== undefined ? above : undefined);
    above = cell ?? above;
    if (broken || banner !== undefined) continue;
    if (cell === undefined) {
      const named = element === undefined ? "this row" : listed(element.map(quoted));
      if (element !== undefined || further.size > 0) findings.warn(`${named} has no scene and was ignored`, { line });
      continue;
    }
    took(line);
    const references = script.references([cell], line, episode);
    if (element !== undefined && heading === undefined)
      findings.problem(`${listed(element.map(quoted))} has no category`, { line });
    else if (element !== undefined && heading !== undefined) needs.add(references, heading, element, line);
    for (const [header, names] of isList ? [] : further)
      needs.add(references, header, splitNames(names, lined.has(header), byLabel, findings), line);
    const [reference, another] = references;
    if (reference === undefined || another !== undefined || splitPart(cell).part !== "") continue;
    const eighths = eighthsSaid(pages);
    needs.gathered.add(reference, { texts: { pages: eighths ? formatEighths(eighths) : undefined, script_day } });
  }
  return needs.document();
}

/** One row for each asset of a scene, and for each name in a list of its elements. */
function rows({ scenes, assets }: ProductionDocument): WrittenRow<typeof columns>[] {
  const things = new Map(assets.map((asset) => [asset.ref ?? asset.label, asset]));
  const kinds = new Set(assets.map(({ kind }) => kind));
  return scenes.flatMap(({ number, episode, elements, assets }) => {
    const scene = sceneName(number, episode);
    const linked = assets.flatMap((element) => {
      const category = categoryOf(things.get(element)?.kind ?? "", kinds);
      return category === undefined ? [] : [{ scenes: scene, category, element: [element] }];
    });
    const lists = Object.entries(elements).flatMap(([category, names]) => {
      const isList =
        categoryKey(category) === category && ruleOf(category, kinds) === undefined && Array.isArray(names);
      if (!isList || new Set(names).size < names.length) return [];
      const isRead = names.every((name) => plainText(name, 300) !== undefined);
      return isRead ? names.map((element: string) => ({ scenes: scene, category, element: [element] })) : [];
    });
    return [...linked, ...lists];
  });
}

const sceneTexts = [slugline, int_ext, set, time_of_day, synopsis].flatMap(({ aliases }) => [...aliases]);
const droppedHeaders = `${sceneTexts.join(", ")}, Sheet, Sheet No, Strip, Sequence, Unit, Est Time, Estimated Time, Time, Scene Name, Scene Title, Title, Summary,
  Notes, Comments, Quantity, Qty, Count, Scene Count, Board ID, Element ID, ID, Duration, Timing, Status, Locked, Revision, Color, Colour, Day, Shoot Day, Date,
  Page, Page No, Script Page, Script Pages, Shoot Time, Screen Time, Shooting Day, Shooting Date, Sunrise, Sunset, Element Quantity`;

export const breakdownList = defineList({
  title: "a breakdown",
  columns,
  needs: [["scenes", "element"], ["scenes"]],
  dropped: { headers: droppedHeaders, because: "a breakdown has no place for it" },
  keepsFurther: true,
  banners: categories,
  evidence: ({ row, fields }) =>
    row.cells.filter((cell, at) => fields[at] === undefined && ruleOf(cell, new Set()) !== undefined).length,
  build,
  rows,
});
