// Reopens approvals for which changes were requested.

import { type Admin, recordChange, requireChangeable } from "../../core/admin.ts";
import { conflict } from "../../core/errors.ts";
import type { NodeId, ProductionId } from "../../core/ids.ts";
import { change, many, one, value } from "../../core/store/statements.ts";
import { type Approval, getApproval, settleApproval } from "../../graph/approvals.ts";
import { changeBy } from "../documents/apply/undo.ts";
import { storeSet } from "./change_sets.ts";

interface StoredApproval {
  production_id: ProductionId;
  title: string;
  status: Approval["status"];
  node_id: NodeId | null;
}

const storedApproval = one<{ id: number }, StoredApproval>("find_approval");
const roundsOf = value<{ id: number }, number>("count_rounds");
const storeRound = change("keep_round");
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
 * Reopens an approval for which changes were requested: every step becomes pending, and the former steps are kept as a former round.
 * Throws 404 if it does not exist or the admin may not change it, 409 for an approval with any other status.
 */
export function reopenApproval(admin: Admin, { id }: { id: number }): Reopened {
  const { store, now } = admin;
  return store.writeSync(() => {
    const found = requireChangeable(admin, storedApproval(store, { id }), `approval ${id}`);
    const { production_id, title, status, node_id } = found;
    if (status !== "changes_requested")
      throw conflict(
        `approval ${id} is ${status}; only an approval with the status changes_requested can be reopened; nothing was changed`,
      );
    const round = (roundsOf(store, { id }) ?? 0) + 1;
    const { changes, inverse } = changeBy(store, { production_id, section: "approvals", id }, () => {
      storeRound(store, { production_id, id, round });
      reopenSteps(store, { production_id, id });
      settleApproval(store, { production_id, approval_id: id }, true);
    });
    const summary = `Reopened ${title}, round ${round + 1}`;
    storeSet(admin, production_id, changes, inverse, { source: "approvals reopen", summary });
    const entry = { production_id, node_id, summary, detail: { id, round: round + 1 } };
    const subject = { kind: "approval", id } as const;
    recordChange(admin, entry, { type: "approval.reopened", subject, data: { round: round + 1 } });
    const document = getApproval.statement(store, { production_id, engagement_id: null, now, approval_id: id });
    return { approval: JSON.parse(document as string), summary, absent: stepsOfAbsent(store, { id }) }; // it was just found
  });
}
