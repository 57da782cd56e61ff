// Decides script changes: makes a document of the approved ones, and the script that is stored afterwards.

import { change, many, value } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import type { UpdateInput } from "../documents/apply/apply.ts";
import { changeOf } from "../documents/difference.ts";
import type { StoredProduction } from "../documents/nouns/stored.ts";
import type { Writer } from "../documents/nouns/writer.ts";
import type { PlannedChange } from "../documents/plan/plan.ts";
import { type NameChange, renamedCast } from "../documents/plan/scenes.ts";
import { documentOfPaperwork } from "../documents/read/read.ts";
import type { Raw } from "../documents/sections/form.ts";
import { textsIn } from "../names/sluglines.ts";
import { firstWhere } from "../sequences/sequences.ts";
import { ScriptApproval } from "./approved_scenes.ts";
import type { BrokenDownScene } from "./breakdown.ts";
import { dismissedOf, isContentDismissed, isPlaceDismissed } from "./compare/compared.ts";
import { type FieldChange, type FieldChanges, isAsDecided } from "./compare/fields.ts";
import { isRename, renameOf, speaksIn, withFormerCast, withName } from "./compare/renames.ts";
import { waitingFor } from "./known_scenes.ts";
import {
  dismissedRenames,
  dismissRenames,
  type NextRow,
  type PendingChange,
  pendingChangesOf,
  rowWrites,
  type ScriptKey,
  type ScriptRow,
  type StoredChange,
  scriptRows,
  setChangeFields,
  writeRows,
} from "./script_store.ts";
import { withStateRecord } from "./script_undo.ts";

/** A pending change that a draft raised, with the scene of the script that it is about; a rename has none. */
export interface Case {
  change: StoredChange;
  pending: PendingChange;
  row: DecidedRow | undefined;
}

/** A case of a scene. */
export type SceneCase = Case & { row: DecidedRow };

/** A scene of the script as it will be. */
export interface DecidedRow extends NextRow {
  /** The reference of a scene that is added to the production. */
  added?: string;
}

/** Whether a change is about more than the place of its scene. */
const hasContent = (fields: FieldChanges): boolean => Object.keys(fields).some((name) => name !== "order");

/** Decides the changes of one script. */
class ScriptDecision {
  readonly key: ScriptKey;
  readonly before: readonly ScriptRow[];
  readonly cases: readonly Case[];
  /** The pending changes that are not decided. */
  readonly waiting: readonly PendingChange[];
  readonly rows: readonly DecidedRow[];
  /** The renames that are dismissed. */
  readonly dismissed: NameChange[] = [];
  /** The scenes that the production has where the draft has them, by their places there. */
  readonly #placed: DecidedRow[];

  constructor(store: Store, key: ScriptKey, changes: readonly StoredChange[]) {
    this.key = key;
    this.before = scriptRows(store, key);
    this.rows = this.before.map((row) => ({ ...row }));
    const all = pendingChangesOf(store, key);
    const changeOf = waitingFor(all);
    const rowOf = new Map(this.rows.map((row) => [changeOf(row as ScriptRow), row])); // each is stored
    const chosen = new Map(changes.map((change) => [change.id, change]));
    this.waiting = all.filter(({ id }) => !chosen.has(id));
    // In the order of the draft, so that a scene that follows another finds it.
    this.cases = all
      .flatMap((pending): Case[] => {
        const change = chosen.get(pending.id);
        return change === undefined ? [] : [{ change, pending, row: rowOf.get(pending) }];
      })
      .sort((one, other) => (one.row?.place ?? -1) - (other.row?.place ?? -1));
    const isAsked = (row: DecidedRow) => changeOf(row as ScriptRow)?.fields.order !== undefined; // each is stored
    this.#placed = this.rows
      .filter(
        (row) =>
          row.place !== null && row.node_id !== null && !row.scene.omitted && !isPlaceDismissed(row) && !isAsked(row),
      )
      .sort((one, other) => Number(one.place) - Number(other.place));
  }

  /** Where the scene of a place of the draft is among those that the production has. */
  #indexFor(place: number): number {
    return firstWhere(this.#placed, (one) => Number(one.place) >= place);
  }

  /** The scene of the production after which the draft has one; undefined if it is the first. */
  predecessor({ row }: Case): DecidedRow | undefined {
    const place = row?.place ?? null;
    return place === null ? undefined : this.#placed[this.#indexFor(place) - 1];
  }

