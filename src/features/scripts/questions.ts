// Collects the scenes that a draft is compared with, those of the stored script and stored scenes that it does not
// have, and finds the script changes that ask what the comparison does.
import type { Store } from "../../core/store/store.ts";
import { castOfScene } from "../documents/cast_names.ts";
import type { Raw } from "../documents/sections/form.ts";
import type { StoredItem, StoredProduction } from "../documents/stored.ts";
import { parseEighths } from "../names/page_lengths.ts";
import { straysAfter } from "../sequences/sequences.ts";
import { isPlaceDismissed, type KnownScene } from "./compare/compared.ts";
import { compareScript, type Question } from "./compare/comparison.ts";
import type { DraftScene } from "./compare/drafts.ts";
import { withSilent } from "./compare/fields.ts";
import { type GivenDraft, type NextScene, nextScenes } from "./compare/next_draft.ts";
import { hasName, isRename, renameKey, renameOf } from "./compare/renames.ts";
import { namesToday } from "./other_episodes.ts";
import { dismissedRenames, type ScriptKey, type ScriptRow, type StoredChange, scriptRows } from "./script_store.ts";

/** A scene that a draft is compared with, with its row of the script and its scene of the production. */
export interface FoundScene extends KnownScene {
  row: ScriptRow | undefined;
  node: StoredItem | undefined;
}

/** What a draft asks. */
export type Asked = Question<NextScene<FoundScene>>;

/** A script of a stored production, with the code of its episode. */
export interface StoredScript {
  stored: StoredProduction;
  key: ScriptKey;
  episode: string | undefined;
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
    ...dependenciesOf({ raw }),
    synopsis: text(raw.synopsis),
    text: null,
    eighths: parseEighths(text(pages) ?? "") ?? null,
    estimated: pages_estimated === true,
    script_day: text(script_day),
    tags: Object.fromEntries(elements.flatMap(([key, one]) => (key !== "cast" && isTexts(one) ? [[key, one]] : []))),
    revision_color: String(raw.revision_color),
  };
}

export const dependenciesOf = ({ raw }: Pick<StoredItem, "raw">) => ({
  number: String(raw.number),
  slugline: String(raw.slugline),
  omitted: raw.status === "omitted",
  cast: castOfScene(raw),
  isMeasured: isMeasured((raw.elements ?? {}) as Raw), // the elements of a scene are an object
});

const isMeasured = ({ pages, pages_estimated }: Raw): boolean => pages !== undefined && pages_estimated !== true;

/**
 * The changes of scenes by the scene of the script that they are about: its node, or the number of one that is added.
 */
export function changeFinder(changes: readonly StoredChange[]) {
  const own = changes.filter(({ fields }) => !isRename(fields));
  const byNode = new Map(own.map((one) => [one.node_id, one]));
  const added = new Map(own.flatMap((one) => (one.node_id === null ? [[one.scene_number, one]] : [])));
  return ({ node_id, scene }: Pick<ScriptRow, "node_id" | "scene">): StoredChange | undefined =>
    node_id === null ? added.get(scene.number) : byNode.get(node_id);
}

/** The change of a question among changes of its script: that of its scene, or of its character. */
export function changeOfQuestion(changes: readonly StoredChange[]) {
  const changeOf = changeFinder(changes);
  const renames = new Map(
    changes
      .toReversed() // the first one of a name wins
      .flatMap((one) => (isRename(one.fields) ? [[renameKey(renameOf(one.fields)), one] as const] : [])),
  );
  return ({ fields, of: { known } }: Asked): StoredChange | undefined =>
    isRename(fields) ? renames.get(renameKey(renameOf(fields))) : known?.row && changeOf(known.row);
}

/**
 * The scenes of the newest draft in its order; a stored scene that it does not have follows the one before it. A scene
 * whose addition was not approved is the stored one of its number, which somebody added by hand.
 */
