// The operation of the admin API that lists the audit log.
import * as v from "valibot";
import { describe, id, limit } from "../../inputs.ts";
import { reading } from "../../operations/operation.ts";
import { auditEntry } from "../audit.ts";

export const listAudit = reading({
  name: "list_audit",
  summary: "Lists what admins did to the production, newest first.",
  path: "/admin/audit",
  scope: "admin",
  input: v.object({
    limit: v.optional(limit, 50),
    before: v.optional(describe(id, "Return only entries older than the entry with this id.")),
  }),
  output: v.array(auditEntry),
});
