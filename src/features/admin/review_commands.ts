// tallylight approvals list; versions release, archive: what is reviewed, and what comes of it.
import type { Command } from "../../core/command.ts";
import { rowsOutput } from "../../core/tables.ts";
import { type Approval, listApprovals, nextPersonOf } from "../../graph/approvals.ts";
import { dataCommand } from "../../graph/data_command.ts";
import { approvalStatuses } from "../../graph/values.ts";
import { idIfGiven } from "../names/name_lookup.ts";
import { flagVersion, versionNumbered } from "./version_release.ts";

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
  versionCommand("release", "released", {
    summary: "releases a version of an asset",
    details: "The asset and its bundles show it from the next call on.",
  }),
  versionCommand("archive", "archived", { summary: "marks a version as archived" }),
];
