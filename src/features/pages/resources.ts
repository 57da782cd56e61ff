// What pages load besides their own text: stills, files, and the line that tells an open page what changed. That of a vendor is told only
// that something within its reach has changed: the manifest says so.

import { sendBody, sendBytes } from "../../core/http/send.ts";
import type { Bytes } from "../../core/operation.ts";
import { authorize, validate } from "../../core/pipeline.ts";
import { getAsset } from "../../graph/assets.ts";
import { getMediaContent } from "../../graph/media.ts";
import { streamEvents, streamHeaders, streamTo } from "../events/event_stream.ts";
import { listEvents, readerOwner, subscribeToEvents } from "../events/operations.ts";
import { getManifest } from "../search/manifest.ts";
import type { Visit } from "./visit.ts";

/** How often the manifest is made at most, in milliseconds. */
const checkInterval = 3_000;
/** How often it is made although nothing was committed, because grants also expire. */
const expiryInterval = 60_000;

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

type Send = (visit: Visit) => Promise<void>;

/** A transparent image of one pixel. It leaves the kind visible that a still's box shows. */
const noPicture = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

const sendNoPicture = ({ ctx }: Visit): void =>
  sendBody(ctx, 200, noPicture, { "content-type": "image/gif", "cache-control": "no-store" });

/** Sends the bytes if they are an image that browsers show; otherwise an empty image, because the lists do not say which have one. */
async function sendStill(visit: Visit, media_id: number): Promise<void> {
  const bytes: Bytes = await visit.bytes(getMediaContent, { id: media_id });
  if (!bytes.content_type.startsWith("image/")) return sendNoPicture(visit);
  visit.ctx.res.setHeader("cross-origin-resource-policy", "same-origin");
  await sendBytes(visit.ctx, bytes);
}

export const sendThumbnail: Send = (visit) => sendStill(visit, visit.id("media_id"));

/** The newest released still of an asset; an empty image if none of its released versions has a medium. */
export const sendNewestStill: Send = async (visit) => {
  const { versions } = await visit.ask(getAsset, { node_id: visit.id("node_id") });
  const newest = versions.findLast((version) => version.released && !version.archived && version.media_id !== null);
  if (newest === undefined || !newest.released || newest.media_id === null) sendNoPicture(visit);
  else await sendStill(visit, newest.media_id);
};

export const sendFile: Send = async (visit) => {
  await sendBytes(visit.ctx, await visit.bytes(getMediaContent, { id: visit.id("media_id") }));
};

/** An open page hears something at least every two seconds; otherwise its line is cut. In milliseconds. */
const liveTimes = { quiet: 1_000, stalled: 30_000 };

/** Streams what changes after a cursor; a vendor hears only that something within its reach has changed. */
export const sendChanges: Send = async (visit) => {
  const { ctx, context, isVendor } = visit;
  if (ctx.req.method === "HEAD") return void ctx.res.writeHead(200, streamHeaders).end();
  if (isVendor) return streamReach(visit, liveTimes.quiet);
  authorize(context, listEvents);
  const query = validate(listEvents.input, { after: visit.query.get("after") ?? "now" });
  return streamEvents(ctx, context, subscribeToEvents(context, query), liveTimes);
};
