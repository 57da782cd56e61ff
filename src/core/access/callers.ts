// Authenticates callers by API key or by access token, and defines the scopes. Every call looks the key up again, so a
// revocation applies at once. docs/api.md, "Keys and scopes".
import { hash } from "node:crypto";
import { forbidden, HttpError } from "../errors.ts";
import type { EngagementId, KeyId, PersonId, ProductionId } from "../ids.ts";
import { change, one } from "../store/statements.ts";
import type { Store } from "../store/store.ts";

/** Who makes a call, with a key or in a browser session, and the scopes of the call. */
export interface Caller {
  /**
   * The key, also that of a session; null for the session of this server's admin, who came by a link and has no key.
   */
  key_id: KeyId | null;
  label: string;
  production_id: ProductionId;
  /** The engagement that the key is bound to; null for a production-wide key. */
  engagement_id: EngagementId | null;
  /** The person accountable for the key. */
  person_id: PersonId | null;
  scopes: readonly Scope[];
  /**
   * Present if the call was made with the former token of a rotated key, which is good until its end, also if the clock
   * is set back.
   */
  former?: true;
  /** Present in an admin's session that looks through the reach of a vendor. */
  looks?: true;
  /** When the key or the token expires; null if it does not expire. */
  expires_at: string | null;
  /** The SHA-256 of the access token; absent if the call was made with the key itself. */
  access_token_sha256?: string;
}

/** A caller who has a key. */
export interface KeyCaller extends Caller {
  key_id: KeyId;
}

type CallerRow = Omit<KeyCaller, "scopes" | "access_token_sha256" | "former" | "looks"> & {
  scopes: string;
  has_left: 0 | 1;
};

const callerByKey = one<{ token_sha256: string; now: string }, CallerRow>("get_caller_by_key");
const callerByFormerToken = one<{ token_sha256: string; now: string }, CallerRow>("get_caller_by_former_token");
const callerByKeyId = one<{ key_id: KeyId; now: string }, CallerRow>("get_caller_by_key_id");
const accessTokenOf = one<{ token_sha256: string; now: string }, { key_id: KeyId; scopes: string; expires_at: string }>(
  "get_access_token",
);
const liveSignIn = one<{ key_id: KeyId; token_sha256: string; now: string }, { family: string }>("get_live_sign_in");
/** Records that a key was used. */
export const touchKey = change("touch_key");

/** The prefix of access tokens. API keys start with `tl_`. */
export const accessTokenPrefix = "tlo_";

/** The SHA-256 of a token in hex. Only this hash is stored. */
export const tokenHash = (token: string): string => hash("sha256", token);

const unauthorized = (detail: string) => new HttpError(401, detail);

/** The most characters of a token. */
const maxToken = 512;

/**
 * Returns the token of an Authorization header (RFC 6750 section 2.1). Only the scheme is case-insensitive. Throws 401
 * if the header is missing or malformed.
 */
function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined)
    throw unauthorized("the Authorization header is missing: send Authorization: Bearer <API_KEY>");
  const token = /^bearer +([A-Za-z0-9._~+/=-]+)$/i.exec(authorization)?.[1];
  if (token === undefined || token.length > maxToken)
    throw unauthorized("the Authorization header is malformed: send Authorization: Bearer <API_KEY>");
  return token;
}

/**
 * The caller of a row. Throws 401 if the person of the key has left: nothing that is bound to that person acts then.
 */
function callerFrom({ has_left, scopes, ...row }: CallerRow): KeyCaller {
  if (has_left === 1) throw unauthorized("the person of this key has left");
  return { ...row, scopes: JSON.parse(scopes) };
}

/**
 * The caller of a key by its id, with all scopes of the key; undefined if the key is revoked or expired. Throws what
 * callerFrom throws.
 */
export function callerOfKey(store: Store, key_id: KeyId, now: string): KeyCaller | undefined {
  const row = callerByKeyId(store, { key_id, now });
  return row && callerFrom(row);
}

/**
 * The caller of an API key or an access token; undefined if it is unknown, revoked or expired. Throws what callerFrom
 * throws.
 */
export function callerOfToken(store: Store, token: string, now: string): KeyCaller | undefined {
  const token_sha256 = tokenHash(token);
  if (!token.startsWith(accessTokenPrefix)) {
    const row = callerByKey(store, { token_sha256, now });
    if (row !== undefined) return callerFrom(row);
    const former = callerByFormerToken(store, { token_sha256, now });
    return former && { ...callerFrom(former), former: true };
  }
  const row = accessTokenOf(store, { token_sha256, now });
  const key = row && callerOfKey(store, row.key_id, now);
  if (row === undefined || key === undefined) return undefined;
  const granted: Scope[] = JSON.parse(row.scopes).filter((scope: Scope) => signInScopes.includes(scope));
  const expires_at = key.expires_at !== null && key.expires_at < row.expires_at ? key.expires_at : row.expires_at;
  const scopes = key.scopes.filter((scope) => granted.includes(scope));
  return { ...key, scopes, expires_at, access_token_sha256: token_sha256 };
}

/**
 * Whether the sign-in of an access token is live: the token is not revoked, and its family has a token that is neither
 * revoked nor expired. The access token itself may have expired, because its refresh token can replace it.
 */
export const isSignInLive = (
  store: Store,
  { key_id, token_sha256 }: { key_id: KeyId; token_sha256: string },
  now: string,
) => liveSignIn(store, { key_id, token_sha256, now }) !== undefined;

/**
 * The caller of a request. Throws 401 if the header is missing or malformed, or if the token is unknown, revoked or
 * expired.
 */
export function authenticate(store: Store, authorization: string | undefined, now: string): KeyCaller {
  const caller = callerOfToken(store, bearerToken(authorization), now);
  if (caller === undefined) throw unauthorized("the API key is unknown, revoked or expired");
  return caller;
}

/**
 * The key of a caller, for what is stored with its key. Throws 403 for the session of this server's admin, which has
 * none.
 */
export function needKey(key_id: KeyId | null): KeyId {
  if (key_id === null) throw forbidden("this needs a key, and the session of a one-time link has none");
  return key_id;
}

/** Every scope, and what a key with that scope may do. */
export const scopeMeanings = {
  read: "read what the key reaches, except money and storage tasks",
  write: "create assets, notes and versions, decide approvals, and act as the storage agent",
  "submit:turnover": "submit work on deliveries",
  "read:money": "read the vendor's own purchase orders",
  edit: "change the show's own content: imports of it, script decisions, reopening, releases, history and undo",
  admin: "administer the production: keys, engagements, grants, releases, approvals, storage and the audit log",
} as const;

/** The name of a scope. */
export type Scope = keyof typeof scopeMeanings;

/** The names of all scopes. Object.keys does not say which keys, and that there is one. */
export const scopes = Object.keys(scopeMeanings) as readonly string[] as readonly [Scope, ...Scope[]];

/**
 * The scopes that only a production-wide key can have, and that an OAuth sign-in never gets. `admin` comes only from a
 * key that was minted on the machine.
 */
export const studioScopes: readonly Scope[] = ["admin", "edit"];

/** The scopes that an OAuth sign-in can grant. */
export const signInScopes: readonly Scope[] = scopes.filter((scope) => !studioScopes.includes(scope));

/** Whether somebody with the `held` scopes may do what needs one: `admin` includes `edit`. */
export const holds = (held: readonly Scope[], needed: Scope): boolean =>
  held.includes(needed) || (needed === "edit" && held.includes("admin"));
