// Reopens approvals that are decided.
import { conflict } from "../../core/errors.ts";
import type { NodeId, ProductionId } from "../../core/ids.ts";
import { change, many, one } from "../../core/store/statements.ts";
import { type Admin, recordChange, requireChangeable } from "../../graph/admin.ts";
import { type Approval, getApproval, settleApproval } from "../../graph/approvals.ts";
import { differenceBy } from "../documents/difference.ts";
import { engine } from "../documents/engine.ts";
import { keepRound } from "../review/taking_back.ts";
import { keepOperations, noIds, storeSet } from "./change_sets.ts";

interface StoredApproval {
  production_id: ProductionId;
  title: string;
  status: Approval["status"];
  node_id: NodeId | null;
}

const storedApproval = one<{ id: number }, StoredApproval>("find_approval");
const reopenSteps = change("reopen_steps");
const stepsOfAbsent = many<{ id: number }, { position: number; person: string }>("list_steps_of_absent");

export interface Reopened {
  approval: Approval;
  /** What was done, as a sentence. */
  summary: string;
  /** The steps of people who left the production: nobody can decide them by name. */
  absent: { position: number; person: string }[];
}

/**
 * Reopens a decided approval: every step becomes pending, and the former steps are kept as a former round. Throws 404 if it does not exist
 * or the admin may not change it, 409 if it is pending.
 */
export function reopenApproval(admin: Admin, { id }: { id: number }): Reopened {
  const { store, now } = admin;
  return store.writeSync(() => {
    const found = requireChangeable(admin, storedApproval(store, { id }), `approval ${id}`);
    const { production_id, title, status, node_id } = found;
    if (status === "pending")
      throw conflict(`approval ${id} is pending; only a decided approval can be reopened; nothing was changed`);
    let round = 0;
    const reopen = () => {
      round = keepRound(store, { production_id, id });
      reopenSteps(store, { production_id, id });
      settleApproval(store, { production_id, approval_id: id }, now, true);
    };
    const about = { production_id, section: "approvals", id } as const;
    const { operations, ...difference } = engine.parts
      ? { ...engine.parts.operationsOf(store, { ...about, now }, reopen), ids: noIds }
      : { ...differenceBy(store, about, reopen), operations: undefined };
    const summary = `Reopened ${title}, round ${round + 1}`;
    const set = storeSet(admin, production_id, difference, { source: "approvals reopen", summary });
    if (operations !== undefined) keepOperations(admin, set, operations);
    const entry = { production_id, node_id, summary, detail: { id, round: round + 1 } };
    const subject = { kind: "approval", id } as const;
    recordChange(admin, entry, { type: "approval.reopened", subject, data: { round: round + 1 } });
    const document = getApproval.statement(store, { production_id, engagement_id: null, now, approval_id: id });
    return { approval: JSON.parse(document as string), summary, absent: stepsOfAbsent(store, { id }) }; // it was just found
  });
}
