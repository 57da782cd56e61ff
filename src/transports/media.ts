// The off-plane media route: /media/<path>?t=<ticket>. Trusts the ticket and never a header; a path is looked up as it
// stands, never joined to anything.
import { getMediaAtPath } from "../operations/media.ts";
import { checkMethod, type Transport } from "./http/request_context.ts";
import { sendBytes } from "./http/send.ts";

export const mediaPath = "/media/";

export const mediaTransport: Transport = {
  async answer(ctx) {
    const { app, path, query } = ctx;
    ctx.operation = "media_route";
    checkMethod(ctx, "GET", "HEAD");
    const ticket = new URLSearchParams(query).getAll("t").at(-1);
    await sendBytes(ctx, getMediaAtPath(app, path.slice(mediaPath.length), ticket));
  },
};
