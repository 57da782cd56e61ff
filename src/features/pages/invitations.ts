// Invitations: links for people without a key. A link works once within a day and opens a session that acts as a key of
// its own, whose token nobody has. Revoking the key revokes the invitation, and ends the session.
import { tokenHash } from "../../core/access/callers.ts";
import type { KeyId, ProductionId } from "../../core/ids.ts";
import { change, many, one } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { day, later } from "../../core/times.ts";
import { type Admin, expiryOf } from "../../graph/admin.ts";
import { recordAction } from "../../graph/audit.ts";
import { type MintInput, mintKey } from "../../graph/keys.ts";
import { zoneOf } from "../../graph/production.ts";
import { newSecret } from "./secrets.ts";

/** The path of a link. Its secret is in the query, which no log contains. */
export const invitationPath = "/invitation";
/** An invitation, with whom it is for. */
export interface Invitation {
  key_id: KeyId;
  production_id: ProductionId;
  production: string;
  label: string;
  person: string | null;
  vendor: string | null;
  created_at: string;
  expires_at: string;
  used_at: string | null;
  revoked_at: string | null;
  /** When the vendor's engagement ended. */
  ended_at: string | null;
  person_left: 0 | 1;
}

const insertInvitation = change("create_invitation");
const invitationOf = one<{ token_sha256: string }, Invitation>("get_invitation");
const invitationsOf = many<{ production_id: ProductionId; limit: number }, Invitation>("list_invitations");
const markUsed = one<
  { token_sha256: string; now: string },
  { production_id: ProductionId; key_id: KeyId; key_ends_at: string | null }
>("use_invitation");
const setKeyEnd = change("set_key_end");

/**
 * Creates an invitation; returns its secret, which nothing keeps. It grants what its maker could mint: its key is
 * minted here. Throws as mintKey does. Within a write transaction.
 */
export function createInvitation(
  admin: Admin,
  given: MintInput,
): { secret: string; expires_at: string; label: string } {
  const { store, now } = admin;
  const { production_id, engagement_id = null, person_id = null } = given;
  const key_ends_at = expiryOf(given.expires, now, zoneOf(store, { production_id }));
  const tomorrow = later(now, day);
  const expires_at = key_ends_at !== null && key_ends_at < tomorrow ? key_ends_at : tomorrow;
  const { id: key_id, label, scopes } = mintKey(admin, { ...given, expires: expires_at });
  const secret = newSecret("");
  insertInvitation(store, { key_id, production_id, token_sha256: tokenHash(secret), now, expires_at, key_ends_at });
  const detail = { key_id, label, scopes, person_id, engagement_id, expires_at };
  recordAction(admin, { action: "invitation.created", production_id, detail });
  return { secret, expires_at, label };
}

/** The invitation of a secret, used or not; undefined if there is none. */
export const findInvitation = (store: Store, secret: string): Invitation | undefined =>
  invitationOf(store, { token_sha256: tokenHash(secret) });

/** The newest invitations of a production, newest first. */
export const listInvitations = (store: Store, production_id: ProductionId, limit: number): Invitation[] =>
  invitationsOf(store, { production_id, limit });

/** The state of an invitation at a time. */
export function invitationState({ used_at, revoked_at, ended_at, expires_at, person_left }: Invitation, now: string) {
  if (revoked_at !== null) return "revoked";
  if (ended_at !== null && ended_at <= now) return "ended";
  if (used_at !== null) return "used";
  if (person_left === 1) return "left";
  return expires_at <= now ? "expired" : "open";
}

/** Uses a live invitation; undefined if it is not live. Within a write transaction. */
export function useInvitation(store: Store, secret: string, now: string) {
  const used = markUsed(store, { token_sha256: tokenHash(secret), now });
  if (used === undefined) return undefined;
  const { production_id, key_id, key_ends_at } = used;
  setKeyEnd(store, { production_id, key_id, expires_at: key_ends_at });
  const { label } = invitationOf(store, { token_sha256: tokenHash(secret) }) as Invitation; // it was just used
  recordAction({ store, now, actor: label, key_id }, { action: "invitation.used", production_id, detail: { key_id } });
  return used;
}
