// OAuth authorization codes and tokens. The tokens of one sign-in form a family. Only the hash of a secret is stored. A
// token acts as the API key that was used to sign in; the key is looked up again at every use.
import { hash, randomBytes } from "node:crypto";
import type { Scope } from "../../core/access/callers.ts";
import { accessTokenPrefix, callerOfKey, type KeyCaller, tokenHash } from "../../core/access/callers.ts";
import type { App } from "../../core/context.ts";
import { HttpError } from "../../core/errors.ts";
import { stateOf } from "../../core/features.ts";
import type { KeyId } from "../../core/ids.ts";
import { change, one, value } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { day, hour, later, minute, second, timestampAt } from "../../core/times.ts";
import { settledClockOf } from "../clock/settled_clock.ts";
import { newSecret } from "../pages/secrets.ts";
import { narrowScopes, OAuthError } from "./settings.ts";

const codeLifetime = minute;
const accessLifetime = hour;
const refreshLifetime = 30 * day;
const refreshTokenPrefix = "tlr_";
/** The maximum number of tokens of one sign-in, and of sign-ins and codes of one key. The oldest are deleted first. */
const maxTokensOfFamily = 50;
const maxSigninsOfKey = 100;

/** What the user consented to. */
export interface Consent {
  client_id: string;
  key_id: KeyId;
  redirect_uri: string;
  code_challenge: string;
  /** The address that the tokens are for (RFC 8707). */
  resource: string;
  scopes: readonly Scope[];
}

interface CodeRow extends Omit<Consent, "scopes"> {
  scopes: string;
  family: string;
  expires_at: string;
  used_at: string | null;
}

interface TokenRow
  extends Pick<CodeRow, "client_id" | "key_id" | "resource" | "scopes" | "family" | "expires_at" | "used_at"> {
  kind: "access" | "refresh";
  revoked_at: string | null;
}

type Grant = Pick<TokenRow, "client_id" | "key_id" | "resource" | "scopes" | "family">;

const signerOf = one<{ key_id: KeyId }, { production: string; vendor: string | null }>("get_oauth_signer");
const sweepCodes = change("sweep_oauth_codes");
const sweepTokens = change("sweep_oauth_tokens");
const trimCodes = change("trim_oauth_codes");
const trimFamilies = change("trim_oauth_families");
const trimFamily = change("trim_oauth_family");
const insertCode = change("create_oauth_code");
const codeOf = one<{ code_sha256: string }, CodeRow>("get_oauth_code");
const useCode = change("use_oauth_code");
const useClient = change("use_oauth_client");
const newestOf = value<{ family: string; key_id: KeyId }, string>("get_newest_oauth_token");
const insertToken = change("create_oauth_token");
const tokenOf = one<{ token_sha256: string }, TokenRow>("get_oauth_token");
const useToken = change("use_oauth_token");
const endToken = change("end_oauth_token");
const endFamily = change("end_oauth_family");

/** The token endpoint's answer (RFC 6749 section 5.1). */
export interface Tokens {
  access_token: string;
  token_type: "Bearer";
  /** In seconds. */
  expires_in: number;
  refresh_token: string;
  scope: string;
}

const invalidGrant = (detail: string) => new OAuthError("invalid_grant", detail);

/** Describes the key that the user signs in with, for the consent page. */
export function describeSigner(store: Store, { key_id, label }: KeyCaller) {
  const row = signerOf(store, { key_id });
  if (row === undefined) throw new Error(`no key ${key_id}`);
  return { label, ...row };
}

/** Deletes codes and tokens that expired more than a day ago, by the settled clock. */
function sweep(app: App): void {
  const { store } = app;
  const before = timestampAt(settledClockOf(app).now() - day);
  sweepCodes(store, { before });
  sweepTokens(store, { before });
}

/** Stores a consent; returns its authorization code. */
export async function createCode(app: App, consent: Consent, now: string): Promise<string> {
  const { store } = app;
  const code = newSecret("");
  await store.write(() => {
    sweep(app);
    trimCodes(store, { key_id: consent.key_id, max: maxSigninsOfKey - 1 });
    trimFamilies(store, { key_id: consent.key_id, max: maxSigninsOfKey - 1 });
    insertCode(store, {
      ...consent,
      code_sha256: tokenHash(code),
      scopes: JSON.stringify(consent.scopes),
      family: randomBytes(16).toString("hex"),
      expires_at: later(now, codeLifetime),
    });
  });
  return code;
}

