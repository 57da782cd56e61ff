// Collects the scenes that a draft is compared with: those of the stored script, and stored scenes that the script does not have. Decides for
// each scene of the draft whether it is stored without a decision or raised as a script change.

import type { StoredItem } from "../documents/nouns/stored.ts";
import type { Raw } from "../documents/sections/form.ts";
import { parseEighths } from "../names/sluglines.ts";
import { straysAfter } from "../sequences/sequences.ts";
import type { RenameEffect } from "./character_renames.ts";
import type { DraftChange, DraftComparison, SilentChange } from "./comparison.ts";
import { type DraftScene, isTagged, type ScriptDraft } from "./drafts.ts";
import { dependenciesOf, type FieldChanges, fieldsForStored, isDecided } from "./scene_changes.ts";
import type { NextRow, SceneDependencies, ScriptRow } from "./script_store.ts";

/** A scene that a draft is compared with: as the script has it, the production, or both. */
export interface KnownScene {
  row: ScriptRow | undefined;
  node: StoredItem | undefined;
  scene: DraftScene;
  /** As it was last approved. */
  approved: DraftScene;
}

const textsOf = (value: unknown): string[] | undefined =>
  Array.isArray(value) && value.every((one) => typeof one === "string") ? value : undefined;

/** A stored scene of which no draft is kept. */
function sceneOf({ raw }: StoredItem): DraftScene {
  const elements = (raw.elements ?? {}) as Raw;
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  const lists = Object.entries(elements).flatMap(([key, value]) => {
    const texts = key === "cast" ? undefined : textsOf(value);
    return texts === undefined ? [] : [[key, texts] as const];
  });
  return {
    number: String(raw.number),
    slugline: String(raw.slugline),
    omitted: raw.status === "omitted",
    synopsis: text(raw.synopsis),
    text: null,
    cast: textsOf(elements.cast) ?? [],
    eighths: parseEighths(text(elements.pages) ?? "") ?? null,
    estimated: elements.pages_estimated === true,
    script_day: text(elements.script_day),
    tags: Object.fromEntries(lists),
    revision_color: String(raw.revision_color),
  };
}

/**
 * The scenes of the script in their order; a stored scene that the script does not have follows the one before it. A scene whose
 * addition was dismissed is the stored one of its number, which somebody added by hand.
 */
export function knownScenes(rows: readonly ScriptRow[], nodes: readonly StoredItem[]): KnownScene[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const inScript = new Set(rows.map(({ node_id }) => node_id));
  const others = nodes.filter(({ id }) => !inScript.has(id));
  const byNumber = new Map(others.map((node) => [String(node.raw.number), node]));
  const known = rows.map((row): KnownScene => {
    const { node_id, scene, approved } = row;
    const node = node_id === null ? byNumber.get(scene.number) : byId.get(node_id);
    const last = approved ?? (node_id === null && node ? sceneOf(node) : scene);
    const omitted = node === undefined ? last.omitted : node.raw.status === "omitted"; // a person may have changed that since
    return { row, node, scene, approved: last.omitted === omitted ? last : { ...last, omitted } };
  });
  const kept = new Set(known.flatMap(({ node }) => node ?? []));
  const following = straysAfter(
    nodes,
    (node) => !kept.has(node),
    () => true,
  );
  const after = (previous: StoredItem | undefined) =>
    (following.get(previous) ?? []).map((node): KnownScene => {
      const scene = sceneOf(node);
      return { row: undefined, node, scene, approved: scene };
    });
  return [...after(undefined), ...known.flatMap((one) => [one, ...(one.node === undefined ? [] : after(one.node))])];
}

/** A change that a draft raises. */
export interface RaisedChange {
  kind: DraftChange["kind"];
  number: string;
  fields: FieldChanges;
  /** Such as "perhaps 41, renumbered". */
  hint: string | undefined;
  node: StoredItem | undefined;
  /** The index of the scene among the scenes of the script; null if no earlier draft has it. */
  row: number | null;
  place: number | null;
  color: string | null;
  seen: SceneDependencies | null;
  scene: DraftScene;
  /** What a rename does to the stored script. */
  rename?: RenameEffect;
}

