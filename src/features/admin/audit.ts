// The operation that lists what admins did.
import * as v from "valibot";
import * as input from "../../core/inputs.ts";
import { describe } from "../../core/inputs.ts";
import { reading } from "../../core/operation.ts";
import * as out from "../../core/records.ts";

const auditEntry = out.record(
  "AuditEntry",
  v.object({
    id: out.id,
    created_at: out.timestamp,
    actor: describe(out.text, "The user of the machine at the command line, otherwise the label of the key."),
    action: describe(out.text, "What was done, as `noun.verb`, such as `key.minted`."),
    production_id: v.nullable(out.id),
    detail: describe(out.free, "What the action changed. `acting_key_id` is the key that acted through the API."),
  }),
);
export const listAudit = reading({
  name: "list_audit",
  summary: "Lists what admins did to the production, newest first.",
  path: "/admin/audit",
  scope: "admin",
  input: v.object({
    limit: v.optional(input.limit, 50),
    before: v.optional(describe(input.id, "Return only entries older than the entry with this id.")),
  }),
  output: v.array(auditEntry),
});