  /** Approves a change. `added` is the reference of a scene that is added to the production. */
  approve({ pending: { fields }, row }: Case, added: string | undefined, isEverywhere: boolean): void {
    if (isRename(fields)) this.#rename(renameOf(fields), isEverywhere);
    if (row === undefined) return;
    const { scene, place } = row;
    const isPlaced = "order" in fields || !isPlaceDismissed(row);
    if (hasContent(fields)) {
      const approved = withFormerCast(scene, this.#waitingNames);
      row.approved = isAsDecided(approved, scene) ? null : approved;
    }
    row.dismissed = dismissedOf(isContentDismissed(row) && !hasContent(fields), !isPlaced);
    if (added !== undefined) row.added = added;
    if (place !== null && "order" in fields) this.#placed.splice(this.#indexFor(place), 0, row);
  }

  /** What the newest draft has stays what was not approved. */
  dismiss({ pending: { fields }, row }: Case): void {
    if (isRename(fields)) this.dismissed.push(renameOf(fields));
    if (row === undefined) return;
    const isPlace = isPlaceDismissed(row) || "order" in fields || fields.omitted?.to === false;
    row.dismissed = dismissedOf(isContentDismissed(row) || hasContent(fields), isPlace);
  }

  /** The renames that wait: until they are decided, what is approved has the former names. */
  get #waitingNames(): NameChange[] {
    return this.waiting.flatMap(({ fields }) => (isRename(fields) ? renameOf(fields) : []));
  }

  /** Gives a character the name that the draft has, but where it keeps the former one, if not everywhere. */
  #rename(rename: NameChange, isEverywhere: boolean): void {
    for (const row of this.rows) {
      const isKept = row.place !== null && speaksIn(row.scene, rename.from);
      if (row.node_id === null || (isKept && !isEverywhere)) continue;
      const last = row.approved ?? row.scene;
      const renamed = withName(last, rename, row.place === null || isKept ? undefined : row.scene);
      if (renamed === last) continue;
      row.approved = isAsDecided(renamed, row.scene) ? null : renamed;
      const isAsked = this.waiting.some(({ node_id }) => node_id === row.node_id);
      if (isKept && !isAsked) row.dismissed = dismissedOf(true, isPlaceDismissed(row));
      if (row.approved === null && row.scene.shape === undefined) row.scene = { ...row.scene, shape: renamed.shape };
    }
  }

  /** The nodes of the scenes in which the draft keeps the former name of a character. */
  keepersOf({ from }: NameChange): number[] {
    return this.rows.flatMap(({ node_id, place, scene, approved }) => {
      const isKept = place !== null && speaksIn(scene, from) && speaksIn(approved ?? scene, from);
      return isKept && node_id !== null ? [node_id] : [];
    });
  }

  /** Gives the scenes of nodes other numbers. */
  renumber(numbers: ReadonlyMap<number | null, string>): void {
    for (const row of this.rows) {
      const number = numbers.get(row.node_id);
      if (number === undefined) continue;
      if (row.approved === null) row.scene = { ...row.scene, number };
      else row.approved = { ...row.approved, number };
    }
  }
}

export type Decision = "approved" | "dismissed";

export const pendingChanges = many<{ production_id: number }, { id: number }>("list_pending_changes");
const fieldsOfChange = value<{ id: number }, string>("get_change_fields");
const decide = change("decide_script_change");

export interface DecisionOptions {
  decision: Decision;
  decided_by: string | null;
  note: string | null;
  /** Whether an approved rename holds for the scenes, too, in which the draft keeps the former name. */
  everywhere: boolean;
  /** Whether what follows on the schedule and of links is done, too. */
  follow: boolean;
  /** Names of characters whose links that a person made go with a change that takes them out of a scene. */
  unlink: readonly string[];
  /** Is called with each change that is decided, with the node of its scene and the time of the commit, in the transaction. */
  decided(change: StoredChange, node_id: number | null, now: string): void;
}

const episodeOf = (changes: readonly StoredChange[]): string | undefined => changes[0]?.episode ?? undefined;

