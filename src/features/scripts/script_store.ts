// Reads the stored scripts, of each scene what was approved and what the newest draft has, and the changes of them that
// wait; and makes the operations that change them.
import type { Id } from "../../core/ids.ts";
import { recordEvent } from "../../core/store/events.ts";
import { many, one, value } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import type { NameChange } from "../documents/cast_names.ts";
import { operationOn } from "../documents/changes/replay.ts";
import type { RowOperation } from "../documents/changes/row_operation.ts";
import type { Row } from "../documents/changes/rows.ts";
import type { Planning } from "../documents/update_input.ts";
import { numbersInOrder } from "../sequences/sequences.ts";
import type { Dismissed } from "./compare/compared.ts";
import type { DraftScene } from "./compare/drafts.ts";
import type { FieldChanges } from "./compare/fields.ts";

/** Whose script: an episode of a production, or the whole production if it has no episodes. */
export interface ScriptKey {
  production_id: number;
  episode_id: number | null;
}

/**
 * A scene of the script. What is between `approved` and `scene` waits for a decision, or somebody decided against it.
 */
export interface ScriptRow {
  id: number;
  /** Null if the production does not have the scene: its addition waits, or was dismissed. */
  node_id: number | null;
  /** Orders the scenes of the newest draft; null if it does not have the scene. */
  place: number | null;
  /** As the newest draft has it; omitted, if it does not. */
  scene: DraftScene;
  /** As it was last approved; null if `scene` is. */
  approved: DraftScene | null;
  /** What somebody dismissed of what this version changes. */
  dismissed: Dismissed;
  /** The nodes of characters who left its cast, and whose links that a person made stay. */
  kept: readonly number[];
  /** Those of characters in its cast whom a person linked to it before a draft brought them. */
  by_hand: readonly number[];
}

/** A script change: the difference that a draft raised, or one that a document brought, which has no fields. */
export interface StoredChange {
  id: number;
  production_id: number;
  kind: "added" | "changed" | "omitted" | "moved";
  status: "pending" | "approved" | "dismissed";
  node_id: number | null;
  scene_number: string;
  fields: FieldChanges;
  revision_color: string;
  /** Null if a document brought it. */
  draft_id: number | null;
  /** The department of a tag category, where --map of its draft gave it. */
  departments: Readonly<Record<string, string>>;
  episode_id: number | null;
  /** The code of the episode. */
  episode: string | null;
  superseded_by: number | null;
  /** Of a move: the changes for which it stands. An omission that was approved is none. */
  omission: number | null;
  addition: number | null;
}

type Json<T, K extends keyof T> = Omit<T, K> & { [F in K]: string };
type StoredRow = Json<Omit<ScriptRow, "approved">, "scene" | "kept" | "by_hand"> & { approved: string | null };
/** Between the places of scenes, so that one that is added changes no other. */
const placeGap = 2 ** 20;

type ChangeRow = Json<StoredChange, "fields" | "departments">;
const changeOfRow = ({ fields, departments, ...row }: ChangeRow): StoredChange => ({
  ...row,
  fields: JSON.parse(fields) as FieldChanges, // only these are written there
  departments: JSON.parse(departments) as StoredChange["departments"], // only these are written there
});
const findChange = one<{ id: number }, ChangeRow>("find_script_change");
export function findScriptChange(store: Store, id: number): StoredChange | undefined {
  const row = findChange(store, { id });
  return row && changeOfRow(row);
}
const scriptScenes = many<ScriptKey, StoredRow>("list_script_scenes");
/**
 * The changes that drafts raised and that wait, those that would, if an update had not made them, and those that
 * documents brought and that wait.
 */
type WhichChanges = "waiting" | "answered" | "brought";
const scriptChanges = many<ScriptKey & { which: WhichChanges }, ChangeRow>("list_changes_of_script");
const episodeId = value<{ production_id: number; code: string }, number>("find_episode_id");

const newestDraft = one<ScriptKey, { id: Id<"draft">; dismissed: string }>("find_newest_draft");
/** The renames of characters in the newest draft of a script that somebody dismissed. */
export const dismissedRenames = (store: Store, key: ScriptKey): NameChange[] =>
  JSON.parse(newestDraft(store, key)?.dismissed ?? "[]") as NameChange[]; // written by dismissRenames
/** What records that somebody dismissed these renames. */
export function dismissRenames(store: Store, key: ScriptKey, renames: readonly NameChange[]): RowOperation[] {
  const { id } = newestDraft(store, key) as { id: number }; // it asked about them
  const dismissed = JSON.stringify(renames.map(({ from, to }) => ({ from, to })));
  return changed(store, "script_drafts", id, { dismissed });
}

/** The time of the last change or draft of a production, if it is not before `now`: of a clock that was wrong. */
export const lastDetection = value<{ production_id: number; now: string }, string | null>("get_last_detection");
/** The texts of the scenes with a pending change of a draft: null where there is none. */
export const proposedTexts = many<
  { production_id: number },
  { id: number; before: string | null; after: string | null }
>("list_proposed_texts");
/**
 * A shoot day that has a scene which a pending change omits, brings back or renumbers, or of which it may add a part.
 */
