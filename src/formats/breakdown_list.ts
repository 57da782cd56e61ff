// Reads and writes a breakdown as a CSV list: an element in each row, or a scene in each row with a column for each category.
import { formatEighths } from "../document/sections/eighths.ts";
import { sceneName } from "../document/sections/names.ts";
import type { ProductionDocument } from "../document/sections/schema.ts";
import { fold, listed, quoted } from "../spelling.ts";
import { AssetList } from "./breakdown.ts";
import { castKey, castNameOf, castNumbersIn, warnOfNumbers } from "./cast_numbers.ts";
import { type AssetRule, categoryKey, categoryOf, ruleOf } from "./categories.ts";
import { plainText, textCell } from "./cells.ts";
import type { CsvRow, Header } from "./csv.ts";
import { Mentions } from "./findings.ts";
import { assetsOfScenesIn, thingsIn } from "./known.ts";
import { defineList, type ListBuilding, type WrittenRow } from "./list.ts";
import type { PaperDocument } from "./partial.ts";
import { ScriptScenes, sceneKey, splitPart } from "./scenes.ts";
import { scheduleColumns } from "./schedule.ts";
import { clean } from "./sheets.ts";

const { episode, pages, script_day } = scheduleColumns;
const { slugline, int_ext, set, time_of_day, synopsis } = scheduleColumns;

const columns = {
  scenes: { ...scheduleColumns.scenes, cell: textCell(10_000, "scenes: 1, 4A, 7-9") },
  category: {
    aliases: ["Category", "Element Category", "Breakdown Category", "Element Type", "Type", "Tag"],
    cell: textCell(100),
  },
  element: {
    aliases: ["Element", "Element Name", "Breakdown Element", "Item", "Item Name", "Name", "Tagged Resource Required"],
    cell: textCell(300),
  },
  ...{ episode, pages, script_day },
} as const;

