// Media by id, and tickets for the media route. Visibility is the statement's: what is not reached has no row.
import { callerOfKey, isSignInLive } from "../access/callers.ts";
import { type App, type Context, reach } from "../context.ts";
import { HttpError, notFound } from "../errors.ts";
import { Bytes } from "./answers.ts";

type BytesRow = ConstructorParameters<typeof Bytes>[0];

/** GET /media/{id}/content */
export function getMediaContent(context: Context, { id }: { id: number }): Bytes {
  const row = context.app.store.get<BytesRow>("get_media_content", { ...reach(context), id });
  if (row === undefined) throw notFound();
  return new Bytes(row);
}

/** GET /media-ticket */
export function getMediaTicket({ app, caller }: Context) {
  const { key_id, production_id, access_token_sha256 } = caller;
  const expires = app.clock() + app.tickets.lifetime;
  return {
    ticket: app.tickets.sign({ key_id, production_id, expires, access_token_sha256 }),
    expires_at: new Date(expires).toISOString(),
    production_id,
  };
}

/**
 * The bytes at a media path for the bearer of a ticket. Throws 401 for a ticket that is no good and for one whose key or
 * sign-in has ended, 404 for a path that the key does not reach.
 */
export function getMediaAtPath(app: App, path: string, ticket: string | undefined): Bytes {
  const now = new Date(app.clock()).toISOString();
  const { key_id, production_id, access_token_sha256 } = app.tickets.verify(ticket, app.clock());
  const caller = callerOfKey(app.store, key_id, now);
  if (caller === undefined || caller.production_id !== production_id)
    throw new HttpError(401, "the key that asked for this media ticket is revoked or expired");
  if (access_token_sha256 !== undefined && !isSignInLive(app.store, { key_id, token_sha256: access_token_sha256 }, now))
    throw new HttpError(401, "the sign-in that asked for this media ticket has ended");
  if (!caller.scopes.includes("read")) throw notFound();
  const row = app.store.get<BytesRow>("get_media_at_path", { ...reach({ caller, now }), path });
  if (row === undefined) throw notFound();
  return new Bytes(row);
}
