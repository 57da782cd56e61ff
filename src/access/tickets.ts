// Media tickets: a signed name of one key and one production with an end, for places that cannot send a header. A ticket that
// an OAuth token fetched names that token too. The ticket itself grants nothing: what it names is looked up at every use.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { HttpError } from "../errors.ts";

/** A signing key; the first of the list signs, all of them verify. */
export interface TicketKey {
  id: string;
  /** base64url */
  secret: string;
}

export interface TicketClaims {
  key_id: number;
  production_id: number;
  /** In milliseconds. */
  expires: number;
  /** The SHA-256 of the access token that fetched it; absent if a key did, and in tickets of 1.0. */
  access_token_sha256?: string | undefined;
}

export interface Tickets {
  /** How long a new ticket lives, in milliseconds. */
  lifetime: number;
  sign(claims: TicketClaims): string;
  /** What a ticket names. Throws 401 where it is missing, malformed, forged or expired. */
  verify(ticket: string | undefined, now: number): TicketClaims;
}

export const newTicketKey = (): TicketKey => ({
  id: randomBytes(4).toString("hex"),
  secret: randomBytes(32).toString("base64url"),
});

/** The parts of a ticket: all that is signed, the signing key, production, API key, end, access token, signature. */
const pattern =
  /^(([0-9a-f]{8})\.([1-9]\d{0,15})\.([1-9]\d{0,15})\.([0-9a-z]{1,11})(?:\.([A-Za-z0-9_-]{43}))?)\.([A-Za-z0-9_-]{43})$/;

/**
 * `keys` must hold at least one. A ticket reads `<signing key>.<production>.<API key>.<end, base 36>[.<access token>].<HMAC-SHA-256>`;
 * the access token stands there as its SHA-256, and without it the form is that of 1.0.
 */
export function openTickets(keys: readonly TicketKey[], lifetime: number): Tickets {
  const secrets = new Map(keys.map(({ id, secret }) => [id, Buffer.from(secret, "base64url")]));
  const first = keys[0];
  if (first === undefined) throw new Error("tickets: no signing key");
  const signature = (id: string, text: string): Buffer =>
    createHmac("sha256", secrets.get(id) as Buffer)
      .update(`tallylight media ticket ${text}`)
      .digest();
  const refused = (detail: string) => new HttpError(401, detail);
  return {
    lifetime,
    sign({ key_id, production_id, expires, access_token_sha256 }) {
      const token =
        access_token_sha256 === undefined ? "" : `.${Buffer.from(access_token_sha256, "hex").toString("base64url")}`;
      const text = `${first.id}.${production_id}.${key_id}.${expires.toString(36)}${token}`;
      return `${text}.${signature(first.id, text).toString("base64url")}`;
    },
    verify(ticket, now) {
      if (ticket === undefined || ticket === "") throw refused("the media ticket is missing: send ?t=<ticket>");
      const [, text, id, production_id, key_id, expires, token, given] = pattern.exec(ticket) ?? [];
      if (text === undefined || id === undefined || given === undefined || !secrets.has(id))
        throw refused("the media ticket is malformed or unknown");
      const expected = signature(id, text);
      // Decoding base64url forgives stray bits in the last character: the text itself must be the one that we would write.
      const same = timingSafeEqual(Buffer.from(given), Buffer.from(expected.toString("base64url")));
      if (!same) throw refused("the media ticket is malformed or unknown");
      const claims = {
        key_id: Number(key_id),
        production_id: Number(production_id),
        expires: Number.parseInt(expires ?? "", 36),
        access_token_sha256: token === undefined ? undefined : Buffer.from(token, "base64url").toString("hex"),
      };
      if (claims.expires <= now)
        throw refused("the media ticket has expired; ask GET /api/v1/media-ticket for a new one");
      return claims;
    },
  };
}
