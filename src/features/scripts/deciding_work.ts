// The work of a thread that decides script changes.
import { scriptChangeOf } from "../../graph/script_changes.ts";
import type { WorkModule } from "../documents/import_job.ts";
import { decideScriptChanges, type NamedDecision } from "./deciding.ts";

/** `request` is what the operation asked for. */
export const perform: WorkModule["perform"] = async (admin, blobs, request, write) =>
  (await decideScriptChanges(admin, blobs, request as NamedDecision, write)).plan;

/** The first of the changes that were decided. */
export function answerOf(...[{ store }, request]: Parameters<Required<WorkModule>["answerOf"]>): string {
  const { production_id, ids } = request as NamedDecision;
  return scriptChangeOf(store, { production_id, id: ids[0] as number }) as string; // at least one was just decided
}
