// The line that tells an open page what changed. That of a vendor is told only that something within its reach has
// changed: the manifest says so.
import { validate } from "../../../core/inputs.ts";
import { authorize } from "../../../core/pipeline.ts";
import type { Visit } from "../../pages/visit.ts";
import { streamMoves } from "../../search/manifest_stream.ts";
import { cursorAt, lastPosition } from "../cursors.ts";
import { streamEvents, streamHeaders } from "../event_stream.ts";
import { listEvents, subscribeToEvents } from "../operations.ts";

/** An open page hears something at least every two seconds; otherwise its line is cut. In milliseconds. */
const liveTimes = { quiet: 1_000, stalled: 30_000 };

/** Streams what changes after a cursor; a vendor hears only that something within its reach has changed. */
export async function sendChanges(visit: Visit): Promise<void> {
  const { ctx, context, isVendor } = visit;
  if (ctx.req.method === "HEAD") return void ctx.res.writeHead(200, streamHeaders).end();
  if (isVendor) return streamMoves(ctx, context, liveTimes, [() => ": \n\n", () => 'data: {"type":"changed"}\n\n']);
  authorize(context, listEvents);
  const query = validate(listEvents.input, { after: visit.query.get("after") ?? "now" });
  return streamEvents(ctx, context, subscribeToEvents(context, query), liveTimes);
}

/** The position in the event log before anything of a page is read. */
export function newestCursor({ context: { app, caller } }: Visit): string {
  return cursorAt(app.store, lastPosition(app.store, caller.production_id));
}
