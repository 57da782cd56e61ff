// Detects the media type of a file from its first bytes; what a client says is ignored. Names are those that IANA has
// registered, else the usual ones.
import { isUtf8 } from "node:buffer";
import { closeSync, openSync, readSync } from "node:fs";
import { cameraRaw } from "./camera_raw.ts";

/** How many bytes of a file its type is detected from. */
export const headBytes = 4096;
/** The type of what is not known. */
const unknownType = "application/octet-stream";

const ascii = (bytes: Buffer, from: number, to: number): string => bytes.toString("latin1", from, to);

/** The brands of files that MP4 is the base of (ISO 14496-12), by the beginning of their names. */
const brands: readonly (readonly [brand: RegExp, type: string])[] = [
  [/^avi[fs]/, "image/avif"],
  [/^hei[cxms]/, "image/heic"],
  [/^hev[cxms]/, "image/heic-sequence"],
  [/^mif[12]/, "image/heif"],
  [/^msf1/, "image/heif-sequence"],
  [/^crx /, "image/x-canon-cr3"],
  [/^M4[ABP] /, "audio/mp4"],
  [/^qt/, "video/quicktime"],
];

/**
 * The type of a file with a box `ftyp`. A picture of a general brand has that of its codec among the compatible ones.
 */
function typeOfBrand(bytes: Buffer): string {
  const brand = ascii(bytes, 8, 12);
  const type = brands.find(([known]) => known.test(brand))?.[1] ?? "video/mp4";
  if (type !== "image/heif" && type !== "image/heif-sequence") return type;
  const end = Math.min(bytes.readUInt32BE(0), bytes.length);
  const others = ascii(bytes, 16, end);
  if (/avi[fs]/.test(others)) return "image/avif";
  return /hei[cx]/.test(others) ? "image/heic" : type;
}

/** The atoms with which a QuickTime film without `ftyp` begins, and those that may stand before them. */
const firstAtoms = /^(?:moov|mdat|wide|pnot)$/;
const fillers = /^(?:free|skip)$/;

/** Whether the bytes are the beginning of a QuickTime film without `ftyp`. */
function isQuickTime(bytes: Buffer): boolean {
  let at = 0;
  while (at + 8 <= bytes.length && fillers.test(ascii(bytes, at + 4, at + 8)) && bytes.readUInt32BE(at) >= 8)
    at += bytes.readUInt32BE(at);
  if (at + 8 > bytes.length) return at > bytes.length; // a filler longer than what is read
  const size = bytes.readUInt32BE(at);
  return firstAtoms.test(ascii(bytes, at + 4, at + 8)) && (size >= 8 || size <= 1);
}

/** The name of what a file of EBML contains (RFC 8794): "webm" or "matroska". */
function docTypeOf(bytes: Buffer): string {
  const at = bytes.subarray(0, 128).indexOf("4282", 4, "hex");
  const length = (bytes[at + 2] ?? 0) & 0x7f;
  return at < 0 ? "" : (ascii(bytes, at + 3, at + 3 + length).split("\0")[0] ?? "");
}

const jpeg2000Brands: Readonly<Record<string, string>> = {
  "jpx ": "image/jpx",
  "jpm ": "image/jpm",
  mjp2: "video/mj2",
};

/** Whether the bytes begin with packets of an MPEG transport stream, which may have four bytes of time before each. */
const isTransportStream = (bytes: Buffer): boolean =>
  [
    [0, 188],
    [4, 192],
  ].some(([start = 0, step = 0]) => [0, 1, 2, 3].every((n) => bytes[start + n * step] === 0x47));

/** Whether the bytes begin with the header of a frame of MPEG audio, layer III. */
function isMp3Frame(bytes: Buffer): boolean {
  const [first = 0, second = 0, third = 0] = bytes;
  const isLayer3 = first === 0xff && (second & 0xe6) === 0xe2 && (second & 0x18) !== 0x08;
  return isLayer3 && (third & 0xf0) !== 0xf0 && (third & 0xf0) !== 0 && (third & 0x0c) !== 0x0c;
}

/** What an Ogg stream contains, of which the first packet begins the file. */
function oggType(bytes: Buffer): string {
  const first = ascii(bytes, 0, 256);
  if (/theora|BBCD|\x01video/.test(first)) return "video/ogg";
  return /vorbis|OpusHead|FLAC|Speex/.test(first) ? "audio/ogg" : "application/ogg";
}

const riffTypes: Readonly<Record<string, string>> = {
  WEBP: "image/webp",
  WAVE: "audio/wav",
  "AVI ": "video/x-msvideo",
};

