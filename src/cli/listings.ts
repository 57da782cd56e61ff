// tallylight productions list, approvals list.
import { listProductions } from "../admin/productions.ts";
import { CliError } from "../errors.ts";
import { approvalStatuses } from "../inputs.ts";
import { type Approval, approvalsOf } from "../operations/approvals.ts";
import { type Command, tabled } from "./arguments.ts";
import { openData, productionOf, using } from "./data.ts";

const productions: Command = {
  words: "productions list",
  summary: "lists the productions and their ids",
  run: (args) =>
    using(openData(args.data), ({ store }) => {
      const rows = listProductions(store);
      return { document: rows, lines: tabled(rows, ["id", "title", "format", "status", "phase"]) };
    }),
};

/** Returns the person whose step is next, or undefined if the approval is not pending, even if some of its steps are. */
const nextOf = ({ status, steps }: Approval): string | undefined =>
  status === "pending" ? steps.find((step) => step.status === "pending")?.person : undefined;

const approvals: Command = {
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
      const rows: Approval[] = JSON.parse(
        approvalsOf(store, { production_id: productionOf(store, args).id, status }) ?? "[]",
      );
      const shown = rows.map((row) => ({ ...row, next: nextOf(row) }));
      return { document: rows, lines: tabled(shown, ["id", "status", "mode", "title", "due", "next"]) };
    }),
};

export const commands: readonly Command[] = [productions, approvals];
