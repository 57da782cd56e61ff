// tallylight audit: what admins did.
import type * as v from "valibot";
import type { Command } from "../../core/command.ts";
import { rowsOutput } from "../../core/tables.ts";
import { dataCommand } from "../../graph/data_command.ts";
import { listAudit } from "./audit.ts";

export const commands: readonly Command[] = [
  dataCommand({
    words: "audit",
    summary: "shows what admins did, newest first",
    example: "tallylight audit --production 1 --limit 20",
    flags: {
      production: { value: "ID", summary: "only the entries of this production" },
      limit: { value: "N", id: true, summary: "how many entries; 100 by default" },
    },
    run: (args, { store, now }) => {
      const reach = { production_id: args.production_id ?? null, engagement_id: null, now };
      const parameters = { ...reach, limit: args.id("limit") ?? 100 };
      const rows: v.InferOutput<typeof listAudit.output> = JSON.parse(listAudit.statement(store, parameters).text);
      const columns = ["id", "created_at", "actor", "action", "production_id", "detail"] as const;
      return rowsOutput(rows, columns, (row) => ({ ...row, detail: JSON.stringify(row.detail) }));
    },
  }),
];
