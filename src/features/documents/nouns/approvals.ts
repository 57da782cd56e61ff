// Writes and reads approvals, their steps and the steps of their former rounds.
import { settleVersion } from "../../../graph/version_status.ts";
import { named, node, partRows, replaced, replacedParts, rowsOf, versionOfAsset } from "./columns.ts";
import { type Exporter, exported, type Row } from "./exporter.ts";

const stepFields = { decided_by: named("person", "decided_by_person_id") };
const formerSteps = partRows("approvals", "steps")("import_former_step", {
  read: exported("export_former_steps"),
  by: "approval_id",
  fields: stepFields,
});

/** The steps of each round, oldest round first. */
function readRounds(exporter: Exporter, field: string): (row: Row) => unknown {
  const read = formerSteps.open(exporter, field);
  return (row) => [...Map.groupBy(read(row) as Row[], ({ round }) => round).values()]; // the part is read as rows
}

export const approvals = rowsOf("approvals")({
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
