// Sends the tags of a manifest as server-sent events.
import type { Context } from "../../core/context.ts";
import type { RequestContext } from "../../core/http/request_context.ts";
import { defaultStreamTimes, reconnectTime, streamTo } from "../events/event_stream.ts";
import { followerOf } from "./manifest_changes.ts";
import { currentTag } from "./manifest_tags.ts";

/** Sends an event with the present tag, and one whenever it moves. Throws 503 if the key has too many readers. */
export async function streamChanges(ctx: RequestContext, context: Context): Promise<void> {
  const { res, app } = ctx;
  const times = app.options.streamTimes ?? defaultStreamTimes;
  let lastWrite = performance.now();
  const write = (text: string): void => {
    lastWrite = performance.now();
    ctx.sent += text.length;
    res.write(text);
  };
  const tell = (etag: string): void => {
    if (!res.writableEnded) write(`event: manifest\ndata: ${JSON.stringify({ etag })}\n\n`);
  };
  const end = (): void => void (res.writableNeedDrain ? res.destroy() : res.end());
  const told = await currentTag(context);
  const follower = followerOf(context, told, tell, end);
  const closed = streamTo(ctx, {
    ...follower,
    tick() {
      const silent = performance.now() - lastWrite;
      if (res.destroyed || res.writableEnded) return;
      if (res.writableNeedDrain) {
        if (silent > times.stalled) res.destroy(); // the client does not read
        return;
      }
      if (silent >= times.quiet) write(": \n\n");
      follower.tick();
    },
  });
  write(`retry: ${reconnectTime}\n\n`);
  tell(told.etag);
  return closed;
}
