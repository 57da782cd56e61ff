// Adds and revokes grants. sql/reach.sql decides what a grant reaches. docs/api.md, "Engagements and grants".
import * as v from "valibot";
import { conflict, HttpError, unprocessable } from "../core/errors.ts";
import type { DeliveryId, EngagementId, Id, NodeId, ProductionId } from "../core/ids.ts";
import { describe } from "../core/inputs.ts";
import * as out from "../core/records.ts";
import { change, many, one } from "../core/store/statements.ts";
import { cut } from "../core/wording.ts";
import { type Admin, expiryOf, recordChange, requireChangeable } from "./admin.ts";
import { findEngagement, type GrantRow, getGrant, grantRow } from "./engagements.ts";
import { zoneOf } from "./production.ts";
import { grantTargets, grantVerbs } from "./values.ts";

/** What a grant is on: exactly one of these ids. */
export interface GrantTarget {
  node_id?: NodeId | undefined;
  department_id?: number | undefined;
  delivery_id?: DeliveryId | undefined;
}

/** The three columns of the target. Two of them are null. */
type TargetColumns = Readonly<Record<keyof GrantTarget, number | null>>;
type Verb = GrantRow["verb"];
export const addedGrant = out.record(
  "AddedGrant",
  v.object({
    engagement_id: out.id,
    ...grantRow.entries,
    existed: describe(v.boolean(), "Whether a live grant existed already, so that none was added."),
  }),
);
type GrantKey = TargetColumns & { engagement_id: EngagementId; verb: Verb };
interface LiveGrant {
  id: Id<"grant">;
  expires_at: string | null;
}

const liveScenesOf = many<{ production_id: ProductionId; code: string }, { id: NodeId }>("list_live_scenes_of_episode");
const targetOf = one<TargetColumns, { production_id: ProductionId }>("find_grant_target");
const sameLiveGrants = many<GrantKey & { now: string }, LiveGrant>("list_same_grants");
const insertGrant = change("create_grant");
const setExpiry = change("set_grant_expiry");
interface EpisodeGrants {
  engagement_id: EngagementId;
  verb: string;
  production_id: ProductionId;
  /** The code of the episode. */
  code: string;
  expires?: string | undefined;
}
type StoredGrant = GrantKey & LiveGrant & { production_id: ProductionId; revoked_at: string | null };
const grantOf = one<{ id: number }, StoredGrant>("find_grant");
const revoke = change("revoke_grant");

const targetKeys = ["node_id", "department_id", "delivery_id"] as const;
const nounOf = (target: keyof GrantTarget): string => target.slice(0, -3);

/**
 * The column of the target of a grant, and its id. Throws 422 if there is none, if there are several, or if the verb
 * does not fit the target.
 */
function onlyTarget(verb: Verb, target: GrantTarget): [keyof GrantTarget, number] {
  const named = targetKeys.flatMap((key) => {
    const id = target[key];
    return id === undefined ? [] : [[key, id] as const];
  });
  const [only] = named;
  if (only === undefined || named.length > 1)
    throw unprocessable("a grant has exactly one target: a node, a department or a delivery");
  const [key, id] = only;
  const fitting: readonly string[] = grantTargets[verb];
  if (!fitting.includes(nounOf(key)))
    throw unprocessable(`${verb} needs a ${fitting.join(" or a ")}, not a ${nounOf(key)}`);
  return [key, id];
}

/** Describes a grant, such as "read on scene 22, INT. MILL". */
const described = ({ verb, target_name }: GrantRow): string => `${verb} on ${target_name}`;

/**
 * Sets the expiry of grants with one verb and target, and returns the ids of those that had another. Version 1.0
 * allowed duplicates, and a duplicate with a later expiry would stay in effect.
 */
function replaceExpiry(
  admin: Admin,
  same: readonly LiveGrant[],
  { production_id, expires_at }: { production_id: ProductionId; expires_at: string },
): number[] {
  const changed = same.filter((former) => former.expires_at !== expires_at).map(({ id }) => id);
  for (const id of changed) setExpiry(admin.store, { production_id, id, expires_at });
  return changed;
}

/**
 * Grants an engagement read on each scene that an episode has now, without omitted ones, in one transaction. Throws
 * like addGrant.
 */
export function addEpisodeGrants(
  admin: Admin,
  { code, production_id, ...given }: EpisodeGrants,
): v.InferOutput<typeof addedGrant>[] {
  const { store } = admin;
  if (given.verb !== "read") throw unprocessable(`${cut(given.verb)} cannot be granted on an episode: only read can`);
  return store.writeSync(() => {
    const scenes = liveScenesOf(store, { production_id, code });
    if (scenes.length === 0) throw new HttpError(404, `there is no episode ${cut(code)} with scenes in the production`);
    return scenes.map(({ id: node_id }) => addGrant(admin, { ...given, node_id }));
  });
}

