// Breaks a draft of a script down into scenes and assets, as a partial production document.
import { sameName } from "../../core/spelling.ts";
import { formatEighths, parseSlugline } from "../documents/sections/scene_text.ts";
import { type AssetRule, type CategoryRules, defaultRules } from "../paperwork/categories.ts";
import type { KnownThing } from "../paperwork/partial.ts";
import type { DraftScene, ScriptDraft } from "../scripts/drafts.ts";
import { isOmittedCard, speakerOf } from "../scripts/script.ts";

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

export interface BreakdownOptions {
  /** The code of the episode that the script is of. */
  episode?: string;
  /** What becomes an asset, by the key of the category. */
  rules?: CategoryRules;
  /** The slugs of the departments that exist; assets of any other department have none. If absent, all departments exist. */
  departments?: readonly string[];
  /** The assets that exist: one of the same kind and label, in whatever case, is used and not added. */
  known?: readonly KnownThing[];
}

const maxLabel = 300;

const keyOf = (kind: string, label: string): string => `${kind}\0${sameName(label)}`;

/** The name in a label that carries its kind, as AssetList makes it: "Lantern" of "Lantern (dressing)"; undefined if there is none. */
function nameIn(label: string, kind: string): string | undefined {
  const [, name, written] = /^(.+) \(([^()]*)\)$/.exec(label) ?? [];
  return written === kind || written?.replace(/ \d+$/, "") === kind ? name : undefined;
}

/** The assets of a breakdown: one for each label of a kind, under labels that are unique in the document. */
export class AssetList {
  readonly added: { label: string; kind: string; status: "planned"; department?: string }[] = [];
  readonly #departments: ReadonlySet<string> | undefined;
  /** Labels by kind and label in capitals: those that exist, and those added. */
  readonly #labels = new Map<string, string>();
  readonly #taken = new Set<string>();
  /** How many labels with a kind were made of a name, so that a thousand equal names do not begin at 1 each time. */
  readonly #counts = new Map<string, number>();

  constructor({ known = [], departments }: BreakdownOptions) {
    this.#departments = departments === undefined ? undefined : new Set(departments);
    for (const { label, kind = "", ref = label } of known) {
      if (!this.#labels.has(keyOf(kind, label))) this.#labels.set(keyOf(kind, label), ref);
      this.#taken.add(sameName(label)).add(sameName(ref));
    }
    for (const { label, kind = "", ref = label } of known) {
      const name = nameIn(label, kind);
      if (name !== undefined && !this.#labels.has(keyOf(kind, name))) this.#labels.set(keyOf(kind, name), ref);
    }
  }

  /** The label of the asset of `kind` with this name; the asset is added if it does not exist. */
  label(name: string, { kind, department }: AssetRule): string {
    const found = this.#labels.get(keyOf(kind, name));
    if (found !== undefined) return found;
    const label = this.#unique(name.slice(0, maxLabel - 100), kind);
    this.#labels.set(keyOf(kind, name), label);
    this.#taken.add(sameName(label));
    const exists = department !== undefined && this.#departments?.has(department) !== false;
    this.added.push({ label, kind, status: "planned", ...(exists ? { department } : {}) });
    return label;
  }

  /** If another kind of asset has the label, the kind is added to the label: "Lantern (dressing)". */
  #unique(name: string, kind: string): string {
    let label = name;
    const key = keyOf(kind, name);
    let count = this.#counts.get(key) ?? 0;
    for (; this.#taken.has(sameName(label)); count++)
      label = count === 0 ? `${name} (${kind})` : `${name} (${kind} ${count + 1})`;
    if (count > 0) this.#counts.set(key, count);
    return label;
  }
}

function elementsOf({ omitted, slugline, cast, eighths, estimated, script_day, tags }: DraftScene): SceneElements {
  if (omitted && isOmittedCard(slugline)) return {};
  const { int_ext, set, time_of_day } = parseSlugline(slugline);
  const elements = {
    ...{ int_ext, set, time_of_day, cast: cast.length > 0 ? cast : null },
    pages: eighths === null ? null : formatEighths(eighths),
    pages_estimated: (estimated && eighths !== null) || null,
    ...{ script_day, ...tags },
  };
  return Object.fromEntries(Object.entries(elements).filter(([, value]) => value !== null)) as SceneElements; // no null is left
}

/** The labels of the assets that a scene needs: who speaks, then what is tagged. */
function assetsOf({ cast, tags }: DraftScene, list: AssetList, rules: CategoryRules): string[] {
  const character = { ...rules.cast_members, kind: "character" };
  const labels = new Set(cast.map((name) => list.label(name, character)));
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

function brokenDown(scene: DraftScene, episode: string | undefined, list: AssetList, rules: CategoryRules) {
  const { number, slugline, synopsis, omitted, revision_color } = scene;
  return {
    ...{ number, ...(episode !== undefined && { episode }), slugline, ...(synopsis !== null && { synopsis }) },
    ...{ status: omitted ? ("omitted" as const) : ("planned" as const), revision_color },
    /** `assets` are labels. */
    ...{ elements: elementsOf(scene), assets: assetsOf(scene, list, rules) },
  };
}
export type BrokenDownScene = ReturnType<typeof brokenDown>;

/** The scenes of a draft in its order, and the assets they need. The same draft gives the same breakdown. */
export function breakDown(draft: ScriptDraft, options: BreakdownOptions = {}) {
  const { episode, rules = defaultRules } = options;
  const list = new AssetList(options);
  return { scenes: draft.scenes.map((scene) => brokenDown(scene, episode, list, rules)), assets: list.added };
}
