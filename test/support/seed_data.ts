// Finds objects in the imported demo by their properties, so that tests contain no ids. For arranging tests.
import type { Store } from "../../src/core/store/store.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { addGrant } from "../../src/graph/grants.ts";
import { one } from "./app.ts";

const live = `g.revoked_at IS NULL AND (g.expires_at IS NULL OR g.expires_at > '2026-11-20')
  AND (SELECT ifnull(ended_at, '9') > '2026-11-20' FROM engagements WHERE id = g.engagement_id)`;

/** The scopes of a vendor's key that may do everything a vendor does. */
const vendorScopes = ["read", "submit:turnover", "read:money"] as const;

/** Ids of objects in the production whose delivery two engagements share, and the id of the other production. */
export function seedDataOf(store: Store) {
  const delivery = one(
    store,
    `SELECT delivery_id FROM grants g WHERE verb = 'submit' AND ${live}
       AND EXISTS (SELECT 1 FROM grants r WHERE r.delivery_id = g.delivery_id AND r.verb = 'read' AND r.engagement_id <> g.engagement_id
         AND r.revoked_at IS NULL)`,
  );
  const production = one(store, "SELECT production_id FROM deliveries WHERE id = ?", delivery);
  const submitter = one(
    store,
    `SELECT engagement_id FROM grants g WHERE verb = 'submit' AND ${live} AND delivery_id = ?`,
    delivery,
  );
  const reader = one(
    store,
    `SELECT engagement_id FROM grants g WHERE verb = 'read' AND ${live} AND delivery_id = ? AND engagement_id <> ?`,
    delivery,
    submitter,
  );
  const grantedNode = (kind: string) =>
    one<number | undefined>(
      store,
      `SELECT node_id FROM grants g WHERE verb = 'read' AND ${live} AND engagement_id IN (?, ?)
         AND (SELECT kind FROM nodes WHERE id = g.node_id) = ?`,
      submitter,
      reader,
      kind,
    );
  const granteeOf = (node_id: number) =>
    one(store, `SELECT engagement_id FROM grants g WHERE verb = 'read' AND ${live} AND node_id = ?`, node_id);
  const scene = grantedNode("scene") as number;
  const character =
    grantedNode("character") ??
    one<number>(
      store,
      `SELECT node_id FROM grants g WHERE verb = 'read' AND ${live} AND (SELECT kind FROM nodes WHERE id = g.node_id) = 'character'`,
    );
  return {
    production,
    /** The demo's feature, which has no episodes. */
    feature: one(store, "SELECT id FROM productions WHERE format = 'single'"),
    otherProduction: one(store, "SELECT id FROM productions WHERE id <> ?", production),
    delivery,
    /** An engagement with a submit grant on the delivery. */
    submitter,
    /** What mint() needs for a key of that engagement that may do everything a vendor does. */
    submitterKey: { production_id: production, engagement_id: submitter, scopes: vendorScopes },
    /** An engagement with a read grant on it. */
    reader,
    scene,
    sceneGrantee: granteeOf(scene),
    character,
    characterGrantee: granteeOf(character),
    moneyGrantee: one(store, `SELECT engagement_id FROM grants g WHERE verb = 'read:own_po' AND ${live}`),
    releasedStill: one(
      store,
      `SELECT m.id FROM media m JOIN versions v ON v.id = m.version_id WHERE v.released = 1 AND m.production_id = ?`,
      production,
    ),
    asset: one(store, "SELECT node_id FROM versions WHERE released = 1 AND production_id = ?", production),
    department: one<string>(store, "SELECT slug FROM departments WHERE production_id = ?", production),
    shootDate: one<string>(
      store,
      `SELECT date FROM shoot_days day WHERE production_id = ? AND EXISTS (SELECT 1 FROM strips WHERE shoot_day_id = day.id)
       ORDER BY day_number`,
      production,
    ),
    pendingChain: one(
      store,
      "SELECT id FROM approvals WHERE production_id = ? AND status = 'pending' AND mode = 'chain'",
      production,
    ),
    /** A delivery with submitted work, and the engagement that submitted it. */
    submittedDelivery: one(store, "SELECT delivery_id FROM submissions ORDER BY id"),
    submitted: one(store, "SELECT engagement_id FROM submissions ORDER BY id"),
    pendingMove: one<number | undefined>(store, "SELECT id FROM storage_tasks WHERE status = 'pending'"),
    storageProduction: one<number>(store, "SELECT production_id FROM storage_installs WHERE active = 1"),
  };
}

export type SeedData = ReturnType<typeof seedDataOf>;

/**
 * Grants an engagement to read deliveries until it reaches at least so many. Returns the ids of those that it reaches,
 * in their order.
 */
export function grantDeliveries(store: Store, engagement_id: number, count: number): number[] {
  const reached = store.database
    .prepare(
      `SELECT DISTINCT delivery_id FROM grants g WHERE engagement_id = ? AND delivery_id IS NOT NULL AND ${live}`,
    )
    .pluck();
  const others = store.database
    .prepare("SELECT id FROM deliveries WHERE production_id = (SELECT production_id FROM engagements WHERE id = ?)")
    .pluck();
  const known = reached.all(engagement_id);
  const admin = localAdmin(store, "2026-11-20T09:00:00.000Z");
  for (const delivery_id of (others.all(engagement_id) as number[]).filter((id) => !known.includes(id)))
    if (known.length < count) {
      addGrant(admin, { engagement_id, verb: "read", delivery_id });
      known.push(delivery_id);
    }
  return (known as number[]).sort((one, other) => one - other);
}
