// Says of a film in MP4 or QuickTime by which codecs its picture and its sound are coded, and whether browsers play
// them: reads the headers of its boxes alone.
import { type FileHandle, open } from "node:fs/promises";

/** What is known of a film. */
export interface Film {
  /** The name of the codec; undefined if it is not known. */
  codec: string | undefined;
  plays: boolean;
  /** The file ends before what describes the film. */
  isCut?: true;
}

/** The codecs of films by their names in files, and whether browsers play them. */
const codecs: readonly (readonly [names: RegExp, codec: string, plays: boolean])[] = [
  [/^avc[1-4]/, "H.264", true],
  [/^vp0?8/, "VP8", true],
  [/^vp09/, "VP9", true],
  [/^av01/, "AV1", true],
  [/^ap(?:c[nhso]|4[hx])/, "ProRes", false],
  [/^ap(?:rn|rh)/, "ProRes RAW", false],
  [/^(?:hvc1|hev1|dvh[1e])/, "HEVC", false],
  [/^AVdn/, "DNxHD", false],
  [/^AVdh/, "DNxHR", false],
  [/^CFHD/, "CineForm", false],
  [/^brxq|^brst|^brvn|^brs2|^brhq|^brlt/, "Blackmagic RAW", false],
  [/^(?:jpeg|mjp[abg]|MJPG)/, "Motion JPEG", false],
  [/^mp4v|^xvid|^divx|^DX50/i, "MPEG-4", false],
  [/^(?:xd|hd[v1-9]|mx[345]|mpeg|m2v1|mp2v)/i, "MPEG-2", false],
  [/^(?:dv[c5hp]|dvcp)/i, "DV", false],
  [/^(?:2vuy|v210|v308|v408|v410|yuv2|raw |r210|b64a)/, "uncompressed video", false],
  [/^rle /, "Animation", false],
  [/^png /, "PNG pictures", false],
  [/^SVQ/, "Sorenson Video", false],
  [/^FFV1/, "FFV1", false],
];
/** The profiles of H.264 that browsers do not play: more than 8 bits, or other colours than 4:2:0. */
const deepProfiles = new Set([110, 122, 244, 44]);

/** The codecs of sound that browsers do not play, by their names in files. */
const soundCodecs: readonly (readonly [names: RegExp, codec: string])[] = [
  [/^ac-3/, "AC-3"],
  [/^ec-3/, "E-AC-3"],
  [/^dts/, "DTS"],
  [/^(?:sowt|twos|lpcm|in24|in32|fl32|fl64|raw )/, "uncompressed"],
];

interface Box {
  type: string;
  /** Where its content begins, and where it ends. */
  start: number;
  end: number;
}

/** No box that is looked into has more. */
const maxBoxes = 200;

async function bytesAt(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, (await handle.read(bytes, 0, length, at)).bytesRead);
}

async function boxesIn(handle: FileHandle, from: number, to: number): Promise<Box[]> {
  const boxes: Box[] = [];
  for (let at = from; at + 8 <= to && boxes.length < maxBoxes; ) {
    const head = await bytesAt(handle, at, 16);
    if (head.length < 8) break;
    const short = head.readUInt32BE(0);
    const isLong = short === 1 && head.length === 16;
    const size = isLong ? Number(head.readBigUInt64BE(8)) : short === 0 ? to - at : short;
    if (size < 8) break;
    boxes.push({ type: head.toString("latin1", 4, 8), start: at + (isLong ? 16 : 8), end: Math.min(at + size, to) });
    at += size;
  }
  return boxes;
}

/** The boxes of a type inside boxes of other types. */
async function within(handle: FileHandle, box: Box, ...types: string[]): Promise<Box | undefined> {
  let found: Box | undefined = box;
  for (const type of types)
    found = found && (await boxesIn(handle, found.start, found.end)).find((one) => one.type === type);
  return found;
}

/** The kind of a track ("vide", "soun" or another), and its sample description from the name of the codec on. */
async function entryOf(handle: FileHandle, track: Box): Promise<{ kind: string; entry: string } | undefined> {
  const handler = await within(handle, track, "mdia", "hdlr");
  const list = await within(handle, track, "mdia", "minf", "stbl", "stsd");
  if (handler === undefined || list === undefined) return undefined;
  const kind = (await bytesAt(handle, handler.start + 8, 4)).toString("latin1");
  return {
    kind,
    entry: (await bytesAt(handle, list.start + 12, Math.min(1012, list.end - list.start))).toString("latin1"),
  };
}

/** The film of a picture's description. */
function filmOf(entry: string): Film {
  const [, codec, plays = false] = codecs.find(([names]) => names.test(entry.slice(0, 4))) ?? [];
  const profileAt = entry.indexOf("avcC") + 5;
  if (plays && profileAt > 4 && deepProfiles.has(entry.charCodeAt(profileAt)))
    return { codec: `${codec} in more than 8 bits or 4:2:0`, plays: false };
  return { codec, plays };
}

/** What is known of a film. Throws the system's error if there is no file. */
export async function filmIn(file: string): Promise<Film> {
  const handle = await open(file, "r");
  try {
    const { size } = await handle.stat();
    const boxes = await boxesIn(handle, 0, size);
    const moov = boxes.find(({ type }) => type === "moov");
    const isCut = moov === undefined && boxes.some(({ type }) => type === "mdat");
    if (isCut) return { codec: undefined, plays: false, isCut: true };
    if (moov === undefined) return { codec: undefined, plays: true };
    let film: Film | undefined;
    let sound: string | undefined;
    for (const track of await boxesIn(handle, moov.start, moov.end)) {
      const { kind, entry = "" } = (track.type === "trak" ? await entryOf(handle, track) : undefined) ?? {};
      if (kind === "vide") film ??= filmOf(entry);
      if (kind === "soun") sound ??= soundCodecs.find(([names]) => names.test(entry.slice(0, 4)))?.[1];
    }
    // Sound alone, or a form that is not known: the browser decides.
    if (film === undefined) return { codec: undefined, plays: true };
    return film.plays && sound !== undefined ? { codec: `${film.codec} with ${sound} sound`, plays: false } : film;
  } finally {
    await handle.close();
  }
}
