// Checks, writes and reads approvals, their steps and the steps of their former rounds.
import { settleVersion } from "../../../core/store/versions.ts";
import type { Validator } from "../check/validator.ts";
import type { Item } from "../sections/sections.ts";
import { named, node, partRows, replaced, replacedParts, rowsOf, versionOfAsset } from "./columns.ts";
import { type Exporter, exported, type Row } from "./exporter.ts";
import { checkVersionOf } from "./nodes.ts";

type Approval = Item<"approvals">;
type Step = Approval["steps"][number];

/** The fields of one step that depend on whether it is decided. */
function checkStep(validator: Validator, step: Step, place: string): void {
  if (!validator.isUsable(`${place}.status`)) return;
  const decided = step.status !== "pending";
  validator.present(`${place}.decided_at`, step.decided_at, decided, "on a decided step");
  if (decided) return;
  for (const field of ["decided_by", "signed_as"] as const)
    validator.present(`${place}.${field}`, step[field], false, "on a decided step");
}

/** The state that follows from steps: that of the first one that is not approved; approved if every step is. */
export const approvalStatusOf = (steps: readonly { status: Approval["status"] }[]): Approval["status"] =>
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
  const state = approvalStatusOf(steps);
  if (late.length > 0 || !validator.isUsable(`${place}.status`) || status === state) return;
  const why = ending === undefined ? "every step is" : `${validator.thing(endingPlace)} is`;
  validator.report(`${place}.status`, `must be ${state}, as ${why}`);
}

function check(validator: Validator, approval: Approval, place: string): void {
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
}

const stepFields = { decided_by: named("person", "decided_by_person_id") };
const formerSteps = partRows("approvals", "steps")("import_former_step", {
  read: exported("export_former_steps"),
  by: "approval_id",
  fields: stepFields,
});

/** The steps of each round, oldest round first. */
function readRounds(exporter: Exporter, field: string): (row: Row) => unknown {
  const read = formerSteps.open(exporter, field);
  return (row) => [...Map.groupBy(read(row) as Row[], ({ round }) => round).values()];
}

export const approvals = rowsOf("approvals")({
  check,
  read: exported("export_approvals"),
  insert: ["import_approval"],
  fields: {
    scene: node("scene"),
    asset: node("asset"),
    version: versionOfAsset,
    steps: replacedParts("approvals", "steps")("import_approval_step", {
      read: exported("export_approval_steps"),
      by: "approval_id",
      fields: stepFields,
    }),
    rounds: replaced("rounds", { ...formerSteps, open: readRounds }, (writer, id, rounds) => {
      for (const [round, steps] of rounds.entries())
        for (const [at, one] of steps.entries())
          formerSteps.insert(writer, id, one, { round: round + 1, position: at + 1 });
    }),
  },
  after(writer, entries) {
    writer.tables.add("versions");
    for (const { id, item } of entries)
      if (item.version !== undefined && item.version_status === undefined)
        settleVersion(writer.store, { production_id: writer.production_id, approval_id: id, now: writer.now });
  },
});
