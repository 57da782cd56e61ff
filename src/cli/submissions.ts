// tallylight submissions list, submissions remove: lists what vendors submitted, and removes it.
import { localAdmin } from "../admin/admin.ts";
import { listSubmitted, removeSubmission } from "../admin/submissions.ts";
import { type Command, tabled } from "./arguments.ts";
import { openData, productionOf, using } from "./data.ts";

const list: Command = {
  words: "submissions list",
  summary: "lists the work that vendors submitted, with its number of files and its size",
  flags: { production: { value: "ID", required: true, summary: "the production" } },
  run: (args) =>
    using(openData(args.data), ({ store }) => {
      const rows = listSubmitted(store, productionOf(store, args).id);
      return {
        document: rows,
        lines: tabled(rows, ["id", "vendor", "delivery", "title", "status", "created_at", "files", "bytes"]),
      };
    }),
};

const remove: Command = {
  words: "submissions remove",
  summary: "removes submitted work and its files; this cannot be undone",
  positionals: ["ID"],
  run: (args) =>
    using(openData(args.data), async ({ store, blobs }) => {
      const { removed, summary } = removeSubmission(localAdmin(store, args.now), blobs, Number(args.positionals[0]));
      await blobs.removeUnneeded();
      return { document: removed, lines: [summary] };
    }),
};

export const commands: readonly Command[] = [list, remove];
