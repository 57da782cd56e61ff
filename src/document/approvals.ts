// Checks, writes and reads approvals, their steps and the steps of their former rounds.
import { bulkInsert } from "../store/statements.ts";
import { settleVersion } from "../store/versions.ts";
import { checkVersionOf } from "./assets.ts";
import type { Changes, Entry, Item } from "./changes.ts";
import { type Exporter, exported, type Row } from "./exporter.ts";
import { deleteOf, removeAll, updateAll, updateOf } from "./rows.ts";
import type { Validator } from "./validator.ts";
import type { Columns, Writer } from "./writer.ts";

const exportApprovals = exported("export_approvals");
const exportApprovalSteps = exported("export_approval_steps");
const exportFormerSteps = exported("export_former_steps");

const insertApproval = bulkInsert("import_approval");
const updateApproval = updateOf("update_approval");
const deleteApproval = deleteOf("delete_approval");
const insertStep = bulkInsert("import_approval_step");
const deleteSteps = deleteOf("delete_approval_steps");
const insertFormerStep = bulkInsert("import_former_step");
const deleteFormerSteps = deleteOf("delete_former_steps");

type Approval = Item<"approvals">;
type Step = Approval["steps"][number];

/** The fields of one step that depend on whether it is decided. */
function checkStep(validator: Validator, step: Step, place: string): void {
  if (!validator.isUsable(`${place}.status`)) return;
  const decided = step.status !== "pending";
  validator.present(`${place}.decided_at`, step.decided_at, decided, "on a decided step");
  if (!decided) validator.present(`${place}.decided_by`, step.decided_by, false, "on a decided step");
}

/** The state that follows from steps: that of the first one that is not approved; approved if every step is. */
export const stateOf = (steps: readonly { status: Approval["status"] }[]): Approval["status"] =>
  steps.find(({ status }) => status !== "approved")?.status ?? "approved";

/** Steps are decided in order, and one that is not approved ends the approval. */
function checkState(validator: Validator, { status, steps }: Approval, place: string): void {
  const list = [...validator.items(`${place}.steps`, steps)];
  const readable = list.filter(([, here]) => validator.isUsable(`${here}.status`));
  if (readable.length === 0 || readable.length < steps.length) return; // the others may have any status
  const [ending, endingPlace = "", end = list.length] = list.find(([step]) => step.status !== "approved") ?? [];
  const late = list.filter(([step, , at]) => at > end && step.status !== "pending");
  for (const [, here] of late)
    validator.report(
      `${here}.status`,
      ending?.status === "pending"
        ? `must be pending: steps are decided in order, and ${validator.thing(endingPlace)} is not decided`
        : `must be pending: ${validator.thing(endingPlace)} is ${ending?.status}, which ends the approval`,
    );
  const state = stateOf(steps);
  if (late.length > 0 || !validator.isUsable(`${place}.status`) || status === state) return;
  const why = ending === undefined ? "every step is" : `${validator.thing(endingPlace)} is`;
  validator.report(`${place}.status`, `must be ${state}, as ${why}`);
}

export function checkApprovals(validator: Validator): void {
  validator.each("approvals", (approval, place) => {
    const { scene, asset, delivery, steps, rounds } = approval;
    if ([scene, asset, delivery].filter((gated) => gated !== undefined).length > 1)
      validator.report(place, "must have at most one of scene, asset and delivery");
    for (const [step, here] of validator.items(`${place}.steps`, steps)) checkStep(validator, step, here);
    for (const [round, here] of validator.items(`${place}.rounds`, rounds))
      for (const [step, there] of validator.items(here, round)) checkStep(validator, step, there);
    checkState(validator, approval, place);
    checkVersionOf(validator, approval, place);
    if (approval.version === undefined)
      validator.present(`${place}.version_status`, approval.version_status, false, "with version");
  });
}

function columnsOf(writer: Writer, approval: Approval): Columns {
  const { title, ref = null, status, mode, due = null } = approval;
  const gated = { node_id: writer.node(approval), delivery_id: writer.id("delivery", approval.delivery) };
  const { asset, version, version_status = null } = approval;
  const version_id = asset === undefined ? null : writer.versionId(asset, version);
  return { title, ref, status, mode, due, ...gated, version_id, version_status };
}

function columnsOfStep(writer: Writer, step: Step, approval_id: number, position: number): Columns {
  const { status, decided_at = null, note = null } = step;
  const decided_by_person_id = writer.id("person", step.decided_by);
  const person_id = writer.id("person", step.person);
  return { approval_id, position, person_id, status, decided_at, note, decided_by_person_id };
}

function insertSteps(writer: Writer, { id, item }: Entry<"approvals">): void {
  item.steps.forEach((step, at) => {
    writer.insert(insertStep, columnsOfStep(writer, step, id, at + 1));
  });
}

function insertRounds(writer: Writer, { id, item }: Entry<"approvals">): void {
  item.rounds.forEach((steps, round) => {
    steps.forEach((step, at) => {
      writer.insert(insertFormerStep, { round: round + 1, ...columnsOfStep(writer, step, id, at + 1) });
    });
  });
}

export function writeApprovals(writer: Writer, changes: Changes): void {
  const { added, changed } = changes.of("approvals");
  for (const entry of added) {
    writer.insert(insertApproval, { id: entry.id, ...columnsOf(writer, entry.item) });
    insertSteps(writer, entry);
    insertRounds(writer, entry);
  }
  updateAll(writer, changed, {
    update(change) {
      const { id, item, fields } = change;
      updateApproval(writer, id, columnsOf(writer, item));
      if (fields.has("steps")) {
        deleteSteps(writer, id);
        insertSteps(writer, change);
      }
      if (fields.has("rounds")) {
        deleteFormerSteps(writer, id);
        insertRounds(writer, change);
      }
    },
  });
  writer.flush();
  for (const { id, item } of [...added, ...changed])
    if (item.version !== undefined && item.version_status === undefined)
      settleVersion(writer.store, { production_id: writer.production_id, approval_id: id });
}

export function removeApprovals(writer: Writer, changes: Changes): void {
  removeAll(writer, changes.of("approvals").removed, "approvals", ({ id }) => {
    deleteSteps(writer, id);
    deleteFormerSteps(writer, id);
    deleteApproval(writer, id);
  });
}

export function collectApprovals(exporter: Exporter): Row[] {
  const steps = exporter.grouped(exportApprovalSteps, "approval_id");
  const former = exporter.grouped(exportFormerSteps, "approval_id");
  const named = (step: Row): Row => ({
    ...step,
    person: exporter.name("person", step.person_id),
    decided_by: exporter.name("person", step.decided_by_person_id),
  });
  return exporter.rows(exportApprovals).map((row) => ({
    ...row,
    ...exporter.node(row.node_id),
    ref: exporter.ref("approval", row.id),
    delivery: exporter.name("delivery", row.delivery_id),
    steps: steps(row.id).map(named),
    rounds: [...Map.groupBy(former(row.id).map(named), ({ round }) => round).values()],
  }));
}