/** Applies the approved changes of one script. */
function approve(
  approval: ScriptApproval,
  decision: ScriptDecision,
  changes: readonly StoredChange[],
  { everywhere: isEverywhere }: Pick<DecisionOptions, "everywhere">,
): void {
  for (const one of decision.cases) {
    const { fields } = one.pending;
    approval.check(one);
    if (!isRename(fields)) continue;
    const rename = renameOf(fields);
    approval.rename(rename, isEverywhere ? [] : decision.keepersOf(rename));
  }
  const ofScenes = decision.cases.flatMap((one): SceneCase[] =>
    one.row === undefined ? [] : [{ ...one, row: one.row }],
  );
  const broken = approval.breakDown(ofScenes, episodeOf(changes), decision.waiting);
  const sceneOf = new Map<Case["change"], BrokenDownScene | undefined>(
    ofScenes.map(({ change }, at) => [change, broken[at]]),
  );
  for (const one of decision.cases) {
    const scene = sceneOf.get(one.change);
    const after = decision.predecessor(one);
    const isAdded = one.pending.kind === "added";
    if (scene !== undefined && !isAdded) approval.change(one as SceneCase, scene, after);
    const added = scene !== undefined && isAdded ? approval.add(one, scene, after) : undefined;
    decision.approve(one, added, isEverywhere);
  }
  const proposed = new Set(decision.cases.map(({ change }) => change.id));
  for (const change of changes)
    if (!proposed.has(change.id) && change.kind === "omitted" && change.node_id !== null) approval.omit(change);
}

/** Plans the decision of pending changes of a production. Throws 409 if a scene is not any more what its change found. */
export function decideChanges(
  store: Store,
  stored: StoredProduction,
  changes: readonly StoredChange[],
  options: DecisionOptions,
): UpdateInput {
  const { production_id } = stored;
  const approval = new ScriptApproval(stored, options);
  const decisions = [...Map.groupBy(changes, ({ episode_id }) => episode_id)].map(([episode_id, own]) => {
    const decision = new ScriptDecision(store, { production_id, episode_id }, own);
    if (options.decision === "approved") approve(approval, decision, own, options);
    else for (const one of decision.cases) decision.dismiss(one);
    return decision;
  });
  const waiting = decisions.flatMap((decision) => decision.waiting);
  const renumbered = approval.settleNumbers(waiting);
  for (const decision of decisions) decision.renumber(renumbered);
  const { scenes, assets, schedule, warnings } = approval.document();
  const raws = new Map(changes.map(({ id }) => [id, stored.rawOf("script_changes", id) as Raw])); // each is stored
  const beside = withStateRecord(store, production_id, (_, writer) => {
    beside.changes = writeDecisions(writer, decisions, changes, raws, options);
    followRenames(writer, approval.renames);
  });
  const sections = Object.entries({ scenes, assets, schedule }).filter(([, list]) => list.length > 0);
  const document = Object.fromEntries(sections);
  return {
    warnings,
    documents: [documentOfPaperwork(document, "script changes", { orders_scenes: true })],
    beside,
  };
}

/** A change that waits found the cast by the names that characters had before a rename was approved. */
function followRenames({ store, production_id }: Writer, renames: readonly NameChange[]): void {
  if (renames.length === 0) return;
  for (const { id } of pendingChanges(store, { production_id })) {
    const fields: PendingChange["fields"] = JSON.parse(fieldsOfChange(store, { id }) ?? "{}");
    const from = renamedCast(textsIn(fields.cast?.from), renames);
    if (from === undefined) continue;
    const cast = { ...(fields.cast as FieldChange), from }; // it has names
    setChangeFields(store, { production_id, id, fields: JSON.stringify({ ...fields, cast }) });
  }
}

/** Writes the decisions. Returns what becomes of the rows of the script changes, which were `raws`. */
function writeDecisions(
  writer: Writer,
  decisions: readonly ScriptDecision[],
  changes: readonly StoredChange[],
  raws: ReadonlyMap<number, Raw>,
  { decision: status, decided_by, note, decided }: DecisionOptions,
): PlannedChange[] {
  const { store, production_id, now } = writer;
  const added = new Map<number, string>();
  for (const { key, before, rows, cases, dismissed } of decisions) {
    for (const { change, row } of cases) if (row?.added !== undefined) added.set(change.id, row.added);
    const next = rows.map(({ added, ...row }) =>
      added === undefined ? row : { ...row, node_id: writer.id("scene", added) },
    );
    writeRows(store, key, rowWrites(before, next));
    if (dismissed.length > 0) dismissRenames(store, key, [...dismissedRenames(store, key), ...dismissed]);
  }
  return changes.map((change) => {
    const { id } = change;
    const scene = added.get(id);
    const node_id = change.node_id ?? (scene === undefined ? null : writer.id("scene", scene));
    decide(store, { production_id, id, status, now, decided_by, note, node_id });
    decided(change, node_id, now);
    const raw = raws.get(id) as Raw; // there is one for each change
    const named = change.node_id === null && scene !== undefined ? { scene } : {};
    return changeOf("script_changes", id, raw, { ...raw, ...named, status, decided_at: now });
  });
}
