// tallylight history, undo: what changed a production, set by set, and what takes a set back.
import type { Command } from "../../core/command.ts";
import { UsageError } from "../../core/errors.ts";
import { rowsOutput } from "../../core/tables.ts";
import { dataCommand, itsProduction } from "../../graph/data_command.ts";
import { linesOf, outputOf, requestOf } from "../documents/commands/update_commands.ts";
import { type ChangeSet, listSets, shownSet } from "./history.ts";
import { undoChangeSet } from "./undo.ts";

export const commands: readonly Command[] = [
  dataCommand({
    words: "history",
    summary: "lists what changed a production",
    details: "Newest first; with an ID, every field that a change set changed.",
    example: "tallylight history --production 1",
    positionals: ["[ID]"],
    flags: {
      production: { value: "ID", summary: "the production; required without an ID" },
      limit: { value: "N", id: true, summary: "how many change sets; 100 by default" },
    },
    check({ positionals, text }) {
      if (positionals.length === 0 && text("production") === undefined)
        throw new UsageError("history needs --production ID, or the ID of a change set");
    },
    run(args, admin) {
      const [id] = args.positionals;
      if (id !== undefined) {
        const set: ChangeSet = JSON.parse(shownSet(admin, Number(id)));
        const { at, actor, source, summary, changes = [], undoes, undone_by } = set;
        const marks = `${undoes === null ? "" : `  (undoes ${undoes})`}${undone_by === null ? "" : `  (undone by ${undone_by})`}`;
        const head = `${id}  ${at}  ${actor}  ${source}${marks}`;
        return { document: set, lines: [head, summary, ...changes.flatMap(linesOf)] };
      }
      const rows = listSets(admin.store, { production_id: args.production.id, limit: args.id("limit") ?? 100 });
      const columns = ["id", "at", "actor", "source", "added", "changed", "removed", "undone_by", "summary"] as const;
      return rowsOutput(rows, columns, ({ counts, ...row }) => ({ ...row, ...counts }));
    },
  }),
  dataCommand({
    words: "undo",
    summary: "takes a change set back",
    details: "What it added goes, what it changed or removed is as before.",
    example: "tallylight undo 12 --dry-run",
    positionals: ["ID"],
    flags: {
      ...itsProduction,
      "dry-run": { summary: "prints the plan, but writes nothing" },
      "if-revision": { value: "R", summary: "refuses if the production is at another revision" },
    },
    run: async (args, admin, blobs, write) => {
      const { dry_run, if_revision } = requestOf(args);
      const request = { id: Number(args.positionals[0]), dry_run, if_revision };
      const plan = await undoChangeSet(admin, blobs, request, write);
      return outputOf(plan, `production ${plan.production_id}`);
    },
  }),
];
