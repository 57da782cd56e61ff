// Reads what the parts around the pixels of a picture say: whether it moves, carries a place, has pixels that are not
// square, or ends too early. No pixel is decoded.
import { type FileHandle, open } from "node:fs/promises";
import { headBytes, sniff } from "./media_types.ts";

/** What is known of a picture without its pixels. */
export interface PictureFacts {
  isAnimated: boolean;
  /** Whether it says at which place of the world it was made. */
  hasPlace: boolean;
  /** The width of a pixel by its height. */
  aspect: number;
  /** Whether its file ends before the picture does. */
  isCut: boolean;
}

const nothing: PictureFacts = { isAnimated: false, hasPlace: false, aspect: 1, isCut: false };

/** How much is read at once, how much of one part is looked into, and how many parts, in bytes and pieces. */
const windowSize = 64 << 10;
const maxOfPart = 1 << 20;
const maxParts = 100_000;
/** So much of a picture without a list of its parts is searched. */
const maxSearched = 64 << 20;

/** The bytes of a file by their places, read in windows. */
class Places {
  readonly #handle: FileHandle;
  readonly size: number;
  #window = Buffer.alloc(0);
  #from = 0;

  constructor(handle: FileHandle, size: number) {
    this.#handle = handle;
    this.size = size;
  }

  /** The bytes from a place on; fewer where the file ends. */
  async at(place: number, length: number): Promise<Buffer> {
    const isHere = place >= this.#from && place + length <= this.#from + this.#window.length;
    if (!isHere) {
      const bytes = Buffer.alloc(Math.max(0, Math.min(Math.max(length, windowSize), this.size - place)));
      const { bytesRead } = await this.#handle.read(bytes, 0, bytes.length, place);
      [this.#window, this.#from] = [bytes.subarray(0, bytesRead), place];
    }
    return this.#window.subarray(place - this.#from, place - this.#from + length);
  }
}

const gpsDirectory = 0x8825;
const latitude = 2;
const xmpTag = 700;
const maxEntries = 500;

interface Entry {
  tag: number;
  count: number;
  value: number;
}

/** The entries of a directory of TIFF (and so of Exif) at a place. */
async function entriesAt(file: Places, start: number, at: number, isLittle: boolean): Promise<Entry[]> {
  const two = (bytes: Buffer, from: number) => (isLittle ? bytes.readUInt16LE(from) : bytes.readUInt16BE(from));
  const four = (bytes: Buffer, from: number) => (isLittle ? bytes.readUInt32LE(from) : bytes.readUInt32BE(from));
  const head = await file.at(start + at, 2);
  if (head.length < 2) return [];
  const count = Math.min(two(head, 0), maxEntries);
  const bytes = await file.at(start + at + 2, count * 12);
  return Array.from({ length: Math.floor(bytes.length / 12) }, (_, entry) => ({
    tag: two(bytes, entry * 12),
    count: four(bytes, entry * 12 + 4),
    value: four(bytes, entry * 12 + 8),
  }));
}

const saysPlace = (xmp: Buffer): boolean => xmp.includes("GPSLatitude");

/** Whether TIFF or Exif data that begins at a place has one of the world. */
async function hasPlaceAt(file: Places, start: number): Promise<boolean> {
  const head = await file.at(start, 8);
  const order = head.toString("latin1", 0, 2);
  if (head.length < 8 || (order !== "II" && order !== "MM")) return false;
  const isLittle = order === "II";
  const first = isLittle ? head.readUInt32LE(4) : head.readUInt32BE(4);
  for (const { tag, count, value } of await entriesAt(file, start, first, isLittle)) {
    if (tag === xmpTag && saysPlace(await file.at(start + value, Math.min(count, maxOfPart)))) return true;
    if (tag !== gpsDirectory) continue;
    const places = await entriesAt(file, start, value, isLittle);
    if (places.some((one) => one.tag === latitude)) return true;
  }
  return false;
}

/** A proportion of pixels that a picture can mean; anything else is taken as square. */
function proportion(width: number, height: number): number {
  const aspect = width / height;
  return aspect >= 0.25 && aspect <= 4 && Math.abs(aspect - 1) > 0.005 ? aspect : 1;
}

/** Whether a text stands in the file from a place on. */
async function has(file: Places, from: number, bytes: Buffer): Promise<boolean> {
  for (let at = from; at < Math.min(file.size, from + maxSearched); at += windowSize - bytes.length)
    if ((await file.at(at, windowSize)).includes(bytes)) return true;
  return false;
}

const endOfJpeg = Buffer.of(0xff, 0xd9);

async function factsOfJpeg(file: Places): Promise<PictureFacts> {
  const facts = { ...nothing, isCut: true };
  for (let [at, parts] = [2, 0]; parts < maxParts; parts++) {
    const head = await file.at(at, 18);
    if (head.length < 4 || head[0] !== 0xff) return facts;
    const [marker = 0, length] = [head[1], head.readUInt16BE(2)];
    if (marker === 0xff) {
      at++; // a byte that only fills
      continue;
    }
    if (marker === 0xda) {
      const tail = Math.max(at, file.size - windowSize);
      facts.isCut = !((await has(file, tail, endOfJpeg)) || (tail > at && (await has(file, at, endOfJpeg))));
      return facts;
    }
    if (marker === 0xe0 && head.toString("latin1", 4, 9) === "JFIF\0" && head.length >= 16) {
      const [unit, x, y] = [head[11], head.readUInt16BE(12), head.readUInt16BE(14)];
      facts.aspect = unit === 0 ? proportion(x, y) : proportion(y, x); // without a unit it is the proportion itself
    }
    if (marker === 0xe1 && head.toString("latin1", 4, 10) === "Exif\0\0")
      facts.hasPlace ||= await hasPlaceAt(file, at + 10);
    else if (marker === 0xe1) facts.hasPlace ||= saysPlace(await file.at(at + 4, length));
    at += 2 + length;
  }
  return facts;
}

/** Of pixels a metre, or as ffmpeg and Aseprite write it without a unit: the proportion itself. */
function proportionOfPng(bytes: Buffer): number {
  if (bytes.length < 9) return 1;
  const [x, y] = [bytes.readUInt32BE(0), bytes.readUInt32BE(4)];
  return bytes[8] === 0 ? proportion(x, y) : proportion(y, x);
}

async function factsOfPng(file: Places): Promise<PictureFacts> {
  const facts = { ...nothing, isCut: true };
  for (let [at, parts] = [8, 0]; parts < maxParts; parts++) {
    const head = await file.at(at, 16);
    if (head.length < 8) return facts;
    const [length, type] = [head.readUInt32BE(0), head.toString("latin1", 4, 8)];
    if (type === "IEND") return { ...facts, isCut: false };
    if (type === "pHYs") facts.aspect = proportionOfPng(await file.at(at + 8, 9));
    if (type === "acTL") facts.isAnimated = true;
    if (type === "eXIf") facts.hasPlace ||= await hasPlaceAt(file, at + 8);
    if (/^[iz]TXt$/.test(type)) facts.hasPlace ||= saysPlace(await file.at(at + 8, Math.min(length, maxOfPart)));
    at += 12 + length;
  }
  return facts;
}

async function factsOfWebp(file: Places): Promise<PictureFacts> {
  const facts = { ...nothing };
  const riff = await file.at(0, 12);
  const end = riff.readUInt32LE(4) + 8;
  for (let [at, parts] = [12, 0]; at + 8 <= Math.min(end, file.size) && parts < maxParts; parts++) {
    const head = await file.at(at, 9);
    const [type, length] = [head.toString("latin1", 0, 4), head.readUInt32LE(4)];
    if (type === "VP8X") facts.isAnimated = ((head[8] ?? 0) & 2) !== 0;
    if (type === "EXIF") {
      const hasName = (await file.at(at + 8, 6)).toString("latin1") === "Exif\0\0";
      facts.hasPlace ||= await hasPlaceAt(file, at + (hasName ? 14 : 8));
    }
    if (type === "XMP ") facts.hasPlace ||= saysPlace(await file.at(at + 8, Math.min(length, maxOfPart)));
    at += 8 + length + (length % 2);
  }
  return { ...facts, isCut: end > file.size };
}

/** The length of a table of colours in a GIF, by the byte that says whether there is one. */
const colours = (flags = 0): number => ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1));

