// tallylight approvals reopen.
import type { Command } from "../../core/command.ts";
import { dataCommand } from "../../core/data_directory.ts";
import { nextPersonOf } from "../../graph/approvals.ts";
import { idOf } from "../../graph/name_lookup.ts";
import { reopenApproval } from "./approval_reopening.ts";

export const commands: readonly Command[] = [
  dataCommand({
    words: "approvals reopen",
    summary: "reopens an approval for another round",
    details: "One that is decided: its steps become pending, and the former round is kept.",
    example: "tallylight approvals reopen 5",
    positionals: ["ID-OR-TITLE"],
    flags: { production: { value: "ID", summary: "the production in which the title is looked up; all by default" } },
    run: (args, admin) => {
      const id = idOf(admin.store, "approval", args.positionals[0] as string, args.production_id);
      const { approval, summary, absent } = reopenApproval(admin, { id });
      const next = nextPersonOf(approval);
      return {
        document: approval,
        lines: [`${summary}${next === undefined ? "" : `; the next step is ${next}'s`}`],
        notes: absent.map(({ position, person }) => `note: step ${position} is ${person}'s, who left the production`),
      };
    },
  }),
];
