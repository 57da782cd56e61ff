// The operation of the admin API that lists the audit log.
import * as v from "valibot";
import { describe, id, limit } from "../../inputs.ts";
import type { JsonText } from "../../json_text.ts";
import { cursorOf, pageEntries, placeIn } from "../../operations/listing.ts";
import { ListPage, operation } from "../../operations/operation.ts";
import { type AuditRow, auditEntry, listAudit as entriesOf } from "../audit.ts";

export const listAudit = operation({
  name: "list_audit",
  summary: "Lists what admins did to the production, newest first.",
  method: "GET",
  path: "/admin/audit",
  scope: "admin",
  reach: "production",
  input: v.object({
    limit: v.optional(limit, 50),
    before: v.optional(describe(id, "Return only entries older than the entry with this id.")),
    after: pageEntries.after,
  }),
  output: v.array(auditEntry),
  errors: [],
  run({ app, caller }, { limit, before = null, after }) {
    const from = after === undefined ? before : Number(placeIn("list_audit", after).place);
    const rows = entriesOf(app.store, { production_id: caller.production_id, before: from, limit: limit + 1 });
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? cursorOf("list_audit", { place: page.at(-1)?.id ?? 0 }) : undefined;
    return new ListPage(JSON.stringify(page) as JsonText<AuditRow[]>, next); // safe: the text is of these rows
  },
});
