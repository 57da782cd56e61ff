// Makes smaller pictures of stored images, once each, and keeps them beside the media: pictures/ab/<sha256 of the
// image>-<width>.picture.
import { hash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Bytes } from "../../core/answers.ts";
import type { App, Context } from "../../core/context.ts";
import { busy } from "../../core/errors.ts";
import { stateOf } from "../../core/features.ts";
import type { KeyId } from "../../core/ids.ts";
import { Shares } from "../../core/limits.ts";
import { sniff } from "../../core/store/media_types.ts";
import { DecoderProcess } from "./decoder_process.ts";
import { isFilmType } from "./ffmpeg.ts";
import { pictureFolder, posterOf } from "./films.ts";

/** The types of images that pictures are made of. */
const decodable = ["image/jpeg", "image/png", "image/gif", "image/webp", "image/avif"];
/** How many pictures may wait: those that one key asked for, and all. */
const waitingOfKey = 200;
const waitingOfAll = 1_000;
/** After this time an image with which the process ended or took too long is tried again, in milliseconds. */
const failureDelay = 600_000;
/** Stands in the file of a picture where the image itself is answered: it is no larger, or cannot be decoded. */
const original = "original";

const makerOf = stateOf((app) => {
  const folder = pictureFolder(app);
  const decoder = new DecoderProcess<KeyId | null>(folder);
  app.onClose(() => decoder.end());
  return {
    folder,
    decoder,
    shares: new Shares<KeyId | null>({ ofOwner: waitingOfKey, ofAll: waitingOfAll }),
    /** The pictures that are being made, by their names. */
    making: new Map<string, Promise<Buffer | undefined>>(),
    /** Until when an image is not tried again, by its hash. */
    failed: new Map<string, number>(),
  };
});
type Maker = ReturnType<typeof makerOf>;

const nameOf = ({ sha256 }: Bytes, width: number): string => `${sha256}-${width}.picture`;

/** The picture in a file: undefined if there is none, "original" if the image itself is answered. */
function keptPicture(file: string): Buffer | typeof original | undefined {
  try {
    const bytes = readFileSync(file);
    if (bytes.length === 0) return undefined; // a power failure
    return bytes.length === original.length && bytes.toString() === original ? original : bytes;
  } catch {
    return undefined;
  }
}

/** Makes a picture and keeps it. Undefined if the image itself is answered. */
async function madePicture(app: App, maker: Maker, name: string, image: Bytes, width: number, key_id: KeyId | null) {
  const { sha256 } = image;
  if ((maker.failed.get(sha256) ?? 0) > app.clock()) return undefined;
  const file = join(maker.folder, sha256.slice(0, 2), name);
  const into = join(maker.folder, `new-${randomBytes(8).toString("hex")}`);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const outcome = await maker.decoder.make(key_id, { file: app.blobs.fileOf(sha256), into, width });
    if (outcome === "failed") maker.failed.set(sha256, app.clock() + failureDelay);
    if (outcome === "made") {
      const picture = readFileSync(into);
      renameSync(into, file);
      return picture;
    }
    if (outcome === "original" || typeof outcome === "object") writeFileSync(file, original);
    rmSync(into, { force: true });
  } catch {
    // the disk is full or read-only: the image itself is as good
  }
  return undefined;
}

/** The same for all who ask meanwhile. Throws 503 if too many wait, of the key or of all. */
function sharedPicture(app: App, maker: Maker, image: Bytes, width: number, key_id: KeyId | null) {
  const name = nameOf(image, width);
  const underWay = maker.making.get(name);
  if (underWay !== undefined) return underWay;
  const exceeded = maker.shares.exceeded(key_id);
  if (exceeded !== undefined)
    throw busy(`too many pictures ${exceeded === "owner" ? "of this key " : ""}wait to be made`);
  maker.shares.take(key_id);
  const made = madePicture(app, maker, name, image, width, key_id).finally(() => {
    maker.making.delete(name);
    maker.shares.giveBack(key_id);
  });
  maker.making.set(name, made);
  return made;
}

/** A picture of a medium that is no wider than `width`; undefined if the medium itself is answered. */
export async function pictureOf({ app, caller }: Context, image: Bytes, width: number): Promise<Bytes | undefined> {
  if (isFilmType(image.content_type)) return posterOf(app, caller.key_id, image, width);
  if (!decodable.includes(image.content_type)) return undefined;
  const maker = makerOf(app);
  const cached = keptPicture(join(maker.folder, image.sha256.slice(0, 2), nameOf(image, width)));
  if (cached === original) return undefined;
  const body = cached ?? (await sharedPicture(app, maker, image, width, caller.key_id));
  if (body === undefined) return undefined;
  const { label } = image;
  return new Bytes({ label, sha256: hash("sha256", body), size: body.length, content_type: sniff(body) }, { body });
}

export { previewOf } from "./films.ts";
