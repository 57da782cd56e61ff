// Media tickets: signed, expiring references to a key and its production, for clients that cannot send a header. A
// ticket issued to an OAuth token also names that token. The key and the token are looked up again at every use. The
// keys that sign are the server's own secrets: DIR/secrets.json, created at the first start and readable only by its
// owner.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { closeSync, existsSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { CliError, HttpError } from "../core/errors.ts";
import { stateOf } from "../core/features.ts";
import type { KeyId, ProductionId } from "../core/ids.ts";
import type { Serving } from "../core/serving.ts";
import { readRecord, writeRecord } from "../core/store/files.ts";
import { minute } from "../core/times.ts";

/** A signing key. */
interface TicketKey {
  id: string;
  /** base64url */
  secret: string;
}

/** What a ticket says. */
interface TicketClaims {
  key_id: KeyId;
  production_id: ProductionId;
  /** In milliseconds. */
  expires: number;
  /** The SHA-256 of the access token that requested it; absent if a key did, and in tickets of version 1.0. */
  access_token_sha256?: string | undefined;
}

/** Makes and checks tickets. docs/api.md, "Media". */
interface Tickets {
  /** The lifetime of a new ticket in milliseconds. */
  lifetime: number;
  sign(claims: TicketClaims): string;
  /** Returns the claims of a ticket. Throws 401 if it is missing, malformed, forged or expired. */
  verify(ticket: string | undefined, now: number): TicketClaims;
}

/** A new signing key. */
const newTicketKey = (): TicketKey => ({
  id: randomBytes(4).toString("hex"),
  secret: randomBytes(32).toString("base64url"),
});

/**
 * The groups: the signed text, its parts (signing key, production, API key, expiry, access token), and the signature.
 */
const pattern =
  /^(([0-9a-f]{8})\.([1-9]\d{0,15})\.([1-9]\d{0,15})\.([0-9a-z]{1,11})(?:\.([A-Za-z0-9_-]{43}))?)\.([A-Za-z0-9_-]{43})$/;

/**
 * The first of `keys` signs, all of them verify. `lifetime` is in milliseconds. A ticket has the form
 * `<signing key>.<production>.<API key>.<expiry in base 36>[.<SHA-256 of the access token>].<HMAC-SHA-256>`.
 * Throws an Error if `keys` is empty.
 */
function openTickets(keys: readonly TicketKey[], lifetime: number): Tickets {
  const secrets = new Map(keys.map(({ id, secret }) => [id, Buffer.from(secret, "base64url")]));
  const first = keys[0];
  if (first === undefined) throw new Error("tickets: no signing key");
  const signature = (id: string, text: string): Buffer =>
    createHmac("sha256", secrets.get(id) ?? "")
      .update(`tallylight media ticket ${text}`)
      .digest();
  const unauthorized = (detail: string) => new HttpError(401, detail);
  return {
    lifetime,
    sign({ key_id, production_id, expires, access_token_sha256 }) {
      const token =
        access_token_sha256 === undefined ? "" : `.${Buffer.from(access_token_sha256, "hex").toString("base64url")}`;
      const text = `${first.id}.${production_id}.${key_id}.${expires.toString(36)}${token}`;
      return `${text}.${signature(first.id, text).toString("base64url")}`;
    },
    verify(ticket, now) {
      if (ticket === undefined || ticket === "") throw unauthorized("the media ticket is missing: send ?t=<ticket>");
      const [, text, id, production_id, key_id, expires, token, given] = pattern.exec(ticket) ?? [];
      if (text === undefined || id === undefined || given === undefined || !secrets.has(id))
        throw unauthorized("the media ticket is malformed or unknown");
      const expected = signature(id, text);
      // Compared as text, because decoding base64url ignores the spare bits of the last character.
      const same = timingSafeEqual(Buffer.from(given), Buffer.from(expected.toString("base64url")));
      if (!same) throw unauthorized("the media ticket is malformed or unknown");
      const claims = {
        key_id: Number(key_id),
        production_id: Number(production_id),
        expires: Number.parseInt(expires ?? "", 36),
        access_token_sha256: token === undefined ? undefined : Buffer.from(token, "base64url").toString("hex"),
      };
      if (claims.expires <= now)
        throw unauthorized("the media ticket has expired; get a new one from GET /api/v1/media-ticket");
      return claims;
    },
  };
}

const secretsSchema = v.object({
  /** The first key signs; all keys verify, so that an old key can be replaced without invalidating its tickets. */
  ticket_keys: v.pipe(
    v.array(
      v.object({
        id: v.pipe(v.string(), v.regex(/^[0-9a-f]{8}$/)),
        secret: v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{43}$/)),
      }),
    ),
    v.minLength(1),
  ),
});

/** The content of secrets.json. */
interface Secrets {
  ticket_keys: TicketKey[];
}

/** Whether this user may not read a file. Opens it, because accessSync needs a further permission on Deno. */
function isClosed(file: string): boolean {
  try {
    closeSync(openSync(file, "r"));
    return false;
  } catch {
    return true;
  }
}

/**
 * Reads the secrets of a data directory; creates them if the file does not exist. If `writes` is false, it stores none,
 * and makes some of its own where this user may not read the file. Throws CliError if the file is damaged.
 */
export function openSecrets(folder: string, writes = true): Secrets {
  const file = join(folder, "secrets.json");
  if (!existsSync(file) || (!writes && isClosed(file))) {
    const secrets = { ticket_keys: [newTicketKey()] };
    if (!writes) return secrets;
    writeRecord(file, secrets, true);
  }
  const secrets = readRecord(file, secretsSchema);
  if (secrets !== undefined) return secrets;
  throw new CliError(`${file} is damaged; remove it and start again (existing media tickets become invalid)`);
}

/** The lifetime of a media ticket, in milliseconds. */
const ticketLifetime = 15 * minute;

/** The tickets of an open application, signed with the secrets of its directory. */
export const ticketsOf = stateOf(({ store, copy }): Tickets => {
  // of a copy, only the database is read-only
  const canKeepFiles = store.unwritable === undefined || copy !== undefined;
  return openTickets(openSecrets(dirname(store.file), canKeepFiles).ticket_keys, ticketLifetime);
});

/** Reads the secrets before the server listens, so that it does not start with a damaged file. */
export const start = ({ app }: Serving): void => void ticketsOf(app);
