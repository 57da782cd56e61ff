// Reads how a film in Matroska, WebM, AVI or MXF describes its picture and its sound: its headers alone.
import { bytesAt, type Described, type FilePlaces } from "./film_boxes.ts";

/** No part that is looked into has more. */
const maxParts = 1000;

/** A number of EBML, and how many bytes it takes; undefined if the bytes end before it does, or it is none. */
function ebmlNumber(bytes: Buffer, at: number, keepsMark = false): { value: number; length: number } | undefined {
  const first = bytes[at] ?? 0;
  const length = Math.clz32(first) - 23;
  if (length > 8 || at + length > bytes.length) return undefined;
  let value = keepsMark ? first : first & (0xff >> length);
  let isUnknown = !keepsMark && value === 0xff >> length;
  for (const byte of bytes.subarray(at + 1, at + length)) {
    value = value * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  return { value: isUnknown ? Number.POSITIVE_INFINITY : value, length };
}

interface Part {
  id: number;
  start: number;
  end: number;
}

/** The parts of EBML between two places. One without a length ends at the second. */
async function* ebmlParts(file: FilePlaces, from: number, to: number): AsyncGenerator<Part> {
  for (let [at, parts] = [from, 0]; at < to && parts < maxParts; parts++) {
    const head = await bytesAt(file, at, 12);
    const id = ebmlNumber(head, 0, true);
    const size = id && ebmlNumber(head, id.length);
    if (id === undefined || size === undefined) return;
    const start = at + id.length + size.length;
    const end = size.value === Number.POSITIVE_INFINITY ? to : start + size.value;
    yield { id: id.value, start, end };
    at = end;
  }
}

const segment = 0x18538067;
const [tracks, track, cluster] = [0x1654ae6b, 0xae, 0x1f43b675];
const [trackType, codecName, codecPrivate] = [0x83, 0x86, 0x63a2];

/** The kind of a track (1: picture, 2: sound) and the name of its codec; of a name of AVI or QuickTime that name. */
async function ebmlTrack(file: FilePlaces, { start, end }: Part): Promise<{ kind: number; name: string }> {
  let [kind, name, more] = [0, "", ""];
  for await (const part of ebmlParts(file, start, end)) {
    const bytes = () => bytesAt(file, part.start, Math.min(part.end - part.start, 64));
    if (part.id === trackType) kind = (await bytes())[0] ?? 0;
    if (part.id === codecName) name = (await bytes()).toString("latin1");
    if (part.id === codecPrivate) more = (await bytes()).toString("latin1");
  }
  if (name.startsWith("V_MS/VFW")) return { kind, name: more.slice(16, 20) };
  if (name === "V_QUICKTIME") return { kind, name: more.slice(4, 8) };
  // The second byte of AVC's description is the profile.
  return { kind, name: name === "V_MPEG4/ISO/AVC" ? `${name} avcC${more}` : name };
}

/** What the tracks of a film in Matroska or WebM say. */
export async function describedMatroska(file: FilePlaces): Promise<Described> {
  const described: Described = {};
  for await (const whole of ebmlParts(file, 0, file.size)) {
    if (whole.id !== segment) continue;
    if (whole.end > file.size) described.isCut = "part";
    for await (const part of ebmlParts(file, whole.start, Math.min(whole.end, file.size))) {
      if (part.id === cluster) return described; // the tracks stand before the pictures
      if (part.id !== tracks) continue;
      for await (const one of ebmlParts(file, part.start, part.end)) {
        const { kind, name } = one.id === track ? await ebmlTrack(file, one) : { kind: 0, name: "" };
        if (kind === 1) described.picture ??= name;
        if (kind === 2) described.sound ??= name;
      }
      return described;
    }
  }
  return described;
}

/** What the headers of the streams of an AVI say: they stand in its first bytes. */
export async function describedAvi(file: FilePlaces): Promise<Described> {
  const head = await bytesAt(file, 0, 64 << 10);
  const described: Described = { isCut: head.readUInt32LE(4) + 8 > file.size ? "part" : undefined };
  for (let at = head.indexOf("strh"); at > 0 && at + 12 <= head.length; at = head.indexOf("strh", at + 4)) {
    const kind = head.toString("latin1", at + 8, at + 12);
    const format = head.indexOf("strf", at);
    if (format < 0) break;
    if (kind === "vids") described.picture ??= head.toString("latin1", format + 24, format + 28);
    if (kind === "iavs") described.picture ??= "dvsd"; // picture and sound of DV in one
  }
  return described;
}

/** How the labels of the coding of a picture begin (SMPTE ST 400), without the version in their eighth byte. */
const codingLabel = /060e2b34040101..04010202([0-9a-f]{8})/;
/** The same of the containers of pictures, and the labels of their codings that stand for each. */
const containerLabel = /060e2b34040101..0d01030102([0-9a-f]{2})/g;
const ofContainers: Readonly<Record<string, string>> = {
  "01": "0102",
  "02": "02",
  "04": "0103",
  "0c": "0301",
  "10": "0131",
  "11": "7101",
  "1c": "0306",
};

/** What the header of an MXF file says: the label of the coding of its picture, else of its container. */
export async function describedMxf(file: FilePlaces): Promise<Described> {
  const head = await bytesAt(file, 0, 64 << 10);
  const place = footerPlace(head);
  const footer = head.length >= place + 8 ? Number(head.readBigUInt64BE(place)) : 0;
  const text = head.toString("hex");
  const [, coding] = codingLabel.exec(text) ?? [];
  const containers = [...text.slice(0, 2048).matchAll(containerLabel)].map(([, kind = ""]) => kind);
  const found = coding ?? containers.map((kind) => ofContainers[kind]).find((kind) => kind !== undefined);
  const isUncompressed = found === undefined && containers.includes("05");
  return {
    picture: found === undefined ? (isUncompressed ? "raw " : "mxf") : `mxf ${found}`,
    isCut: footer >= file.size ? "part" : undefined,
  };
}

/** Where the header says at which place the last part of the file begins: behind a key and a length of some bytes. */
const footerPlace = (head: Buffer): number => {
  const first = head[16] ?? 0;
  return 16 + 1 + (first > 0x80 ? first & 0x0f : 0) + 24;
};
