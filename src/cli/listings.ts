// tallylight productions list, approvals list: what an admin looks up before anything else.
import { findProduction, listProductions } from "../access/productions.ts";
import { CliError } from "../errors.ts";
import { approvalStatuses } from "../inputs.ts";
import { type Command, tabled } from "./arguments.ts";
import { openData, using } from "./data.ts";

const productions: Command = {
  words: "productions list",
  summary: "shows the productions and their ids",
  run: (args) =>
    using(openData(args.data), ({ store }) => {
      const rows = listProductions(store);
      return { document: rows, lines: tabled(rows as never, ["id", "title", "format", "status", "phase"]) };
    }),
};

interface ApprovalRow {
  status: string;
  steps: { person: string; status: string }[];
}

/** Whose step is next; nobody's where the approval is settled, whatever steps were left open. */
const nextOf = ({ status, steps }: ApprovalRow): string | undefined =>
  status === "pending" ? steps.find((step) => step.status === "pending")?.person : undefined;

const approvals: Command = {
  words: "approvals list",
  summary: "shows approvals and whose step is next",
  flags: {
    production: { value: "ID", required: true, summary: "the production" },
    status: { value: "STATUS", summary: `one of ${approvalStatuses.join(", ")}` },
  },
  run: (args) =>
    using(openData(args.data), ({ store }) => {
      const status = args.text("status") ?? null;
      if (status !== null && !approvalStatuses.some((known) => known === status))
        throw new CliError(`status must be one of ${approvalStatuses.join(", ")}`);
      const production_id = findProduction(store, args.text("production") as string).id;
      const rows: ApprovalRow[] = JSON.parse(store.json("list_approvals", { production_id, status }) ?? "[]");
      const shown = rows.map((row) => ({ ...row, next: nextOf(row) }));
      return { document: rows, lines: tabled(shown, ["id", "status", "mode", "title", "due", "next"]) };
    }),
};

export const listingCommands: readonly Command[] = [productions, approvals];