async function factsOfGif(file: Places): Promise<PictureFacts> {
  const facts = { ...nothing, isCut: true };
  const head = await file.at(0, 13);
  if (head.length < 13) return facts;
  if (head[12]) facts.aspect = proportion(head[12] + 15, 64);
  let frames = 0;
  for (let [at, parts] = [13 + colours(head[10]), 0]; parts < maxParts; parts++) {
    const block = await file.at(at, 10);
    if (block[0] === 0x3b) return { ...facts, isCut: false };
    if (block[0] === 0x2c) {
      facts.isAnimated = ++frames > 1;
      at += 11 + colours(block[9]);
    } else if (block[0] === 0x21) at += 2;
    else return facts;
    for (let length = 1; length > 0 && at < file.size && parts < maxParts; parts++) {
      length = (await file.at(at, 1))[0] ?? 0;
      at += 1 + length;
    }
  }
  return { ...facts, isCut: false }; // longer than what is looked at
}

/** How Exif data begins that stands anywhere in a file: in both orders of bytes. */
const exifHeads = ["4d4d002a00000008", "49492a0008000000"].map((hex) => Buffer.from(hex, "hex"));

/** HEIC and AVIF: what is in a part says its bytes alone. */
async function factsOfHeif(file: Places): Promise<PictureFacts> {
  const facts = { ...nothing };
  const head = await file.at(0, headBytes);
  facts.isAnimated = /^(?:avis|hev|msf1)/.test(head.toString("latin1", 8, 12));
  const shape = head.indexOf("pasp");
  if (shape > 0 && shape + 12 <= head.length)
    facts.aspect = proportion(head.readUInt32BE(shape + 4), head.readUInt32BE(shape + 8));
  for (let at = 0; at < Math.min(file.size, maxSearched); at += windowSize - 16) {
    const bytes = Buffer.from(await file.at(at, windowSize));
    if (saysPlace(bytes)) return { ...facts, hasPlace: true };
    for (const exif of exifHeads)
      for (let found = bytes.indexOf(exif); found >= 0; found = bytes.indexOf(exif, found + 1))
        if (await hasPlaceAt(file, at + found)) return { ...facts, hasPlace: true };
  }
  return facts;
}

const readers: Readonly<Record<string, (file: Places) => Promise<PictureFacts>>> = {
  "image/jpeg": factsOfJpeg,
  "image/png": factsOfPng,
  "image/webp": factsOfWebp,
  "image/gif": factsOfGif,
  "image/avif": factsOfHeif,
  "image/heic": factsOfHeif,
  "image/heif": factsOfHeif,
};

/** What is known of a picture. Throws the system's error if there is no file. */
export async function pictureFactsOf(path: string): Promise<PictureFacts> {
  const handle = await open(path, "r");
  try {
    const file = new Places(handle, (await handle.stat()).size);
    const head = await file.at(0, headBytes);
    const read = readers[sniff(head)];
    if (read !== undefined) return await read(file);
    return { ...nothing, hasPlace: await hasPlaceAt(file, 0) }; // TIFF, and camera raw, which is TIFF inside
  } finally {
    await handle.close();
  }
}
