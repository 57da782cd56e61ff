// tallylight audit: what admins did on the command line, newest first.
import { findProduction } from "../access/productions.ts";
import { type Command, tabled } from "./arguments.ts";
import { openData, using } from "./data.ts";

interface AuditRow {
  id: number;
  created_at: string;
  actor: string;
  action: string;
  production_id: number | null;
  detail: string;
}

export const auditCommand: Command = {
  words: "audit",
  summary: "shows what admins did here, newest first",
  flags: {
    production: { value: "ID", summary: "to one production" },
    limit: { value: "N", id: true, summary: "how many entries; 100 where left out" },
  },
  run: (args) =>
    using(openData(args.data), ({ store }) => {
      const named = args.text("production");
      const production_id = named === undefined ? null : findProduction(store, named).id;
      const rows = store.all<AuditRow>("list_audit", { production_id, limit: args.id("limit") ?? 100 });
      return {
        document: rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) })),
        lines: tabled(rows as never, ["id", "created_at", "actor", "action", "production_id", "detail"]),
      };
    }),
};
