// The operation that lists what admins did.
import * as v from "valibot";
import { describe, id as idInput, limit } from "../../core/inputs.ts";
import { reading } from "../../core/operation.ts";
import { free, id, record, text, timestamp } from "../../core/records.ts";

const auditEntry = record(
  "AuditEntry",
  v.object({
    id,
    created_at: timestamp,
    actor: describe(text, "The user of the machine at the command line, otherwise the label of the key."),
    action: describe(text, "What was done, as `noun.verb`, such as `key.minted`."),
    production_id: v.nullable(id),
    detail: describe(free, "What the action changed. `acting_key_id` is the key that acted through the API."),
  }),
);
export const listAudit = reading({
  name: "list_audit",
  summary: "Lists what admins did to the production, newest first.",
  path: "/admin/audit",
  scope: "admin",
  input: v.object({
    limit: v.optional(limit, 50),
    before: v.optional(describe(idInput, "Return only entries older than the entry with this id.")),
  }),
  output: v.array(auditEntry),
});