/** The caller of the key of a sign-in. Throws an OAuthError if the key or its person has ended. */
function keyOfSignIn(store: Store, key_id: KeyId, now: string): KeyCaller {
  let key: KeyCaller | undefined;
  try {
    key = callerOfKey(store, key_id, now);
  } catch (error) {
    if (error instanceof HttpError) throw new OAuthError("invalid_grant", error.message, error.status);
    throw error;
  }
  if (key === undefined) throw invalidGrant("the API key of this sign-in is revoked or expired");
  return key;
}

/** Creates a pair of tokens in the grant's family. `requested` narrows the scopes of the access token only. */
function createTokens(app: App, grant: Grant, requested: string | undefined, now: string): Tokens {
  const { store } = app;
  const key = keyOfSignIn(store, grant.key_id, now);
  const available: Scope[] = JSON.parse(grant.scopes);
  const granted = narrowScopes(requested, available);
  // The newest tokens stay when there are too many, so new ones are never older than others, if the clock is set back.
  const newest = newestOf(store, grant) ?? null;
  const created_at = newest !== null && newest >= now ? later(newest, 1) : now;
  const insert = (kind: TokenRow["kind"], secret: string, scopes: readonly Scope[], lifetime: number): string => {
    const end = later(now, lifetime);
    const expires_at = key.expires_at !== null && key.expires_at < end ? key.expires_at : end;
    const row = {
      ...grant,
      kind,
      token_sha256: tokenHash(secret),
      scopes: JSON.stringify(scopes),
      created_at,
      expires_at,
    };
    insertToken(store, row);
    return expires_at;
  };
  const access_token = newSecret(accessTokenPrefix);
  const refresh_token = newSecret(refreshTokenPrefix);
  const expires_at = insert("access", access_token, granted, accessLifetime);
  insert("refresh", refresh_token, available, refreshLifetime);
  trimFamily(store, { family: grant.family, max: maxTokensOfFamily });
  sweep(app);
  const expires_in = Math.floor((Date.parse(expires_at) - Date.parse(now)) / second);
  return { access_token, token_type: "Bearer", expires_in, refresh_token, scope: granted.join(" ") };
}

/** What is exchanged for tokens once: a code or a refresh token. */
interface Exchange<R> {
  noun: string;
  find(): R | undefined;
  /** What is wrong with the request. */
  problemOf(row: R): string | undefined;
  use(row: R): void;
  /** What a further use answers; undefined if it ends the sign-in. */
  again?(row: R, used_at: string): Tokens | OAuthError | undefined;
  /** Called with the tokens. */
  keep?(tokens: Tokens): void;
  resource: string | undefined;
  scope?: string | undefined;
}

/**
 * Makes an exchange in one transaction, of which a refusal undoes nothing: what was exchanged before ends its family.
 * Throws an OAuthError if the request is invalid.
 */
async function exchange<R extends Grant & Pick<TokenRow, "used_at">>(
  app: App,
  { noun, find, problemOf, use, again, keep, resource, scope }: Exchange<R>,
  now: string,
): Promise<Tokens> {
  const { store } = app;
  const unknown = invalidGrant(`the ${noun} is unknown`);
  if (find() === undefined) throw unknown; // checked first, so that guesses take no write lock
  const result = await store.write((): Tokens | OAuthError => {
    const row = find();
    if (row === undefined) return unknown;
    if (row.used_at !== null) {
      const repeat = again?.(row, row.used_at);
      if (repeat !== undefined) return repeat;
      endFamily(store, { family: row.family, now });
      return invalidGrant(`the ${noun} was already used; the sign-in has ended`);
    }
    const problem = problemOf(row);
    if (problem !== undefined) return invalidGrant(problem);
    if (resource !== undefined && resource !== row.resource)
      return new OAuthError("invalid_target", "resource does not match the authorization request");
    use(row);
    const tokens = createTokens(app, row, scope, now);
    keep?.(tokens);
    return tokens;
  });
  if (result instanceof OAuthError) throw result;
  return result;
}

