// Mints, lists and revokes API keys. A token is shown once and stored as a hash. What a key may do is decided at each
// call. docs/api.md, "Keys and scopes" and "Administration".
import { randomBytes } from "node:crypto";
import * as v from "valibot";
import { type Scope, scopes, studioScopes, tokenHash } from "../core/access/callers.ts";
import { conflict, forbidden, unprocessable } from "../core/errors.ts";
import type { EngagementId, Identified, KeyId, PersonId, ProductionId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import { describe, validate } from "../core/inputs.ts";
import { commandText } from "../core/program.ts";
import * as out from "../core/records.ts";
import { change, many, one } from "../core/store/statements.ts";
import type { Store } from "../core/store/store.ts";
import { cut } from "../core/wording.ts";
import { type Admin, expiryOf, mayChange, recordChange, requireChangeable } from "./admin.ts";
import { recordAction } from "./audit.ts";
import { getEngagement } from "./engagements.ts";
import { zoneOf } from "./production.ts";

/** `tl_` and the first eight random characters: enough to recognise a key, but not enough to use it. */
export const prefixLength = 11;

const tokenPrefix = describe(out.text, "The first characters of the token: enough to recognise it, not to use it.");

export const keyRow = out.record(
  "Key",
  v.object({
    id: out.id,
    label: out.text,
    prefix: tokenPrefix,
    scopes: v.array(v.picklist(scopes)),
    production_id: out.id,
    production: describe(out.text, "The production's title."),
    engagement_id: v.nullable(out.id),
    vendor: v.nullable(out.text),
    person_id: v.nullable(out.id),
    person: v.nullable(out.text),
    person_left: describe(
      v.boolean(),
      "Whether the person of the key left the production. Until the person is active again, the key does nothing.",
    ),
    created_at: out.timestamp,
    expires_at: v.nullable(out.timestamp),
    revoked_at: v.nullable(out.timestamp),
    last_used_at: describe(v.nullable(out.timestamp), "When the key was last used, to the minute."),
    engagement_ended_at: describe(
      v.nullable(out.timestamp),
      "When the engagement of the key ended. From then on, the key is live but reaches nothing.",
    ),
    live: describe(v.boolean(), "Whether the key is neither revoked nor expired."),
    former_tokens: v.optional(
      describe(
        v.array(v.object({ prefix: out.text, ends_at: out.timestamp })),
        "The tokens that a rotation replaced and that are still good, with their ends. Absent if there is none.",
      ),
    ),
  }),
);
export type KeyRow = v.InferOutput<typeof keyRow>;

type StoredRow = Identified<Omit<KeyRow, "scopes" | "live" | "person_left" | "former_tokens">, "key"> & {
  scopes: string;
  live: 0 | 1;
  person_left: 0 | 1;
  former_tokens: string;
};

export const mintedKey = out.record(
  "MintedKey",
  v.object({
    id: out.id,
    token: describe(out.text, "The token of the key. It is shown only this once."),
    prefix: tokenPrefix,
    label: out.text,
    scopes: v.array(v.picklist(scopes)),
    production_id: out.id,
    engagement_id: v.nullable(out.id),
    expires_at: v.nullable(out.timestamp),
  }),
);
export type MintedKey = v.InferOutput<typeof mintedKey>;

/** What a key is found by: one of the three; the others are null. */
interface KeyName {
  id: number | null;
  prefix: string | null;
  token_sha256: string | null;
}

const rowsOf = many<{ production_id: ProductionId | null; now: string }, StoredRow>("list_keys");
const rowOf = one<KeyName & { now: string }, StoredRow>("find_key");
const insertKey = change("create_key");
const revoke = change("revoke_key");
const keysOf = many<
  { production_id: ProductionId; person_id: PersonId | null; engagement_id: EngagementId | null; label: string | null },
  { id: KeyId }
>("list_keys_of");
const endFormerToken = change("end_former_token");
const personOf = one<{ id: number }, { production_id: ProductionId; active: 0 | 1 }>("find_person");
const adminKeyOf = one<{ production_id: ProductionId; person_id: number; now: string }, { found: 1 }>(
  "is_person_of_admin_key",
);

/** Whether a live key with the scope admin is bound to a person. */
export const hasAdminKey = ({ store, now }: Admin, production_id: ProductionId, person_id: number): boolean =>
  adminKeyOf(store, { production_id, person_id, now }) !== undefined;

function keyOf({ former_tokens, ...row }: StoredRow): KeyRow {
  const former = row.live === 0 || former_tokens === "[]" ? {} : { former_tokens: JSON.parse(former_tokens) };
  return {
    ...row,
    scopes: JSON.parse(row.scopes),
    live: row.live === 1,
    person_left: row.person_left === 1,
    ...former,
  };
}

/** The named scopes in their own order, each once; read and write if none is named. Throws 422 for an unknown one. */
function scopesOf(named: readonly string[]): Scope[] {
  const unknown = named.find((scope) => !scopes.some((known) => known === scope));
  if (unknown !== undefined)
    throw unprocessable(`there is no scope ${cut(unknown)}; the scopes are ${scopes.join(", ")}`);
  return named.length === 0 ? ["read", "write"] : scopes.filter((scope) => named.includes(scope));
}

/**
 * Throws 403 or 422 if the admin may not mint a key with a scope of production-wide keys, or if such a key is bound to
 * an engagement.
 */
function checkWideScopes({ local }: Admin, held: readonly Scope[], engagement_id: EngagementId | null): void {
  const wide = studioScopes.find((scope) => held.includes(scope));
  if (wide === "admin" && !local)
    throw forbidden(
      `a key with the \`admin\` scope is minted on the machine only, with ${commandText("keys mint --scope admin")}`,
    );
  if (wide !== undefined && engagement_id !== null)
    throw unprocessable(`a key with the ${wide} scope is production-wide: it cannot be bound to an engagement`);
}

/** Throws 404 if the engagement does not exist, 422 if it is of another production. */
function engagementOf(admin: Admin, engagement_id: EngagementId, production_id: ProductionId) {
  const engagement = getEngagement(admin, engagement_id);
  if (engagement.production_id !== production_id)
    throw unprocessable(`engagement ${engagement_id} is not an engagement of production ${production_id}`);
  return engagement;
}

/** Throws 404, 409 or 422 if a key cannot be bound to the engagement. */
function checkEngagement(admin: Admin, engagement_id: EngagementId, production_id: ProductionId): void {
  const engagement = engagementOf(admin, engagement_id, production_id);
  if (!engagement.active)
    throw conflict(`engagement ${engagement_id} was ended on ${engagement.ended_at?.slice(0, 10)}`);
}

/** What whoever mints a key should know: a bound key can do nothing with the scope write, which is a default. */
export const mintWarnings = ({ engagement_id, scopes }: MintedKey): string[] =>
  engagement_id === null || !scopes.includes("write")
    ? []
    : [
        `every endpoint that needs the write scope refuses a key that is bound to an engagement${scopes.includes("submit:turnover") ? "" : "; to submit work, it needs the submit:turnover scope"}`,
      ];

/** A person of the production, also one who left. Throws 422 if there is none, or it is one of another production. */
function personIn(admin: Admin, person_id: PersonId, production_id: ProductionId): { active: number } {
  const person = personOf(admin.store, { id: person_id });
  if (person === undefined || !mayChange(admin, person.production_id))
    throw unprocessable(`there is no person ${person_id}`);
  if (person.production_id !== production_id)
    throw unprocessable(`person ${person_id} is not a person of production ${production_id}`);
  return person;
}

/** A token whose prefix no other key has: revoking by prefix must mean one key. */
export function newToken(store: Store): string {
  for (;;) {
    const token = `tl_${randomBytes(32).toString("base64url")}`;
    const prefix = token.slice(0, prefixLength);
    if (rowOf(store, { id: null, prefix, token_sha256: null, now: "" }) === undefined) return token;
  }
}

/** What a key is minted with. */
export interface MintInput {
  production_id: ProductionId;
  label: string;
  scopes?: readonly string[] | undefined;
  engagement_id?: EngagementId | undefined;
  person_id?: PersonId | undefined;
  /** A date or an ISO timestamp. */
  expires?: string | undefined;
}

/**
 * Mints a key: the one place that shows its token. Throws 422 for an unknown scope, an engagement or a person of
 * another production, a bound key with the scope admin or edit, and an expiry in the past, 404 for an unknown
 * engagement, 409 for an ended one, 403 for the admin scope if the admin is not at the command line.
 */
export function mintKey(admin: Admin, given: MintInput): MintedKey {
  const { production_id, scopes: named = [], engagement_id = null, person_id = null } = given;
  const { label } = validate(v.object({ label: input.lineLabel(200) }), { label: given.label });
  const held = scopesOf(named);
  checkWideScopes(admin, held, engagement_id);
  const { store, now } = admin;
  const expires_at = expiryOf(given.expires, now, zoneOf(store, { production_id }));
  return store.writeSync(() => {
    if (engagement_id !== null) checkEngagement(admin, engagement_id, production_id);
    if (person_id !== null && personIn(admin, person_id, production_id).active === 0)
      throw unprocessable(`person ${person_id} left the production, so a key of that person would do nothing`);
    const token = newToken(store);
    const prefix = token.slice(0, prefixLength);
    const key = { production_id, engagement_id, person_id, label, prefix, expires_at, now };
    const { id } = insertKey(store, { ...key, token_sha256: tokenHash(token), scopes: JSON.stringify(held) });
    const detail = { id, label, prefix, scopes: held, engagement_id, person_id, expires_at };
    const summary = `Made key ${id} with ${held.join(", ")}`; // an export has no label and no prefix of a key
    recordChange(
      admin,
      { production_id, summary, detail },
      { type: "key.minted", subject: { kind: "key", id }, data: { label, scopes: held, engagement_id } },
    );
    return { id, token, prefix, label, scopes: held, production_id, engagement_id, expires_at };
  });
}

/** The former tokens of a key that are still good, a line for each. */
export const formerTokenLines = ({ id, former_tokens = [] }: KeyRow): string[] =>
  former_tokens.map(({ prefix, ends_at }) => `key ${id}: the former token ${prefix}… is good until ${ends_at}`);

/** Returns every key that was ever minted, oldest first; if a production is given, only its keys. */
export const listKeys = (
  store: Store,
  { production_id }: { production_id?: ProductionId | undefined },
  now: string,
): KeyRow[] => rowsOf(store, { production_id: production_id ?? null, now }).map(keyOf);

/** The key of a complete token; undefined if it is not a key of this directory. */
export function findKeyByToken(store: Store, token: string, now: string): KeyRow | undefined {
  const row = rowOf(store, { id: null, prefix: null, token_sha256: tokenHash(token), now });
  return row && keyOf(row);
}

/** The key of an id or a prefix. Throws 404 if it does not exist or the admin may not change it. */
export function requireKey(admin: Admin, { id, prefix }: { id: number | null; prefix: string | null }): KeyRow {
  const row = rowOf(admin.store, { id, prefix, token_sha256: null, now: admin.now });
  return keyOf(requireChangeable(admin, row, `key ${id ?? prefix}`, "keys list"));
}

/**
 * Revokes the key with an id or a prefix, from the next call on; by the prefix of a former token, only that token.
 * `was_revoked`: whether the key was already revoked before. Throws 404 if it does not exist or the admin may not
 * change it.
 */
export function revokeKey(
  admin: Admin,
  { key }: { key: string | number },
): KeyRow & { was_revoked: boolean; ended_token?: string } {
  const id = /^[1-9]\d{0,15}$/.test(String(key)) ? Number(key) : null;
  // The admin may paste a complete token: only its prefix is looked up and printed.
  const prefix = id === null ? String(key).slice(0, prefixLength) : null;
  const { store, now } = admin;
  return store.writeSync(() => {
    const found = requireKey(admin, { id, prefix });
    if (prefix !== null && prefix !== found.prefix) {
      endFormerToken(store, { key_id: found.id, prefix });
      recordAction(admin, {
        action: "key.token_ended",
        production_id: found.production_id,
        detail: { id: found.id, prefix },
      });
      return { ...requireKey(admin, { id: found.id, prefix: null }), ended_token: prefix, was_revoked: false };
    }
    if (found.revoked_at !== null) return { ...found, was_revoked: true };
    revoke(store, { id: found.id, now });
    const { production_id, label, scopes: held, engagement_id } = found;
    recordChange(
      admin,
      { production_id, summary: `Ended key ${found.id}`, detail: { id: found.id, label, prefix: found.prefix } },
      { type: "key.revoked", subject: { kind: "key", id: found.id }, data: { label, scopes: held, engagement_id } },
    );
    return { ...requireKey(admin, { id: found.id, prefix: null }), was_revoked: false };
  });
}

/**
 * Revokes every key of a person, of an engagement, or with a label, that is not revoked. Returns them. Throws 404 or
 * 422 if the production has no such person or engagement.
 */
export function revokeKeys(
  admin: Admin,
  of: {
    production_id: ProductionId;
    person_id?: PersonId | undefined;
    engagement_id?: EngagementId | undefined;
    label?: string | undefined;
  },
): KeyRow[] {
  const { production_id, person_id = null, engagement_id = null, label = null } = of;
  if (person_id !== null) personIn(admin, person_id, production_id);
  if (engagement_id !== null) engagementOf(admin, engagement_id, production_id);
  const named = { production_id, person_id, engagement_id, label };
  return admin.store.writeSync(() =>
    keysOf(admin.store, named).map(({ id }) => {
      const { was_revoked: _, ...key } = revokeKey(admin, { key: id });
      return key;
    }),
  );
}
