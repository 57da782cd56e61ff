// tallylight audit: shows what admins did, newest first.
import { listAudit } from "../admin/audit.ts";
import { type Command, tabled } from "./arguments.ts";
import { openData, productionNamed, using } from "./data.ts";

const audit: Command = {
  words: "audit",
  summary: "shows what admins did, newest first",
  flags: {
    production: { value: "ID", summary: "only the entries of this production" },
    limit: { value: "N", id: true, summary: "how many entries; 100 by default" },
  },
  run: (args) =>
    using(openData(args.data), ({ store }) => {
      const production_id = productionNamed(store, args)?.id ?? null;
      const rows = listAudit(store, { production_id, limit: args.id("limit") ?? 100 });
      const shown = rows.map((row) => ({ ...row, detail: JSON.stringify(row.detail) }));
      return {
        document: rows,
        lines: tabled(shown, ["id", "created_at", "actor", "action", "production_id", "detail"]),
      };
    }),
};

export const commands: readonly Command[] = [audit];
