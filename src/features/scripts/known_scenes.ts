// Collects the scenes that a draft is compared with: those of the stored script, and stored scenes that the script does not have.

import type { StoredItem, StoredProduction } from "../documents/nouns/stored.ts";
import { castOfScene } from "../documents/plan/scenes.ts";
import type { Raw } from "../documents/sections/form.ts";
import { parseEighths } from "../names/sluglines.ts";
import { straysAfter } from "../sequences/sequences.ts";
import { isPlaceDismissed } from "./compare/compared.ts";
import type { Question } from "./compare/comparison.ts";
import type { DraftScene } from "./compare/drafts.ts";
import { type SceneDependencies, withSilent } from "./compare/fields.ts";
import type { KnownScene } from "./compare/next_draft.ts";
import { hasName, isRename, isSameRename, renameOf } from "./compare/renames.ts";
import type { ScriptRow, StoredChange } from "./script_store.ts";

/** A scene that a draft is compared with, with its row of the script and its scene of the production. */
export interface FoundScene extends KnownScene {
  row: ScriptRow | undefined;
  node: StoredItem | undefined;
}

/** Whether a value is a list of texts. */
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

/** A stored scene of which no draft is kept. */
function sceneOf({ raw }: StoredItem): DraftScene {
  const elements = Object.entries(raw.elements ?? {});
  const { pages, pages_estimated, script_day }: Raw = Object.fromEntries(elements);
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  return {
    number: String(raw.number),
    slugline: String(raw.slugline),
    omitted: raw.status === "omitted",
    synopsis: text(raw.synopsis),
    text: null,
    cast: castOfScene(raw),
    eighths: parseEighths(text(pages) ?? "") ?? null,
    estimated: pages_estimated === true,
    script_day: text(script_day),
    tags: Object.fromEntries(elements.flatMap(([key, one]) => (key !== "cast" && isTexts(one) ? [[key, one]] : []))),
    revision_color: String(raw.revision_color),
  };
}

export const dependenciesOf = ({ raw }: StoredItem): SceneDependencies => ({
  number: String(raw.number),
  slugline: String(raw.slugline),
  omitted: raw.status === "omitted",
  cast: castOfScene(raw),
});

/** The changes of scenes by the scene of the script that they are about: its node, or the number of one that is added. */
export function changeFinder(changes: readonly StoredChange[]): (row: ScriptRow) => StoredChange | undefined {
  const own = changes.filter(({ fields }) => !isRename(fields));
  const byNode = new Map(own.map((one) => [one.node_id, one]));
  const added = new Map(own.flatMap((one) => (one.node_id === null ? [[one.scene_number, one]] : [])));
  return ({ node_id, scene }) => (node_id === null ? added.get(scene.number) : byNode.get(node_id));
}

/** The change of a question among changes of its script: that of its scene, or of its character. */
export function changeOfQuestion(changes: readonly StoredChange[]) {
  const changeOf = changeFinder(changes);
  const renames = changes.filter(({ fields }) => isRename(fields));
  return ({ fields }: Question, row: ScriptRow | undefined): StoredChange | undefined =>
    isRename(fields)
      ? renames.find((one) => isSameRename(renameOf(one.fields), renameOf(fields)))
      : row && changeOf(row);
}

/**
 * The scenes of the newest draft in its order; a stored scene that it does not have follows the one before it. A scene whose addition was
 * not approved is the stored one of its number, which somebody added by hand.
 */
export function foundScenes(
  rows: readonly ScriptRow[],
  nodes: readonly StoredItem[],
  pending: readonly StoredChange[],
): FoundScene[] {
  const byId = new Map(nodes.map((node, order) => [node.id, { node, order }]));
  const inScript = new Map(rows.map((row) => [row.node_id, row]));
  const byHand = new Map(
    nodes.flatMap((node, order) => (inScript.has(node.id) ? [] : [[String(node.raw.number), { node, order }]])),
  );
  const changeOf = changeFinder(pending);
  const foundOf = (row: ScriptRow): FoundScene => {
    const { node_id, scene, place } = row;
    const found = node_id === null ? byHand.get(scene.number) : byId.get(node_id);
    const known = { row, node: found?.node, scene, place, asked: changeOf(row)?.fields.order !== undefined };
    if (found === undefined) return { ...known, stored: undefined, approved: scene, dismissed: row.dismissed };
    const stored = { ...dependenciesOf(found.node), order: found.order };
    if (node_id === null) return { ...known, stored, approved: withSilent(sceneOf(found.node), scene), dismissed: 0 };
    return { ...known, stored, approved: row.approved ?? scene, dismissed: row.dismissed };
  };
  const placed = rows.filter(({ place }) => place !== null).map(foundOf);
  const kept = new Map(placed.map((one) => [one.node, one]));
  const isAnchor = (node: StoredItem): boolean => {
    const one = kept.get(node);
    return one !== undefined && !one.scene.omitted && !one.asked && !isPlaceDismissed(one);
  };
  const following = straysAfter(nodes, (node) => !kept.has(node), isAnchor);
  const after = (previous: StoredItem | undefined) =>
    (following.get(previous) ?? []).map((node): FoundScene => {
      const row = inScript.get(node.id);
      if (row !== undefined) return foundOf(row);
      const scene = sceneOf(node);
      const stored = { ...dependenciesOf(node), order: byId.get(node.id)?.order ?? 0 };
      const base = { row, place: undefined, dismissed: 0, asked: false } as const;
      return { ...base, node, scene, approved: scene, stored };
    });
  return [...after(undefined), ...placed.flatMap((one) => [one, ...(one.node === undefined ? [] : after(one.node))])];
}

/** A scene as a later draft may have it: of one that the newest draft does not have, what was approved. */
export const lastTextOf = ({ place, scene, approved }: FoundScene): DraftScene => (place === null ? approved : scene);

/** Says whether the production has a character of a name, or the name in the cast of a scene. */
export function characterFinder(stored: StoredProduction): (name: string) => boolean {
  return (name) =>
    stored.items("assets").some(({ raw }) => raw.kind === "character" && hasName([String(raw.label)], name)) ||
    stored.items("scenes").some(({ raw }) => hasName(castOfScene(raw), name));
}
