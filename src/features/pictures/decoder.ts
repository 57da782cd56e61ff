// The program of the process that decodes images: it makes one picture at a time. It is a process of its own, because a defect of a
// decoder ends the process in which it happens.
import { stat, writeFile } from "node:fs/promises";
import { setPriority } from "node:os";
import { createInterface } from "node:readline";
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
  /** Whether it is a progressive JPEG, or an interlaced PNG. */
  isProgressive: boolean;
  autoOrient: { width: number };
}

/** What is used of sharp. */
interface Image {
  metadata(): Promise<Header>;
  autoOrient(): Image;
  resize(options: { width: number; height: number; fit: "inside"; withoutEnlargement: true }): Image;
  flatten(options: { background: string }): Image;
  timeout(options: { seconds: number }): Image;
  raw(): Image;
  jpeg(options: { quality: number; mozjpeg: true }): Image;
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

/** Of an image. Larger ones are not decoded. */
const maxPixels = 64_000_000;
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

/** The bytes that the decoder holds of an image at once: of an AVIF its planes and copies of them, of what comes in several passes all of it twice. */
function heldBytes({ width, height, channels, depth, format, isProgressive }: Header): number {
  const times = format === "heif" ? 4 : isProgressive ? 2 : 1;
  return width * height * channels * (channelBytes[depth] ?? 1) * times;
}

async function encoded(sharp: Sharp, { data, info }: Raw, width: number): Promise<Buffer> {
  let best: Buffer | undefined;
  for (const quality of qualities) {
    best = await sharp(data, { raw: info }).jpeg({ quality, mozjpeg: true }).toBuffer();
    if (width > smallWidth || best.length <= smallSize) break;
  }
  return best as Buffer; // there is a quality
}

async function make(sharp: Sharp, { file, into, width }: PictureRequest): Promise<PictureAnswer["outcome"]> {
  const options = { limitInputPixels: maxPixels, sequentialRead: true, failOn: "error" };
  try {
    const header = await sharp(file, options).metadata();
    const held = heldBytes(header);
    if (held > maxHeld) return { refused: `decoding it takes ${held} bytes of memory` };
    const resized = await sharp(file, options)
      .timeout({ seconds })
      .autoOrient()
      .resize({ width, height: width * maxProportion, fit: "inside", withoutEnlargement: true })
      .flatten({ background: "#fff" })
      .raw()
      .toBuffer({ resolveWithObject: true });
    const picture = await encoded(sharp, resized, width);
    if (header.autoOrient.width <= width && picture.length >= (await stat(file)).size) return "original";
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
  const answer: PictureAnswer = { outcome: await make(sharp, JSON.parse(line) as PictureRequest) }; // safe: the server writes it
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