/** Exchanges a code for tokens (RFC 6749 section 4.1.3, RFC 7636 section 4.6). Throws what exchange throws. */
export function exchangeCode(
  app: App,
  given: { code: string; client_id: string; redirect_uri: string; code_verifier: string; resource: string | undefined },
  now: string,
): Promise<Tokens> {
  const { store } = app;
  const code_sha256 = tokenHash(given.code);
  const code: Exchange<CodeRow> = {
    noun: "code",
    find: () => codeOf(store, { code_sha256 }),
    problemOf({ expires_at, client_id, redirect_uri, code_challenge }) {
      if (expires_at <= now) return "the code has expired";
      if (client_id !== given.client_id) return "the code was issued to another client";
      if (redirect_uri !== given.redirect_uri) return "redirect_uri does not match the authorization request";
      const challenge = hash("sha256", given.code_verifier, "base64url");
      return challenge === code_challenge ? undefined : "code_verifier does not match the code_challenge";
    },
    use({ client_id }) {
      useCode(store, { code_sha256, now });
      useClient(store, { client_id, now });
    },
    resource: given.resource,
  };
  return exchange(app, code, now);
}

/**
 * A refresh token may be sent again for this long after its first use, as by a second window or after a lost answer. In
 * milliseconds.
 */
const repeatable = minute;

/**
 * What refresh tokens were exchanged for, by their hashes, for as long as they may be sent again. Only here: the
 * database has no secret.
 */
const exchangedOf = stateOf(() => new Map<string, { tokens: Tokens; used_at: string }>());

/** Whether a refresh token that was used then may be sent again; if the clock was set back further, it may not. */
const isRepeatable = (used_at: string, now: string): boolean =>
  now <= later(used_at, repeatable) && used_at <= later(now, repeatable);

/** The tokens that a used refresh token was exchanged for. An OAuthError says why it has none. */
function repeated(app: App, token_sha256: string, row: TokenRow, now: string): Tokens | OAuthError {
  const { tokens } = exchangedOf(app).get(token_sha256) ?? {};
  const next = tokens && tokenOf(app.store, { token_sha256: tokenHash(tokens.refresh_token) });
  if (row.revoked_at !== null) return invalidGrant("the sign-in has ended");
  if (tokens === undefined || next === undefined || next.used_at !== null)
    return invalidGrant("the refresh token was already used; use the one that its answer had");
  keyOfSignIn(app.store, row.key_id, now);
  return tokens;
}

/** Keeps what a refresh token was exchanged for. */
function keepExchange(app: App, token_sha256: string, tokens: Tokens, now: string): void {
  const kept = exchangedOf(app);
  for (const [one, { used_at }] of kept) if (!isRepeatable(used_at, now)) kept.delete(one);
  kept.set(token_sha256, { tokens, used_at: now });
}

/**
 * Rotates a refresh token (RFC 9700 section 4.14.2). One that is sent again within a minute of its first use answers
 * the same tokens. Throws what exchange throws.
 */
export function refreshTokens(
  app: App,
  given: { refresh_token: string; client_id: string; scope: string | undefined; resource: string | undefined },
  now: string,
): Promise<Tokens> {
  const { store } = app;
  const token_sha256 = tokenHash(given.refresh_token);
  const token: Exchange<TokenRow> = {
    noun: "refresh token",
    find() {
      const row = tokenOf(store, { token_sha256 });
      return row?.kind === "refresh" && row.client_id === given.client_id ? row : undefined;
    },
    problemOf: ({ revoked_at, expires_at }) =>
      revoked_at !== null || expires_at <= now ? "the refresh token is revoked or expired" : undefined,
    use: () => void useToken(store, { token_sha256, now }),
    again: (row, used_at) => (isRepeatable(used_at, now) ? repeated(app, token_sha256, row, now) : undefined),
    // Within the transaction, so that the same token in the next one finds it. Without a commit the token is unused,
    // and the next use replaces it.
    keep: (tokens) => keepExchange(app, token_sha256, tokens, now),
    resource: given.resource,
    scope: given.scope,
  };
  return exchange(app, token, now);
}

/**
 * Revokes an access token, or the whole family of a refresh token (RFC 7009). Ignores unknown tokens and those of other
 * clients.
 */
export async function revokeToken(
  store: Store,
  given: { token: string; client_id: string | undefined },
  now: string,
): Promise<void> {
  const token_sha256 = tokenHash(given.token);
  const row = tokenOf(store, { token_sha256 });
  if (row === undefined || (given.client_id !== undefined && row.client_id !== given.client_id)) return;
  await store.write(() => {
    if (row.kind === "refresh") endFamily(store, { family: row.family, now });
    else endToken(store, { token_sha256, now });
  });
}
