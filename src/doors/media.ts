// The off-plane media route: /media/<path>?t=<ticket>. Trusts the ticket and never a header; a path is looked up as it
// stands, never joined to anything.
import { getMediaAtPath } from "../operations/media.ts";
import { checkMethod, type Exchange, sendBytes } from "./exchange.ts";

export const mediaPath = "/media/";

export async function mediaDoor(exchange: Exchange): Promise<void> {
  const { app, path, query, request } = exchange;
  request.operation = "media_route";
  checkMethod(exchange, "GET", "HEAD");
  const ticket = new URLSearchParams(query).getAll("t").at(-1);
  await sendBytes(exchange, getMediaAtPath(app, path.slice(mediaPath.length), ticket));
}
