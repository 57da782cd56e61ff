// Sends a message whenever a manifest moves, as server-sent events.
import type { Context } from "../../core/context.ts";
import type { RequestContext } from "../../core/http/request_context.ts";
import { defaultStreamTimes, reconnectTime, streamTo } from "../events/event_stream.ts";
import type { StreamTimes } from "../events/state.ts";
import { followerOf } from "./manifest_changes.ts";
import { currentTag } from "./manifest_tags.ts";

/**
 * Streams until the client disconnects, the server stops or the key ends. `first` is sent at once and `moved` with each
 * further tag, both made of the tag. Throws 503 if the key has too many readers.
 */
export async function streamMoves(
  ctx: RequestContext,
  context: Context,
  times: StreamTimes,
  [first, moved]: readonly [(etag: string) => string, (etag: string) => string],
): Promise<void> {
  const { res } = ctx;
  const sentTag = await currentTag(context);
  let lastWrite = performance.now();
  const write = (text: string): void => {
    if (res.destroyed || res.writableEnded) return;
    lastWrite = performance.now();
    ctx.sent += text.length;
    res.write(text);
  };
  const end = (): void => void (res.writableNeedDrain ? res.destroy() : res.end());
  const follower = followerOf(context, sentTag, (etag) => write(moved(etag)), end);
  const tick = (): void => {
    const silent = performance.now() - lastWrite;
    if (!res.writableNeedDrain) {
      if (silent >= times.quiet) write(": \n\n");
      follower.tick();
    } else if (silent > times.stalled) res.destroy(); // the client does not read
  };
  const closed = streamTo(ctx, { ...follower, tick });
  write(first(sentTag.etag));
  return closed;
}

const eventOf = (etag: string): string => `event: manifest\ndata: ${JSON.stringify({ etag })}\n\n`;

/** Streams the tags of the caller's manifest. */
export const streamChanges = (ctx: RequestContext, context: Context): Promise<void> =>
  streamMoves(ctx, context, ctx.app.options.streamTimes ?? defaultStreamTimes, [
    (etag) => `retry: ${reconnectTime}\n\n${eventOf(etag)}`,
    eventOf,
  ]);
