// Who is calling: a key, or an access token that acts as one. Looked up at every call, so that revoking holds on the next.
import { hash } from "node:crypto";
import { HttpError } from "../errors.ts";
import type { Scope } from "../inputs.ts";
import type { Store } from "../store/database.ts";
import { change, one } from "../store/statements.ts";

/** The key behind a call, with the scopes that this call has of it. */
export interface Caller {
  key_id: number;
  label: string;
  production_id: number;
  /** The engagement that the key is bound to; null for a production-wide key. */
  engagement_id: number | null;
  /** The person accountable for the key. */
  person_id: number | null;
  scopes: readonly Scope[];
  /** When key or token ends by itself; null where it does not. */
  expires_at: string | null;
  /** The SHA-256 of the access token that acts as the key; absent if the call came with the key itself. */
  access_token_sha256?: string;
}

type CallerRow = Omit<Caller, "scopes"> & { scopes: string };

const callerByKey = one<{ token_sha256: string; now: string }, CallerRow>("get_caller_by_key");
const callerByKeyId = one<{ key_id: number; now: string }, CallerRow>("get_caller_by_key_id");
const accessTokenOf = one<
  { token_sha256: string; now: string },
  { key_id: number; scopes: string; expires_at: string }
>("get_access_token");
const liveSignIn = one<{ key_id: number; token_sha256: string; now: string }, { family: string }>("get_live_sign_in");
/** Notes that a key was used. */
export const touchKey = change<{ key_id: number; now: string; a_minute_ago: string }>("touch_key");

/** Access tokens made by signing in start with this; keys with `tl_`. */
export const accessTokenPrefix = "tlo_";

/** How a token is stored and found: the SHA-256 of the whole of it, in hex. */
export const tokenHash = (token: string): string => hash("sha256", token);

const unauthorized = (detail: string) => new HttpError(401, detail);

/** The token of an Authorization header (RFC 6750 section 2.1); the scheme's case does not matter, the token's does. */
export function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined)
    throw unauthorized("the Authorization header is missing: send Authorization: Bearer <API_KEY>");
  const token = /^bearer +([A-Za-z0-9._~+/=-]{1,512})$/i.exec(authorization)?.[1];
  if (token === undefined)
    throw unauthorized("the Authorization header is malformed: send Authorization: Bearer <API_KEY>");
  return token;
}

/** The caller of a live key by its id, with all of the key's scopes; undefined where the key is revoked or expired. */
export function callerOfKey(store: Store, key_id: number, now: string): Caller | undefined {
  const row = callerByKeyId(store, { key_id, now });
  return row && { ...row, scopes: JSON.parse(row.scopes) };
}

/** The caller of a token, be it a key or an access token; undefined where it is unknown, revoked or expired. */
export function callerOfToken(store: Store, token: string, now: string): Caller | undefined {
  const token_sha256 = tokenHash(token);
  if (!token.startsWith(accessTokenPrefix)) {
    const row = callerByKey(store, { token_sha256, now });
    return row && { ...row, scopes: JSON.parse(row.scopes) };
  }
  const row = accessTokenOf(store, { token_sha256, now });
  const key = row && callerOfKey(store, row.key_id, now);
  if (row === undefined || key === undefined) return undefined;
  const granted: Scope[] = JSON.parse(row.scopes);
  const expires_at = key.expires_at !== null && key.expires_at < row.expires_at ? key.expires_at : row.expires_at;
  const held = key.scopes.filter((scope) => granted.includes(scope));
  return { ...key, scopes: held, expires_at, access_token_sha256: token_sha256 };
}

/**
 * Whether the sign-in that an access token belongs to is live: the token was not revoked, and its family has a token that is
 * neither revoked nor expired. That the token itself has expired ends nothing, since its refresh token makes another.
 */
export const isSignInLive = (
  store: Store,
  { key_id, token_sha256 }: { key_id: number; token_sha256: string },
  now: string,
) => liveSignIn(store, { key_id, token_sha256, now }) !== undefined;

/** The caller of a request. Throws 401 for a missing or malformed header and for an unknown, revoked or expired token. */
export function authenticate(store: Store, authorization: string | undefined, now: string): Caller {
  const caller = callerOfToken(store, bearerToken(authorization), now);
  if (caller === undefined) throw unauthorized("the API key is unknown, revoked or expired");
  return caller;
}
