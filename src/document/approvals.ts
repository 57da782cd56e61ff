// Approvals and their steps: checked, written and collected.
import type { Checking } from "./checking.ts";
import type { Collecting, Row } from "./collecting.ts";
import type { ProductionDocument } from "./schema.ts";
import type { Writing } from "./writing.ts";

type Approval = ProductionDocument["approvals"][number];

function checkSteps(checking: Checking, steps: Approval["steps"], place: string): void {
  let waiting: number | undefined;
  for (const [at, step] of steps.entries()) {
    const decided = step.status !== "pending";
    const here = `${place}[${at}]`;
    checking.refer(`${here}.person`, "person", step.person);
    checking.refer(`${here}.decided_by`, "person", step.decided_by);
    checking.present(`${here}.decided_at`, step.decided_at, decided, "on a decided step");
    if (!decided) checking.present(`${here}.decided_by`, step.decided_by, false, "on a decided step");
    if (decided && waiting !== undefined)
      checking.report(`${here}.status`, `must be pending: steps are decided in order, and ${place}[${waiting}] is not`);
    if (!decided) waiting ??= at;
  }
}

export function checkApprovals(checking: Checking): void {
  checking.each("approvals", (approval, place) => {
    const { scene, asset, delivery, steps } = approval;
    if ([scene, asset, delivery].filter((gated) => gated !== undefined).length > 1)
      checking.report(place, "must gate at most one of scene, asset and delivery");
    checking.refer(`${place}.scene`, "scene", scene);
    checking.refer(`${place}.asset`, "asset", asset);
    checking.refer(`${place}.delivery`, "delivery", delivery);
    checkSteps(checking, steps, `${place}.steps`);
    if (approval.status === "pending" && steps.every(({ status }) => status !== "pending"))
      checking.report(`${place}.status`, "must not be pending when every step is decided");
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
