// tallylight history: what changed a production, set by set.
import { localAdmin } from "../admin/admin.ts";
import { type ChangeSet, findSetRow, listSets, shownSet } from "../admin/history.ts";
import { undoChangeSet } from "../admin/undo.ts";
import { type Command, tabled, UsageError } from "./arguments.ts";
import { openData, productionOf, using } from "./data.ts";
import { answerOf, linesOf } from "./update.ts";

/** The id of a change set in a command line. */
function idOf(text: string, words: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`ID is the id of a change set, a positive integer, not ${text}`, `tallylight ${words} --help`);
}

const history: Command = {
  words: "history",
  summary: "lists what changed a production, newest first; with an ID, every field that a change set changed",
  positionals: ["[ID]"],
  flags: {
    production: { value: "ID", summary: "the production; required without an ID" },
    limit: { value: "N", id: true, summary: "how many change sets; 100 by default" },
  },
  run(args) {
    const [text] = args.positionals;
    if (text === undefined && args.text("production") === undefined)
      throw new UsageError("history needs --production ID, or the ID of a change set", "tallylight history --help");
    const id = text === undefined ? undefined : idOf(text, "history");
    return using(openData(args.data), ({ store }) => {
      if (id !== undefined) {
        const set: ChangeSet = JSON.parse(shownSet(localAdmin(store, args.now), id));
        const { at, actor, source, summary, changes, undoes, undone_by } = set;
        const marks = [
          ...(undoes === null ? [] : [`undoes ${undoes}`]),
          ...(undone_by === null ? [] : [`undone by ${undone_by}`]),
        ];
        const head = `${id}  ${at}  ${actor}  ${source}${marks.map((mark) => `  (${mark})`).join("")}`;
        return { document: set, lines: [head, summary, ...(changes ?? []).flatMap(linesOf)] };
      }
      const { id: production_id } = productionOf(store, args);
      const rows = listSets(store, { production_id, limit: args.id("limit") ?? 100 });
      const shown = rows.map(({ counts, ...row }) => ({ ...row, ...counts }));
      const columns = ["id", "at", "actor", "source", "added", "changed", "removed", "undone_by", "summary"] as const;
      return { document: rows, lines: tabled(shown, columns) };
    });
  },
};

const undo: Command = {
  words: "undo",
  summary: "takes a change set back: what it added goes, what it changed or removed is as before",
  positionals: ["ID"],
  flags: {
    "dry-run": { summary: "prints the plan, but writes nothing" },
    "if-revision": { value: "R", summary: "refuses if the production is at another revision" },
  },
  run(args) {
    const id = idOf(args.positionals[0] ?? "", "undo");
    return using(openData(args.data), async ({ store, blobs }) => {
      const admin = localAdmin(store, args.now);
      const { production_id } = findSetRow(admin, id);
      const request = { id, dry_run: args.has("dry-run"), if_revision: args.text("if-revision") };
      const plan = await undoChangeSet(admin, blobs, request, async (work) => store.writeSync(work));
      return answerOf(plan, `production ${production_id}`);
    });
  },
};

export const commands: readonly Command[] = [history, undo];
