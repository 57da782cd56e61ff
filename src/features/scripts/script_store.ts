// Reads and writes the stored drafts of a script: the scenes that the next draft is compared with, and the proposals of pending
// changes.

import type { Store } from "../../core/store/database.ts";
import { change, many, one, value } from "../../core/store/statements.ts";
import { numbersInOrder, straysAfter, unmovedPositions } from "../sequences/sequences.ts";
import type { RenameEffect } from "./character_renames.ts";
import type { FieldChange } from "./comparison.ts";
import type { DraftScene } from "./drafts.ts";

/** Whose script: an episode of a production, or the whole production if it has no episodes. */
export interface ScriptKey {
  production_id: number;
  episode_id: number | null;
}

/** A scene of the script as it was last compared. */
export interface ScriptRow {
  id: number;
  /** Orders the scenes of the script. */
  position: number;
  /** Null if the addition of the scene was dismissed. */
  node_id: number | null;
  /** Where the latest draft has it; null if it is absent or its place awaits a decision. */
  place: number | null;
  /** 1 if the latest draft has it where the production has it, otherwise 0. */
  stands: number;
  scene: DraftScene;
  /** As it was last approved, where `scene` is a version that was dismissed; null if that is the same. */
  approved: DraftScene | null;
}

/** What of a stored scene a change depends on. */
export interface SceneDependencies {
  number: string;
  slugline: string;
  omitted: boolean;
  cast: string[];
}

/** A pending change that a draft raised. */
export interface Proposal {
  change_id: number;
  kind: "added" | "changed" | "omitted";
  node_id: number | null;
  scene_number: string;
  fields: Record<string, FieldChange>;
  script_scene_id: number | null;
  place: number | null;
  /** The revision colour, if the draft says one. */
  color: string | null;
  seen: SceneDependencies | null;
  scene: DraftScene;
  /** Of a rename. */
  rename?: RenameEffect | undefined;
  /** The department of a tag category, where --map gave it. */
  departments: Readonly<Record<string, string>>;
}

type Json<T, K extends keyof T> = Omit<T, K> & { [F in K]: string };
type StoredRow = Json<Omit<ScriptRow, "approved">, "scene"> & { approved: string | null };
/** Between the positions of scenes, so that one that is added changes no other. */
const positionGap = 2 ** 20;

/** A script change as it is decided. */
export interface StoredChange {
  id: number;
  production_id: number;
  kind: Proposal["kind"];
  status: "pending" | "approved" | "dismissed";
  node_id: number | null;
  scene_number: string;
  episode_id: number | null;
  /** The code of the episode. */
  episode: string | null;
  superseded_by: number | null;
}

export const findScriptChange = one<{ id: number }, StoredChange>("find_script_change");
const scriptScenes = many<ScriptKey, StoredRow>("list_script_scenes");
/** Without an id, the scene gets the next one. */
export const putScene = change("put_script_scene");
export const deleteScene = change("delete_script_scene");
const proposals = many<ScriptKey, Json<Omit<Proposal, "rename">, "fields" | "seen" | "scene" | "departments">>(
  "list_proposals",
);
const episodeId = value<{ production_id: number; code: string }, number>("find_episode_id");

/** Without an id, the draft gets the next one. */
export const insertDraft = change("insert_script_draft");
/** A proposal has the id of its change. */
export const insertProposal = change("insert_proposal");
/** The texts of the scenes with a pending change of a draft: null where there is none. */
export const proposedTexts = many<
  { production_id: number },
  { id: number; before: string | null; after: string | null }
>("list_proposed_texts");
export const deleteProposal = change("delete_proposal");
export const placeProposal = change("place_proposal");
/** What the pending changes of every draft found. */
export const seenByProposals = many<{ production_id: number }, { id: number; seen: string }>("list_seen");
export const seeProposal = change("see_proposal");
export const describeChange = change("describe_script_change");
export const supersede = change("supersede_script_change");
/** The pending changes of an episode that documents brought. */
export const foreignChanges = many<ScriptKey, Pick<Proposal, "change_id" | "kind" | "node_id" | "scene_number">>(
  "list_foreign_changes",
);

