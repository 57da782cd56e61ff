// The record of what admins did: who, when, what, to which production. Never a token. And the operation that lists it.
import * as v from "valibot";
import { describe, id as idInput, limit } from "./inputs.ts";
import { reading } from "./operation.ts";
import { free, id, record, text, timestamp } from "./records.ts";
import type { Store } from "./store/database.ts";
import { change } from "./store/statements.ts";

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
type AuditRow = v.InferOutput<typeof auditEntry>;
type Action = Readonly<Pick<AuditRow, "action" | "production_id" | "detail">>;

const insertAction = change("record_admin_action");

/** Writes an audit row. Must run in the transaction of the action, so that both are stored or neither. */
export function recordAction(
  { store, now, actor, key_id }: { store: Store; now: string; actor: string; key_id: number | null },
  { action, production_id, detail }: Action,
): void {
  const whole = key_id === null ? detail : { ...detail, acting_key_id: key_id }; // two keys may have the same label
  insertAction(store, { now, actor, action, production_id, detail: JSON.stringify(whole) });
}

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
