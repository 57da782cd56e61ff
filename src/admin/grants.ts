// Grants: added and revoked. What a grant reaches is decided in sql/reach.sql.
import { conflict, HttpError, unprocessable } from "../errors.ts";
import { grantTargets, grantVerbs } from "../inputs.ts";
import { change, many, one } from "../store/statements.ts";
import { type Admin, mayTouch, recordAudited } from "./admin.ts";
import { getEngagement } from "./engagements.ts";
import { expiryOf } from "./expiry.ts";
import type { GrantRow } from "./grant_rows.ts";

export interface GrantTarget {
  node_id?: number | undefined;
  department_id?: number | undefined;
  delivery_id?: number | undefined;
}

/** The target's three columns, of which two are null. */
type TargetColumns = Readonly<Record<keyof GrantTarget, number | null>>;
type Verb = GrantRow["verb"];
type GrantKey = TargetColumns & { engagement_id: number; verb: Verb };
interface LiveGrant {
  id: number;
  expires_at: string | null;
}

const targetOf = one<TargetColumns, { production_id: number }>("find_grant_target");
const liveLike = many<GrantKey & { now: string }, LiveGrant>("list_same_grants");
const insertGrant = change<GrantKey & { production_id: number; expires_at: string | null; now: string }>(
  "create_grant",
);
const setExpiry = change<{ production_id: number; id: number; expires_at: string }>("set_grant_expiry");
type StoredGrant = GrantKey & LiveGrant & { production_id: number; revoked_at: string | null };
const grantOf = one<{ id: number }, StoredGrant>("find_grant");
const revoke = change<{ production_id: number; id: number; now: string }>("revoke_grant");

const targetKeys = ["node_id", "department_id", "delivery_id"] as const;
const nounOf = (target: keyof GrantTarget): string => target.slice(0, -3);

/** The one target of a grant. Throws 422 if there is none or several, or the verb does not fit it. */
function onlyTarget(verb: Verb, target: GrantTarget): [keyof GrantTarget, number] {
  const named = targetKeys.filter((key) => target[key] !== undefined);
  const [key] = named;
  if (key === undefined || named.length > 1)
    throw unprocessable("a grant has exactly one target: a node, a department or a delivery");
  const fitting: readonly string[] = grantTargets[verb];
  if (!fitting.includes(nounOf(key)))
    throw unprocessable(`${verb} needs a ${fitting.join(" or a ")}, not a ${nounOf(key)}`);
  return [key, target[key] as number];
}

/** Writes the audit row and the event of a grant that was added or changed. */
function recordGrant(
  admin: Admin,
  verb: "added" | "changed",
  given: { production_id: number; id: number; expires_at: string | null; grant: GrantKey },
): void {
  const { production_id, id, expires_at, grant } = given;
  const named = targetKeys.filter((key) => grant[key] !== null).map((key) => [key, grant[key]]);
  const { engagement_id, verb: granted } = grant;
  const detail = { id, engagement_id, verb: granted, ...Object.fromEntries(named), expires_at };
  const subject = { kind: "grant", id } as const;
  recordAudited(admin, { production_id, detail }, { type: `grant.${verb}`, subject, data: { ...grant, expires_at } });
}

/** Sets the expiry of all grants in `like`. Version 1.0 allowed duplicates, and the one that expires last would stay in effect. */
function replaceExpiry(
  admin: Admin,
  like: readonly LiveGrant[],
  { production_id, expires_at, grant }: { production_id: number; expires_at: string; grant: GrantKey },
): void {
  for (const { id, ...former } of like) {
    if (former.expires_at === expires_at) continue;
    setExpiry(admin.store, { production_id, id, expires_at });
    recordGrant(admin, "changed", { production_id, id, expires_at, grant });
  }
}

/**
 * Grants an engagement one verb on one target, from the next call on. If such a grant is live, no second one is added and
 * `existed` is true; a given expiry replaces its expiry. Throws 404 for an engagement or target that does not exist, 409 for an
 * engagement that has ended, 422 for an unknown verb, a target that does not fit it, and an expiry in the past.
 */
export function addGrant(
  admin: Admin,
  given: { engagement_id: number; verb: string; expires?: string | undefined } & GrantTarget,
): GrantRow & { engagement_id: number; existed: boolean } {
  const { engagement_id } = given;
  const verb = grantVerbs.find((known) => known === given.verb);
  if (verb === undefined) throw unprocessable(`there is no verb ${given.verb}; it is one of ${grantVerbs.join(", ")}`);
  const [key, target_id] = onlyTarget(verb, given);
  const { store, now } = admin;
  const expires_at = expiryOf(given.expires, now);
  return store.writeSync(() => {
    const { production_id, active } = getEngagement(admin, engagement_id);
    if (!active) throw conflict(`engagement ${engagement_id} has ended`);
    const target: TargetColumns = { node_id: null, department_id: null, delivery_id: null, [key]: target_id };
    if (targetOf(store, target)?.production_id !== production_id)
      throw new HttpError(
        404,
        `there is no ${nounOf(key)} ${target_id} in the production of engagement ${engagement_id}`,
      );
    const grant = { engagement_id, verb, ...target };
    const like = liveLike(store, { ...grant, now });
    const id = like[0]?.id ?? insertGrant(store, { ...grant, production_id, expires_at, now }).id;
    if (like.length === 0) recordGrant(admin, "added", { production_id, id, expires_at, grant });
    if (expires_at !== null) replaceExpiry(admin, like, { production_id, expires_at, grant });
    const row = getEngagement(admin, engagement_id).grants.find((one) => one.id === id);
    return { engagement_id, ...(row as GrantRow), existed: like.length > 0 }; // it was just found or inserted
  });
}

export interface RevokedGrant {
  id: number;
  engagement_id: number;
  verb: string;
  revoked_at: string;
  /** Whether it had been revoked already. */
  was_revoked: boolean;
  /** Other live grants of the same verb and target: what they reach stays reached. */
  still_live: number[];
}

/** Revokes a grant from the next call on. Throws 404 if there is none that the admin may touch. */
export function revokeGrant(admin: Admin, { id }: { id: number }): RevokedGrant {
  const { store, now } = admin;
  return store.writeSync(() => {
    const grant = grantOf(store, { id });
    if (grant === undefined || !mayTouch(admin, grant.production_id))
      throw new HttpError(404, `there is no grant ${id}; \`tallylight engagements list\` shows all of them`);
    const { production_id, revoked_at, expires_at, id: _, ...key } = grant;
    const { engagement_id, verb } = key;
    if (revoked_at === null) {
      revoke(store, { production_id, id, now });
      recordAudited(
        admin,
        { production_id, detail: { id, engagement_id, verb } },
        { type: "grant.revoked", subject: { kind: "grant", id }, data: { ...key, expires_at } },
      );
    }
    const still_live = liveLike(store, { ...key, now }).map((one) => one.id);
    return { id, engagement_id, verb, revoked_at: revoked_at ?? now, was_revoked: revoked_at !== null, still_live };
  });
}