/** Types by the first bytes. */
const beginnings: readonly (readonly [hex: string, type: string | ((bytes: Buffer) => string | undefined)])[] = [
  ["ffd8ff", "image/jpeg"],
  ["89504e470d0a1a0a", "image/png"],
  ["474946383761", "image/gif"],
  ["474946383961", "image/gif"],
  ["52494646", (bytes) => riffTypes[ascii(bytes, 8, 12)]],
  ["52463634", (bytes) => (ascii(bytes, 8, 12) === "WAVE" ? "audio/wav" : undefined)], // RF64
  ["42573634", (bytes) => (ascii(bytes, 8, 12) === "WAVE" ? "audio/wav" : undefined)], // BW64
  ["464f524d", (bytes) => (/^AIF[FC]$/.test(ascii(bytes, 8, 12)) ? "audio/x-aiff" : undefined)],
  ["38425053", "image/vnd.adobe.photoshop"],
  ["762f3101", "image/x-exr"],
  ["53445058", "image/x-dpx"],
  ["58504453", "image/x-dpx"],
  ["0000000c6a5020200d0a870a", (bytes) => jpeg2000Brands[ascii(bytes, 20, 24)] ?? "image/jp2"],
  ["ff4fff51", "image/j2c"],
  ["1a45dfa3", (bytes) => ({ webm: "video/webm", matroska: "video/x-matroska" })[docTypeOf(bytes)]],
  ["060e2b34020501010d010201", "application/mxf"],
  ["000001ba", "video/mpeg"],
  ["000001b3", "video/mpeg"],
  ["494433", "audio/mpeg"],
  ["664c6143", "audio/flac"],
  ["4f676753", oggType],
  ["255044462d", "application/pdf"],
  ["504b0304", "application/zip"],
  ["504b0506", "application/zip"],
  ["504b0708", "application/zip"],
  ["676c5446", "model/gltf-binary"],
];

const signatures = beginnings.map(([hex, type]) => [Buffer.from(hex, "hex"), type] as const);

/** The type of the first signature that a file has and that says one. */
function signedType(bytes: Buffer): string | undefined {
  for (const [signature, type] of signatures) {
    if (!bytes.subarray(0, signature.length).equals(signature)) continue;
    const found = typeof type === "string" ? type : type(bytes);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Bytes that no text has, as WHATWG's MIME Sniffing says. */
const binary = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/** Whether the beginning of a file is text in UTF-8 that may be cut inside a character. */
function isCutUtf8(bytes: Buffer): boolean {
  for (let cut = 0; cut < 4 && cut < bytes.length; cut++)
    if (isUtf8(bytes.subarray(0, bytes.length - cut))) return true;
  return false;
}

/** The version of an asset in a glTF file. */
const glTF = /"asset"\s{0,40}:\s{0,40}\{[^{}]{0,400}"version"\s{0,40}:\s{0,40}"\d/;

/**
 * The type of text. What begins with a tag is markup, which browsers run: its type stays unknown. A text in an encoding
 * of one byte has a space or a line break.
 */
function textType(bytes: Buffer): string | undefined {
  if (bytes.length === 0) return undefined;
  if (/^(?:\xfe\xff|\xff\xfe)/.test(ascii(bytes, 0, 2))) return "text/plain"; // UTF-16
  const plain = ascii(bytes, 0, bytes.length);
  if (binary.test(plain) || (!isCutUtf8(bytes) && !/[ \n\r]/.test(plain))) return undefined;
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  if (/^\s*</.test(text)) return undefined;
  return text.trimStart().startsWith("{") && glTF.test(text) ? "model/gltf+json" : "text/plain";
}

/** Detects the media type from the first `headBytes` bytes of a file; application/octet-stream if it is unknown. */
export function sniff(head: Uint8Array): string {
  const bytes = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, headBytes));
  const signed = signedType(bytes) ?? cameraRaw(bytes);
  if (signed !== undefined) return signed;
  if (ascii(bytes, 4, 8) === "ftyp" && bytes.length >= 12) return typeOfBrand(bytes);
  if (isQuickTime(bytes)) return "video/quicktime";
  if (isTransportStream(bytes)) return "video/mp2t";
  return textType(bytes) ?? (isMp3Frame(bytes) ? "audio/mpeg" : unknownType);
}

/** The first bytes of a file, from which its type is detected. */
export function headOf(file: string): Buffer {
  const handle = openSync(file, "r");
  try {
    const head = Buffer.alloc(headBytes);
    return head.subarray(0, readSync(handle, head, 0, head.length, 0));
  } finally {
    closeSync(handle);
  }
}

/** The types that browsers display and that cannot contain scripts. Only these are served inline. */
export const inlineTypes: ReadonlySet<string> = new Set([
  "image/jpeg",
  "image/png",
  "image/gif",
  "image/webp",
  "image/avif",
  "video/mp4",
  "video/webm",
  "video/quicktime",
]);
