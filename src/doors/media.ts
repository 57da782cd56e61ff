// The off-plane media route: /media/<path>?t=<ticket>. Trusts the ticket and never a header; a path is looked up as it
// stands, never joined to anything.
import { Refusal } from "../errors.ts";
import { getMediaAtPath } from "../operations/media.ts";
import { type Exchange, sendBytes } from "./exchange.ts";

export const mediaPath = "/media/";

export async function mediaDoor(exchange: Exchange): Promise<void> {
  const { app, req, path, query, request } = exchange;
  request.operation = "media_route";
  if (req.method !== "GET" && req.method !== "HEAD")
    throw new Refusal(405, "this path takes GET, HEAD", { allow: "GET, HEAD" });
  const ticket = new URLSearchParams(query).getAll("t").at(-1);
  await sendBytes(exchange, getMediaAtPath(app, path.slice(mediaPath.length), ticket));
}
