// Makes the part of a document that changes a stored scene as a scene of a draft says.
import { sameName } from "../../core/wording.ts";
import { castOfScene, inCaseOf, type NameChange } from "../documents/cast_names.ts";
import type { Raw } from "../documents/sections/form.ts";
import type { StoredItem, StoredProduction } from "../documents/stored.ts";
import { textsIn } from "../names/sluglines.ts";
import type { BrokenDownScene, SceneElements } from "./breakdown.ts";
import type { DraftScene } from "./compare/drafts.ts";
import type { FieldChanges } from "./compare/fields.ts";

/**
 * A scene of a draft with the names that a change brings: all of them where the scene is added; all tags where it comes
 * back.
 */
export function withChangedNames(fields: FieldChanges, scene: DraftScene, isAdded = false): DraftScene {
  const brings = (name: string): boolean => isAdded || (name in fields && fields.omitted?.to !== true);
  const hasTags = brings("tags") || fields.omitted?.to === false;
  return { ...scene, ...(!brings("cast") && { cast: [] }), ...(!hasTags && { tags: {} }) };
}

/**
 * The cast of a scene in the spelling that it has there, and those of it who are linked: who was in the cast already
 * and is none of the `characters` becomes none.
 */
export function linkedCast(cast: readonly string[], stored: StoredItem | undefined, characters: ReadonlySet<string>) {
  const known = new Map(stored === undefined ? [] : castOfScene(stored.raw).map((name) => [sameName(name), name]));
  return {
    cast: cast.map((name) => known.get(sameName(name)) ?? name),
    linked: cast.filter((name) => characters.has(sameName(name)) || !known.has(sameName(name))),
  };
}

/** The elements of the slugline that the scene has; null for one that the new slugline does not have. */
const headingElements = ({ int_ext, set, time_of_day }: SceneElements, known: Raw): Raw =>
  Object.fromEntries(
    Object.entries({ int_ext, set, time_of_day }).flatMap(([key, value]) =>
      key in known ? [[key, value ?? null]] : [],
    ),
  );

/**
 * The elements of a scene that comes back: those of the draft, and what lists and people put on it. Of its lists and
 * its cast only that goes which the script had and the draft has not; of a scene without a draft, nothing.
 */
function restoredElements(elements: SceneElements, known: Raw, former: DraftScene, bringsCast: boolean): Raw {
  const isDrafted = former.text !== null;
  const gone = Object.keys(isDrafted ? former.tags : {}).map((key) => [key, null] as const);
  const ofScript = new Set(isDrafted ? former.cast.map(sameName) : []);
  const byPeople = textsIn(known.cast).filter((name) => !bringsCast || !ofScript.has(sameName(name)));
  const drafted = new Set((elements.cast ?? []).map(sameName));
  const cast = [...(elements.cast ?? []), ...byPeople.filter((name) => !drafted.has(sameName(name)))];
  return { ...Object.fromEntries(gone), ...elements, cast: cast.length > 0 ? cast : null };
}

function changedElements(
  fields: FieldChanges,
  { elements }: BrokenDownScene,
  raw: Raw,
  former: DraftScene | undefined,
): Raw {
  const known = (raw.elements ?? {}) as Raw; // the elements of a scene are an object
  const restored = former !== undefined;
  const changed: Raw = restored ? restoredElements(elements, known, former, "cast" in fields) : {};
  if ("slugline" in fields && !restored) Object.assign(changed, headingElements(elements, known));
  if ("cast" in fields && !restored) changed.cast = elements.cast ?? null;
  if ("pages" in fields)
    Object.assign(changed, { pages: elements.pages ?? null, pages_estimated: elements.pages_estimated ?? null });
  if ("script_day" in fields) changed.script_day = elements.script_day ?? null;
  const { from = {}, to = {} } = (fields.tags ?? {}) as { from?: object; to?: object }; // lists by category
  for (const key of Object.keys({ ...from, ...to })) changed[key] = elements[key] ?? null;
  return changed;
}

/**
 * The part of a document that makes `fields` of a change true of a stored scene. Everything else of it stays; its links
 * too, but for new ones and those to the characters who are `leaving`. `color` is the revision colour, if the draft
 * says one; `former` the scene as the script had it before.
 */
export function sceneChange(
  { raw }: StoredItem,
  fields: FieldChanges,
  scene: BrokenDownScene,
  {
    color,
    draft,
    former,
    leaving,
  }: { color: string | null; draft: DraftScene; former: DraftScene; leaving: ReadonlySet<string> },
): Raw {
  const episode = raw.episode === undefined ? {} : { episode: raw.episode };
  const number = "number" in fields ? { number: scene.number, was: raw.number } : { number: raw.number };
  const colored = color === null ? {} : { revision_color: color };
  if (fields.omitted?.to === true) return { ...episode, ...number, ...colored, status: "omitted" };
  const restored = fields.omitted?.to === false;
  const elements = changedElements(fields, scene, raw, restored ? former : undefined);
  const kept = textsIn(raw.assets).filter((reference) => !leaving.has(reference));
  const assets = [...new Set([...kept, ...scene.assets])];
  const links = restored || "cast" in fields || "tags" in fields ? { assets } : {};
  return {
    ...episode,
    ...number,
    ...colored,
    ...links,
    ...(restored && { status: "planned" }),
    ...("slugline" in fields && { slugline: scene.slugline }),
    ...("synopsis" in fields && { synopsis: draft.synopsis }),
    ...(Object.keys(elements).length > 0 && { elements }),
  };
}

/** The assets by their labels. */
export class AssetNames {
  readonly #labels: ReadonlySet<string>;
  readonly #characters: ReadonlyMap<string, Raw>;

  constructor(stored: StoredProduction) {
    const assets = stored.items("assets").map(({ raw }) => [sameName(String(raw.label)), raw] as const);
    this.#labels = new Set(assets.map(([label]) => label));
    // the first one wins
    this.#characters = new Map(assets.toReversed().filter(([, { kind }]) => kind === "character"));
  }

  /** The character of a name, as documents have it. */
  characterOf = (name: string): Raw | undefined => this.#characters.get(sameName(name));

  /** The asset that a rename gives another name; undefined where another asset has that name already. */
  renamed({ from, to }: NameChange): { label: string; was: unknown } | undefined {
    const asset = this.characterOf(from);
    if (asset === undefined || this.#labels.has(sameName(to))) return undefined;
    return { label: inCaseOf(String(asset.label), to), was: asset.ref ?? asset.label };
  }
}
