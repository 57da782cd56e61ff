// What pages load besides their own text: stills and files.
import type { Bytes } from "../../core/answers.ts";
import type { HttpError } from "../../core/errors.ts";
import { sendBody, sendBytes } from "../../core/http/send.ts";
import { getAsset } from "../../graph/assets.ts";
import { getMediaContent } from "../../graph/media.ts";
import { isShownPicture } from "./media_words.ts";
import type { Visit } from "./visit.ts";

type Send = (visit: Visit) => Promise<void>;

/** A transparent image of one pixel. It leaves the kind visible that a still's box shows. */
const noPicture = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

const sendNoPicture = ({ ctx }: Visit): void =>
  sendBody(ctx, 200, noPicture, { "content-type": "image/gif", "cache-control": "no-store" });

/** A picture no wider than a width; the medium itself if too many wait for theirs. */
const pictureOf = (visit: Visit, id: number, width: 640 | 1280): Promise<Bytes> =>
  visit.bytes(getMediaContent, { id, width }).catch((error: HttpError) => {
    if (error.status !== 503) throw error;
    return visit.bytes(getMediaContent, { id });
  });

/**
 * Sends the bytes if they are an image that browsers show; otherwise an empty image, because the lists do not say which
 * have one.
 */
async function sendStill(visit: Visit, media_id: number): Promise<void> {
  const bytes = await pictureOf(visit, media_id, visit.query.get("width") === "1280" ? 1280 : 640);
  if (!isShownPicture(bytes)) return sendNoPicture(visit);
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
  const preview = visit.query.get("preview") === "true";
  await sendBytes(visit.ctx, await visit.bytes(getMediaContent, { id: visit.id("media_id"), preview }));
};
