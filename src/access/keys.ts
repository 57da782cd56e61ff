// API keys as an admin mints, lists and revokes them. A token is shown once and kept as a hash; what a call may do with it
// is decided elsewhere, at the call.
import { randomBytes } from "node:crypto";
import * as v from "valibot";
import { CliError } from "../errors.ts";
import { type Scope, scopes, sentences, text } from "../inputs.ts";
import type { Store } from "../store/database.ts";
import { recordAdminAction } from "./audit.ts";
import { tokenHash } from "./callers.ts";
import { getEngagement } from "./engagements.ts";
import { expiryOf } from "./expiry.ts";

/** `tl_` and the first eight random characters: enough to recognise a key by, and not to use it. */
const prefixLength = 11;

export interface KeyRow {
  id: number;
  label: string;
  prefix: string;
  scopes: Scope[];
  production_id: number;
  production: string;
  engagement_id: number | null;
  vendor: string | null;
  person_id: number | null;
  person: string | null;
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  /** To the minute. */
  last_used_at: string | null;
  /** When the engagement that it is bound to ended, once it has: such a key is live and reaches nothing. */
  engagement_ended_at: string | null;
  live: boolean;
}

export interface MintedKey {
  id: number;
  /** Shown here and never again. */
  token: string;
  prefix: string;
  label: string;
  scopes: Scope[];
  production_id: number;
  engagement_id: number | null;
}

const asKey = (row: Record<string, unknown>): KeyRow =>
  ({ ...row, scopes: JSON.parse(row.scopes as string), live: row.live === 1 }) as unknown as KeyRow;

/** The named scopes in their own order, each once; read and write where none is named. */
function scopesOf(named: readonly string[]): Scope[] {
  const unknown = named.find((scope) => !scopes.includes(scope as Scope));
  if (unknown !== undefined)
    throw new CliError(`there is no scope ${unknown}; a key's scopes are of ${scopes.join(", ")}`);
  return named.length === 0 ? ["read", "write"] : scopes.filter((scope) => named.includes(scope));
}

interface Binding {
  engagement_id: number;
  production_id: number;
  /** The scopes that were named. */
  named: readonly string[];
  now: string;
}

function checkEngagement(store: Store, { engagement_id, production_id, named, now }: Binding): void {
  const engagement = getEngagement(store, engagement_id, now);
  if (engagement.production_id !== production_id)
    throw new CliError(`engagement ${engagement_id} is of another production than ${production_id}`);
  if (!engagement.active)
    throw new CliError(`engagement ${engagement_id} was ended on ${engagement.ended_at?.slice(0, 10)}`);
  if (named.length === 0)
    throw new CliError(
      "a key of an engagement needs its scopes named, from read, submit:turnover and read:money: the default, read and write, would let it hand in nothing and write nowhere",
    );
}

function checkPerson(store: Store, person_id: number, production_id: number): void {
  const person = store.get<{ production_id: number }>("find_person", { id: person_id });
  if (person === undefined) throw new CliError(`there is no person ${person_id}`);
  if (person.production_id !== production_id)
    throw new CliError(`person ${person_id} is of another production than ${production_id}`);
}

/** A token whose prefix no other key has: revoking by prefix must mean one key. */
function newToken(store: Store): string {
  for (;;) {
    const token = `tl_${randomBytes(32).toString("base64url")}`;
    const clash = store.get("find_key", {
      id: null,
      prefix: token.slice(0, prefixLength),
      token_sha256: null,
      now: "",
    });
    if (clash === undefined) return token;
  }
}

/**
 * Mints a key: the one place where its token is to be had. Throws CliError for an unknown scope, an engagement or
 * person that is not of the production, an ended engagement, one without named scopes, and an expiry in the past.
 */
export function mintKey(
  store: Store,
  given: {
    production_id: number;
    label: string;
    scopes?: readonly string[];
    engagement_id?: number | undefined;
    person_id?: number | undefined;
    /** A date or an ISO moment. */
    expires?: string | undefined;
  },
  now: string,
): MintedKey {
  const { production_id, label, scopes: named = [], engagement_id = null, person_id = null } = given;
  const judged = v.safeParse(v.object({ label: text(200) }), { label });
  if (!judged.success) throw new CliError(sentences(judged.issues).join("; "));
  const held = scopesOf(named);
  const expires_at = expiryOf(given.expires, now);
  return store.writeSync(() => {
    if (engagement_id !== null) checkEngagement(store, { engagement_id, production_id, named, now });
    if (person_id !== null) checkPerson(store, person_id, production_id);
    const token = newToken(store);
    const prefix = token.slice(0, prefixLength);
    const { id } = store.run("create_key", {
      ...{ production_id, engagement_id, person_id, label, prefix, expires_at, now },
      token_sha256: tokenHash(token),
      scopes: JSON.stringify(held),
    });
    const detail = { id, label, prefix, scopes: held, engagement_id, person_id, expires_at };
    recordAdminAction(store, { action: "key.minted", production_id, detail }, now);
    return { id, token, prefix, label, scopes: held, production_id, engagement_id };
  });
}

/** Every key there was, oldest first; of one production where it is given. */
export function listKeys(
  store: Store,
  { production_id }: { production_id?: number | undefined },
  now: string,
): KeyRow[] {
  return store
    .all<Record<string, unknown>>("list_keys", { production_id: production_id ?? null, now })
    .map((row) => asKey(row));
}

/** The key of a whole token; undefined where it is none of ours. */
export function findKeyByToken(store: Store, token: string, now: string): KeyRow | undefined {
  const key = { id: null, prefix: null, token_sha256: tokenHash(token), now };
  const row = store.get<Record<string, unknown>>("find_key", key);
  return row && asKey(row);
}

/**
 * Revokes the key of an id or a prefix; it ends with the next call. `was_revoked` says that it had been already. Throws
 * CliError where there is no such key.
 */
export function revokeKey(store: Store, { key }: { key: string }, now: string): KeyRow & { was_revoked: boolean } {
  const id = /^[1-9]\d{0,14}$/.test(key) ? Number(key) : null;
  return store.writeSync(() => {
    // Whoever has the whole token at hand may paste it: what is looked for, and told, is its prefix.
    const prefix = id === null ? key.slice(0, prefixLength) : null;
    const row = store.get<Record<string, unknown>>("find_key", { id, prefix, token_sha256: null, now });
    if (row === undefined)
      throw new CliError(`there is no key ${id ?? prefix}; \`tallylight keys list\` shows those there are`);
    const found = asKey(row);
    const was_revoked = found.revoked_at !== null;
    if (was_revoked) return { ...found, was_revoked };
    store.run("revoke_key", { id: found.id, now });
    const detail = { id: found.id, label: found.label, prefix: found.prefix };
    recordAdminAction(store, { action: "key.revoked", production_id: found.production_id, detail }, now);
    return { ...found, revoked_at: now, live: false, was_revoked };
  });
}
