// The program of the process that decodes images: it makes one picture at a time. It is a process of its own, because a
// defect of a decoder ends the process in which it happens.
import { stat, writeFile } from "node:fs/promises";
import { setPriority } from "node:os";
import { createInterface } from "node:readline";
import { type PictureFacts, pictureFactsOf } from "../../core/store/picture_headers.ts";
import { bound } from "./memory_bound.ts";
import { notInstalled, type PictureAnswer, type PictureRequest } from "./request.ts";

interface Raw {
  data: Buffer;
  info: { width: number; height: number; channels: number };
}

/** What the header of an image says. */
interface Header {
  width: number;
  height: number;
  channels: number;
  /** The type of a channel, such as "uchar". */
  depth: string;
  format: string;
  /** The space of its colours, such as "srgb". */
  space: string;
  hasProfile: boolean;
  /** How it is turned, as Exif says it. */
  orientation?: number;
  /** Whether it is a progressive JPEG, or an interlaced PNG. */
  isProgressive: boolean;
  autoOrient: { width: number; height: number };
}

/** What is used of sharp. */
interface Image {
  metadata(): Promise<Header>;
  autoOrient(): Image;
  resize(options: { width: number; height: number; fit: "fill" }): Image;
  withIccProfile(name: "srgb"): Image;
  removeAlpha(): Image;
  timeout(options: { seconds: number }): Image;
  raw(): Image;
  jpeg(options: { quality: number; mozjpeg: true }): Image;
  webp(options: { quality: number; alphaQuality: number }): Image;
  toBuffer(): Promise<Buffer>;
  toBuffer(options: { resolveWithObject: true }): Promise<Raw>;
}
interface Sharp {
  (input: string | Buffer, options: object): Image;
  block(list: { operation: string[] }): void;
  unblock(list: { operation: string[] }): void;
  cache(keep: false): void;
  concurrency(threads: number): void;
}

/** Of an image. Larger ones are not decoded, whatever they take. */
const maxPixels = 1 << 28;
/** How much higher than wide a picture may be. */
const maxProportion = 4;
/** What the decoder may hold of an image, in bytes. One that needs more is not decoded. */
const maxHeld = 256 << 20;
const seconds = 10;
/** The encoder's qualities, best first. A small picture takes the first one with which it has at most so many bytes. */
const qualities = [76, 60, 45, 30] as const;
const smallWidth = 320;
const smallSize = 15_000;
/** The decoders for the types of images that browsers display. */
const loaders = ["Jpeg", "Png", "Webp", "Nsgif", "Heif"].map((name) => `VipsForeignLoad${name}`);

async function loadSharp(): Promise<Sharp> {
  const name = "sharp"; // not inside import(), because the package is optional and its types may be absent
  // Of the package only what the interface above has is used.
  const { default: sharp } = (await import(name).catch(() => process.exit(notInstalled))) as { default: Sharp };
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({ operation: loaders });
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
}

/** The bytes of a channel, where it is not one. */
const channelBytes: Readonly<Record<string, number>> = { ushort: 2, short: 2, uint: 4, int: 4, float: 4, double: 8 };

/** How many rows of an image are held of what is decoded row by row. */
const heldRows = 1024;

/**
 * The bytes that the decoder holds of an image at once: of an AVIF its planes and copies of them, of what comes in
 * several passes all of it twice, of what comes row by row and is not turned some rows, of the others all of it.
 */
function heldBytes({ width, height, channels, depth, format, isProgressive, orientation = 1 }: Header): number {
  const times = format === "heif" ? 4 : isProgressive ? 2 : 1;
  const isByRows = (format === "jpeg" || format === "png") && !isProgressive && orientation === 1;
  const rows = isByRows ? Math.min(height, heldRows) : height;
  return width * rows * channels * (channelBytes[depth] ?? 1) * times;
}

/** The size of a picture, in pixels that are square. */
function sizeIn(width: number, { autoOrient, orientation = 1 }: Header, { aspect }: PictureFacts) {
  const isTurned = orientation > 4;
  const shown = {
    width: autoOrient.width * (isTurned ? 1 : aspect),
    height: autoOrient.height * (isTurned ? aspect : 1),
  };
  const part = Math.min(1, width / shown.width, (width * maxProportion) / shown.height);
  return {
    width: Math.max(1, Math.round(shown.width * part)),
    height: Math.max(1, Math.round(shown.height * part)),
    fit: "fill" as const,
  };
}

/** Whether a part of a picture shows what is behind it. Its last channel says so where it has two or four. */
function isTransparent({ data, info: { channels } }: Raw): boolean {
  if (channels % 2 === 1) return false;
  for (let at = channels - 1; at < data.length; at += channels) if (data[at] !== 255) return true;
  return false;
}

/** A JPEG; of what is transparent a WebP, which keeps that. */
async function encoded(sharp: Sharp, raw: Raw, width: number): Promise<Buffer> {
  const keepsAlpha = isTransparent(raw);
  const { width: across, height, channels } = raw.info;
  const shape = { width: across, height, channels }; // sharp also says that they are premultiplied, which they are not
  let best: Buffer | undefined;
  for (const quality of qualities) {
    const image = sharp(raw.data, { raw: shape });
    const written = keepsAlpha
      ? image.webp({ quality, alphaQuality: quality })
      : image.removeAlpha().jpeg({ quality, mozjpeg: true });
    best = await written.toBuffer();
    if (width > smallWidth || best.length <= smallSize) break;
  }
  return best as Buffer; // there is a quality
}

/** Whether a picture shows or says less than the image: then the image is not as good, however small it is. */
const isOtherwise = ({ space, depth, hasProfile }: Header, { isAnimated, hasPlace, aspect }: PictureFacts): boolean =>
  isAnimated || hasPlace || aspect !== 1 || space === "cmyk" || (depth !== "uchar" && hasProfile);

async function make(sharp: Sharp, { file, into, width }: PictureRequest): Promise<PictureAnswer["outcome"]> {
  const options = { limitInputPixels: maxPixels, sequentialRead: true, failOn: "error" };
  try {
    const [header, facts] = await Promise.all([sharp(file, options).metadata(), pictureFactsOf(file)]);
    const held = heldBytes(header);
    if (held > maxHeld) return { refused: `decoding it takes ${held} bytes of memory` };
    const image = sharp(file, options)
      .timeout({ seconds })
      .autoOrient()
      .resize(sizeIn(width, header, facts));
    // Else colours of 16 bits with a profile stay in a wider space. Without one they would be read as of that space.
    const inSrgb = header.hasProfile ? image.withIccProfile("srgb") : image;
    const resized = await inSrgb.raw().toBuffer({ resolveWithObject: true });
    const picture = await encoded(sharp, resized, width);
    const isSmall = header.autoOrient.width <= width && picture.length >= (await stat(file)).size;
    if (isSmall && !isOtherwise(header, facts)) return "original";
    await writeFile(into, picture);
    return "made";
  } catch (error) {
    return { refused: String(error) };
  }
}

const sharp = await loadSharp();
bound();
try {
  setPriority(10); // requests come first
} catch {
  // Deno may not
}
for await (const line of createInterface({ input: process.stdin })) {
  // safe: the server writes it
  const answer: PictureAnswer = { outcome: await make(sharp, JSON.parse(line) as PictureRequest) };
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
