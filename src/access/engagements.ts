// Vendors' engagements and the grants of those, as an admin keeps them. What a grant reaches is decided in sql/reach.sql.
import * as v from "valibot";
import { CliError } from "../errors.ts";
import { grantVerbs, sentences, text } from "../inputs.ts";
import type { Store } from "../store/database.ts";
import { recordAdminAction } from "./audit.ts";
import { expiryOf } from "./expiry.ts";

export interface GrantRow {
  id: number;
  verb: (typeof grantVerbs)[number];
  target: "node" | "department" | "delivery";
  target_id: number;
  target_name: string;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** Not revoked, not expired, and the engagement active. */
  live: boolean;
}

export interface EngagementRow {
  id: number;
  production_id: number;
  vendor: string;
  title: string;
  active: boolean;
  created_at: string;
  /** May lie ahead: the engagement is active until then. */
  ended_at: string | null;
  grants: GrantRow[];
}

/** The grants of one engagement, or of all where it is null, by engagement. */
function grantsOf(store: Store, engagement_id: number | null, now: string): Map<number, GrantRow[]> {
  const rows = store.all<GrantRow & { engagement_id: number }>("list_grants", { engagement_id, now });
  const grants = new Map<number, GrantRow[]>();
  for (const { engagement_id, ...row } of rows) {
    const list = grants.get(engagement_id) ?? [];
    list.push({ ...row, live: Boolean(row.live) });
    grants.set(engagement_id, list);
  }
  return grants;
}

/** Engagements with their grants, oldest first: of one production or all, or the one of an id. */
export function listEngagements(
  store: Store,
  { production_id, id }: { production_id?: number | undefined; id?: number | undefined },
  now: string,
): EngagementRow[] {
  const grants = grantsOf(store, id ?? null, now);
  return store
    .all<EngagementRow>("list_engagements", { production_id: production_id ?? null, id: id ?? null, now })
    .map((row) => ({ ...row, active: Boolean(row.active), grants: grants.get(row.id) ?? [] }));
}

/** One engagement without its grants. Throws CliError where there is none. */
export function getEngagement(store: Store, id: number, now: string): Omit<EngagementRow, "grants"> {
  const row = store.get<EngagementRow>("list_engagements", { production_id: null, id, now });
  if (row === undefined)
    throw new CliError(`there is no engagement ${id}; \`tallylight engagements list\` shows those there are`);
  return { ...row, active: Boolean(row.active) };
}

/**
 * Engages a vendor by name, new to the production or known to it. Where an active engagement of that vendor and title is
 * there, nothing is made and `existed` is true.
 */
export function addEngagement(
  store: Store,
  { production_id, vendor, title }: { production_id: number; vendor: string; title?: string | undefined },
  now: string,
): EngagementRow & { existed: boolean } {
  const names = { vendor: vendor.trim(), title: title ?? vendor.trim() };
  const judged = v.safeParse(v.object({ vendor: text(300), title: text(300) }), names);
  if (!judged.success) throw new CliError(sentences(judged.issues).join("; "));
  return store.writeSync(() => {
    const known = store.get<{ id: number }>("find_vendor", { production_id, name: names.vendor });
    const vendor_id = known?.id ?? store.run("create_vendor", { production_id, name: names.vendor }).id;
    const engagement = { production_id, vendor_id, title: names.title, now };
    const there = store.get<{ id: number }>("find_engagement", engagement);
    const id = there?.id ?? store.run("create_engagement", engagement).id;
    if (there === undefined)
      recordAdminAction(store, { action: "engagement.added", production_id, detail: { id, ...names } }, now);
    return { ...(listEngagements(store, { id }, now)[0] as EngagementRow), existed: there !== undefined };
  });
}

/** Ends an engagement: none of its grants is live from now on. `was_ended` says that it had been already. */
export function endEngagement(
  store: Store,
  { id }: { id: number },
  now: string,
): EngagementRow & { was_ended: boolean } {
  return store.writeSync(() => {
    const { production_id, active, vendor } = getEngagement(store, id, now);
    if (active) {
      store.run("end_engagement", { id, now });
      recordAdminAction(store, { action: "engagement.ended", production_id, detail: { id, vendor } }, now);
    }
    return { ...(listEngagements(store, { id }, now)[0] as EngagementRow), was_ended: !active };
  });
}

export interface GrantTarget {
  node_id?: number | undefined;
  department_id?: number | undefined;
  delivery_id?: number | undefined;
}

const fitting: Readonly<Record<GrantRow["verb"], readonly (keyof GrantTarget)[]>> = {
  read: ["node_id", "department_id", "delivery_id"],
  submit: ["delivery_id"],
  "read:own_po": ["department_id"],
};
const noun = (target: keyof GrantTarget): string => target.slice(0, -3);

