// Approvals and their steps: checked, written and collected.
import type { Checking } from "./checking.ts";
import type { Collecting, Row } from "./collecting.ts";
import type { ProductionDocument } from "./schema.ts";
import type { Writing } from "./writing.ts";

type Approval = ProductionDocument["approvals"][number];
type Step = Approval["steps"][number];

/** The fields of one step that depend on whether it is decided. */
function checkStep(checking: Checking, step: Step, place: string): void {
  checking.refer(`${place}.person`, "person", step.person);
  checking.refer(`${place}.decided_by`, "person", step.decided_by);
  if (!checking.isUsable(`${place}.status`)) return;
  const decided = step.status !== "pending";
  checking.present(`${place}.decided_at`, step.decided_at, decided, "on a decided step");
  if (!decided) checking.present(`${place}.decided_by`, step.decided_by, false, "on a decided step");
}

/**
 * Steps are decided in order, and one that is not approved ends the approval; so its state is that of the first step that is
 * not approved, and approved where every step is.
 */
function checkState(checking: Checking, { status, steps }: Approval, place: string): void {
  const list = [...checking.items(`${place}.steps`, steps)];
  const readable = list.filter(([, here]) => checking.isUsable(`${here}.status`));
  if (readable.length === 0 || readable.length < steps.length) return; // the others may say anything
  const [ending, endingPlace = "", end = list.length] = list.find(([step]) => step.status !== "approved") ?? [];
  const late = list.filter(([step, , at]) => at > end && step.status !== "pending");
  for (const [, here] of late)
    checking.report(
      `${here}.status`,
      ending?.status === "pending"
        ? `must be pending: steps are decided in order, and ${checking.thing(endingPlace)} is not decided`
        : `must be pending: ${checking.thing(endingPlace)} is ${ending?.status}, which ends the approval`,
    );
  const state = ending?.status ?? "approved";
  if (late.length > 0 || !checking.isUsable(`${place}.status`) || status === state) return;
  const why = ending === undefined ? "every step is" : `${checking.thing(endingPlace)} is`;
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
    for (const [step, here] of checking.items(`${place}.steps`, steps)) checkStep(checking, step, here);
    checkState(checking, approval, place);
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
