// Reads and writes a breakdown as a CSV list: an element in each row, or a scene in each row with a column for each category.
import { sceneName } from "../document/sections/names.ts";
import type { ProductionDocument } from "../document/sections/schema.ts";
import { fold, listed, quoted } from "../spelling.ts";
import { AssetList } from "./breakdown.ts";
import { type AssetRule, categoryKey, categoryOf, ruleOf } from "./categories.ts";
import { plainText, textCell } from "./cells.ts";
import type { CsvRow, Header } from "./csv.ts";
import { Mentions } from "./findings.ts";
import { assetsOfScenesIn, thingsIn } from "./known.ts";
import { defineList, type ListBuilding, type WrittenRow } from "./list.ts";
import type { KnownThing, PaperDocument } from "./partial.ts";
import { ScriptScenes, sceneKey, splitPart } from "./scenes.ts";
import { namesAmong, scheduleColumns } from "./schedule.ts";
import { formatEighths } from "./script.ts";
import { clean } from "./sheets.ts";

const { episode, pages, script_day } = scheduleColumns;
const { slugline, int_ext, set, time_of_day, synopsis } = scheduleColumns;

const columns = {
  scenes: { ...scheduleColumns.scenes, cell: textCell(10_000, "scenes: 1, 4A, 7-9") },
  category: {
    aliases: ["Category", "Element Category", "Breakdown Category", "Element Type", "Type"],
    cell: textCell(100),
  },
  element: { aliases: ["Element", "Element Name", "Breakdown Element", "Item", "Name"], cell: textCell(300) },
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
  lists: Map<string, Set<string>>;
  elements: Record<string, string>;
}

/** Collects the elements of scenes: assets that are linked, and names in lists. */
class Needs {
  readonly #scenes = new Map<string, SceneNeeds>();
  readonly #mentions: Mentions;
  readonly #byReference: ReadonlyMap<string, KnownThing>;
  readonly #byCastNumber: ReadonlyMap<string, string>;
  /** Cast numbers that no character has. */
  readonly unknown = new Set<string>();
  readonly #linked: ReadonlyMap<string, readonly string[]>;
  readonly #assets: AssetList;
  readonly #kinds: ReadonlySet<string>;

  constructor({ options: { known } }: Building, mentions: Mentions) {
    this.#mentions = mentions;
    const { byReference, byCastNumber } = thingsIn(known.things);
    this.#byReference = byReference;
    this.#byCastNumber = byCastNumber;
    this.#linked = assetsOfScenesIn(known.scene_assets);
    const things = [...byReference.values()];
    this.#assets = new AssetList({ known: things, departments: known.departments.map(({ slug }) => slug) });
    this.#kinds = new Set(things.flatMap(({ kind }) => kind ?? []));
  }

  of(reference: string): SceneNeeds {
    let needs = this.#scenes.get(reference);
    if (needs === undefined) {
      needs = { links: new Set(this.#linked.get(reference)), lists: new Map(), elements: {} };
      this.#scenes.set(reference, needs);
    }
    return needs;
  }

  add(references: readonly string[], category: string, names: readonly string[], line: number): void {
    const rule = ruleOf(category, this.#kinds);
    const own = rule === undefined ? names : names.flatMap((name) => this.#assetsOf(name, rule));
    this.#mentions.add(references.length * own.length, { line });
    for (const reference of references) {
      const { links, lists } = this.of(reference);
      const key = categoryKey(category);
      const list = rule === undefined ? (lists.get(key) ?? new Set()) : links;
      if (rule === undefined) lists.set(key, list);
      for (const name of own) list.add(name);
    }
  }

  /** The asset of a name, or the characters of numbers of the cast list. */
  #assetsOf(name: string, rule: AssetRule): string[] {
    if (this.#byReference.get(name)?.kind === rule.kind) return [name];
    if (rule.kind !== "character") return [this.#assets.label(name, rule)];
    if (namesAmong(name.split(",")).length > 0) return [this.#assets.label(namesAmong([name])[0] ?? name, rule)];
    const numbers = name.split(/[\s.,/&-]+/).filter((number) => number !== "");
    for (const number of numbers) if (!this.#byCastNumber.has(fold(number))) this.unknown.add(number);
    return numbers.flatMap((number) => this.#byCastNumber.get(fold(number)) ?? []);
  }

  document(options: Building["options"]): PaperDocument {
    const scenes = [...this.#scenes].flatMap(([reference, { links, lists, elements }]) => {
      const own = { ...elements, ...Object.fromEntries([...lists].map(([key, names]) => [key, [...names]])) };
      const isLinked = links.size > (this.#linked.get(reference)?.length ?? 0);
      if (!isLinked && Object.keys(own).length === 0) return [];
      const said = { ...(isLinked && { assets: [...links] }), ...(Object.keys(own).length > 0 && { elements: own }) };
      return [{ ...sceneKey(reference, options), ...said }];
    });
    const { added } = this.#assets;
    return { ...(added.length > 0 && { assets: added }), scenes };
  }
}

function build(building: Building): PaperDocument {
  const { entries, options, findings, has, at } = building;
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
    if (broken || banner !== undefined || cell === undefined) {
      if (element !== undefined && cell === undefined)
        findings.warn(`${quoted(element)} has no scene and was ignored`, { line });
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
    const { elements } = needs.of(reference);
    if (pages !== undefined && pages > 0) elements.pages = formatEighths(pages);
    if (script_day !== undefined) elements.script_day = script_day;
  }
  if (needs.unknown.size > 0)
    findings.warn(
      `no character has the cast number ${[...needs.unknown].slice(0, 20).join(", ")}; import a cast list first`,
    );
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
      ...["Sheet", "Sheet No", "Sheet Number", "Strip", "Sequence", "Unit", "Est Time", "Estimated Time", "Comments"],
      ...[slugline, int_ext, set, time_of_day, synopsis].flatMap(({ aliases }) => [...aliases]),
      ...["Notes", "Script Page", "Quantity", "Qty", "Count", "Scene Count", "Board ID", "Element ID", "Cast ID", "ID"],
      ...["Duration", "Timing", "Status", "Revision", "Color", "Colour", "Day", "Shoot Day", "Date"],
    ],
    because: "a breakdown has no place for it",
  },
  keepsFurther: true,
  banners: categories,
  build,
  rows,
});