/** The one target of a grant. Throws CliError where there is none or several, or the verb does not fit it. */
function targetOf(verb: GrantRow["verb"], target: GrantTarget): [keyof GrantTarget, number] {
  const named = (["node_id", "department_id", "delivery_id"] as const).filter((key) => target[key] !== undefined);
  const [key] = named;
  if (key === undefined || named.length > 1)
    throw new CliError("a grant has exactly one target: a node, a department or a delivery");
  if (!fitting[verb].includes(key))
    throw new CliError(`${verb} needs a ${fitting[verb].map(noun).join(" or a ")}, not a ${noun(key)}`);
  return [key, target[key] as number];
}

interface StoredGrant {
  id: number;
  expires_at: string | null;
}

/** The target's three columns, of which two are null. */
type TargetColumns = Readonly<Record<keyof GrantTarget, number | null>>;

/** Gives the same expiry to each of `same`: Tallylight 1.0 let a grant stand twice, and the later end would hold. */
function replaceExpiry(
  store: Store,
  same: readonly StoredGrant[],
  { production_id, expires_at, detail }: { production_id: number; expires_at: string; detail: object },
  now: string,
): void {
  for (const { id, ...former } of same) {
    if (former.expires_at === expires_at) continue;
    store.run("set_grant_expiry", { id, expires_at });
    recordAdminAction(store, { action: "grant.changed", production_id, detail: { id, ...detail } }, now);
  }
}

/**
 * Grants an engagement one verb on one target, from the next call on. Where such a grant is live, no second one is made and
 * `existed` is true; a given expiry replaces its expiry. Throws CliError for an unknown verb, a target that does not
 * fit it or is of another production, an ended engagement, and an expiry in the past.
 */
export function addGrant(
  store: Store,
  given: { engagement_id: number; verb: string; expires?: string | undefined } & GrantTarget,
  now: string,
): GrantRow & { engagement_id: number; existed: boolean } {
  const { engagement_id } = given;
  const verb = grantVerbs.find((known) => known === given.verb);
  if (verb === undefined)
    throw new CliError(`there is no verb ${given.verb}; a grant's is one of ${grantVerbs.join(", ")}`);
  const [key, target_id] = targetOf(verb, given);
  const expires_at = expiryOf(given.expires, now);
  return store.writeSync(() => {
    const { production_id, active } = getEngagement(store, engagement_id, now);
    if (!active) throw new CliError(`engagement ${engagement_id} has ended`);
    const target: TargetColumns = { node_id: null, department_id: null, delivery_id: null, [key]: target_id };
    const found = store.get<{ production_id: number }>("find_grant_target", target);
    if (found?.production_id !== production_id)
      throw new CliError(`there is no ${noun(key)} ${target_id} in the production of engagement ${engagement_id}`);
    const same = store.all<StoredGrant>("list_same_grants", { engagement_id, verb, ...target, now });
    const grant = { production_id, engagement_id, verb, ...target, expires_at };
    const id = same[0]?.id ?? store.run("create_grant", { ...grant, now }).id;
    const detail = { engagement_id, verb, [key]: target_id, expires_at };
    if (same.length === 0)
      recordAdminAction(store, { action: "grant.added", production_id, detail: { id, ...detail } }, now);
    if (expires_at !== null) replaceExpiry(store, same, { production_id, expires_at, detail }, now);
    const row = grantsOf(store, engagement_id, now)
      .get(engagement_id)
      ?.find((one) => one.id === id);
    return { engagement_id, ...(row as GrantRow), existed: same.length > 0 };
  });
}

interface RevokedGrant {
  id: number;
  engagement_id: number;
  verb: string;
  revoked_at: string;
  /** Whether it had been revoked already. */
  was_revoked: boolean;
  /** Other live grants of the same verb and target: what they reach stays reached. */
  still_live: number[];
}

/** Revokes a grant from the next call on. Throws CliError where there is none. */
export function revokeGrant(store: Store, { id }: { id: number }, now: string): RevokedGrant {
  return store.writeSync(() => {
    const grant = store.get<
      TargetColumns & { production_id: number; engagement_id: number; verb: string; revoked_at: string | null }
    >("find_grant", { id });
    if (grant === undefined) throw new CliError(`there is no grant ${id}; \`tallylight engagements list\` shows them`);
    const { production_id, revoked_at, ...same } = grant;
    const { engagement_id, verb } = same;
    if (revoked_at === null) {
      store.run("revoke_grant", { id, now });
      recordAdminAction(store, { action: "grant.revoked", production_id, detail: { id, engagement_id, verb } }, now);
    }
    const still_live = store.all<StoredGrant>("list_same_grants", { ...same, now }).map((one) => one.id);
    return { id, engagement_id, verb, revoked_at: revoked_at ?? now, was_revoked: revoked_at !== null, still_live };
  });
}
