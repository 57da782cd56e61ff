// Grants as an admin sees them: also those that are revoked or expired.
import type { grantVerbs } from "../inputs.ts";
import type { Store } from "../store/database.ts";
import { many } from "../store/statements.ts";

export interface GrantRow {
  id: number;
  verb: (typeof grantVerbs)[number];
  target: "node" | "department" | "delivery";
  target_id: number;
  target_name: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** Neither revoked nor expired, and the engagement is active. */
  live: boolean;
}

type StoredRow = Omit<GrantRow, "live"> & { engagement_id: number; live: 0 | 1 };
const rowsOf = many<{ engagement_id: number | null; now: string }, StoredRow>("list_grants");

/** The grants of one engagement, or of all if it is null, by engagement. */
export function grantsByEngagement(store: Store, engagement_id: number | null, now: string): Map<number, GrantRow[]> {
  const grants = new Map<number, GrantRow[]>();
  for (const { engagement_id: owner, live, ...row } of rowsOf(store, { engagement_id, now })) {
    const list = grants.get(owner) ?? [];
    list.push({ ...row, live: live === 1 });
    grants.set(owner, list);
  }
  return grants;
}
