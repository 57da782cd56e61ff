// Approvals and their steps: checked, written and collected.

import { bulkInsert } from "../store/statements.ts";
import type { Exporter, Row } from "./exporter.ts";
import { exported } from "./exporter.ts";
import type { Importer } from "./importer.ts";
import type { ProductionDocument } from "./schema.ts";
import type { Validator } from "./validator.ts";

const exportApprovalSteps = exported("export_approval_steps");
const exportApprovals = exported("export_approvals");
const importApproval = bulkInsert("import_approval");
const importApprovalStep = bulkInsert("import_approval_step");

type Approval = ProductionDocument["approvals"][number];
type Step = Approval["steps"][number];

/** The fields of one step that depend on whether it is decided. */
function checkStep(validator: Validator, step: Step, place: string): void {
  validator.refer(`${place}.person`, "person", step.person);
  validator.refer(`${place}.decided_by`, "person", step.decided_by);
  if (!validator.isUsable(`${place}.status`)) return;
  const decided = step.status !== "pending";
  validator.present(`${place}.decided_at`, step.decided_at, decided, "on a decided step");
  if (!decided) validator.present(`${place}.decided_by`, step.decided_by, false, "on a decided step");
}

/**
 * Steps are decided in order, and one that is not approved ends the approval; so its state is that of the first step that is
 * not approved, and approved where every step is.
 */
function checkState(validator: Validator, { status, steps }: Approval, place: string): void {
  const list = [...validator.items(`${place}.steps`, steps)];
  const readable = list.filter(([, here]) => validator.isUsable(`${here}.status`));
  if (readable.length === 0 || readable.length < steps.length) return; // the others may say anything
  const [ending, endingPlace = "", end = list.length] = list.find(([step]) => step.status !== "approved") ?? [];
  const late = list.filter(([step, , at]) => at > end && step.status !== "pending");
  for (const [, here] of late)
    validator.report(
      `${here}.status`,
      ending?.status === "pending"
        ? `must be pending: steps are decided in order, and ${validator.thing(endingPlace)} is not decided`
        : `must be pending: ${validator.thing(endingPlace)} is ${ending?.status}, which ends the approval`,
    );
  const state = ending?.status ?? "approved";
  if (late.length > 0 || !validator.isUsable(`${place}.status`) || status === state) return;
  const why = ending === undefined ? "every step is" : `${validator.thing(endingPlace)} is`;
  validator.report(`${place}.status`, `must be ${state}, as ${why}`);
}

export function checkApprovals(validator: Validator): void {
  validator.each("approvals", (approval, place) => {
    const { scene, asset, delivery, steps } = approval;
    if ([scene, asset, delivery].filter((gated) => gated !== undefined).length > 1)
      validator.report(place, "must gate at most one of scene, asset and delivery");
    validator.refer(`${place}.scene`, "scene", scene);
    validator.refer(`${place}.asset`, "asset", asset);
    validator.refer(`${place}.delivery`, "delivery", delivery);
    for (const [step, here] of validator.items(`${place}.steps`, steps)) checkStep(validator, step, here);
    checkState(validator, approval, place);
  });
}

export function insertApprovals(importer: Importer): void {
  const own = importer.production_id;
  for (const approval of importer.document.approvals) {
    const id = importer.next("approvals");
    const { title, status, mode } = approval;
    const delivery = importer.id("delivery", approval.delivery);
    importer.row(importApproval, id, own, title, status, mode, approval.due ?? null, importer.node(approval), delivery);
    approval.steps.forEach((step, at) => {
      const nullable = [step.decided_at ?? null, step.note ?? null, importer.id("person", step.decided_by)];
      importer.row(importApprovalStep, own, id, at + 1, importer.id("person", step.person), step.status, ...nullable);
    });
  }
}

export function collectApprovals(exporter: Exporter): Row {
  const steps = exporter.grouped(exportApprovalSteps, "approval_id");
  return {
    approvals: exporter.rows(exportApprovals).map((row) => ({
      ...row,
      ...exporter.node(row.node_id),
      delivery: exporter.name("delivery", row.delivery_id),
      steps: steps(row.id).map((step) => ({
        ...step,
        person: exporter.name("person", step.person_id),
        decided_by: exporter.name("person", step.decided_by_person_id),
      })),
    })),
  };
}
