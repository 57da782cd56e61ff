// Stand-ins: the bounded JPEG that is shown for a file of the library. The file's own row is not touched by it.
import { readFileSync } from "node:fs";
import type { Context } from "../context.ts";
import { notFound, unprocessable } from "../errors.ts";
import type { Upload } from "../inputs.ts";
import { inspectJpeg } from "../store/jpeg.ts";
import { cleanLabel, createMedia } from "../store/media.ts";
import { recordActivity } from "./activity.ts";
import { installOf } from "./storage.ts";

/** Pixels a side. */
const longestSide = 4096;

/** A library file with the stand-in that it has, if any. */
export interface AssetFile {
  id: number;
  state: "present" | "gone";
  media_id: number | null;
  sha256: string | null;
  media_created_at: string | null;
}

/** Throws 422 with the reason where the bytes are not a whole JPEG of at most 4,096 pixels a side. */
function checkJpeg(file: string): void {
  const frame = inspectJpeg(readFileSync(file));
  if (typeof frame === "string") throw unprocessable(`bytes ${frame}`);
  const { width, height, size } = frame;
  if (Math.max(width, height) > longestSide)
    throw unprocessable(`bytes has ${width} x ${height} pixels, and a stand-in at most ${longestSide} a side`);
  // The shortest code has one bit and every block of 8 x 8 pixels needs one: forged dimensions do not add up.
  if (size * 8 < Math.ceil(width / 8) * Math.ceil(height / 8))
    throw unprocessable("bytes has too little data for its dimensions");
}

interface Proxy {
  filespace: string;
  path: string;
  bytes: Upload;
}

/** POST /storage/media-proxy. Throws 409, 422 for another filespace or no such JPEG, 404 for a path that is not in the library. */
export async function putMediaProxy(context: Context, { filespace, path, bytes: { staged } }: Proxy) {
  installOf(context, filespace);
  checkJpeg(staged.file);
  await context.app.blobs.prepare([staged]);
  return context.write((context) => {
    const { app, caller, now } = context;
    const { production_id, label: created_by } = caller;
    const { store, blobs } = app;
    const install = installOf(context, filespace);
    const file = store.get<AssetFile>("get_asset_file", { install_id: install.id, path });
    if (file === undefined || file.state === "gone") throw notFound();
    let media_id = file.media_id;
    if (media_id === null) {
      const label = cleanLabel(path, "stand-in");
      const media = { production_id, asset_file_id: file.id, kind: "proxy", label, created_by, created_at: now };
      media_id = createMedia(store, blobs, staged, media, now);
    } else {
      blobs.place(staged, now);
      store.run("put_media_proxy", { production_id, media_id, sha256: staged.sha256, created_by, now });
      if (file.sha256 !== null && file.sha256 !== staged.sha256) blobs.forget(file.sha256);
    }
    recordActivity(context, { verb: "storage.stand_in_put", summary: `Put a stand-in for ${path} in ${filespace}` });
    const { path: media_path } = store.get<{ path: string }>("get_media_path", { production_id, media_id }) ?? {};
    return { ok: true, media_path, bytes: staged.size };
  });
}