/** In a list of elements, a cell alone is the category of the rows below it. */
function categories({ fields }: Header): (row: CsvRow) => string | undefined {
  const [isList, hasCategories] = [fields.includes("element"), fields.includes("category")];
  return ({ cells }) => {
    const [text, ...others] = cells.filter((cell) => cell !== "");
    if (!isList || text === undefined || others.length > 0) return undefined;
    const field = fields[cells.indexOf(text)];
    if (field === "scenes" || (hasCategories && field !== "category")) return undefined;
    return clean(text.replace(/\s*[:(].*$/s, ""), 100);
  };
}

type Building = ListBuilding<typeof columns, string>;

/** The names in a cell: between semicolons or lines where the column has them, otherwise between commas that are in no known name. */
function splitNames(cell: string, hasLines: boolean, known: ReadonlyMap<string, string>): string[] {
  const tidy = (parts: readonly string[]) => parts.map((part) => clean(part, 300)).filter((part) => part !== "");
  if (hasLines) return tidy(cell.split(/[;\n]/));
  const parts = cell.split(",");
  const names: string[] = [];
  for (let at = 0; at < parts.length; ) {
    let length = Math.min(maxCommas, parts.length - at);
    while (length > 1 && !known.has(fold(parts.slice(at, at + length).join(",")))) length--;
    names.push(parts.slice(at, at + length).join(","));
    at += length;
  }
  return tidy(names);
}
const maxCommas = 6;

/** What a file says of a scene. */
interface SceneNeeds {
  links: Set<string>;
  lists: Record<string, Set<string>>;
  texts: Record<string, string>;
}

/** Collects the elements of scenes: assets that are linked, and names in lists. */
class Needs {
  readonly #scenes = new Map<string, SceneNeeds>();
  readonly #mentions: Mentions;
  readonly #things: ReturnType<typeof thingsIn>;
  readonly #linked: ReadonlyMap<string, readonly string[]>;
  readonly #assets: AssetList;
  readonly #kinds: ReadonlySet<string>;
  /** Cast numbers that no character has. */
  readonly unknown = new Set<string>();

  constructor({ options: { known } }: Building, mentions: Mentions) {
    this.#mentions = mentions;
    this.#things = thingsIn(known.things);
    this.#linked = assetsOfScenesIn(known.scene_assets);
    const things = [...this.#things.byReference.values()];
    this.#assets = new AssetList({ known: things, departments: known.departments.map(({ slug }) => slug) });
    this.#kinds = new Set(things.flatMap(({ kind }) => kind ?? []));
  }

  of(reference: string): SceneNeeds {
    const needs = this.#scenes.get(reference) ?? {
      ...{ links: new Set(this.#linked.get(reference)), lists: {}, texts: {} },
    };
    this.#scenes.set(reference, needs);
    return needs;
  }

  add(references: readonly string[], category: string, names: readonly string[], line: number): void {
    const rule = ruleOf(category, this.#kinds);
    const own = rule === undefined ? names : names.flatMap((name) => this.#assetsOf(name, rule));
    this.#mentions.add(references.length * own.length, { line });
    const key = categoryKey(category);
    for (const reference of references) {
      const { links, lists } = this.of(reference);
      if (rule === undefined) lists[key] ??= new Set();
      for (const name of own) (rule === undefined ? lists[key] : links)?.add(name);
    }
  }

  /** The asset of a name, or the characters of numbers of the cast list. */
  #assetsOf(name: string, rule: AssetRule): string[] {
    const { byReference, byCastNumber } = this.#things;
    if (byReference.get(name)?.kind === rule.kind) return [name];
    if (rule.kind !== "character") return [this.#assets.label(name, rule)];
    const numbers = castNumbersIn(name, byCastNumber, this.#mentions);
    if (numbers === undefined) return [this.#assets.label(castNameOf(name), rule)];
    for (const number of numbers) if (!byCastNumber.has(castKey(number))) this.unknown.add(number);
    return numbers.flatMap((number) => byCastNumber.get(castKey(number)) ?? []);
  }

  document(options: Building["options"]): PaperDocument {
    const scenes = [...this.#scenes].flatMap(([reference, { links, lists, texts }]) => {
      const elements = { ...texts, ...Object.fromEntries(Object.entries(lists).map(([key, set]) => [key, [...set]])) };
      const isLinked = links.size > (this.#linked.get(reference)?.length ?? 0);
      const hasElements = Object.keys(elements).length > 0;
      const said = { ...(isLinked && { assets: [...links] }), ...(hasElements && { elements }) };
      return isLinked || hasElements ? [{ ...sceneKey(reference, options), ...said }] : [];
    });
    const { added } = this.#assets;
    return { ...(added.length > 0 && { assets: added }), scenes };
  }
}

function build(building: Building): PaperDocument {
  const { entries, options, findings, has, at, headerOf } = building;
  const mentions = new Mentions();
  const script = new ScriptScenes(options, mentions);
  const needs = new Needs(building, mentions);
  const { byLabel } = thingsIn(options.known.things);
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
      const named = element === undefined ? "this row" : quoted(element);
      if (element !== undefined || further.size > 0) findings.warn(`${named} has no scene and was ignored`, { line });
      continue;
    }
    const whole = script.find(cell, episode);
    const references = whole === undefined ? script.references(cell.split(/[\n;,]/), findings, line, episode) : [whole];
    if (element !== undefined && heading === undefined)
      findings.problem(`${quoted(element)} has no category`, { line });
    else if (element !== undefined && heading !== undefined) needs.add(references, heading, [element], line);
    for (const [header, names] of isList ? [] : further)
      needs.add(references, header, splitNames(names, lined.has(header), byLabel), line);
    const [reference, another] = references;
    if (reference === undefined || another !== undefined || splitPart(cell).part) continue;
    const { texts } = needs.of(reference);
    if (pages !== undefined && pages > 0) texts.pages = formatEighths(pages);
    if (script_day !== undefined) texts.script_day = script_day;
  }
  warnOfNumbers([...needs.unknown], findings);
  return needs.document(options);
}

/** One row for each asset of a scene, and for each name in a list of its elements. */
function rows({ scenes, assets }: ProductionDocument): WrittenRow<typeof columns>[] {
  const things = new Map(assets.map((asset) => [asset.ref ?? asset.label, asset]));
  const kinds = new Set(assets.map(({ kind }) => kind));
  return scenes.flatMap(({ number, episode, elements, assets }) => {
    const scene = sceneName(number, episode);
    const linked = assets.flatMap((element) => {
      const category = categoryOf(things.get(element)?.kind ?? "", kinds);
      return category === undefined ? [] : [{ scenes: scene, category, element }];
    });
    const lists = Object.entries(elements).flatMap(([category, names]) => {
      const isList =
        categoryKey(category) === category && ruleOf(category, kinds) === undefined && Array.isArray(names);
      if (!isList || new Set(names).size < names.length) return [];
      const isRead = names.every((name) => plainText(name, 300) !== undefined);
      return isRead ? names.map((element: string) => ({ scenes: scene, category, element })) : [];
    });
    return [...linked, ...lists];
  });
}

export const breakdownList = defineList({
  title: "a breakdown",
  columns,
  needs: [["scenes", "element"], ["scenes"]],
  dropped: {
    aliases: [
      ...["Sheet", "Sheet No", "Sheet Number", "Strip", "Sequence", "Unit", "Est Time", "Estimated Time", "Time"],
      ...[slugline, int_ext, set, time_of_day, synopsis].flatMap(({ aliases }) => [...aliases]),
      ...["Scene Name", "Scene Title", "Title", "Summary", "Notes", "Comments", "Quantity", "Qty", "Count"],
      ...["Scene Count", "Board ID", "Element ID", "ID", "Duration", "Timing", "Status", "Locked", "Revision"],
      ...["Color", "Colour", "Day", "Shoot Day", "Date", "Page", "Page No", "Script Page", "Script Pages"],
    ],
    because: "a breakdown has no place for it",
  },
  keepsFurther: true,
  banners: categories,
  build,
  rows,
});
