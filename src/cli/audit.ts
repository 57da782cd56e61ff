// tallylight audit: what admins did.
import { type Command, rowsOutput } from "../core/command.ts";
import { dataCommand } from "../core/data_directory.ts";
import { many } from "../core/store/statements.ts";

interface Asked {
  production_id: number | null;
  limit: number;
  before: number | null;
  after: number | null;
}

/** An entry of the audit, of any production. */
interface Entry {
  id: number;
  created_at: string;
  actor: string;
  action: string;
  production_id: number | null;
  detail: object;
}

const listEntries = many<Asked, { place: number; document: string }>("list_audit");

export const commands: readonly Command[] = [
  dataCommand({
    words: "audit",
    summary: "shows what admins did, newest first",
    example: "tallylight audit --production 1 --limit 20",
    flags: {
      production: { value: "ID", summary: "only the entries of this production" },
      limit: { value: "N", id: true, summary: "how many entries; 100 by default" },
    },
    run: (args, { store }) => {
      const asked = { production_id: args.production_id ?? null, limit: args.id("limit") ?? 100, before: null, after: null };
      const rows: Entry[] = listEntries(store, asked).map(({ document }) => JSON.parse(document));
      const columns = ["id", "created_at", "actor", "action", "production_id", "detail"] as const;
      return rowsOutput(rows, columns, (row) => ({ ...row, detail: JSON.stringify(row.detail) }));
    },
  }),
];
