// Reads how a film in MP4 or QuickTime describes its picture and its sound: the headers of its boxes alone.
import type { FileHandle } from "node:fs/promises";

/** A file that is read at places. */
export interface FilePlaces {
  handle: FileHandle;
  size: number;
}

/** What a film says of itself. */
export interface Described {
  /** The name of the codec of its picture, with what follows it; undefined without a picture. */
  picture?: string | undefined;
  /** The name of the codec of its sound. */
  sound?: string | undefined;
  /** What is missing, because the file ends before it. */
  isCut?: "description" | "part" | undefined;
}

interface Box {
  type: string;
  /** Where its content begins, and where it ends. */
  start: number;
  end: number;
}

/** No box that is looked into has more. */
const maxBoxes = 200;

/** The bytes at a place; fewer where the file ends. */
export async function bytesAt({ handle }: FilePlaces, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, (await handle.read(bytes, 0, length, at)).bytesRead);
}

async function boxesIn(file: FilePlaces, from: number, to: number): Promise<Box[]> {
  const boxes: Box[] = [];
  for (let at = from; at + 8 <= to && boxes.length < maxBoxes; ) {
    const head = await bytesAt(file, at, 16);
    if (head.length < 8) break;
    const short = head.readUInt32BE(0);
    const isLong = short === 1 && head.length === 16;
    const size = isLong ? Number(head.readBigUInt64BE(8)) : short === 0 ? to - at : short;
    if (size < 8) break;
    boxes.push({ type: head.toString("latin1", 4, 8), start: at + (isLong ? 16 : 8), end: at + size });
    at += size;
  }
  return boxes;
}

/** The boxes of a type inside boxes of other types. */
async function within(file: FilePlaces, box: Box, ...types: string[]): Promise<Box | undefined> {
  let found: Box | undefined = box;
  for (const type of types)
    found = found && (await boxesIn(file, found.start, found.end)).find((one) => one.type === type);
  return found;
}

/** The kind of a track ("vide", "soun" or another), and its sample description from the name of the codec on. */
async function entryOf(file: FilePlaces, track: Box): Promise<{ kind: string; entry: string } | undefined> {
  const handler = await within(file, track, "mdia", "hdlr");
  const list = await within(file, track, "mdia", "minf", "stbl", "stsd");
  if (handler === undefined || list === undefined) return undefined;
  const kind = (await bytesAt(file, handler.start + 8, 4)).toString("latin1");
  return {
    kind,
    entry: (await bytesAt(file, list.start + 12, Math.min(1012, list.end - list.start))).toString("latin1"),
  };
}

/** What the boxes of a film say. */
export async function describedBoxes(file: FilePlaces): Promise<Described> {
  const boxes = await boxesIn(file, 0, file.size);
  const moov = boxes.find(({ type }) => type === "moov");
  if (moov === undefined) return boxes.some(({ type }) => type === "mdat") ? { isCut: "description" } : {};
  const described: Described = { isCut: boxes.some(({ end }) => end > file.size) ? "part" : undefined };
  for (const track of await boxesIn(file, moov.start, moov.end)) {
    const { kind, entry } = (track.type === "trak" ? await entryOf(file, track) : undefined) ?? {};
    if (kind === "vide") described.picture ??= entry;
    if (kind === "soun") described.sound ??= entry;
  }
  return described;
}
