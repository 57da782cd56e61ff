// tallylight approvals list, take-back; submissions list, remove; versions release, archive: what is reviewed, and what comes of it.

import type { Command } from "../core/command.ts";
import { dataCommand, itsProduction } from "../core/data_directory.ts";
import { rowsOutput } from "../core/tables.ts";
import { type Approval, getApproval, listApprovals, nextPersonOf } from "../graph/approvals.ts";
import { idIfGiven, idOf } from "../graph/name_lookup.ts";
import { listSubmitted, removeSubmission } from "../graph/submissions.ts";
import { takeBack } from "../graph/taking_back.ts";
import { approvalStatuses } from "../graph/values.ts";
import { flagVersion, versionNumbered } from "../graph/version_release.ts";

const versionCommand = (
  verb: string,
  flag: "released" | "archived",
  texts: Pick<Command, "summary" | "details">,
): Command =>
  dataCommand({
    words: `versions ${verb}`,
    ...texts,
    example: `tallylight versions ${verb} 3 --asset "Hero lamp" --production 1`,
    positionals: ["ID"],
    flags: {
      asset: { value: "ID-OR-NAME", summary: "the asset; ID is then the number of its version, such as 3" },
      production: { value: "ID", summary: "the production in which the asset's name is looked up; all by default" },
    },
    run: (args, admin) => {
      const given = Number(args.positionals[0]);
      const node_id = idIfGiven(admin.store, "asset", args.text("asset"), args.production_id);
      const id = node_id === undefined ? given : versionNumbered(admin, { node_id, version: given });
      const { version, summary } = flagVersion(admin, { id, flag });
      return { document: version, lines: [summary ?? `version ${id} is already ${flag}`] };
    },
  });

export const commands: readonly Command[] = [
  dataCommand({
    words: "approvals list",
    summary: "lists approvals and whose step is next",
    example: "tallylight approvals list --production 1 --status pending",
    flags: {
      production: { value: "ID", required: true, summary: "the production" },
      status: { value: "STATUS", choices: approvalStatuses, summary: `one of ${approvalStatuses.join(", ")}` },
    },
    run: (args, { store }) => {
      const given = args.text("status");
      const status = approvalStatuses.find((known) => known === given);
      const reach = { production_id: args.production.id, engagement_id: null, now: args.now };
      const rows: Approval[] = JSON.parse(listApprovals.statement(store, { ...reach, ...(status && { status }) }).text);
      const columns = ["id", "status", "mode", "title", "due", "next"] as const;
      return rowsOutput(rows, columns, (row) => ({ ...row, next: nextPersonOf(row) }));
    },
  }),
  dataCommand({
    words: "approvals take-back",
    summary: "takes the last decision of an approval back",
    details: "Its step is pending again, and the decision stays in a former round. Refused after a release.",
    example: "tallylight approvals take-back 5",
    positionals: ["ID-OR-TITLE"],
    flags: { production: { value: "ID", summary: "the production in which the title is looked up; all by default" } },
    run: ({ positionals: [named = ""], production_id, now }, admin) => {
      const approval_id = idOf(admin.store, "approval", named, production_id);
      const { summary, production } = admin.store.writeSync(() => takeBack(admin, approval_id));
      const reach = { production_id: production, engagement_id: null, now };
      const approval: Approval = JSON.parse(getApproval.statement(admin.store, { ...reach, approval_id }) ?? "");
      return { document: approval, lines: [`${summary}; the next step is ${nextPersonOf(approval)}'s`] };
    },
  }),
  dataCommand({
    words: "submissions list",
    summary: "lists the work that vendors submitted",
    details: "With its number of files and its size.",
    example: "tallylight submissions list --production 1",
    flags: { production: { value: "ID", required: true, summary: "the production" } },
    run: ({ production }, { store }) => {
      const columns = ["id", "vendor", "delivery", "title", "status", "created_at", "files", "bytes"] as const;
      return rowsOutput(listSubmitted(store, production.id), columns);
    },
  }),
  dataCommand({
    words: "submissions remove",
    summary: "removes submitted work; cannot be undone",
    details:
      "With its files: bytes that nothing else needs are deleted. Its files no longer count for `engagement_quota`.",
    example: "tallylight submissions remove 2",
    positionals: ["ID"],
    flags: itsProduction,
    run: async (args, admin, blobs) => {
      const { removed, summary } = removeSubmission(admin, blobs, Number(args.positionals[0]));
      await blobs.removeUnneeded();
      return { document: removed, lines: [summary] };
    },
  }),
  versionCommand("release", "released", {
    summary: "releases a version of an asset",
    details: "The asset and its bundles show it from the next call on.",
  }),
  versionCommand("archive", "archived", { summary: "marks a version as archived" }),
];
