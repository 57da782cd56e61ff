// tallylight approvals reopen, take-back.
import type { Command } from "../../core/command.ts";
import { type Approval, getApproval, nextPersonOf } from "../../graph/approvals.ts";
import { dataCommand } from "../../graph/data_command.ts";
import { idOf } from "../names/name_lookup.ts";
import { takeBackDecision } from "../review/taking_back.ts";
import { reopenApproval } from "./approval_reopening.ts";

export const commands: readonly Command[] = [
  dataCommand({
    words: "approvals take-back",
    summary: "takes the last decision of an approval back",
    details: "Its step is pending again, and the decision stays in a former round. Refused after a release.",
    example: "tallylight approvals take-back 5",
    positionals: ["ID-OR-TITLE"],
    flags: { production: { value: "ID", summary: "the production in which the title is looked up; all by default" } },
    run: ({ positionals: [named = ""], production_id, now }, admin) => {
      const approval_id = idOf(admin.store, "approval", named, production_id);
      const { summary, production } = admin.store.writeSync(() => takeBackDecision(admin, approval_id));
      const reach = { production_id: production, engagement_id: null, now };
      const approval: Approval = JSON.parse(getApproval.statement(admin.store, { ...reach, approval_id }) ?? "");
      return { document: approval, lines: [`${summary}; the next step is ${nextPersonOf(approval)}'s`] };
    },
  }),
  dataCommand({
    words: "approvals reopen",
    summary: "reopens an approval for another round",
    details: "One that is decided: its steps become pending, and the former round is kept.",
    example: "tallylight approvals reopen 5",
    positionals: ["ID-OR-TITLE"],
    flags: { production: { value: "ID", summary: "the production in which the title is looked up; all by default" } },
    run: (args, admin) => {
      // The command requires one.
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
