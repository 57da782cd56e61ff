// The off-plane media route: /media/<path>?t=<ticket>. Trusts the ticket and never a header; a path is looked up as it
// stands, never joined to anything.
import { getMediaAtPath } from "../operations/media.ts";
import { checkMethod, type RequestContext, sendBytes } from "./http/request_context.ts";

export const mediaPath = "/media/";

export async function mediaTransport(ctx: RequestContext): Promise<void> {
  const { app, path, query, request } = ctx;
  request.operation = "media_route";
  checkMethod(ctx, "GET", "HEAD");
  const ticket = new URLSearchParams(query).getAll("t").at(-1);
  await sendBytes(ctx, getMediaAtPath(app, path.slice(mediaPath.length), ticket));
}
