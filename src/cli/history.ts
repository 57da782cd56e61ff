// tallylight history: what changed a production, set by set.
import { localAdmin } from "../admin/admin.ts";
import { listSets, shownSet } from "../admin/history.ts";
import { type Command, tabled, UsageError } from "./arguments.ts";
import { openData, productionOf, using } from "./data.ts";
import { linesOf } from "./update.ts";

const hint = "tallylight history --help";

/** The id of a change set in a command line. */
function idOf(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`ID is the id of a change set, a positive integer, not ${text}`, hint);
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
      throw new UsageError("history needs --production ID, or the ID of a change set", hint);
    const id = text === undefined ? undefined : idOf(text);
    return using(openData(args.data), ({ store }) => {
      if (id !== undefined) {
        const set = shownSet(localAdmin(store, args.now), id);
        const { at, actor, source, summary, changes, undoes, undone_by } = set;
        const marks = [
          ...(undoes === null ? [] : [`undoes ${undoes}`]),
          ...(undone_by === null ? [] : [`undone by ${undone_by}`]),
        ];
        const head = `${id}  ${at}  ${actor}  ${source}${marks.map((mark) => `  (${mark})`).join("")}`;
        return { document: set, lines: [head, summary, ...changes.flatMap(linesOf)] };
      }
      const { id: production_id } = productionOf(store, args);
      const rows = listSets(store, { production_id, limit: args.id("limit") ?? 100 });
      const shown = rows.map(({ counts, ...row }) => ({ ...row, ...counts }));
      const columns = ["id", "at", "actor", "source", "added", "changed", "removed", "undone_by", "summary"] as const;
      return { document: rows, lines: tabled(shown, columns) };
    });
  },
};

export const commands: readonly Command[] = [history];
