// Gives a key another token. The former one is good for a while.
import { tokenHash } from "../../core/access/callers.ts";
import { conflict, unprocessable } from "../../core/errors.ts";
import { change } from "../../core/store/statements.ts";
import { hour, later } from "../../core/times.ts";
import type { Admin } from "../../graph/admin.ts";
import { recordAction } from "../../graph/audit.ts";
import { type MintedKey, newToken, prefixLength, requireKey } from "../../graph/keys.ts";

const keepFormerToken = change("keep_former_token");

const replaceToken = change("replace_token");

export interface RotatedKey extends MintedKey {
  /** The first characters of the former token, and when it ends. */
  former: { prefix: string; ends_at: string };
}

/** The longest time for which a former token is good, in days. */
const maxOverlap = 90;

/**
 * Gives a key another token. The former one is good for `hours` more. Sign-ins and sessions of the key go on. Throws
 * 404 for an unknown key, 409 for one that is revoked or expired, 422 for a time of more than 90 days.
 */
export function rotateKey(admin: Admin, id: number, hours: number): RotatedKey {
  const { store, now } = admin;
  if (!(hours >= 0 && hours <= maxOverlap * 24))
    throw unprocessable(`the former token can be good for 0 to ${maxOverlap} days`);
  const ends_at = later(now, hours * hour);
  return store.writeSync(() => {
    const {
      live,
      prefix: before,
      label,
      scopes: held,
      production_id,
      engagement_id,
      expires_at,
    } = requireKey(admin, { id, prefix: null });
    if (!live) throw conflict(`key ${id} is revoked or expired; mint another one`);
    const token = newToken(store);
    const prefix = token.slice(0, prefixLength);
    if (hours > 0) keepFormerToken(store, { id, now, ends_at });
    replaceToken(store, { id, token_sha256: tokenHash(token), prefix });
    const former = { prefix: before, ends_at };
    recordAction(admin, { action: "key.rotated", production_id, detail: { id, label, prefix, former } });
    return { id, token, prefix, label, scopes: held, production_id, engagement_id, expires_at, former };
  });
}
