// tallylight approvals reopen, take-back, ask-again.
import type { Command, Output } from "../../core/command.ts";
import { CliError } from "../../core/errors.ts";
import type { ApprovalId } from "../../core/ids.ts";
import type { Admin } from "../../graph/admin.ts";
import { type Approval, getApproval, nextPersonOf } from "../../graph/approvals.ts";
import { type DataArgs, dataCommand } from "../../graph/data_command.ts";
import { versionIdOf } from "../../graph/versions.ts";
import { idOf } from "../names/name_lookup.ts";
import { takeBackDecision } from "../review/taking_back.ts";
import { askAgain, nodeOfApproval, type Reopened, reopenApproval } from "./approval_reopening.ts";

/** The approval that the command names, which it requires. */
const approvalIn = ({ positionals: [named = ""], production_id }: DataArgs, { store }: Admin): ApprovalId =>
  idOf(store, "approval", named, production_id);

/** The version of the asset of an approval that --version names. Throws CliError if there is none. */
function versionIn(args: DataArgs, { store }: Admin, id: ApprovalId): number | undefined {
  const version = args.id("version");
  if (version === undefined) return undefined;
  const node_id = nodeOfApproval(store, id);
  const found = node_id === null ? undefined : versionIdOf(store, { node_id, version });
  if (found === undefined) throw new CliError(`the approval is about no asset that has a version ${version}`);
  return found;
}

function roundOutput({ approval, summary, absent }: Reopened): Output {
  const next = nextPersonOf(approval);
  return {
    document: approval,
    lines: [`${summary}${next === undefined ? "" : `; the next step is ${next}'s`}`],
    notes: absent.map(({ position, person }) => `note: step ${position} is ${person}'s, who left the production`),
  };
}

export const commands: readonly Command[] = [
  dataCommand({
    words: "approvals take-back",
    summary: "takes the last decision of an approval back",
    details: "Its step waits for its person again, and the decision stays in a former round. Refused after a release.",
    example: "tallylight approvals take-back 5",
    positionals: ["ID-OR-TITLE"],
    flags: { production: { value: "ID", summary: "the production in which the title is looked up; all by default" } },
    run: (args, admin) => {
      const { now } = args;
      const approval_id = approvalIn(args, admin);
      const { summary, production } = admin.store.writeSync(() => takeBackDecision(admin, approval_id));
      const reach = { production_id: production, engagement_id: null, now };
      const approval: Approval = JSON.parse(getApproval.statement(admin.store, { ...reach, approval_id }) ?? "");
      return { document: approval, lines: [`${summary}; the next step is ${nextPersonOf(approval)}'s`] };
    },
  }),
  dataCommand({
    words: "approvals reopen",
    summary: "reopens an approval for another round",
    details: "One that is decided: its steps wait again, and the former round is kept.",
    example: "tallylight approvals reopen 5",
    positionals: ["ID-OR-TITLE"],
    flags: { production: { value: "ID", summary: "the production in which the title is looked up; all by default" } },
    // The command requires one.
    run: (args, admin) => roundOutput(reopenApproval(admin, { id: approvalIn(args, admin) })),
  }),
  dataCommand({
    words: "approvals ask-again",
    summary: "asks again, about the newest version",
    details:
      "The approval is about that version, its steps wait again, and the former round is kept. Refused after a release.",
    example: "tallylight approvals ask-again 5 --version 3",
    positionals: ["ID-OR-TITLE"],
    flags: {
      version: { value: "N", id: true, summary: "the number of the version" },
      production: { value: "ID", summary: "the production in which the title is looked up; all by default" },
    },
    run: (args, admin) => {
      const id = approvalIn(args, admin);
      return roundOutput(askAgain(admin, { id, version_id: versionIn(args, admin, id) }));
    },
  }),
];