export const scriptKeyOf = (store: Store, production_id: number, episode: string | undefined): ScriptKey => ({
  production_id,
  episode_id: episode === undefined ? null : (episodeId(store, { production_id, code: episode }) ?? null),
});

/** The scenes in the order of the script. */
export const scriptRows = (store: Store, key: ScriptKey): ScriptRow[] =>
  scriptScenes(store, key).map(({ scene, approved, ...row }) => ({
    ...row,
    scene: JSON.parse(scene) as DraftScene, // written below
    approved: approved === null ? null : (JSON.parse(approved) as DraftScene),
  }));

export const proposalsOf = (store: Store, key: ScriptKey): Proposal[] =>
  proposals(store, key).map(({ fields, seen, scene: proposed, departments, ...row }) => {
    const { rename, ...scene } = JSON.parse(proposed) as DraftScene & Pick<Proposal, "rename">; // as `proposedScene` made it
    return {
      ...row,
      fields: JSON.parse(fields) as Proposal["fields"], // only a Proposal's fields are written there
      seen: JSON.parse(seen) as Proposal["seen"],
      scene,
      rename,
      departments: JSON.parse(departments) as Proposal["departments"],
    };
  });

/** The scene of a proposal as it is stored, with what a rename does. */
export const proposedScene = ({ scene, rename }: Pick<Proposal, "scene" | "rename">): string =>
  JSON.stringify(rename === undefined ? scene : { ...scene, rename });

/** A scene of the script as it will be; without an id it is new. */
export type NextRow = Omit<ScriptRow, "id" | "position"> & { id: number | undefined };

/**
 * The scenes of a script in the order of the latest draft. One that the draft does not have, or whose place awaits a decision, follows
 * the scene that was before it and stands as it stood.
 */
export function inDraftOrder<R extends Pick<ScriptRow, "place" | "stands">>(rows: readonly R[]): R[] {
  const placed = [...rows.entries()]
    .filter(([, { place }]) => place !== null)
    .sort(([, one], [, other]) => Number(one.place) - Number(other.place));
  const standing = unmovedPositions(
    placed.map(([at]) => at),
    placed.map(([, { stands }]) => 1 - stands),
  );
  const anchors = new Set([...standing].map((at) => placed[at]?.[1]));
  const following = straysAfter(
    rows,
    ({ place }) => place === null,
    (row) => anchors.has(row),
  );
  return [undefined, ...placed.map(([, row]) => row)].flatMap((row) => [
    ...(row === undefined ? [] : [row]),
    ...(following.get(row) ?? []),
  ]);
}

/** Writes the scenes of a script in their order. Returns their ids. Inside a write transaction. */
export function writeScriptRows(
  store: Store,
  key: ScriptKey,
  before: readonly ScriptRow[],
  after: readonly NextRow[],
): number[] {
  const { production_id } = key;
  const former = new Map(before.map((row) => [row.id as number | undefined, row]));
  const { numbers } = numbersInOrder(
    after.map(({ id }) => former.get(id)?.position),
    positionGap,
  );
  const text = ({ position, node_id, place, stands, scene, approved }: Omit<ScriptRow, "id">) =>
    JSON.stringify([position, node_id, place, stands, scene, approved]);
  const ids = after.map((next, at): number => {
    const { id = null, node_id, place, stands, scene, approved } = next;
    const position = numbers[at] as number; // one for each
    const last = approved === null ? null : JSON.stringify(approved);
    const row = { id, node_id, position, place, stands, scene: JSON.stringify(scene), approved: last };
    const stored = former.get(next.id);
    former.delete(next.id);
    if (id !== null && stored !== undefined && text(stored) === text({ ...next, position })) return id;
    return putScene(store, { ...key, ...row }).id;
  });
  for (const id of former.keys()) deleteScene(store, { production_id, id: id as number }); // those that were stored
  return ids;
}
