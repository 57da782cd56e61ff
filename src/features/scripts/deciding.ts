// Approves or dismisses script changes. Approved changes are applied like any other update of the production.

import { conflict, unprocessable } from "../../core/errors.ts";
import { listed } from "../../core/spelling.ts";
import type { Blobs } from "../../core/store/blobs.ts";
import { type Admin, mayChange, noSuch, recordChange } from "../../graph/admin.ts";
import { findDecider } from "../../graph/people.ts";
import type { WritePlan } from "../documents/apply/update.ts";
import type { StoredProduction } from "../documents/nouns/stored.ts";
import type { Plan } from "../documents/plan/plan.ts";
import { updateFrom } from "../documents/production_update.ts";
import { conflictOf } from "../documents/refusals.ts";
import { type Decision, decideChanges, type WithApproval } from "./decisions.ts";
import { findScriptChange, pendingChanges, type StoredChange } from "./script_store.ts";

/** The options that a request gives. */
type Given<T> = { [F in keyof T]?: T[F] | undefined };

export interface DecisionRequest extends Given<WithApproval> {
  /** The changes, or undefined for every pending change of the production. */
  ids: readonly number[] | undefined;
  /** The production of the changes. Required if no change is named. */
  production_id?: number | undefined;
  decision: Decision;
  /** The full name or the id of a person of the production. */
  decided_by?: string | undefined;
  note?: string | undefined;
}

/** A request that names the changes and their production. */
export type NamedDecision = DecisionRequest & { ids: readonly number[]; production_id: number };

export interface Decided {
  /** The changes that were decided. */
  ids: number[];
  /** What changed in the production. */
  plan: Plan | undefined;
}

/** The changes of a request. Throws 404 for one that does not exist or belongs to another production, 409 for a decided one. */
function requestedChanges(admin: Admin, { ids, production_id, decision, keep = [] }: DecisionRequest): StoredChange[] {
  const { store } = admin;
  const named =
    ids ?? (production_id === undefined ? [] : pendingChanges(store, { production_id }).map(({ id }) => id));
  const changes = [...new Set(named)].map((id) => {
    const found = findScriptChange(store, id);
    const other = production_id !== undefined && found?.production_id !== production_id;
    if (found === undefined || other || !mayChange(admin, found.production_id))
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
function summaryOf(
  { kind, status, scene_number, episode }: StoredChange,
  decision: Decision,
  keep: readonly string[] = [],
): string {
  const verb = decision === "approved" ? "Approved" : "Dismissed";
  const scene = episode === null ? scene_number : `${episode}/${scene_number}`;
  if (status !== "pending") return `Kept ${listed(keep)} in scene ${scene}`;
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
  const { store } = admin;
  const { decision, note = null, everywhere = false, follow = false, unlink = [], keep = [] } = request;
  const changes = requestedChanges(admin, request);
  const ids = changes.map(({ id }) => id);
  const [first] = changes;
  if (first === undefined) return { ids, plan: undefined };
  const { production_id } = first;
  const { person_id } = admin;
  const decided_by = findDecider(store, { production_id, person_id }, request.decided_by)?.name ?? null;
  const decided = (change: StoredChange, node_id: number | null, now: string) => {
    const { id, scene_number, kind } = change;
    const detail = { id, decision, ...(decided_by !== null && { decided_by }) };
    const entry = { production_id, node_id, summary: summaryOf(change, decision), detail };
    const subject = { kind: "script_change", id } as const;
    recordChange({ ...admin, now }, entry, {
      type: `script_change.${decision}`,
      subject,
      data: { node_id, scene_number, kind },
    });
  };
  // The changes are looked up again: another decision may have come between.
  const decisions = (stored: StoredProduction) =>
    decideChanges(store, stored, requestedChanges(admin, { ...request, ids }), {
      decision,
      decided_by,
      note,
      everywhere,
      follow,
      unlink,
      keep,
      decided,
    });
  const summary = changes.map((change) => summaryOf(change, decision, keep)).join(". ");
  const doneBy = () => ({ source: "script changes", summary });
  try {
    const plan = await updateFrom(admin, blobs, decisions, { production_id }, write, doneBy);
    return { ids, plan };
  } catch (error) {
    throw conflictOf(error);
  }
}
