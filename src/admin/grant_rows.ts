// Reads the grants that an admin sees, including revoked and expired ones.
import * as v from "valibot";
import { describe, grantVerbs } from "../inputs.ts";
import { id, record, text, timestamp } from "../records.ts";
import type { Store } from "../store/database.ts";
import { many } from "../store/statements.ts";

export const grantRow = record(
  "Grant",
  v.object({
    id,
    verb: v.picklist(grantVerbs),
    target: v.picklist(["node", "department", "delivery"]),
    target_id: id,
    target_name: text,
    created_at: timestamp,
    expires_at: v.nullable(timestamp),
    revoked_at: v.nullable(timestamp),
    live: describe(v.boolean(), "Whether it is neither revoked nor expired, and its engagement is active."),
  }),
);
export type GrantRow = v.InferOutput<typeof grantRow>;

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
