// The record of what an admin did on the command line: who, when, what, to which production. Never a token.
import { userInfo } from "node:os";
import type { Store } from "../store/database.ts";

export interface AdminAction {
  /** What was done, as noun and deed: "key.minted". */
  action: string;
  production_id: number | null;
  detail: Readonly<Record<string, unknown>>;
}

/** The name that the system knows the person at the keyboard by; "admin" where it does not say. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return "admin";
  }
}

/** Writes an entry into the audit table. Inside the transaction of what it records: both stand or neither. */
export function recordAdminAction(store: Store, { action, production_id, detail }: AdminAction, now: string): void {
  if (!store.database.inTransaction) throw new Error("recordAdminAction outside a write transaction");
  store.run("record_admin_action", {
    now,
    actor: systemUser(),
    action,
    production_id,
    detail: JSON.stringify(detail),
  });
}
