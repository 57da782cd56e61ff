// tallylight approvals list, approvals reopen: lists approvals and reopens them.
import { reopenApproval } from "../admin/approvals.ts";
import { idOf } from "../admin/names.ts";
import { CliError } from "../errors.ts";
import { approvalStatuses } from "../inputs.ts";
import { type Approval, approvalsOf } from "../operations/approvals.ts";
import { type Command, tabled } from "./arguments.ts";
import { asAdmin, openData, productionNamed, productionOf, using } from "./data.ts";

/** Returns the person whose step is next, or undefined if the approval is not pending, even if some of its steps are. */
const nextOf = ({ status, steps }: Approval): string | undefined =>
  status === "pending" ? steps.find((step) => step.status === "pending")?.person : undefined;

const list: Command = {
  words: "approvals list",
  summary: "lists approvals and whose step is next",
  flags: {
    production: { value: "ID", required: true, summary: "the production" },
    status: { value: "STATUS", summary: `one of ${approvalStatuses.join(", ")}` },
  },
  run: (args) =>
    using(openData(args.data), ({ store }) => {
      const status = args.text("status") ?? null;
      if (status !== null && !approvalStatuses.some((known) => known === status))
        throw new CliError(`status must be one of ${approvalStatuses.join(", ")}`);
      const { id: production_id } = productionOf(store, args);
      const rows: Approval[] = JSON.parse(approvalsOf(store, { production_id, status }).text);
      const shown = rows.map((row) => ({ ...row, next: nextOf(row) }));
      return { document: rows, lines: tabled(shown, ["id", "status", "mode", "title", "due", "next"]) };
    }),
};

const reopen: Command = {
  words: "approvals reopen",
  summary:
    "reopens an approval for which changes were requested: its steps become pending, and the former round is kept",
  positionals: ["ID-OR-TITLE"],
  flags: { production: { value: "ID", summary: "the production in which the title is looked up; all by default" } },
  run: (args) =>
    asAdmin(args, (admin) => {
      const named = args.positionals[0] as string;
      const id = idOf(admin.store, "approval", named, productionNamed(admin.store, args)?.id);
      const { approval, summary, absent } = reopenApproval(admin, { id });
      const next = nextOf(approval);
      return {
        document: approval,
        lines: [`${summary}${next === undefined ? "" : `; the next step is ${next}'s`}`],
        notes: absent.map(({ position, person }) => `note: step ${position} is ${person}'s, who left the production`),
      };
    }),
};

export const commands: readonly Command[] = [list, reopen];
