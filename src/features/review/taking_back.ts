// Takes the last decision of an approval back: its step is pending again, and the decision stays in a former round.
// docs/reference.md, "Where the
// specification is silent".
import { type Caller, holds } from "../../core/access/callers.ts";
import { conflict, forbidden, notFound } from "../../core/errors.ts";
import type { ApprovalId, DeliveryId, NodeId, PersonId, ProductionId, VersionId } from "../../core/ids.ts";
import { operation, read } from "../../core/operation.ts";
import { change, one, value } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { type Admin, adminOf, recordChange, requireChangeable } from "../../graph/admin.ts";
import { approval, getApproval, settleApproval } from "../../graph/approvals.ts";

interface LastDecision {
  production_id: ProductionId;
  title: string;
  node_id: NodeId | null;
  delivery_id: DeliveryId | null;
  version_id: VersionId | null;
  /** The position of the last decided step; null if none is decided. */
  position: number | null;
  decided_by_person_id: PersonId | null;
  decided_by: string | null;
  /** Whether a version that it is about was released since. */
  is_released: 0 | 1;
}

const lastDecisionOf = one<{ approval_id: ApprovalId }, LastDecision>("get_last_decision");
/** Whether a version that an approval is about was released since its last decision. */
export const isReleasedSince = (store: Store, approval_id: ApprovalId): boolean =>
  lastDecisionOf(store, { approval_id })?.is_released === 1;

const hasDecided = value<{ approval_id: ApprovalId; person_id: PersonId | null }, 0 | 1>("has_decided_step");
const takeBackStep = change("take_back_step");
const roundsOf = value<{ id: number }, number>("count_rounds");
const storeRound = change("keep_round");

/** Keeps the steps of an approval, as they are, as a former round. Returns its number. */
export function keepRound(store: Store, approval: { production_id: ProductionId; id: number }): number {
  const round = (roundsOf(store, { id: approval.id }) ?? 0) + 1;
  storeRound(store, { ...approval, round });
  return round;
}

/**
 * Throws 409 if the caller has decided an earlier step, and 403 if none, unless the last decision is the caller's or
 * the key has `edit`.
 */
function requireOwn(store: Store, caller: Caller, approval_id: ApprovalId, last: LastDecision): void {
  const { person_id, scopes } = caller;
  if (holds(scopes, "edit") || (person_id !== null && person_id === last.decided_by_person_id)) return;
  if (hasDecided(store, { approval_id, person_id }) === 1)
    throw conflict(`a later step was decided by ${last.decided_by ?? "a key"}; nothing was changed`);
  throw forbidden(
    `only ${last.decided_by === null ? "a key with the scope edit" : `a key of ${last.decided_by}, or one with the scope edit,`} may take this decision back; nothing was changed`,
  );
}

/**
 * Takes the last decision of an approval back, and gives back the status of the version that it is about. Without a
 * caller, the admin may take back any. Throws 404 if the approval does not exist, 409 if no step is decided or a
 * release followed, and as requireOwn. Returns what was done as a sentence, and the production.
 */
export function takeBackDecision(
  admin: Admin,
  approval_id: ApprovalId,
  caller?: Caller,
): { summary: string; production: ProductionId } {
  const { store } = admin;
  const last = requireChangeable(admin, lastDecisionOf(store, { approval_id }), `approval ${approval_id}`);
  const { production_id, title, node_id, delivery_id, version_id, position, decided_by } = last;
  if (position === null) throw conflict("the approval has no decided step; nothing was changed");
  if (caller !== undefined) requireOwn(store, caller, approval_id, last);
  if (last.is_released === 1)
    throw conflict("a version was released after this decision, so it cannot be taken back; nothing was changed");
  const round = keepRound(store, { production_id, id: approval_id });
  takeBackStep(store, { production_id, approval_id, position });
  settleApproval(store, { production_id, approval_id }, admin.now, true);
  const by = decided_by === null ? "" : `, which ${decided_by} had signed`;
  const summary = `Took back the decision of step ${position} of ${title}${by}`;
  const detail = { id: approval_id, position, round };
  recordChange(
    admin,
    { production_id, node_id, delivery_id, summary, detail },
    {
      type: "approval.taken_back",
      subject: { kind: "approval", id: approval_id },
      data: { position, round, node_id, delivery_id, version_id },
    },
  );
  return { summary, production: production_id };
}

export const takeBackApproval = operation({
  name: "take_back_approval",
  summary:
    "Takes the last decision of an approval back: its step is pending again, and the decision stays in rounds. Only for a key of the person who decided, or one with the scope edit, and not after a release.",
  method: "POST",
  path: "/approvals/:approval_id/take-back",
  scope: "write",
  body: "none",
  output: approval,
  errors: [404, 409],
  run: (context, { approval_id }) =>
    context.write((context) => {
      const found = lastDecisionOf(context.app.store, { approval_id });
      if (found?.production_id !== context.caller.production_id) throw notFound();
      takeBackDecision(adminOf(context), approval_id, context.caller);
      return read(context, getApproval.statement, { approval_id });
    }),
});