function foundScenes(
  rows: readonly ScriptRow[],
  nodes: readonly StoredItem[],
  pending: readonly StoredChange[],
): FoundScene[] {
  const [byId, orders] = [new Map(nodes.map((node) => [node.id, node])), new Map(nodes.map((node, at) => [node, at]))];
  const inScript = new Map(rows.map((row) => [row.node_id, row]));
  const byHand = new Map(
    nodes.flatMap((node) => (inScript.has(node.id) ? [] : [[String(node.raw.number), node] as const])),
  );
  const changeOf = changeFinder(pending);
  // each has one
  const storedOf = (node: StoredItem) => ({ ...dependenciesOf(node), order: orders.get(node) as number });
  const foundOf = (row: ScriptRow): FoundScene => {
    const { node_id, scene, place, approved, dismissed } = row;
    const node = node_id === null ? byHand.get(scene.number) : byId.get(node_id);
    const known = { row, node, scene, place, asked: changeOf(row)?.fields.order !== undefined };
    if (node === undefined) return { ...known, stored: undefined, approved: scene, dismissed };
    const stored = storedOf(node);
    if (node_id === null) return { ...known, stored, approved: withSilent(sceneOf(node), scene), dismissed: 0 };
    return { ...known, stored, approved: approved ?? scene, dismissed };
  };
  const strayOf = (node: StoredItem): FoundScene => {
    const row = inScript.get(node.id);
    if (row !== undefined) return foundOf(row);
    const scene = sceneOf(node);
    const base = { row, place: undefined, dismissed: 0, asked: false } as const;
    return { ...base, node, scene, approved: scene, stored: storedOf(node) };
  };
  const placed = rows.filter(({ place }) => place !== null).map(foundOf);
  const kept = new Map(placed.map((one) => [one.node, one]));
  const isAnchor = (node: StoredItem): boolean => {
    const one = kept.get(node);
    return one !== undefined && !one.scene.omitted && !one.asked && !isPlaceDismissed(one);
  };
  const following = straysAfter(nodes, (node) => !kept.has(node), isAnchor);
  const after = (previous: StoredItem | undefined) => (following.get(previous) ?? []).map(strayOf);
  return [...after(undefined), ...placed.flatMap((one) => [one, ...(one.node === undefined ? [] : after(one.node))])];
}

/** A scene as a later draft may have it: of one that the newest draft does not have, what was approved. */
export const lastTextOf = ({ place, scene, approved }: FoundScene): DraftScene => (place === null ? approved : scene);

/** Tells whether a production has a character of a name, or the name in the cast of a scene. */
export function characterFinder(stored: StoredProduction): (name: string) => boolean {
  const characters = stored.items("assets").filter(({ raw }) => raw.kind === "character");
  const names = [
    ...characters.map(({ raw }) => String(raw.label)),
    ...stored.items("scenes").flatMap(({ raw }) => castOfScene(raw)),
  ];
  return (name) => hasName(names, name);
}

/** Compares a script with a draft, by default with its newest one; `pending` are the changes that wait. */
export function compareWith(
  store: Store,
  script: StoredScript,
  pending: readonly StoredChange[],
  draftOf: (found: readonly FoundScene[]) => GivenDraft = newestDraft,
) {
  const { stored, key, episode } = script;
  const nodes = stored.items("scenes").filter(({ raw }) => raw.episode === episode);
  const rows = scriptRows(store, key);
  const found = foundScenes(rows, nodes, pending);
  const given = draftOf(found);
  const hasCharacter = characterFinder(stored);
  const aliases = namesToday(store, key, { rows, hasCharacter });
  const names = { hasCharacter, dismissed: dismissedRenames(store, key), aliases };
  const next = nextScenes(found, given, names.dismissed);
  return { rows, found, next, pages: given.pages, dismissed: names.dismissed, ...compareScript(next, names) };
}

/** The newest draft as a later one. */
function newestDraft(found: readonly FoundScene[]): GivenDraft {
  const inDraft = [...found.entries()].filter(([, { place }]) => typeof place === "number");
  const pairs = inDraft.map(([before], after) => ({ before, after, by: "number" as const }));
  const draft = { scenes: inDraft.map(([, { scene }]) => scene) };
  return { draft, matching: { pairs, hints: [] }, color: null, pages: undefined };
}
