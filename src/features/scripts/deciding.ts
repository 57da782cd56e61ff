// Approves or dismisses script changes. Of approved ones it makes a document, which is applied like any other update of the production.
import { conflict, unprocessable } from "../../core/errors.ts";
import type { Blobs } from "../../core/store/blobs.ts";
import { change } from "../../core/store/statements.ts";
import { listed } from "../../core/wording.ts";
import { type Admin, mayChange, noSuch, recordChange } from "../../graph/admin.ts";
import { findDecider } from "../../graph/people.ts";
import type { UpdateInput } from "../documents/apply/apply.ts";
import type { WritePlan } from "../documents/apply/update.ts";
import type { Written } from "../documents/apply/written.ts";
import { changeOf } from "../documents/difference.ts";
import type { WorkModule } from "../documents/jobs/import_job.ts";
import type { StoredProduction } from "../documents/nouns/stored.ts";
import type { Plan } from "../documents/plan/plan.ts";
import { type NameChange, renamedCast } from "../documents/plan/scenes.ts";
import { updateFrom } from "../documents/production_update.ts";
import { documentOfPaperwork } from "../documents/read/read.ts";
import { conflictOf } from "../documents/refusals.ts";
import type { Raw } from "../documents/sections/form.ts";
import { textsIn } from "../names/sluglines.ts";
import { ScriptApproval } from "./approved_scenes.ts";
import type { FieldChange, FieldChanges } from "./compare/fields.ts";
import { isRename, renameOf } from "./compare/renames.ts";
import { scriptChangeOf } from "./one_change.ts";
import type { WithApproval } from "./operations.ts";
import { type SceneCase, ScriptDecision } from "./script_decision.ts";
import { findScriptChange, pendingChanges, type StoredChange, setChangeFields } from "./script_store.ts";
import { withStateRecord } from "./script_undo.ts";

export interface DecisionRequest extends WithApproval {
  ids: readonly number[];
  /** The production of the changes; on the command line their ids may tell it. */
  production_id?: number | undefined;
  decision: "approved" | "dismissed";
  /** The full name or the id of a person of the production. */
  decided_by?: string | undefined;
  note?: string | undefined;
}

/** A request that names the production of the changes. */
export type NamedDecision = DecisionRequest & { production_id: number };

export interface Decided {
  /** The changes that were decided. */
  ids: number[];
  /** What changed in the production. */
  plan: Plan | undefined;
}

const decide = change("decide_script_change");
const isPending = ({ status }: StoredChange): boolean => status === "pending";

/** The changes of a request. Throws 404 for one that does not exist or belongs to another production, 409 for a decided one. */
function requestedChanges(admin: Admin, { ids, production_id, decision, keep = [] }: DecisionRequest): StoredChange[] {
  const changes = [...new Set(ids)].map((id) => {
    const found = findScriptChange(admin.store, id);
    const isOther = production_id !== undefined && found?.production_id !== production_id;
    if (found === undefined || isOther || !mayChange(admin, found.production_id))
      throw noSuch(admin, `script change ${id}`, "script-changes list");
    return found;
  });
  for (const { id, status, superseded_by } of changes)
    if (status !== "pending" && !(status === "approved" && decision === "approved" && keep.length > 0))
      throw conflict(
        superseded_by === null
          ? `script change ${id} is ${status} already; nothing was changed`
          : `script change ${id} was superseded by a newer draft or an update; nothing was changed`,
      );
  if (new Set(changes.map(({ production_id }) => production_id)).size > 1)
    throw unprocessable("script changes of several productions are decided one production after the other");
  return changes;
}

/** "Approved the change of scene 31". */
function summaryOf(one: StoredChange, { decision, keep = [] }: DecisionRequest): string {
  const { kind, scene_number, episode } = one;
  const verb = decision === "approved" ? "Approved" : "Dismissed";
  const scene = episode === null ? scene_number : `${episode}/${scene_number}`;
  if (!isPending(one)) return `Kept ${listed(keep)} in scene ${scene}`;
  const what = { added: "that scene % is added", changed: "the change of scene %", omitted: "that scene % is omitted" };
  return `${verb} ${what[kind].replace("%", scene)}`;
}

/**
 * Decides script changes, all of them or none. Approved ones are applied: scenes keep their ids, links, strips, approvals and
 * status, and an omitted scene its place. Throws 404 if there is no such change, 409 for one that is not pending or whose scene
 * has changed since, 422 for an unknown decided_by, 403 if the key is bound to another person; then nothing is written.
 */
export async function decideScriptChanges(
  admin: Admin,
  blobs: Blobs,
  request: DecisionRequest,
  write: WritePlan,
): Promise<Decided> {
  const { store, person_id } = admin;
  const changes = requestedChanges(admin, request);
  const ids = changes.map(({ id }) => id);
  const production_id = changes[0]?.production_id;
  if (production_id === undefined) return { ids, plan: undefined };
  const decided_by = findDecider(store, { production_id, person_id }, request.decided_by)?.name ?? null;
  const decisions = (stored: StoredProduction) => decideChanges(admin, stored, request, decided_by);
  const summary = changes.map((one) => summaryOf(one, request)).join(". ");
  const doneBy = () => ({ source: "script changes", summary });
  try {
    return { ids, plan: await updateFrom(admin, blobs, decisions, { production_id }, write, doneBy) };
  } catch (error) {
    throw conflictOf(error);
  }
}

