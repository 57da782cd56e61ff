// Checks whether bytes are a JPEG that common decoders accept, by parsing its marker structure (ITU-T T.81 annex B).
// The image data is not decoded: the time is one pass over the bytes, whatever dimensions they claim. Two uses:
// stand-ins of library files, and stills for the vision model.

/** The frame of a well-formed picture. */
export interface JpegFrame {
  /** In pixels. */
  width: number;
  height: number;
  /** The number of bytes from the first marker to the last, both included. */
  size: number;
}

const soi = 0xd8;
const eoi = 0xd9;
const sos = 0xda;
const dqt = 0xdb;
const dht = 0xc4;
/** Baseline, extended and progressive Huffman coding, which browsers and vision models decode. */
const supportedFrames: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);
/** Frames with other codings, the conditioning of arithmetic coding, and markers of hierarchical pictures. */
const unsupportedMarkers: ReadonlySet<number> = new Set([
  0xc3, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf, 0xde, 0xdf,
]);
/** Real pictures have about ten. A decoder makes one pass over the whole picture for each scan. */
const maxScans = 256;

const isRestart = (marker: number): boolean => marker >= 0xd0 && marker <= 0xd7;
const byte = (bytes: Uint8Array, at: number): number => bytes[at] ?? 0;
const short = (bytes: Uint8Array, at: number): number => (byte(bytes, at) << 8) | byte(bytes, at + 1);

/** The state of the parser. */
interface ParserState {
  frame: { width: number; height: number; components: Set<number> } | undefined;
  /** The markers seen so far. */
  seen: Set<number>;
  scans: number;
}

/** Parses a frame header, which starts with its length. Returns what is wrong with it. */
function parseFrame(state: ParserState, segment: Uint8Array): string | undefined {
  if (state.frame !== undefined) return "has two frame headers";
  if (segment.length < 8) return "has a frame header of the wrong length";
  const [precision, count] = [byte(segment, 2), byte(segment, 7)];
  const [height, width] = [short(segment, 3), short(segment, 5)];
  if (segment.length !== 8 + 3 * count) return "has a frame header of the wrong length";
  if (precision !== 8) return `has ${precision} bits per sample, not 8`;
  if (width === 0 || height === 0) return "has no width or no height";
  if (count !== 1 && count !== 3 && count !== 4) return `has ${count} components, not 1, 3 or 4`;
  const components = new Set<number>();
  for (let at = 8; at < segment.length; at += 3) {
    const sampling = byte(segment, at + 1);
    const [across, down] = [sampling >> 4, sampling & 15];
    if (across < 1 || across > 4 || down < 1 || down > 4) return "has a sampling factor outside 1 to 4";
    components.add(byte(segment, at));
  }
  if (components.size !== count) return "names a component twice";
  state.frame = { width, height, components };
  return undefined;
}

/** Parses a scan header, which starts with its length. Returns what is wrong with it. */
function parseScan(state: ParserState, segment: Uint8Array): string | undefined {
  if (state.frame === undefined) return "has a scan before its frame header";
  if (!state.seen.has(dqt)) return "has a scan before any quantization table";
  if (!state.seen.has(dht)) return "has a scan before any Huffman table";
  const count = segment.length > 2 ? byte(segment, 2) : 0;
  if (count < 1 || count > 4 || segment.length !== 6 + 2 * count) return "has a scan header of the wrong length";
  for (let at = 3; at < 3 + 2 * count; at += 2)
    if (!state.frame.components.has(byte(segment, at))) return "has a scan of a component that is not in its frame";
  state.scans++;
  return state.scans > maxScans ? `has more than ${maxScans} scans` : undefined;
}

/**
 * The end of the entropy-coded data from `start`: the next marker that is neither stuffing nor a restart; -1 if there
 * is none.
 */
function endOfData(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1];
    if (next === undefined) return -1;
    if (next === 0xff) continue;
    if (next !== 0 && !isRestart(next)) return at;
    at++;
  }
  return -1;
}

/** Parses the segment whose length field is at `at`. Returns the position after it, or what is wrong with it. */
function parseSegment(state: ParserState, bytes: Uint8Array, marker: number, at: number): number | string {
  const length = at + 2 <= bytes.length ? short(bytes, at) : Number.POSITIVE_INFINITY;
  if (length < 2) return "has a segment of an impossible length";
  if (at + length > bytes.length) return "is truncated in a segment";
  const segment = bytes.subarray(at, at + length);
  state.seen.add(marker);
  if (supportedFrames.has(marker)) return parseFrame(state, segment) ?? at + length;
  if (marker !== sos) return at + length;
  const problem = parseScan(state, segment);
  if (problem !== undefined) return problem;
  const end = endOfData(bytes, at + length);
  if (end === at + length) return "has an empty scan";
  return end === -1 ? "is truncated in a scan" : end;
}

/**
 * Parses a picture from its first marker to its end marker. Ignores what follows, because cameras append previews and
 * gain maps. Returns the frame, or what is wrong as the end of a sentence: "has no width or no height".
 */
export function parseJpeg(bytes: Uint8Array): JpegFrame | string {
  if (bytes[0] !== 0xff || bytes[1] !== soi) return "is not a JPEG";
  const state: ParserState = { frame: undefined, seen: new Set(), scans: 0 };
  for (let at = 2; ; ) {
    if (at >= bytes.length) return "is truncated before its end marker";
    if (bytes[at] !== 0xff) return "has bytes between its segments";
    while (bytes[at] === 0xff) at++; // fill bytes (B.1.1.2)
    const marker = bytes[at++];
    if (marker === undefined) return "is truncated before its end marker";
    if (marker === eoi) {
      if (state.frame === undefined || state.scans === 0) return "has no picture in it";
      return { width: state.frame.width, height: state.frame.height, size: at };
    }
    if (unsupportedMarkers.has(marker))
      return "uses a coding that is not supported (lossless, hierarchical or arithmetic)";
    if (marker < 0xc0 || marker === soi || isRestart(marker)) return "has a marker in a place where it is not allowed";
    const next = parseSegment(state, bytes, marker, at);
    if (typeof next === "string") return next;
    at = next;
  }
}

/** Like parseJpeg, but only zero bytes of padding may follow the picture. */
export function inspectJpeg(bytes: Uint8Array): JpegFrame | string {
  const frame = parseJpeg(bytes);
  if (typeof frame === "string") return frame;
  for (let at = frame.size; at < bytes.length; at++) if (bytes[at] !== 0) return "has bytes after its end marker";
  return frame;
}
