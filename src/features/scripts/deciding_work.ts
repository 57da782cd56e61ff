// The work of a thread that decides script changes.
import { scriptChangeOf } from "../../graph/script_changes.ts";
import type { WorkModule } from "../documents/jobs/import_job.ts";
import { decideScriptChanges, type NamedDecision } from "./deciding.ts";

/** `request` is what the operation asked for. */
export const perform: WorkModule["perform"] = async (admin, blobs, request, write) =>
  (await decideScriptChanges(admin, blobs, request as NamedDecision, write)).plan; // what the operation sent

/** The first of the changes that were decided, with what is left to people. */
export function answerOf(...[{ store }, request, plan]: Parameters<Required<WorkModule>["answerOf"]>): string {
  const { production_id, ids } = request as NamedDecision; // the operation made it
  const first = scriptChangeOf(store, { production_id, id: ids[0] as number }) as string; // at least one was just decided
  const { warnings = [] } = plan ?? {};
  return warnings.length === 0 ? first : `${first.slice(0, -1)},"warnings":${JSON.stringify(warnings)}}`;
}
