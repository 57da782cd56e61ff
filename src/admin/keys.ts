// API keys: minted, listed and revoked. A token is shown once and stored as a hash; what a call may do with it is decided at
// the call.
import { randomBytes } from "node:crypto";
import * as v from "valibot";
import { tokenHash } from "../access/callers.ts";
import { conflict, HttpError, unprocessable } from "../errors.ts";
import { type Scope, scopes, text } from "../inputs.ts";
import type { Store } from "../store/database.ts";
import { change, many, one } from "../store/statements.ts";
import { type Admin, check, mayTouch, recordAudited } from "./admin.ts";
import { getEngagement } from "./engagements.ts";
import { expiryOf } from "./expiry.ts";

/** `tl_` and the first eight random characters: enough to recognise a key, and not enough to use it. */
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
  /** When the engagement that it is bound to ended; null before that: such a key is live and reaches nothing. */
  engagement_ended_at: string | null;
  live: boolean;
}

type StoredRow = Omit<KeyRow, "scopes" | "live"> & { scopes: string; live: 0 | 1 };

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

interface NewKey {
  production_id: number;
  engagement_id: number | null;
  person_id: number | null;
  label: string;
  prefix: string;
  token_sha256: string;
  scopes: string;
  expires_at: string | null;
  now: string;
}

/** One of the three is not null. */
interface KeyName {
  id: number | null;
  prefix: string | null;
  token_sha256: string | null;
}

const rowsOf = many<{ production_id: number | null; now: string }, StoredRow>("list_keys");
const rowOf = one<KeyName & { now: string }, StoredRow>("find_key");
const insertKey = change<NewKey>("create_key");
const revoke = change<{ id: number; now: string }>("revoke_key");
const personOf = one<{ id: number }, { production_id: number }>("find_person");

const keyOf = (row: StoredRow): KeyRow => ({ ...row, scopes: JSON.parse(row.scopes), live: row.live === 1 });

/** The named scopes in their own order, each once; read and write if none is named. Throws 422 for an unknown one. */
function scopesOf(named: readonly string[]): Scope[] {
  const unknown = named.find((scope) => !scopes.some((known) => known === scope));
  if (unknown !== undefined)
    throw unprocessable(`there is no scope ${unknown}; a key's scopes are of ${scopes.join(", ")}`);
  return named.length === 0 ? ["read", "write"] : scopes.filter((scope) => named.includes(scope));
}

/** Throws 404, 409 or 422 if a key cannot be bound to the engagement. `named` are the scopes that were named. */
function checkEngagement(admin: Admin, engagement_id: number, production_id: number, named: readonly string[]): void {
  const engagement = getEngagement(admin, engagement_id);
  if (engagement.production_id !== production_id)
    throw unprocessable(`engagement ${engagement_id} is of another production than ${production_id}`);
  if (!engagement.active)
    throw conflict(`engagement ${engagement_id} was ended on ${engagement.ended_at?.slice(0, 10)}`);
  if (named.length === 0)
    throw unprocessable(
      "a key of an engagement needs its scopes named, from read, submit:turnover and read:money: with the default, read and write, it could neither submit nor write",
    );
}

function checkPerson(store: Store, person_id: number, production_id: number): void {
  const person = personOf(store, { id: person_id });
  if (person === undefined) throw unprocessable(`there is no person ${person_id}`);
  if (person.production_id !== production_id)
    throw unprocessable(`person ${person_id} is of another production than ${production_id}`);
}

/** A token whose prefix no other key has: revoking by prefix must mean one key. */
function newToken(store: Store): string {
  for (;;) {
    const token = `tl_${randomBytes(32).toString("base64url")}`;
    const prefix = token.slice(0, prefixLength);
    if (rowOf(store, { id: null, prefix, token_sha256: null, now: "" }) === undefined) return token;
  }
}

export interface MintInput {
  production_id: number;
  label: string;
  scopes?: readonly string[] | undefined;
  engagement_id?: number | undefined;
  person_id?: number | undefined;
  /** A date or an ISO timestamp. */
  expires?: string | undefined;
}

/**
 * Mints a key: the one place that shows its token. Throws 422 for an unknown scope, an engagement or a person of another
 * production, a bound key without named scopes and an expiry in the past, 404 for an unknown engagement, 409 for an ended one.
 */
export function mintKey(admin: Admin, given: MintInput): MintedKey {
  const { production_id, scopes: named = [], engagement_id = null, person_id = null } = given;
  const { label } = check(v.object({ label: text(200) }), { label: given.label });
  const held = scopesOf(named);
  const { store, now } = admin;
  const expires_at = expiryOf(given.expires, now);
  return store.writeSync(() => {
    if (engagement_id !== null) checkEngagement(admin, engagement_id, production_id, named);
    if (person_id !== null) checkPerson(store, person_id, production_id);
    const token = newToken(store);
    const prefix = token.slice(0, prefixLength);
    const key = { production_id, engagement_id, person_id, label, prefix, expires_at, now };
    const { id } = insertKey(store, { ...key, token_sha256: tokenHash(token), scopes: JSON.stringify(held) });
    const detail = { id, label, prefix, scopes: held, engagement_id, person_id, expires_at };
    recordAudited(
      admin,
      { production_id, detail },
      { type: "key.minted", subject: { kind: "key", id }, data: { label, scopes: held, engagement_id } },
    );
    return { id, token, prefix, label, scopes: held, production_id, engagement_id };
  });
}

/** Every key that was ever minted, oldest first; of one production if it is given. */
export const listKeys = (
  store: Store,
  { production_id }: { production_id?: number | undefined },
  now: string,
): KeyRow[] => rowsOf(store, { production_id: production_id ?? null, now }).map(keyOf);

/** The key of a complete token; undefined if it is not a key of this directory. */
export function findKeyByToken(store: Store, token: string, now: string): KeyRow | undefined {
  const row = rowOf(store, { id: null, prefix: null, token_sha256: tokenHash(token), now });
  return row && keyOf(row);
}

function recordRevocation(
  admin: Admin,
  { id, production_id, label, prefix, scopes: held, engagement_id }: KeyRow,
): void {
  recordAudited(
    admin,
    { production_id, detail: { id, label, prefix } },
    { type: "key.revoked", subject: { kind: "key", id }, data: { label, scopes: held, engagement_id } },
  );
}

/**
 * Revokes the key of an id or a prefix; it ends with the next call. `was_revoked`: it had been revoked already. Throws 404 if
 * there is none that the admin may touch.
 */
export function revokeKey(admin: Admin, { key }: { key: string }): KeyRow & { was_revoked: boolean } {
  const id = /^[1-9]\d{0,14}$/.test(key) ? Number(key) : null;
  // Whoever has the complete token may paste it: only its prefix is looked up, and told.
  const prefix = id === null ? key.slice(0, prefixLength) : null;
  const { store, now } = admin;
  return store.writeSync(() => {
    const row = rowOf(store, { id, prefix, token_sha256: null, now });
    if (row === undefined || !mayTouch(admin, row.production_id))
      throw new HttpError(404, `there is no key ${id ?? prefix}; \`tallylight keys list\` shows all of them`);
    const found = keyOf(row);
    if (found.revoked_at !== null) return { ...found, was_revoked: true };
    revoke(store, { id: found.id, now });
    recordRevocation(admin, found);
    return { ...found, revoked_at: now, live: false, was_revoked: false };
  });
}