/**
 * Grants an engagement one verb on one target, from the next call on. If such a grant is live, no second one is added
 * and `existed` is true; a given expiry replaces its expiry. Throws 404 for an engagement or target that does not
 * exist, 409 for an engagement that has ended, 422 for an unknown verb, a target that does not fit it, and an expiry in
 * the past.
 */
export function addGrant(
  admin: Admin,
  given: { engagement_id: EngagementId; verb: string; expires?: string | undefined } & GrantTarget,
): v.InferOutput<typeof addedGrant> {
  const { engagement_id } = given;
  const verb = grantVerbs.find((known) => known === given.verb);
  if (verb === undefined)
    throw unprocessable(`there is no verb ${cut(given.verb)}; the verbs are ${grantVerbs.join(", ")}`);
  const [key, target_id] = onlyTarget(verb, given);
  const { store, now } = admin;
  return store.writeSync(() => {
    const { production_id, active, vendor } = findEngagement(admin, engagement_id);
    const expires_at = expiryOf(given.expires, now, zoneOf(store, { production_id }));
    if (!active) throw conflict(`engagement ${engagement_id} has ended`);
    const target: TargetColumns = { node_id: null, department_id: null, delivery_id: null, [key]: target_id };
    if (targetOf(store, target)?.production_id !== production_id)
      throw new HttpError(
        404,
        `there is no ${nounOf(key)} ${target_id} in the production of engagement ${engagement_id}`,
      );
    const grant = { engagement_id, verb, ...target };
    const same = sameLiveGrants(store, { ...grant, now });
    const id = same[0]?.id ?? insertGrant(store, { ...grant, production_id, expires_at, now }).id;
    const changed = expires_at === null ? [] : replaceExpiry(admin, same, { production_id, expires_at });
    const row = getGrant(store, id, now);
    const entry = {
      production_id,
      node_id: target.node_id,
      detail: { id, engagement_id, verb, [key]: target_id, expires_at },
    };
    const happening = (type: "grant.added" | "grant.changed", id: number) =>
      ({ type, subject: { kind: "grant", id }, data: { ...grant, expires_at } }) as const;
    if (same.length === 0)
      recordChange(admin, { ...entry, summary: `Granted ${vendor} ${described(row)}` }, happening("grant.added", id));
    for (const one of changed) {
      const summary = `Set the expiry of the grant ${described(row)} of ${vendor} to ${expires_at}`;
      recordChange(admin, { ...entry, summary, detail: { ...entry.detail, id: one } }, happening("grant.changed", one));
    }
    return { engagement_id, ...row, existed: same.length > 0 };
  });
}

export const revokedGrant = out.record(
  "RevokedGrant",
  v.object({
    id: out.id,
    engagement_id: out.id,
    verb: v.picklist(grantVerbs),
    revoked_at: out.timestamp,
    still_live: describe(
      v.array(out.id),
      "Other live grants with the same verb and target: the engagement still reaches what they reach.",
    ),
  }),
);
/** `was_revoked`: whether the grant was already revoked before. */
export type RevokedGrant = v.InferOutput<typeof revokedGrant> & { was_revoked: boolean };

/** Revokes a grant from the next call on. Throws 404 if it does not exist or the admin may not change it. */
export function revokeGrant(admin: Admin, { id }: { id: number }): RevokedGrant {
  const { store, now } = admin;
  return store.writeSync(() => {
    const grant = requireChangeable(admin, grantOf(store, { id }), `grant ${id}`, "engagements list");
    const { production_id, revoked_at, expires_at, id: _, ...key } = grant;
    const { engagement_id, verb } = key;
    if (revoked_at === null) {
      revoke(store, { production_id, id, now });
      const { vendor } = findEngagement(admin, engagement_id);
      const summary = `Revoked the grant ${described(getGrant(store, id, now))} of ${vendor}`;
      recordChange(
        admin,
        { production_id, node_id: grant.node_id, summary, detail: { id, engagement_id, verb } },
        { type: "grant.revoked", subject: { kind: "grant", id }, data: { ...key, expires_at } },
      );
    }
    const still_live = sameLiveGrants(store, { ...key, now }).map((one) => one.id);
    return { id, engagement_id, verb, revoked_at: revoked_at ?? now, was_revoked: revoked_at !== null, still_live };
  });
}
