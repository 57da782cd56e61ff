// tallylight audit: what admins did.
import type * as v from "valibot";
import { listAudit } from "../admin/audit.ts";
import { type Command, tabled } from "./arguments.ts";
import { dataCommand, productionNamed } from "./data.ts";

export const commands: readonly Command[] = [
  dataCommand({
    words: "audit",
    summary: "shows what admins did, newest first",
    flags: {
      production: { value: "ID", summary: "only the entries of this production" },
      limit: { value: "N", id: true, summary: "how many entries; 100 by default" },
    },
    run: (args, { store }) => {
      const production_id = productionNamed(store, args)?.id ?? null;
      const parameters = { production_id, engagement_id: null, now: args.now, limit: args.id("limit") ?? 100 };
      const rows: v.InferOutput<typeof listAudit.output> = JSON.parse(listAudit.statement(store, parameters).text);
      const shown = rows.map((row) => ({ ...row, detail: JSON.stringify(row.detail) }));
      return {
        document: rows,
        lines: tabled(shown, ["id", "created_at", "actor", "action", "production_id", "detail"]),
      };
    },
  }),
];
