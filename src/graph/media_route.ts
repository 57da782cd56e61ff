// The media route: GET /media/<path>?t=<ticket>. It authenticates by the ticket and ignores the Authorization header.
// The path is only looked up in the database, never joined to a file path.
import { checkMethod, type Transport } from "../core/http/request_context.ts";
import { mediaPath } from "../core/http/request_head.ts";
import { sendBytes } from "../core/http/send.ts";
import { getMediaAtPath } from "./media.ts";

/**
 * The route of the feature `graph`: answers 401 for a ticket that is not valid, 404 for a path that its key does not
 * reach.
 */
export const openTransport = (): Transport => ({
  async answer(ctx) {
    const { app, path, query } = ctx;
    ctx.operation = "media_route";
    checkMethod(ctx, ["GET", "HEAD"]);
    const ticket = new URLSearchParams(query).getAll("t").at(-1);
    await sendBytes(ctx, getMediaAtPath(app, path.slice(mediaPath.length), ticket));
  },
});
