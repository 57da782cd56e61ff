// Stores stand-ins, which the API calls media proxies: a small JPEG that is shown in place of a library file. The row
// of the file does not change. docs/agent.md, "Pictures".
import { readFile } from "node:fs/promises";
import * as v from "valibot";
import { largeJsonBody } from "../core/body_limits.ts";
import type { Context } from "../core/context.ts";
import { notFound, unprocessable } from "../core/errors.ts";
import type { Id, InstallId, ProductionId } from "../core/ids.ts";
import * as input from "../core/inputs.ts";
import { operation } from "../core/operation.ts";
import * as out from "../core/records.ts";
import { change, one, value } from "../core/store/statements.ts";
import { recordActivity } from "./activity.ts";
import { cleanLabel, createMedia } from "./media_rows.ts";
import { installOf, requireInstall } from "./storage.ts";
import { filePath } from "./storage_events.ts";

const standInPut = out.record("MediaProxy", v.object({ ok: v.boolean(), media_path: out.text, bytes: out.count }));

/** In pixels per side. */
const maxSide = 4096;

/** A library file with its stand-in, if it has one. */
export interface AssetFile {
  id: Id<"asset_file">;
  state: "present" | "gone";
  media_id: number | null;
  sha256: string | null;
  media_created_at: string | null;
}

/** The file at a path of a filespace; undefined if no event named it. */
export const assetFileOf = one<{ install_id: InstallId; path: string }, AssetFile>("get_asset_file");
const replaceStandIn = change("put_media_proxy");
const mediaPathOf = value<{ production_id: ProductionId; media_id: number }, string>("get_media_path");

/** Throws 422 with the reason if the bytes are not a complete JPEG of at most 4,096 pixels per side. */
async function checkJpeg(bytes: Uint8Array): Promise<void> {
  const { inspectJpeg } = await import("./jpeg.ts");
  const frame = inspectJpeg(bytes);
  if (typeof frame === "string") throw unprocessable(`bytes ${frame}`);
  const { width, height, size } = frame;
  if (Math.max(width, height) > maxSide)
    throw unprocessable(`bytes has ${width} x ${height} pixels; a stand-in has at most ${maxSide} per side`);
  // Every block of 8 x 8 pixels needs at least one bit, so too few bytes mean forged dimensions.
  if (size * 8 < Math.ceil(width / 8) * Math.ceil(height / 8))
    throw unprocessable("bytes has too little data for its dimensions");
}

interface StandIn {
  filespace: string;
  path: string;
  staged: input.Upload["staged"];
}

/** Stores the picture in place of a former one. Throws 404 if the library has no such file, or no longer. */
function recordStandIn(context: Context, { filespace, path, staged }: StandIn): v.InferOutput<typeof standInPut> {
  const { app, caller, now } = context;
  const { production_id, label: created_by } = caller;
  const { store, blobs } = app;
  const install = installOf(context, filespace);
  const file = assetFileOf(store, { install_id: install.id, path });
  if (file === undefined || file.state === "gone") throw notFound();
  let media_id = file.media_id;
  if (media_id === null) {
    const label = cleanLabel(path.split("/").at(-1), "stand-in");
    const media = { production_id, asset_file_id: file.id, kind: "proxy", label, created_by, created_at: now };
    media_id = createMedia(store, blobs, staged, media, now);
  } else {
    blobs.place([staged], now);
    replaceStandIn(store, { production_id, media_id, sha256: staged.sha256, created_by, now });
    if (file.sha256 !== null && file.sha256 !== staged.sha256) blobs.removeIfUnneeded(file.sha256);
  }
  recordActivity(
    context,
    { verb: "storage.stand_in_put", summary: `Put a stand-in for ${path} in ${filespace}` },
    {
      type: "storage.proxied",
      subject: { kind: "storage_file", id: file.id },
      data: { filespace, path, media_id },
    },
  );
  const media_path = mediaPathOf(store, { production_id, media_id }) as string; // safe: the row was written above
  return { ok: true, media_path, bytes: staged.size };
}

export const putMediaProxy = operation({
  hints: ["replaces", "repeats"],
  name: "put_media_proxy",
  summary:
    "Stores a JPEG of at most 4,096 pixels per side as the stand-in for a library file. Replaces an existing one.",
  method: "POST",
  path: "/storage/media-proxy",
  scope: "write",
  body: "json or multipart",
  body_limit: largeJsonBody,
  input: v.object({
    filespace: input.describe(input.text(300), "The active install's filespace."),
    path: input.describe(filePath, "The library file that the picture represents."),
    bytes: input.upload,
  }),
  output: standInPut,
  errors: [404, 409, 413, 507],
  authorize: requireInstall,
  run: async (context, { filespace, path, bytes: { staged } }) => {
    installOf(context, filespace);
    await checkJpeg(await readFile(staged.file));
    await context.app.blobs.prepare([staged]);
    return context.write((context) => recordStandIn(context, { filespace, path, staged }));
  },
});
