// The operation of the admin API that lists the audit log.
import * as v from "valibot";
import { describe, id, limit } from "../../inputs.ts";
import { idInCursor, pageEntries, pageOfRows } from "../../operations/listing.ts";
import { operation } from "../../operations/operation.ts";
import { auditEntry, listAudit as entriesOf } from "../audit.ts";

export const listAudit = operation({
  name: "list_audit",
  summary: "Lists what admins did to the production, newest first.",
  path: "/admin/audit",
  scope: "admin",
  input: v.object({
    limit: v.optional(limit, 50),
    before: v.optional(describe(id, "Return only entries older than the entry with this id.")),
    after: pageEntries.after,
  }),
  output: v.array(auditEntry),
  run({ app, caller }, { limit, before = null, after }) {
    const from = idInCursor("list_audit", after) ?? before;
    const rows = entriesOf(app.store, { production_id: caller.production_id, before: from, limit: limit + 1 });
    return pageOfRows("list_audit", rows, limit, ({ id }) => id);
  },
});
