// Breaks a draft of a script down into scenes and assets, as a partial production document.
import type { StoredProduction } from "../documents/stored.ts";
import { slugOf } from "../names/names.ts";
import { formatEighths } from "../names/page_lengths.ts";
import { parseSlugline } from "../names/sluglines.ts";
import { AssetList, type AssetListOptions } from "../paperwork/asset_list.ts";
import { type CategoryRules, categoryKey, defaultRules } from "../paperwork/categories.ts";
import { departmentsOf } from "../paperwork/departments.ts";
import type { Pairs } from "../paperwork/header_maps.ts";
import type { KnownThing } from "../paperwork/partial.ts";
import type { DraftScene } from "./compare/drafts.ts";
import { isOmittedCard, speakerOf } from "./script.ts";

/** The free part of a scene, in the document's own names. */
export interface SceneElements {
  int_ext?: string;
  set?: string;
  time_of_day?: string;
  /** Who speaks. */
  cast?: string[];
  /** Such as "1 7/8". */
  pages?: string;
  /** True where the length is an estimate; otherwise absent. */
  pages_estimated?: true;
  script_day?: string;
  /** The labels of a tag category, by its key. */
  [category: string]: string | string[] | true | undefined;
}

export interface BreakdownOptions extends AssetListOptions {
  /** The code of the episode that the script is of. */
  episode?: string;
  /** What becomes an asset, by the key of the category. */
  rules?: CategoryRules;
}

function elementsOf({ omitted, slugline, cast, eighths, estimated, script_day, tags }: DraftScene): SceneElements {
  if (omitted && isOmittedCard(slugline)) return {};
  const { int_ext, set, time_of_day } = parseSlugline(slugline);
  const elements = {
    int_ext,
    set,
    time_of_day,
    cast: cast.length > 0 ? cast : null,
    pages: eighths === null ? null : formatEighths(eighths),
    pages_estimated: (estimated && eighths !== null) || null,
    script_day,
    ...tags,
  };
  // no null is left
  return Object.fromEntries(Object.entries(elements).filter(([, value]) => value !== null)) as SceneElements;
}

/** A scene that is broken down, with those of its cast who are linked to it; all of them if it does not say. */
type BrokenScene = DraftScene & { linked?: readonly string[] };

/** The labels of the assets that a scene needs: who speaks, then what is tagged. */
function assetsOf({ cast, linked = cast, tags }: BrokenScene, list: AssetList, rules: CategoryRules): string[] {
  const character = { ...rules.cast_members, kind: "character" };
  const labels = new Set(linked.map((name) => list.label(name, character)));
  for (const [key, names] of Object.entries(tags)) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule === undefined) continue;
    // A tag on a cue may hold its extension.
    const plain = rule.kind === "character" ? names.map((name) => speakerOf(name) ?? name) : names;
    for (const name of plain) labels.add(list.label(name, rule));
  }
  return [...labels];
}

export type BrokenDownAsset = AssetList["added"][number];

function brokenDown(scene: BrokenScene, episode: string | undefined, list: AssetList, rules: CategoryRules) {
  const { number, slugline, synopsis, omitted, revision_color } = scene;
  return {
    number,
    ...(episode !== undefined && { episode }),
    slugline,
    ...(synopsis !== null && { synopsis }),
    status: omitted ? ("omitted" as const) : ("planned" as const),
    revision_color,
    /** `assets` are labels. */
    elements: elementsOf(scene),
    assets: assetsOf(scene, list, rules),
  };
}
export type BrokenDownScene = ReturnType<typeof brokenDown>;

/** The scenes of a draft in its order, and the assets they need. The same draft gives the same breakdown. */
export function breakDown(draft: { scenes: readonly BrokenScene[] }, options: BreakdownOptions = {}) {
  const { episode, rules = defaultRules } = options;
  const list = new AssetList(options);
  return { scenes: draft.scenes.map((scene) => brokenDown(scene, episode, list, rules)), assets: list.added };
}

/** The characters that the production has. */
export const castListOf = ({ known = [] }: BreakdownOptions): string[] =>
  known.flatMap(({ kind, label }) => (kind === "character" ? [label] : []));

/** The rules of a breakdown with the departments that are given for categories: {"Props": "property"}. */
function rulesOf(departments: Pairs): CategoryRules {
  const rules: Record<string, CategoryRules[string]> = { ...defaultRules };
  for (const [category, department] of Object.entries(departments)) {
    const key = categoryKey(category);
    rules[key] = { kind: rules[key]?.kind ?? (slugOf(category, "-") || "asset"), department };
  }
  return rules;
}

/** The options of a breakdown of a script of a stored production. */
export function breakdownOptions(
  stored: StoredProduction,
  departments: Pairs,
  episode: string | undefined,
): BreakdownOptions {
  const known = stored.items("assets").map(({ raw }): KnownThing => ({ ...raw, label: String(raw.label) }));
  const rules = rulesOf(departments);
  return { departments: departmentsOf(stored), known, rules, ...(episode !== undefined && { episode }) };
}
