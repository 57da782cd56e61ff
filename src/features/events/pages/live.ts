// The line that tells an open page what changed. That of a vendor is told only that something within its reach has changed: the manifest
// says so.

import { authorize, validate } from "../../../core/pipeline.ts";
import { minute } from "../../../core/times.ts";
import type { Visit } from "../../pages/visit.ts";
import { getManifest } from "../../search/manifest.ts";
import { cursorAt, lastPosition } from "../cursors.ts";
import { streamEvents, streamHeaders, streamTo } from "../event_stream.ts";
import { listEvents, readerOwner, subscribeToEvents } from "../operations.ts";

/** How often the manifest is made at most, in milliseconds. */
const checkInterval = 3_000;
/** How often it is made although nothing was committed, because grants also expire. */
const expiryInterval = minute;

/** What the vendor's pages show, as one tag. */
const tagOf = async (visit: Visit): Promise<string> => (await visit.ask(getManifest, {})).etag;

/** Streams to a vendor until the client disconnects, the server stops or the session ends. `quiet` is in milliseconds. */
async function streamReach(visit: Visit, quiet: number): Promise<void> {
  const { ctx, context } = visit;
  const { res } = ctx;
  const { app, caller } = context;
  let tag = await tagOf(visit);
  /** A number that changes with every commit that the tag may depend on. */
  const revision = (): number => {
    app.store.revision(); // looks for commits of other processes
    return app.store.changedAt(caller.production_id, context.reads.reports);
  };
  let [seen, isChecking, checked, written] = [Number.NaN, false, performance.now(), performance.now()];
  const write = (text: string): void => {
    written = performance.now();
    ctx.sent += text.length;
    res.write(text);
  };
  async function check(): Promise<void> {
    [seen, isChecking, checked] = [revision(), true, performance.now()];
    try {
      const present = await tagOf(visit.renewed());
      if (present !== tag && !res.destroyed) write('data: {"type":"changed"}\n\n');
      tag = present;
    } catch (error) {
      ctx.error = error;
      res.destroy();
    }
    isChecking = false;
  }
  const closed = streamTo(ctx, {
    owner: readerOwner(context),
    wake() {},
    tick() {
      const age = performance.now() - checked;
      if (!isChecking && age > checkInterval && (age > expiryInterval || revision() !== seen)) void check();
      else if (performance.now() - written >= quiet && !res.writableNeedDrain) write(": \n\n");
    },
    end: () => void res.end(),
  });
  write(": \n\n");
  return closed;
}

/** An open page hears something at least every two seconds; otherwise its line is cut. In milliseconds. */
const liveTimes = { quiet: 1_000, stalled: 30_000 };

/** Streams what changes after a cursor; a vendor hears only that something within its reach has changed. */
export async function sendChanges(visit: Visit): Promise<void> {
  const { ctx, context, isVendor } = visit;
  if (ctx.req.method === "HEAD") return void ctx.res.writeHead(200, streamHeaders).end();
  if (isVendor) return streamReach(visit, liveTimes.quiet);
  authorize(context, listEvents);
  const query = validate(listEvents.input, { after: visit.query.get("after") ?? "now" });
  return streamEvents(ctx, context, subscribeToEvents(context, query), liveTimes);
}

/** The position in the event log before anything of a page is read. */
export function newestCursor({ context: { app, caller } }: Visit): string {
  return cursorAt(app.store, lastPosition(app.store, caller.production_id));
}
