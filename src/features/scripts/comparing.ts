// Collects the scenes that a draft is compared with: those of the stored script, and stored scenes that the script does not have. Decides for
// each scene of the draft whether it is stored without a decision or raised as a script change.

import type { StoredItem } from "../documents/nouns/stored.ts";
import type { Raw } from "../documents/sections/form.ts";
import { parseEighths } from "../names/sluglines.ts";
import { straysAfter } from "../sequences/sequences.ts";
import { isRename } from "./character_renames.ts";
import type { DraftChange, DraftComparison, SilentChange } from "./comparison.ts";
import { type DraftScene, isTagged, type ScriptDraft } from "./drafts.ts";
import { dependenciesOf, type FieldChanges, fieldsForStored, isDecided } from "./scene_changes.ts";
import type { NextRow, PendingChange, ScriptRow } from "./script_store.ts";

/** A scene that a draft is compared with: as the script has it, the production, or both. */
export interface KnownScene {
  row: ScriptRow | undefined;
  node: StoredItem | undefined;
  /** As the newest draft has it. */
  scene: DraftScene;
  /** As it was last approved. */
  approved: DraftScene;
  /** The change of it that waits. */
  waiting: PendingChange | undefined;
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

/** The pending changes by the scene of the script that they are about: its node, or the number of one that is added. */
export function waitingFor(pending: readonly PendingChange[]): (row: ScriptRow) => PendingChange | undefined {
  const own = pending.filter(({ fields }) => !isRename(fields));
  const byNode = new Map(own.map((one) => [one.node_id, one]));
  const added = new Map(own.flatMap((one) => (one.node_id === null ? [[one.scene_number, one]] : [])));
  return ({ node_id, scene }) => (node_id === null ? added.get(scene.number) : byNode.get(node_id));
}

/**
 * The scenes of the newest draft in its order; a stored scene that it does not have follows the one before it. A scene whose addition was
 * not approved is the stored one of its number, which somebody added by hand.
 */
export function knownScenes(
  rows: readonly ScriptRow[],
  nodes: readonly StoredItem[],
  pending: readonly PendingChange[],
): KnownScene[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const inScript = new Map(rows.map((row) => [row.node_id, row]));
  const byNumber = new Map(nodes.flatMap((node) => (inScript.has(node.id) ? [] : [[String(node.raw.number), node]])));
  const changeOf = waitingFor(pending);
  const knownOf = (row: ScriptRow): KnownScene => {
    const { node_id, scene, approved } = row;
    const node = node_id === null ? byNumber.get(scene.number) : byId.get(node_id);
    const last = approved ?? (node_id === null && node ? sceneOf(node) : scene);
    const omitted = node === undefined ? last.omitted : node.raw.status === "omitted"; // a person may have changed that since
    return {
      row,
      node,
      scene,
      approved: last.omitted === omitted ? last : { ...last, omitted },
      waiting: changeOf(row),
    };
  };
  const placed = rows.filter(({ place }) => place !== null).map(knownOf);
  const kept = new Map(placed.map((one) => [one.node, one]));
  const following = straysAfter(
    nodes,
    (node) => !kept.has(node),
    (node) => kept.get(node)?.row?.stands === 1,
  );
  const after = (previous: StoredItem | undefined) =>
    (following.get(previous) ?? []).map((node): KnownScene => {
      const row = inScript.get(node.id);
      const scene = sceneOf(node);
      return row === undefined ? { row, node, scene, approved: scene, waiting: undefined } : knownOf(row);
    });
  return [...after(undefined), ...placed.flatMap((one) => [one, ...(one.node === undefined ? [] : after(one.node))])];
}

/** A scene as a later draft may have it: of one that the newest draft does not have, what was approved. */
export const lastTextOf = ({ row, scene, approved }: KnownScene): DraftScene =>
  row?.place === null ? approved : scene;

/** A change that a draft raises. */
export interface RaisedChange {
  kind: DraftChange["kind"];
  number: string;
  fields: FieldChanges;
  /** Such as "perhaps 41, renumbered". */
  hint: string | undefined;
  node: StoredItem | undefined;
  /** What becomes of the scene in the script; undefined for a rename. */
  row: NextRow | undefined;
  /** The scene as it was known; undefined if no earlier draft has it. */
  known: KnownScene | undefined;
  place: number | null;
  color: string | null;
  scene: DraftScene;
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
  /** Scenes that no earlier draft has. */
  added: NextRow[];
  /** How many scenes had no text yet, and are taken with theirs. */
  texts: number;
}

/** What applies without a decision, of a scene to which it was applied. */
const withSilent = (scene: DraftScene, { synopsis, eighths, estimated, script_day, tags }: DraftScene): DraftScene => ({
  ...scene,
  ...{ synopsis, eighths, estimated, script_day, tags },
});

/** Stores what needs no decision, and raises the rest. */
export function raiseChanges(
  known: readonly KnownScene[],
  draft: ScriptDraft,
  colors: Colors,
  { changes, silent, stands }: DraftComparison,
): Compared {
  const hasDrafts = known.some(({ row }) => row !== undefined);
  const tagged = isTagged(draft);
  const next = known.map(({ row, node, scene, approved }, at): NextRow => {
    return {
      id: row?.id,
      node_id: node?.id ?? null,
      place: null,
      stands: Number(stands.get(at) ?? row?.stands ?? !scene.omitted),
      scene,
      approved: node === undefined || approved === scene ? null : approved,
      decided: row?.decided ?? null,
    };
  });
  const result: Compared = { raised: [], silent: [], next, added: [], texts: 0 };
  const raise = (
    { kind, number, before, after, hint }: DraftChange,
    one: Pick<RaisedChange, "fields" | "node" | "scene"> & { row: NextRow },
  ): void => {
    const color = colors.given ?? (after === null ? null : (colors.scenes[after] ?? null));
    Object.assign(one.row, { place: after, scene: one.scene });
    result.raised.push({ ...one, kind, number, hint, known: known[before ?? -1], place: after, color });
  };
  const add = (change: DraftChange): void => {
    const { before, after } = change;
    const given = draft.scenes[after as number] as DraftScene; // an added scene is in the draft
    const former = before === null ? undefined : known[before]?.scene;
    const scene = former === undefined ? given : completed(former, given, tagged);
    const { number, slugline, cast, omitted } = scene;
    const place = { order: change.follows };
    const added = { number, slugline, ...(cast.length > 0 && { cast }), ...(omitted && { omitted }), ...place };
    const fields = Object.fromEntries(Object.entries(added).map(([name, to]) => [name, { from: null, to }]));
    const row: NextRow =
      (before === null ? undefined : next[before]) ??
      ({ id: undefined, node_id: null, place: after, stands: 0, scene, approved: null, decided: null } as const);
    if (before === null) result.added.push(row);
    raise(change, { fields, node: undefined, row, scene });
  };
  /** Takes the scene of the draft without a decision. `settled`: it is as it was approved, though the earlier draft was not. */
  const take = ({ before, after, settled, fields }: SilentChange): void => {
    const { scene: former, node, approved } = known[before] as KnownScene; // each scene that was compared
    const row = next[before] as NextRow;
    const isChanged = Object.keys(fields).length > 0;
    row.place = after;
    if (isChanged || former.text === null || settled)
      row.scene = completed(settled ? approved : former, draft.scenes[after] as DraftScene, tagged);
    if (settled) row.approved = null;
    else if (row.approved !== null && isChanged) row.approved = withSilent(row.approved, row.scene);
    if (former.text === null) result.texts++;
    if (node !== undefined && isChanged) result.silent.push({ node, fields, scene: row.scene });
  };
  const decide = (change: DraftChange): void => {
    const { before, after } = change;
    if (before === null) {
      add(change);
      return;
    }
    const { row, node, scene: former, approved } = known[before] as KnownScene;
    const stored = next[before] as NextRow;
    const isByHand = hasDrafts && row === undefined; // no draft ever had it, though there are drafts
    if (after === null && (node === undefined || isByHand)) result.next[before] = undefined;
    else if (node === undefined) add(change);
    else {
      const fields = fieldsForStored(change.fields, dependenciesOf(node));
      const omitted = { ...former, omitted: true, revision_color: colors.given ?? former.revision_color };
      const scene = after === null ? omitted : completed(former, draft.scenes[after] as DraftScene, tagged);
      if (isDecided(fields)) {
        raise(change, { fields, node, row: stored, scene });
        stored.approved = approved;
      } else if (after === null) Object.assign(stored, { scene, approved: null });
      else take({ before, after, settled: true, fields });
    }
  };

  for (const one of silent) take(one);
  for (const change of changes) decide(change);
  // What neither the draft nor an earlier one has is no part of the script.
  const asked = new Set(result.raised.map(({ row }) => row));
  for (const [at, row] of result.next.entries())
    if (row?.place === null && (row.node_id === null || (row.id === undefined && !asked.has(row))))
      result.next[at] = undefined;
  return result;
}
