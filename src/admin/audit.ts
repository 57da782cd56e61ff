// The record of what admins did: who, when, what, to which production. Never a token.
import type { Store } from "../store/database.ts";
import { change, many } from "../store/statements.ts";

export interface Action {
  /** What was done, as `noun.verb`, such as "key.minted". */
  action: string;
  production_id: number | null;
  detail: Readonly<Record<string, unknown>>;
}

export interface AuditRow extends Action {
  id: number;
  created_at: string;
  actor: string;
}

type StoredRow = Omit<AuditRow, "detail"> & { detail: string };

const insertAction = change<Omit<StoredRow, "id" | "created_at"> & { now: string }>("record_admin_action");
const rowsOf = many<{ production_id: number | null; limit: number }, StoredRow>("list_audit");

/** Writes an audit row. Within the transaction of what it records: both are stored or neither. */
export function recordAction(
  { store, now, actor }: { store: Store; now: string; actor: string },
  { action, production_id, detail }: Action,
): void {
  insertAction(store, { now, actor, action, production_id, detail: JSON.stringify(detail) });
}

/** What admins did, newest first; of one production if it is given. */
export const listAudit = (store: Store, given: { production_id: number | null; limit: number }): AuditRow[] =>
  rowsOf(store, given).map((row) => ({ ...row, detail: JSON.parse(row.detail) }));
