// tallylight script-changes list, approve, dismiss: the differences between drafts of the script.

import { type Command, choiceOf, type ParsedArgs, UsageError } from "../../core/command.ts";
import { dataCommand } from "../../core/data_directory.ts";
import { rowsOutput } from "../../core/tables.ts";
import { listScriptChanges, type ScriptChange } from "../../graph/script_changes.ts";
import { scriptChangeStatuses } from "../../graph/values.ts";
import { decideScriptChanges } from "./deciding.ts";
import type { Decision } from "./decisions.ts";

const statuses = [...scriptChangeStatuses, "all"] as const;

function checkIds({ positionals, has, text }: ParsedArgs, words: string): void {
  if (has("all") && positionals.length > 0)
    throw new UsageError("--all means every pending change; do not give an ID with it");
  if (has("all") && text("production") === undefined) throw new UsageError("--all needs --production ID");
  if (!has("all") && positionals.length === 0) throw new UsageError(`${words} needs ID, or --all`);
}

const decision = (words: string, decision: Decision, texts: Pick<Command, "summary" | "details">): Command =>
  dataCommand({
    words,
    ...texts,
    example: `tallylight ${words} --all --production 1`,
    positionals: ["[ID…]"],
    flags: {
      all: { summary: "every pending change of the production" },
      production: { value: "ID", summary: "the production; required with --all" },
      by: { value: "PERSON", summary: "the person who decides, by full name or id" },
      note: { value: "TEXT", summary: "a note on the decision" },
      ...(decision === "approved" && {
        everywhere: { summary: "gives a renamed character its new name also in the scenes that keep the former one" },
      }),
    },
    check: (args) => checkIds(args, words),
    run: async (args, admin, blobs, write) => {
      const of = { production_id: args.production_id, ids: args.has("all") ? undefined : args.positionals.map(Number) };
      const request = {
        ...of,
        decision,
        decided_by: args.text("by"),
        note: args.text("note"),
        everywhere: args.has("everywhere"),
      };
      const decided = await decideScriptChanges(admin, blobs, request, write);
      const count = decided.ids.length === 1 ? "1 script change" : `${decided.ids.length} script changes`;
      const { added = 0, changed = 0 } = decided.plan?.counts ?? {};
      const effect = decision === "approved" ? `: ${added} added, ${changed} changed` : "";
      return {
        document: { ids: decided.ids, decision, plan: decided.plan ?? null },
        lines: [`${count} ${decision}${effect}`],
        notes: (decided.plan?.warnings ?? []).map((warning) => `warning: ${warning}`),
      };
    },
  });

export const commands: readonly Command[] = [
  dataCommand({
    words: "script-changes list",
    summary: "lists differences between drafts",
    details: "By default only the pending ones.",
    example: "tallylight script-changes list --production 1",
    flags: {
      production: { value: "ID", required: true, summary: "the production" },
      status: { value: "STATUS", choices: statuses, summary: `one of ${statuses.join(", ")}; pending by default` },
    },
    run: (args, { store }) => {
      const status = choiceOf("--status", args.text("status") ?? "pending", statuses);
      const reach = { production_id: args.production.id, engagement_id: null, now: args.now };
      const { text } = listScriptChanges.statement(store, { ...reach, status, all_episodes: true });
      const rows: ScriptChange[] = JSON.parse(text);
      const columns = ["id", "status", "kind", "revision_color", "draft", "summary"] as const;
      return rowsOutput(rows, columns, (row) => ({ ...row, draft: row.draft?.file ?? null }));
    },
  }),
  decision("script-changes approve", "approved", {
    summary: "approves pending script changes",
    details: "This applies them to the scenes.",
  }),
  decision("script-changes dismiss", "dismissed", {
    summary: "dismisses pending script changes",
    details: "They are raised again if the scene changes once more.",
  }),
];
