// The released still that a look brief is made of: found, and checked by its structure before anybody else sees it.
import { buffer } from "node:stream/consumers";
import type { Context } from "../context.ts";
import { notFound, unprocessable } from "../errors.ts";
import { walkJpeg } from "../store/jpeg.ts";

/** A released version with its still. */
export interface LookStill {
  node_id: number;
  label: string;
  version: number;
  sha256: string;
  /** In bytes. */
  size: number;
  content_type: string;
}

const maxBytes = 16 * 1024 * 1024;
/** In pixels a side: what decoders on a small box bear. */
const maxSide = 8_192;

/** Throws 404 for a version that is unknown, foreign or unreleased: all one answer; 422 for one without a still. */
export function getLookStill({ app, caller }: Context, version_id: number): LookStill {
  const { production_id } = caller;
  const still = app.store.get<LookStill | { sha256: null }>("get_look_still", { production_id, version_id });
  if (still === undefined) throw notFound();
  if (still.sha256 === null) throw unprocessable("this version has no still");
  return still;
}

/** The picture's own bytes, without what a camera put behind it. Throws 422 where it is no JPEG that decoders take. */
export async function readLookStill({ app }: Context, { sha256, size, content_type }: LookStill): Promise<Buffer> {
  if (content_type !== "image/jpeg") throw unprocessable(`the still must be a JPEG; this version's is ${content_type}`);
  if (size > maxBytes) throw unprocessable(`the still must have at most ${maxBytes.toLocaleString("en")} bytes`);
  const bytes = await buffer(app.blobs.stream(sha256, 0, size - 1));
  const frame = walkJpeg(bytes);
  if (typeof frame === "string") throw unprocessable(`the still ${frame}`);
  if (frame.width > maxSide || frame.height > maxSide)
    throw unprocessable(`the still must have at most ${maxSide.toLocaleString("en")} pixels a side`);
  return bytes.subarray(0, frame.size);
}