/** A scene of a later draft with what only the earlier one says, unless it comes back. */
function completed(before: DraftScene, after: DraftScene, tagged: boolean): DraftScene {
  if (before.omitted && !after.omitted) return after;
  const guess = after.eighths === null || (after.estimated && !before.estimated && before.eighths !== null);
  return {
    ...after,
    synopsis: after.synopsis ?? before.synopsis,
    script_day: after.script_day ?? before.script_day,
    tags: tagged || before.text === null ? after.tags : before.tags,
    ...(guess && { eighths: before.eighths, estimated: before.estimated }),
  };
}

export interface Colors {
  /** The colour that the import gives to all its changes. */
  given: string | null;
  /** The colours that the file gives to its scenes. */
  scenes: readonly (string | null)[];
}

/** What a comparison comes to. */
export interface Compared {
  raised: RaisedChange[];
  /** Scenes that change without a decision: the fields of each. */
  silent: { node: StoredItem; fields: FieldChanges; scene: DraftScene }[];
  /** What becomes of each known scene; undefined: it goes. */
  next: (NextRow | undefined)[];
  /** How many scenes had no text yet, and are taken with theirs. */
  texts: number;
}

/** Stores what needs no decision, and raises the rest. */
export function raiseChanges(
  known: readonly KnownScene[],
  draft: ScriptDraft,
  colors: Colors,
  { changes, silent, stands }: DraftComparison,
): Compared {
  const hasDrafts = known.some(({ row }) => row !== undefined);
  const tagged = isTagged(draft);
  const result: Compared = { raised: [], silent: [], next: [], texts: 0 };
  const { next, raised } = result;
  for (const [at, { row, node, scene, approved }] of known.entries())
    next.push({
      id: row?.id,
      node_id: node?.id ?? null,
      place: null,
      stands: Number(stands.get(at) ?? row?.stands ?? !scene.omitted),
      scene,
      approved: node === undefined || approved === scene ? null : approved,
    });

  const raise = (
    { kind, number, after, hint }: DraftChange,
    one: Pick<RaisedChange, "fields" | "node" | "row" | "scene" | "seen">,
  ): void => {
    const color = colors.given ?? (after === null ? null : (colors.scenes[after] ?? null));
    raised.push({ ...one, kind, number, hint, place: after, color });
  };
  const add = (change: DraftChange, row: number | null): void => {
    const scene = draft.scenes[change.after as number] as DraftScene; // an added scene is in the draft
    const { number, slugline, cast, omitted } = scene;
    const place = { order: change.follows };
    const added = { number, slugline, ...(cast.length > 0 && { cast }), ...(omitted && { omitted }), ...place };
    const fields = Object.fromEntries(Object.entries(added).map(([name, to]) => [name, { from: null, to }]));
    raise({ ...change, kind: "added", number }, { fields, node: undefined, row, scene, seen: null });
  };
  /** Takes the scene of the draft without a decision. `settled`: it is as it was approved, though the earlier draft was not. */
  const take = ({ before, after, settled, fields }: SilentChange): void => {
    const { scene: former, node } = known[before] as KnownScene; // each scene that was compared
    const row = next[before] as NextRow;
    const isChanged = Object.keys(fields).length > 0;
    row.place = after;
    if (settled) row.approved = null;
    if (isChanged || former.text === null || settled)
      row.scene = completed(former, draft.scenes[after] as DraftScene, tagged);
    if (former.text === null) result.texts++;
    if (node !== undefined && isChanged) result.silent.push({ node, fields, scene: row.scene });
  };
  const decide = (change: DraftChange): void => {
    const { before, after } = change;
    if (before === null) {
      add(change, null);
      return;
    }
    const { row, node, scene: former } = known[before] as KnownScene;
    const isByHand = hasDrafts && row === undefined; // no draft ever had it, though there are drafts
    if (after === null && (node === undefined || isByHand)) next[before] = undefined;
    else if (node === undefined) add(change, before);
    else {
      const seen = dependenciesOf(node);
      const fields = fieldsForStored(change.fields, seen);
      const stored = next[before] as NextRow;
      if (!isDecided(fields)) {
        if (after === null) Object.assign(stored, { scene: { ...stored.scene, omitted: true }, approved: null });
        else take({ before, after, settled: true, fields });
        return;
      }
      if (after !== null && !("order" in fields) && fields.omitted?.to !== true) stored.place = after;
      const scene =
        after === null ? { ...former, omitted: true } : completed(former, draft.scenes[after] as DraftScene, tagged);
      raise(change, { fields, node, row: before, scene, seen });
    }
  };

  for (const one of silent) take(one);
  for (const change of changes) decide(change);
  return result;
}