/** The work of a thread that decides script changes; `request` is what the operation asked for. */
export const perform: WorkModule["perform"] = async (admin, blobs, request, write) =>
  (await decideScriptChanges(admin, blobs, request as NamedDecision, write)).plan; // what the operation sent

/** The first of the changes that were decided, with what is left to people. */
export function answerOf(...[{ store }, request, plan]: Parameters<Required<WorkModule>["answerOf"]>): string {
  const { production_id, ids } = request as NamedDecision; // the operation made it
  const first = scriptChangeOf(store, { production_id, id: ids[0] as number }) as string; // at least one was just decided
  const { warnings = [] } = plan ?? {};
  return warnings.length === 0 ? first : `${first.slice(0, -1)},"warnings":${JSON.stringify(warnings)}}`;
}

/** Plans the decision. The changes are looked up again: another decision may have come between. */
function decideChanges(
  admin: Admin,
  stored: StoredProduction,
  request: DecisionRequest,
  decided_by: string | null,
): UpdateInput {
  const { store } = admin;
  const { production_id } = stored;
  const { decision, everywhere = false } = request;
  const changes = requestedChanges(admin, request);
  const approval = new ScriptApproval(stored, request);
  const scripts = [...Map.groupBy(changes, ({ episode_id }) => episode_id)].map(([episode_id, own]) => {
    const script = new ScriptDecision(store, { production_id, episode_id }, own.filter(isPending));
    for (const one of own)
      if (!isPending(one))
        approval.answer(
          one,
          script.rows.find(({ node_id }) => node_id === (one.node_id ?? 0)),
        );
    if (decision === "approved") approve(approval, script, own.filter(isPending), everywhere);
    else for (const one of script.cases) script.dismiss(one);
    return script;
  });
  const renumbered = approval.settleNumbers(scripts.flatMap(({ waiting }) => waiting));
  for (const script of scripts) script.renumber(renumbered);
  const { warnings, ...lists } = approval.document();
  const decided = changes.filter(isPending).map((change) => {
    return { change, raw: stored.rawOf("script_changes", change.id) as Raw }; // each is stored
  });
  const beside = withStateRecord(store, production_id, (_, writer) => {
    for (const script of scripts) script.write(writer);
    const added = new Map(scripts.flatMap(({ cases }) => cases.map(({ change, row }) => [change.id, row?.added])));
    const { note = null } = request;
    beside.changes = decided.map(({ change, raw }) => {
      const { id, scene_number, kind } = change;
      const scene = change.node_id === null ? added.get(id) : undefined;
      const node_id = scene === undefined ? change.node_id : writer.id("scene", scene);
      decide(store, { production_id, id, status: decision, now: writer.now, decided_by, note, node_id });
      const detail = { id, decision, ...(decided_by !== null && { decided_by }) };
      recordChange(
        { ...admin, now: writer.now },
        { production_id, node_id, summary: summaryOf(change, request), detail },
        {
          type: `script_change.${decision}`,
          subject: { kind: "script_change", id },
          data: { node_id, scene_number, kind },
        },
      );
      const now = { ...raw, ...(scene !== undefined && { scene }), status: decision, decided_at: writer.now };
      return changeOf("script_changes", id, raw, now);
    });
    followRenames(writer, approval.renames);
  });
  const document = Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
  return { warnings, documents: [documentOfPaperwork(document, "script changes", { orders_scenes: true })], beside };
}

/** Applies the approved changes of one script. */
function approve(
  approval: ScriptApproval,
  script: ScriptDecision,
  changes: readonly StoredChange[],
  isEverywhere: boolean,
): void {
  for (const { change } of script.cases) {
    approval.check(change);
    if (!isRename(change.fields)) continue;
    const rename = renameOf(change.fields);
    approval.rename(rename, isEverywhere ? [] : script.keepersOf(rename));
  }
  approval.learn(script);
  const broken = approval.breakDown(script);
  for (const one of script.cases) {
    const scene = broken.get(one);
    if (scene !== undefined) approval.apply(one as SceneCase, scene, script.placeOf(one)); // what was broken down has a row
    script.approve(one, isEverywhere);
  }
  for (const one of changes) if (one.draft_id === null) approval.applyBrought(one);
}

/** A change that waits found the cast by the names that characters had before a rename was approved. */
function followRenames({ store, production_id }: Written, renames: readonly NameChange[]): void {
  if (renames.length === 0) return;
  for (const { id, fields: json } of pendingChanges(store, { production_id })) {
    const fields: FieldChanges = JSON.parse(json);
    const from = renamedCast(textsIn(fields.cast?.from), renames);
    if (from === undefined) continue;
    const cast = { ...(fields.cast as FieldChange), from }; // it has names
    setChangeFields(store, { production_id, id, fields: JSON.stringify({ ...fields, cast }), summary: null });
  }
}
