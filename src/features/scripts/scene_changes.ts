// Makes the part of a document that changes a stored scene as a scene of a draft says.

import { sameName } from "../../core/spelling.ts";
import type { StoredItem } from "../documents/nouns/stored.ts";
import { castOfScene } from "../documents/plan/scenes.ts";
import type { Raw } from "../documents/sections/form.ts";
import { textsIn } from "../names/sluglines.ts";
import type { BrokenDownScene, SceneElements } from "./breakdown.ts";
import { type FieldChange, sameNames } from "./comparison.ts";
import { type DraftScene, withoutMark } from "./drafts.ts";

/** What of a stored scene a change depends on. */
export interface SceneDependencies {
  number: string;
  slugline: string;
  omitted: boolean;
  cast: string[];
}

export type FieldChanges = Record<string, FieldChange>;

/** The fields of a scene that someone decides about, and those of a change: with its place, and the name of a character. */
export const contentFields = ["number", "slugline", "omitted", "text", "cast"];
export const decidedFields = [...contentFields, "order", "character"];
export const isDecided = (fields: FieldChanges): boolean => decidedFields.some((name) => name in fields);

export function dependenciesOf({ raw }: StoredItem): SceneDependencies {
  const [number, slugline] = [String(raw.number), String(raw.slugline)];
  return { number, slugline, omitted: raw.status === "omitted", cast: castOfScene(raw) };
}

const same: Record<keyof SceneDependencies, (one: SceneDependencies, other: Partial<SceneDependencies>) => boolean> = {
  number: (one, other) => one.number === other.number,
  slugline: (one, other) => other.slugline !== undefined && sameName(one.slugline) === sameName(other.slugline),
  omitted: (one, other) => one.omitted === other.omitted,
  cast: (one, other) => sameNames(one.cast) === sameNames(other.cast ?? []),
};
const dependencyFields = Object.keys(same) as (keyof SceneDependencies)[]; // the keys of the object

/** The fields of a change as they are for the stored scene: without those that it already has. */
export function fieldsForStored(fields: FieldChanges, seen: SceneDependencies): FieldChanges {
  const own = { ...fields };
  for (const name of dependencyFields) {
    const to = own[name]?.to;
    if (to === undefined) continue;
    if (same[name](seen, { [name]: to })) delete own[name];
    else own[name] = { from: seen[name], to };
  }
  return own;
}

/** The fields of a change in which a stored scene is not any more what the change found. */
export function changedSince(fields: FieldChanges, now: SceneDependencies): string[] {
  const unmarked = { ...now, number: withoutMark(now.number) };
  return dependencyFields.filter((name) => {
    const found = fields[name]?.from;
    const from = name === "number" && typeof found === "string" ? withoutMark(found) : found;
    return name in fields && !same[name](unmarked, { [name]: from });
  });
}

/** A scene of a draft with the names that a change brings: all of them where the scene is added or comes back. */
export function withChangedNames(fields: FieldChanges, scene: DraftScene, isAdded = false): DraftScene {
  const isWhole = isAdded || fields.omitted?.to === false;
  const brings = (name: string): boolean => isWhole || (name in fields && fields.omitted?.to !== true);
  return { ...scene, ...(!brings("cast") && { cast: [] }), ...(!brings("tags") && { tags: {} }) };
}

/** The elements of the slugline that the scene has; null for one that the new slugline does not have. */
const headingElements = ({ int_ext, set, time_of_day }: SceneElements, known: Raw): Raw =>
  Object.fromEntries(
    Object.entries({ int_ext, set, time_of_day }).flatMap(([key, value]) =>
      key in known ? [[key, value ?? null]] : [],
    ),
  );

/** The lists of a scene, such as its cast, each as null. */
const withoutLists = (elements: unknown): Raw =>
  Object.fromEntries(Object.entries(elements ?? {}).flatMap(([key, one]) => (Array.isArray(one) ? [[key, null]] : [])));

function changedElements(fields: FieldChanges, { elements }: BrokenDownScene, raw: Raw, restored: boolean): Raw {
  const known = (raw.elements ?? {}) as Raw;
  const changed: Raw = restored ? { ...withoutLists(known), ...elements } : {};
  if ("slugline" in fields && !restored) Object.assign(changed, headingElements(elements, known));
  if ("cast" in fields) changed.cast = elements.cast ?? null;
  if ("pages" in fields)
    Object.assign(changed, { pages: elements.pages ?? null, pages_estimated: elements.pages_estimated ?? null });
  if ("script_day" in fields) changed.script_day = elements.script_day ?? null;
  const { from = {}, to = {} } = (fields.tags ?? {}) as { from?: object; to?: object }; // lists by category
  for (const key of Object.keys({ ...from, ...to })) changed[key] = elements[key] ?? null;
  return changed;
}

/**
 * The part of a document that makes `fields` of a change true of a stored scene. Everything else of it stays; its links too, but
 * for new ones and those to the characters who are `leaving`. `color` is the revision colour, if the draft says one.
 */
export function sceneChange(
  { raw }: StoredItem,
  fields: FieldChanges,
  scene: BrokenDownScene,
  { color, draft, leaving }: { color: string | null; draft: DraftScene; leaving: ReadonlySet<string> },
): Raw {
  const episode = raw.episode === undefined ? {} : { episode: raw.episode };
  const number = "number" in fields ? { number: scene.number, was: raw.number } : { number: raw.number };
  const colored = color === null ? {} : { revision_color: color };
  if (fields.omitted?.to === true) return { ...episode, ...number, ...colored, status: "omitted" };
  const restored = fields.omitted?.to === false;
  const elements = changedElements(fields, scene, raw, restored);
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
