// Browser sessions: a random token in a cookie, stored hashed, that acts as an API key or as the admin of this server.
// A session ends with its key, because the key is looked up again at every request.
import { type Caller, callerOfKey, type KeyCaller, type Scope, scopes, tokenHash } from "../../core/access/callers.ts";
import { HttpError } from "../../core/errors.ts";
import type { EngagementId, KeyId, ProductionId } from "../../core/ids.ts";
import { change, many, one } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { day, hour, later, minute } from "../../core/times.ts";
import { useInvitation } from "./invitations.ts";
import { newSecret } from "./secrets.ts";

/** In milliseconds. Each use of a session begins it anew. */
export const sessionLifetime = 7 * day;
/** How much of it is used before it begins anew, so that few requests write. */
const renewalStep = hour;
export const linkLifetime = 10 * minute;
/** The maximum number of sessions of one key. The oldest are deleted first. */
const maxSessionsOfKey = 100;
const maxBrowserLength = 300;

interface SessionRow {
  id: number;
  production_id: ProductionId;
  key_id: KeyId | null;
  seen_as: number | null;
  expires_at: string;
}

/** A live session, as the list of sessions shows it. */
export interface ListedSession {
  id: number;
  /** Null if the session is the admin's, who came by a one-time link. */
  key_id: KeyId | null;
  label: string | null;
  prefix: string | null;
  /** The User-Agent header with which the session was opened. */
  browser: string;
  created_at: string;
  expires_at: string;
  /** Whether it is the session that asks. */
  own: 0 | 1;
}

const sessionOf = one<{ token_sha256: string; now: string }, SessionRow>("get_session");
const renewalOf = one<{ token_sha256: string; now: string; soon: string; end: string }, { expires_at: string }>(
  "get_session_renewal",
);
const renewRow = change("renew_session");
const insertSession = change("create_session");
const seeAs = change("see_session_as");
const deleteByToken = change("delete_session_by_token");
const deleteSession = change("delete_session");
const sweepSessions = change("sweep_sessions");
const trimSessions = change("trim_sessions");
const sessionsOf = many<{ production_id: ProductionId; token_sha256: string; now: string }, ListedSession>(
  "list_sessions",
);
const insertLink = change("create_sign_in_link");
const linkOf = one<{ token_sha256: string; now: string }, { production_id: ProductionId }>("get_sign_in_link");
const useLink = one<{ token_sha256: string; now: string }, { production_id: ProductionId }>("use_sign_in_link");
const sweepLinks = change("sweep_sign_in_links");

/** What somebody who looks through the reach of a vendor may do: nothing but read. */
const seenScopes: readonly Scope[] = ["read", "read:money"];

/**
 * An admin's key in the reach of an engagement, with no more than it has; undefined if the key is no admin's any more.
 */
function lookingAs(caller: Caller, engagement_id: EngagementId): Caller | undefined {
  if (!caller.scopes.includes("admin") || caller.engagement_id !== null) return undefined;
  return { ...caller, engagement_id, scopes: seenScopes.filter((scope) => caller.scopes.includes(scope)), looks: true };
}

/** The caller of a session; undefined if the session is unknown or expired, or if its key is revoked or expired. */
function callerOf(store: Store, token: string, now: string): Caller | undefined {
  const row = sessionOf(store, { token_sha256: tokenHash(token), now });
  if (row === undefined) return undefined;
  const { production_id, key_id, seen_as, expires_at } = row;
  if (key_id !== null) {
    const caller = callerOfKey(store, key_id, now);
    return caller === undefined || seen_as === null ? caller : lookingAs(caller, seen_as);
  }
  const admin = { key_id: null, label: "admin", production_id, person_id: null, expires_at };
  return seen_as === null
    ? { ...admin, engagement_id: null, scopes }
    : { ...admin, engagement_id: seen_as, scopes: seenScopes, looks: true };
}

/** Whose session it is. */
export interface SessionOwner {
  production_id: ProductionId;
  /** Null if its key is not bound, and for the admin. */
  engagement_id: EngagementId | null;
}
const ownerOf = one<{ token_sha256: string }, SessionOwner>("get_session_owner");

/** Whose session it is, also if it has ended; undefined if it is unknown. */
export const ownerOfSession = (store: Store, token: string): SessionOwner | undefined =>
  ownerOf(store, { token_sha256: tokenHash(token) });

/** The caller of a session's token. Throws 401 if the session has ended. */
export function authenticateSession(store: Store, token: string, now: string): Caller {
  const caller = callerOf(store, token, now);
  if (caller === undefined) throw new HttpError(401, "the session has ended; sign in again");
  return caller;
}