export interface ConcernedDay {
  change_id: number;
  what: "omitted" | "back" | "number" | "part";
  /** The scene that is on the day, and the code of its episode. */
  number: string;
  episode_id: number | null;
  episode: string | null;
  /** The new number, or that of the part. */
  becomes: string | null;
  day_id: number;
  /** "" for the main unit. */
  unit: string;
  day_number: number;
  date: string;
}
/** Those of all pending changes that drafts raised, by day. */
export const concernedDays = many<{ production_id: number }, ConcernedDay>("list_concerned_days");
/** A scene whose number a pending change takes: it is omitted, a pending change frees its number, or it holds it. */
export interface TakenNumber {
  change_id: number;
  number: string;
  episode: string | null;
  what: "omitted" | "freed" | "held";
}
export const takenNumbers = many<{ production_id: number }, TakenNumber>("list_taken_numbers");
/** A link to a character whom an approved change took out of a scene. */
export interface LeftLink {
  change_id: number;
  node_id: number;
  asset_id: number;
  label: string;
  number: string;
  /** The code of the episode of the scene. */
  episode: string | null;
}
/** Those that persons made and nobody keeps. */
export const leftLinks = many<{ production_id: number }, LeftLink>("list_left_links");
/** The ids of the pending changes of a production, with their fields as JSON. */
export const pendingChanges = many<{ production_id: number }, { id: number; episode: string | null; fields: string }>(
  "list_pending_changes",
);

/** Records that nobody asks about a change any more, or that it is asked again. Inside a write transaction. */
export function tellOfChange(
  store: Store,
  { production_id, actor, now }: { production_id: number; actor: string; now: string },
  what: "dismissed" | "detected",
  { id, node_id, scene_number, kind }: StoredChange,
): void {
  const subject = { kind: "script_change", id } as const;
  const data = { node_id, scene_number, kind };
  recordEvent(store, { type: `script_change.${what}`, subject, data, production_id, actor, activity_id: null }, now);
}

export const scriptKeyOf = (store: Store, production_id: number, episode: string | undefined): ScriptKey => ({
  production_id,
  episode_id: episode === undefined ? null : (episodeId(store, { production_id, code: episode }) ?? null),
});

/** The scenes of a script in the order of the newest draft, after those that it does not have. */
export const scriptRows = (store: Store, key: ScriptKey): ScriptRow[] =>
  scriptScenes(store, key).map(({ scene, approved, kept, by_hand, ...row }) => ({
    ...row,
    scene: JSON.parse(scene) as DraftScene, // written below
    approved: approved === null ? null : (JSON.parse(approved) as DraftScene), // written below
    kept: JSON.parse(kept) as number[], // written below
    by_hand: JSON.parse(by_hand) as number[], // written below
  }));

/** A script that asks something, with the code of its episode. */
export interface AskingScript {
  episode_id: number | null;
  episode: string | null;
}
export const askingScripts = many<{ production_id: number }, AskingScript>("list_asking_scripts");

export const changesOf = (store: Store, key: ScriptKey, which: WhichChanges = "waiting"): StoredChange[] =>
  scriptChanges(store, { ...key, which }).map(changeOfRow);

/** A scene of the script as it will be; without an id it is new. */
export type NextRow = Omit<ScriptRow, "id"> & { id: number | undefined };

/** What is written so that the rows are as they will be. */
export interface RowWrites {
  put: NextRow[];
  removed: number[];
}

/** What differs between the rows of a script. Of `after` only the order of the places counts. */
export function rowWrites(before: readonly ScriptRow[], after: readonly NextRow[]): RowWrites {
  // so that a row without an id is looked up, too
  const former = new Map(before.map((row) => [row.id as number | undefined, row]));
  const inDraft = after
    .filter(({ place }) => place !== null)
    .sort((one, other) => Number(one.place) - Number(other.place));
  const { numbers } = numbersInOrder(
    inDraft.map(({ id }) => former.get(id)?.place ?? undefined),
    placeGap,
  );
  const places = new Map(inDraft.map((row, at) => [row, numbers[at] as number])); // one for each
  const put = after.flatMap((row): NextRow[] => {
    const stored = former.get(row.id);
    const next = { ...row, place: places.get(row) ?? null };
    const isSame =
      // the names of a row
      stored !== undefined && Object.entries(next).every(([name, cell]) => cell === stored[name as keyof ScriptRow]);
    return isSame ? [] : [next];
  });
  const kept = new Set(after.map(({ id }) => id));
  return { put, removed: before.flatMap(({ id }) => (kept.has(id) ? [] : id)) };
}

/** What gives a stored row other cells; without cells it goes. */
export const changed = (
  store: Store,
  section: "script_drafts" | "script_scenes" | "script_changes",
  id: number,
  to: Row | null,
): RowOperation[] => [operationOn(store.database, { section, id, to }) ?? []].flat();

/** What adds a row to a table of scripts. */
export function added(next: Planning["next"], section: "script_drafts" | "script_scenes", cells: Row): RowOperation {
  const id = next(section);
  return { section, id, field: "", table: section, key: { id }, from: null, to: { id, ...cells } };
}

/** What writes rows of a script; the text that no draft has yet is that of `draft`. */
export function rowOperations(
  { store, next }: Planning,
  key: ScriptKey,
  { put, removed }: RowWrites,
  draft: number | null = null,
): RowOperation[] {
  const textOf = (scene: DraftScene): string =>
    JSON.stringify(scene.draft === undefined && draft !== null ? { ...scene, draft } : scene);
  const written = put.flatMap(({ id, node_id, place, scene, approved, dismissed, kept, by_hand }) => {
    const texts = { scene: textOf(scene), approved: approved === null ? null : textOf(approved) };
    const cells: Row = {
      ...key,
      node_id,
      place,
      ...texts,
      dismissed,
      kept: JSON.stringify(kept),
      by_hand: JSON.stringify(by_hand),
    };
    return id === undefined ? [added(next, "script_scenes", cells)] : changed(store, "script_scenes", id, cells);
  });
  return [...written, ...removed.flatMap((id) => changed(store, "script_scenes", id, null))];
}
