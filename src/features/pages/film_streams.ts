// Reads how a film in a stream of MPEG or in Ogg describes its picture: its first packets alone.
import { bytesAt, type Described, type FilePlaces } from "./film_boxes.ts";

/** So much of a stream is looked into, in bytes. */
const headOfStream = 512 << 10;

/** The codecs of pictures by the types that MPEG's tables name (ISO 13818-1), with their names in other files. */
const streamTypes: Readonly<Record<number, string>> = {
  1: "V_MPEG1",
  2: "V_MPEG2",
  16: "mp4v",
  27: "avc1",
  33: "mjp2",
  36: "hevc",
  209: "drac",
  234: "vc-1",
};

/** The first picture of a table, whose entries begin with a type and end with the length of what follows them. */
function pictureIn(table: Buffer, entry: 4 | 5): string | undefined {
  for (let at = 0; at + entry <= table.length; at += entry + (table.readUInt16BE(at + entry - 2) & 0xfff)) {
    const picture = streamTypes[table[at] ?? 0];
    if (picture !== undefined) return picture;
  }
  return undefined;
}

const packet = 188;

/** The tables that begin in the packets of a transport stream, each with its number and the rest of its packet. */
function* tablesIn(head: Buffer): Generator<{ pid: number; table: Buffer }> {
  const [first, step] = head[0] === 0x47 ? [0, packet] : [4, packet + 4]; // a camera writes a time before each packet
  for (let at = first; at + packet <= head.length && head[at] === 0x47; at += step) {
    const [flags, more] = [head.readUInt16BE(at + 1), head[at + 3] ?? 0];
    if ((flags & 0x4000) === 0) continue; // the middle of something
    const payload = at + 4 + (more & 0x20 ? 1 + (head[at + 4] ?? 0) : 0);
    const table = head.subarray(payload + 1 + (head[payload] ?? 0), at + packet);
    if (table.length >= 12) yield { pid: flags & 0x1fff, table };
  }
}

/** What the tables of a transport stream say: the first one names the places of those that name its streams. */
export async function describedTransport(file: FilePlaces): Promise<Described> {
  const programs = new Set<number>();
  for (const { pid, table } of tablesIn(await bytesAt(file, 0, headOfStream))) {
    const end = 3 + (table.readUInt16BE(1) & 0xfff) - 4; // a checksum stands behind it
    if (pid === 0 && table[0] === 0)
      for (let at = 8; at + 4 <= Math.min(end, table.length); at += 4)
        if (table.readUInt16BE(at) !== 0) programs.add(table.readUInt16BE(at + 2) & 0x1fff);
    if (!programs.has(pid) || table[0] !== 2) continue;
    const picture = pictureIn(table.subarray(12 + (table.readUInt16BE(10) & 0xfff), end), 5);
    if (picture !== undefined) return { picture };
  }
  return {};
}

const streamMap = Buffer.from("000001bc", "hex");
const sequence = Buffer.from("000001b3", "hex");
const extension = Buffer.from("000001b5", "hex");

/**
 * What a program stream says: its map, where it has one; else how its pictures begin. MPEG-2 extends what MPEG-1
 * writes there.
 */
export async function describedProgram(file: FilePlaces): Promise<Described> {
  const head = await bytesAt(file, 0, headOfStream);
  const map = head.indexOf(streamMap);
  if (map >= 0 && map + 12 <= head.length) {
    const table = map + 10 + head.readUInt16BE(map + 8);
    const length = table + 2 <= head.length ? head.readUInt16BE(table) : 0;
    const picture = pictureIn(head.subarray(table + 2, table + 2 + length), 4);
    if (picture !== undefined) return { picture };
  }
  const pictures = head.indexOf(sequence);
  if (pictures < 0) return {};
  const next = head.indexOf(sequence.subarray(0, 3), pictures + 4);
  return { picture: next > 0 && head.subarray(next, next + 4).equals(extension) ? "V_MPEG2" : "V_MPEG1" };
}

/** How the first packet of a picture begins in Ogg. */
const oggPictures: readonly (readonly [begins: RegExp, picture: string])[] = [
  [/\x80theora/, "V_THEORA"],
  [/OVP80/, "V_VP8"],
  [/BBCD\0/, "drac"],
];

/** What the first pages of an Ogg file say: each begins one stream. */
export async function describedOgg(file: FilePlaces): Promise<Described> {
  const head = (await bytesAt(file, 0, 4096)).toString("latin1");
  const picture = oggPictures.find(([begins]) => begins.test(head))?.[1] ?? /\x01video\0{3}(.{4})/s.exec(head)?.[1];
  return { picture };
}