interface Opening {
  production_id: ProductionId;
  key_id: KeyId | null;
  /** When the key expires; null if it does not. */
  key_expires_at: string | null;
  browser: string;
}

/** Creates a session; returns its token. Within a write transaction. */
function insert(store: Store, { production_id, key_id, key_expires_at, browser }: Opening, now: string): string {
  const token = newSecret("");
  const end = later(now, sessionLifetime);
  const expires_at = key_expires_at !== null && key_expires_at < end ? key_expires_at : end;
  sweepSessions(store, { now });
  trimSessions(store, { key_id, production_id, max: maxSessionsOfKey - 1 });
  const shortened = browser.slice(0, maxBrowserLength).toWellFormed();
  insertSession(store, { token_sha256: tokenHash(token), production_id, key_id, browser: shortened, now, expires_at });
  return token;
}

/** Opens a session that acts as the caller's key; returns its token. */
export function openSession(store: Store, caller: KeyCaller, browser: string, now: string): Promise<string> {
  const { production_id, key_id, expires_at: key_expires_at } = caller;
  return store.write(() => insert(store, { production_id, key_id, key_expires_at, browser }, now));
}

/** Creates a one-time link for the production's admin; returns its secret, which works once, for linkLifetime. */
export function createSignInLink(store: Store, production_id: ProductionId, now: string): string {
  return store.writeSync(() => addSignInLink(store, production_id, now));
}

/** The same within a write transaction. */
export function addSignInLink(store: Store, production_id: ProductionId, now: string): string {
  const secret = newSecret("");
  sweepLinks(store, { now });
  insertLink(store, { token_sha256: tokenHash(secret), production_id, expires_at: later(now, linkLifetime) });
  return secret;
}

/**
 * Opens the admin's session of a one-time link; returns its token, undefined if the link is unknown, used or expired.
 */
export async function openSessionByLink(
  store: Store,
  secret: string,
  browser: string,
  now: string,
): Promise<string | undefined> {
  const token_sha256 = tokenHash(secret);
  if (linkOf(store, { token_sha256, now }) === undefined) return undefined; // so that guesses take no write lock
  return store.write(() => {
    const link = useLink(store, { token_sha256, now });
    if (link === undefined) return undefined;
    return insert(store, { production_id: link.production_id, key_id: null, key_expires_at: null, browser }, now);
  });
}

/** Opens the session of an invitation; returns its token, undefined if the invitation is not live. */
export function openSessionByInvitation(
  store: Store,
  secret: string,
  browser: string,
  now: string,
): Promise<string | undefined> {
  return store.write(() => {
    const used = useInvitation(store, secret, now);
    if (used === undefined) return undefined;
    const { production_id, key_id, key_ends_at: key_expires_at } = used;
    return insert(store, { production_id, key_id, key_expires_at, browser }, now);
  });
}

/**
 * Lets the admin's session of a token look through the reach of an engagement, without writing; null gives it back its
 * own. Throws SQLite's error if the engagement is of another production.
 */
export async function seeSessionAs(store: Store, token: string, engagement_id: EngagementId | null): Promise<void> {
  await store.write(() => seeAs(store, { token_sha256: tokenHash(token), engagement_id }));
}

/** Lets a session that is used last longer, but not longer than its key. Returns whether it does now. */
export async function renewSession(store: Store, token: string, now: string): Promise<boolean> {
  const key = { token_sha256: tokenHash(token), now };
  const [soon, end] = [later(now, sessionLifetime - renewalStep), later(now, sessionLifetime)];
  const found = renewalOf(store, { ...key, soon, end });
  if (found === undefined) return false;
  return store.write(() => renewRow(store, { ...key, ...found }).changes > 0);
}

/** Ends the session of a token; does nothing if there is none. */
export async function closeSession(store: Store, token: string): Promise<void> {
  await store.write(() => deleteByToken(store, { token_sha256: tokenHash(token) }));
}

/** The live sessions of a production, newest first. `token`: that of the session that asks. */
export const listSessions = (store: Store, production_id: ProductionId, token: string, now: string): ListedSession[] =>
  sessionsOf(store, { production_id, token_sha256: tokenHash(token), now });

/** Ends a session of the production by its id. Returns false if there is none. */
export const endSession = (store: Store, production_id: ProductionId, id: number): Promise<boolean> =>
  store.write(() => deleteSession(store, { id, production_id }).changes > 0);
