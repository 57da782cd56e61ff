// Media tickets: a signed name of one key and one production with an end, for places that cannot send a header.
// The ticket itself grants nothing: the key it names is looked up again at every use.
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { Refusal } from "../errors.ts";

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

/** `keys` must hold at least one. A ticket reads `<key id>.<production>.<api key>.<expires, base 36>.<HMAC-SHA-256>`. */
export function openTickets(keys: readonly TicketKey[], lifetime: number): Tickets {
  const secrets = new Map(keys.map(({ id, secret }) => [id, Buffer.from(secret, "base64url")]));
  const first = keys[0];
  if (first === undefined) throw new Error("tickets: no signing key");
  const signature = (id: string, text: string): Buffer =>
    createHmac("sha256", secrets.get(id) as Buffer)
      .update(`tallylight media ticket ${text}`)
      .digest();
  const refused = (detail: string) => new Refusal(401, detail);
  return {
    lifetime,
    sign({ key_id, production_id, expires }) {
      const text = `${first.id}.${production_id}.${key_id}.${expires.toString(36)}`;
      return `${text}.${signature(first.id, text).toString("base64url")}`;
    },
    verify(ticket, now) {
      if (ticket === undefined || ticket === "") throw refused("the media ticket is missing: send ?t=<ticket>");
      const [, text, id, production_id, key_id, expires, given] =
        /^(([0-9a-f]{8})\.([1-9]\d{0,15})\.([1-9]\d{0,15})\.([0-9a-z]{1,11}))\.([A-Za-z0-9_-]{43})$/.exec(ticket) ?? [];
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
      };
      if (claims.expires <= now)
        throw refused("the media ticket has expired; ask GET /api/v1/media-ticket for a new one");
      return claims;
    },
  };
}
