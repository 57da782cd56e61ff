// Decides script changes: makes a document of the approved ones, and the script that is stored afterwards.

import { change } from "../../core/store/statements.ts";
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
import { ScriptApproval } from "./approved_scenes.ts";
import type { BrokenDownScene } from "./breakdown.ts";
import type { FieldChange, FieldChanges } from "./compare/fields.ts";
import { isRename, renameOf } from "./compare/renames.ts";
import { type Case, type SceneCase, ScriptDecision } from "./script_decision.ts";
import {
  dismissedRenames,
  dismissRenames,
  pendingChanges,
  rowWrites,
  type StoredChange,
  setChangeFields,
  writeRows,
} from "./script_store.ts";
import { withStateRecord } from "./script_undo.ts";

export type Decision = "approved" | "dismissed";

const decide = change("decide_script_change");

/** What goes with an approval. */
export interface WithApproval {
  /** Whether an approved rename holds for the scenes, too, in which the draft keeps the former name. */
  everywhere: boolean;
  /** Whether what follows on the schedule and of links is done, too. */
  follow: boolean;
  /** Names of characters whose links that a person made go with a change that takes them out of a scene. */
  unlink: readonly string[];
  /** Names of characters whose links that a person made stay, so that nobody is asked about them again. */
  keep: readonly string[];
}

export interface DecisionOptions extends WithApproval {
  decision: Decision;
  decided_by: string | null;
  note: string | null;
  /** Is called with each change that is decided, with the node of its scene and the time of the commit, in the transaction. */
  decided(change: StoredChange, node_id: number | null, now: string): void;
}

const episodeOf = (changes: readonly StoredChange[]): string | undefined => changes[0]?.episode ?? undefined;

/** Applies the approved changes of one script. */
function approve(
  approval: ScriptApproval,
  decision: ScriptDecision,
  changes: readonly StoredChange[],
  { everywhere: isEverywhere }: WithApproval,
): void {
  for (const one of decision.cases) {
    const { fields } = one.change;
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
    const isAdded = one.change.kind === "added";
    if (scene !== undefined && !isAdded) approval.change(one as SceneCase, scene, after); // what was broken down has a row
    const added = scene !== undefined && isAdded ? approval.add(one, scene, after) : undefined;
    decision.approve(one, added, isEverywhere);
  }
  const proposed = new Set(decision.cases.map(({ change }) => change.id));
  for (const change of changes) {
    if (proposed.has(change.id)) continue;
    if (change.kind === "omitted" && change.node_id !== null) approval.omit(change);
    else
      approval.warnings.push(
        `a document brought script change ${change.id}, without a text: approving it changes no scene`,
      );
  }
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
    const [pending, before] = [true, false].map((waits) =>
      own.filter(({ status }) => (status === "pending") === waits),
    );
    const decision = new ScriptDecision(store, { production_id, episode_id }, pending ?? []);
    for (const one of before ?? [])
      approval.answer(
        one,
        decision.rows.find(({ node_id }) => node_id !== null && node_id === one.node_id),
      );
    if (options.decision === "approved") approve(approval, decision, pending ?? [], options);
    else for (const one of decision.cases) decision.dismiss(one);
    return decision;
  });
  const waiting = decisions.flatMap((decision) => decision.waiting);
  const renumbered = approval.settleNumbers(waiting);
  for (const decision of decisions) decision.renumber(renumbered);
  const { scenes, assets, schedule, warnings } = approval.document();
  const raws = new Map(changes.map(({ id }) => [id, stored.rawOf("script_changes", id) as Raw])); // each is stored
  const beside = withStateRecord(store, production_id, (_, writer) => {
    const pending = changes.filter(({ status }) => status === "pending");
    beside.changes = writeDecisions(writer, decisions, pending, raws, options);
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
  for (const { id, fields: json } of pendingChanges(store, { production_id })) {
    const fields: FieldChanges = JSON.parse(json);
    const from = renamedCast(textsIn(fields.cast?.from), renames);
    if (from === undefined) continue;
    const cast = { ...(fields.cast as FieldChange), from }; // it has names
    setChangeFields(store, { production_id, id, fields: JSON.stringify({ ...fields, cast }), summary: null });
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
