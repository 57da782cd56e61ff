// Approvals: list them, and decide the current step in the name of the person whose step it is. docs/reference.md,
// "Where the specification is silent".
import * as v from "valibot";
import type { Context } from "../core/context.ts";
import { conflict, forbidden, notFound, unprocessable } from "../core/errors.ts";
import type { ApprovalId, DeliveryId, NodeId, PersonId, ProductionId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import { operation, read, reading } from "../core/operation.ts";
import * as out from "../core/records.ts";
import { change, one } from "../core/store/statements.ts";
import type { Store } from "../core/store/store.ts";
import { recordActivity } from "./activity.ts";
import { findDecider } from "./people.ts";
import { checkShown, type Shown, type Signable } from "./signed_versions.ts";
import { approvalDecisions, approvalModes, approvalStatuses } from "./values.ts";
import { settleVersion } from "./versions.ts";

const { describe } = input;

export const approvalRow = out.record(
  "ApprovalRow",
  v.object({
    id: out.id,
    title: out.text,
    status: v.picklist(approvalStatuses),
    mode: v.picklist(approvalModes),
    due: v.optional(v.nullable(out.text)),
    version_id: describe(v.nullable(out.id), "The version of the asset that it is about."),
  }),
);

const approvalStep = out.record(
  "ApprovalStep",
  v.object({
    position: out.count,
    person_id: out.id,
    person: describe(
      out.text,
      "The name of the person whose step it is; on a decided step as it was when it was decided.",
    ),
    status: v.picklist(approvalStatuses),
    decided_at: v.nullable(out.timestamp),
    note: v.nullable(out.text),
    decided_by: describe(
      v.nullable(out.text),
      "The name of the person who decided, as it was then; null on a decided step if it was decided with a key and no name.",
    ),
    version_id: describe(
      v.nullable(out.id),
      "The version that the decision signed; null if it is pending, or none is known.",
    ),
  }),
);

/** An approval with what it gates, and whom it waits for. */
export const gatingApproval = v.object({
  ...approvalRow.entries,
  node_id: v.nullable(out.id),
  delivery_id: v.nullable(out.id),
  awaiting: describe(
    v.array(v.object({ person_id: out.id, person: out.text })),
    "Whose step is next. Empty once the approval is decided.",
  ),
});

export const approval = out.record(
  "Approval",
  v.object({
    ...gatingApproval.entries,
    steps: v.array(approvalStep),
    rounds: describe(
      v.array(v.array(approvalStep)),
      "The steps of the former rounds, oldest first, if the approval was reopened or asked again, or a decision was taken back.",
    ),
  }),
);
/** An approval, as GET /approvals lists it. */
export type Approval = v.InferOutput<typeof approval>;

type ApprovalKey = { production_id: ProductionId; approval_id: ApprovalId };

interface OpenStep extends Signable {
  title: string;
  status: (typeof approvalStatuses)[number];
  mode: (typeof approvalModes)[number];
  node_id: NodeId | null;
  delivery_id: DeliveryId | null;
  /** The position of the current step; null if every step is decided. */
  position: number | null;
  person_id: PersonId | null;
}

const openStepOf = one<ApprovalKey, OpenStep>("get_open_step");
const decideStep = change("decide_step");
const settleStatus = change("settle_approval");
/**
 * Sets the status of an approval, and that of the version that it is about, from its steps. `reopened`: steps are
 * pending again, so the version gets its former status back. Call it in the transaction that changed the steps.
 */
export function settleApproval(store: Store, key: ApprovalKey, now: string, reopened = false): void {
  settleStatus(store, key);
  settleVersion(store, { ...key, now }, reopened);
}

export const listApprovals = reading({
  name: "list_approvals",
  summary: "Lists the approvals with their steps.",
  path: "/approvals",
  scope: "read",
  input: v.object({
    status: v.optional(describe(input.oneOf(approvalStatuses), "Return only approvals with this status.")),
    person_id: v.optional(describe(input.id, "Return only pending approvals whose next step is this person's.")),
    node_id: v.optional(describe(input.id, "Return only approvals of this scene or asset.")),
    delivery_id: v.optional(describe(input.id, "Return only approvals of this delivery.")),
  }),
  output: v.array(approval),
  tool: { omit: ["person_id", "node_id", "delivery_id"] },
  resource: "service://approvals",
});

export const getApproval = reading({
  name: "get_approval",
  summary: "Returns one approval with its steps and former rounds.",
  path: "/approvals/:approval_id",
  scope: "read",
  output: approval,
});

/** The approval of the path with its current step. Throws 404 if it does not exist. */
function requireOpenStep({ app, caller }: Context, { approval_id }: { approval_id: ApprovalId }): OpenStep {
  const step = openStepOf(app.store, { production_id: caller.production_id, approval_id });
  if (step === undefined) throw notFound();
  return step;
}

interface Decision extends Shown {
  approval_id: ApprovalId;
  decision: (typeof approvalDecisions)[number];
  decided_by?: string | undefined;
  position?: number | undefined;
}

/**
 * The step to decide, and the person who decides it; no person if decided_by is absent, which a chain allows, and the
 * key is bound to nobody. Throws 404 if the approval does not exist, 409 if it is not pending or another step than
 * `position` is next, 422 if decided_by is unknown or required, 403 if the step is another person's or the key is bound
 * to another person, and 422 or 409 as checkShown.
 */
function stepToDecide(context: Context, { approval_id, decided_by, position: expected, ...shown }: Decision) {
  const { position, person_id, ...approval } = requireOpenStep(context, { approval_id });
  const { status, mode } = approval;
  if (status !== "pending") throw conflict(`the approval is ${status}, not pending; nothing was recorded`);
  if (position === null) throw conflict("the approval has no step left to decide; nothing was recorded");
  if (expected !== undefined && expected !== position)
    throw conflict(`step ${position} is next, not step ${expected}; nothing was recorded`);
  if (decided_by === undefined && mode === "decision")
    throw unprocessable("decided_by is required, because this approval has the mode decision");
  const person = findDecider(context.app.store, context.caller, decided_by);
  if (person !== undefined && person.id !== person_id) {
    const who = decided_by === undefined ? `${person.name}, to whom the key is bound,` : "decided_by";
    throw forbidden(`${who} is not the person whose step it is; nothing was recorded`);
  }
  checkShown(context.app.store, { production_id: context.caller.production_id, approval_id }, approval, shown);
  return { ...approval, position, person };
}

/** Decides the current step, in a write transaction, and returns the approval. Throws as stepToDecide. */
export function decideStepIn(
  context: Context,
  { note = null, ...decided }: Decision & { note?: string | undefined | null },
) {
  const { app, caller, now } = context;
  const { approval_id, decision } = decided;
  const key = { production_id: caller.production_id, approval_id };
  const { title, position, person, signed_version_id: version_id, ...step } = stepToDecide(context, decided);
  const status = decision === "approved" ? "approved" : "changes_requested";
  decideStep(app.store, { ...key, position, status, note, decided_by_person_id: person?.id ?? null, version_id, now });
  settleApproval(app.store, key, now);
  const answer = read(context, getApproval.statement, { approval_id });
  const { node_id, delivery_id } = step;
  const done = decision === "approved" ? "Approved" : "Asked for changes at";
  const by = person === undefined ? "through the key" : `by ${person.name}`;
  const summary = `${done} step ${position} of ${title}, ${by}`;
  const data = { ...decisionData(JSON.parse(answer), position), decision, decided_by_person_id: person?.id ?? null };
  recordActivity(
    context,
    { verb: `approval.${status}`, summary, node_id, delivery_id },
    { type: "approval.decided", subject: { kind: "approval", id: approval_id }, data },
  );
  return answer;
}

export const decideApproval = operation({
  name: "decide_approval",
  summary:
    "Decides the current step of an approval in the name of the person whose step it is. The name is optional for a chain. A key that is bound to a person decides only as that person.",
  method: "POST",
  path: "/approvals/:approval_id/decide",
  scope: "write",
  input: v.object({
    decision: input.oneOf(approvalDecisions),
    decided_by: v.optional(
      describe(
        input.text(300),
        "The person whose step it is, by full name or id. Optional for a chain: then it is the person of the key, if the key has one.",
      ),
    ),
    note: v.optional(input.text()),
    position: v.optional(
      describe(
        input.id,
        "The position of the step that is meant: if another step is next, 409, and nothing is recorded.",
      ),
    ),
    version_id: v.optional(
      describe(
        input.id,
        "The version that was shown to who decides: if the approval is about another one now, 409, and nothing is recorded.",
      ),
    ),
    seen: v.optional(
      describe(
        input.id,
        "The newest version of the same asset and variant that was shown, archived ones left out: if there is a newer one now, 409, and nothing is recorded.",
      ),
    ),
  }),
  output: approval,
  errors: [404, 409],
  authorize: requireOpenStep,
  run: (context, given) => context.write((context) => decideStepIn(context, given)),
});

/** What the event of a decision tells of the approval after it, and of the decided step. */
function decisionData({ title, status, node_id, delivery_id, awaiting, steps }: Approval, position: number) {
  const decided = steps.find((step) => step.position === position);
  const { decided_by = null, note = null, version_id = null } = decided ?? {};
  return { title, status, node_id, delivery_id, awaiting, steps: steps.length, position, decided_by, note, version_id };
}

/**
 * Returns the person whose step is next, or undefined if the approval is not pending, even if some of its steps are.
 */
export const nextPersonOf = ({ status, steps }: Approval): string | undefined =>
  status === "pending" ? steps.find((step) => step.status === "pending")?.person : undefined;
