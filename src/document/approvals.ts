// Approvals and their steps: checked, written and collected.
import type { Checking } from "./checking.ts";
import type { Collecting, Row } from "./collecting.ts";
import type { ProductionDocument } from "./schema.ts";
import type { Writing } from "./writing.ts";

type Approval = ProductionDocument["approvals"][number];
type Step = Approval["steps"][number];

/** The fields of one step that depend on whether it is decided. */
function checkStep(checking: Checking, step: Step, place: string): void {
  const decided = step.status !== "pending";
  checking.refer(`${place}.person`, "person", step.person);
  checking.refer(`${place}.decided_by`, "person", step.decided_by);
  checking.present(`${place}.decided_at`, step.decided_at, decided, "on a decided step");
  if (!decided) checking.present(`${place}.decided_by`, step.decided_by, false, "on a decided step");
}

/** Steps are decided in order, and one that is not approved ends the approval. Answers whether they were. */
function checkOrder(checking: Checking, steps: readonly Step[], place: string): boolean {
  const last = steps.findIndex(({ status }) => status !== "approved");
  let inOrder = true;
  for (const [at, { status }] of steps.entries()) {
    const before = steps[last];
    if (before === undefined || at <= last || status === "pending") continue;
    inOrder = false;
    const why =
      before.status === "pending"
        ? `steps are decided in order, and ${place}[${last}] is not`
        : `${place}[${last}] is ${before.status}, which ends the approval`;
    checking.report(`${place}[${at}].status`, `must be pending: ${why}`);
  }
  return inOrder;
}

/** The state of an approval is that of its first step that is not approved; approved where there is none. */
function checkState(checking: Checking, { status, steps }: Approval, place: string): void {
  const last = steps.findIndex((step) => step.status !== "approved");
  const state = steps[last]?.status ?? "approved";
  if (status === state) return;
  const why = last === -1 ? "every step is" : `${place}.steps[${last}] is`;
  checking.report(`${place}.status`, `must be ${state}, as ${why}`);
}

export function checkApprovals(checking: Checking): void {
  checking.each("approvals", (approval, place) => {
    const { scene, asset, delivery, steps } = approval;
    if ([scene, asset, delivery].filter((gated) => gated !== undefined).length > 1)
      checking.report(place, "must gate at most one of scene, asset and delivery");
    checking.refer(`${place}.scene`, "scene", scene);
    checking.refer(`${place}.asset`, "asset", asset);
    checking.refer(`${place}.delivery`, "delivery", delivery);
    for (const [at, step] of steps.entries()) checkStep(checking, step, `${place}.steps[${at}]`);
    if (checkOrder(checking, steps, `${place}.steps`)) checkState(checking, approval, place);
  });
}

export function insertApprovals(writing: Writing): void {
  const own = writing.production_id;
  for (const approval of writing.document.approvals) {
    const id = writing.next("approvals");
    const { title, status, mode } = approval;
    const delivery = writing.id("delivery", approval.delivery);
    writing.row(
      "import_approval",
      id,
      own,
      title,
      status,
      mode,
      approval.due ?? null,
      writing.node(approval),
      delivery,
    );
    approval.steps.forEach((step, at) => {
      const nullable = [step.decided_at ?? null, step.note ?? null, writing.id("person", step.decided_by)];
      writing.row("import_approval_step", own, id, at + 1, writing.id("person", step.person), step.status, ...nullable);
    });
  }
}

export function collectApprovals(collecting: Collecting): Row {
  const steps = collecting.grouped("export_approval_steps", "approval_id");
  return {
    approvals: collecting.rows("export_approvals").map((row) => ({
      ...row,
      ...collecting.node(row.node_id),
      delivery: collecting.name("delivery", row.delivery_id),
      steps: steps(row.id).map((step) => ({
        ...step,
        person: collecting.name("person", step.person_id),
        decided_by: collecting.name("person", step.decided_by_person_id),
      })),
    })),
  };
}
