// Whether bytes are a JPEG that decoders take, told from its marker structure (ITU-T T.81 annex B). Decodes nothing and
// allocates nothing: time is one pass over the bytes, whatever they claim.

/** A well-formed picture. */
export interface JpegFrame {
  /** In pixels. */
  width: number;
  height: number;
  /** Bytes from the first marker to the last, both included. */
  size: number;
}

const soi = 0xd8;
const eoi = 0xd9;
const sos = 0xda;
const dqt = 0xdb;
const dht = 0xc4;
/** Baseline, extended and progressive Huffman: what browsers and vision models decode. */
const frames: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);
/** Frames of the other codings, the arithmetic coder's conditioning, and what only a hierarchical picture has. */
const foreign: ReadonlySet<number> = new Set([
  ...[0xc3, 0xc5, 0xc6, 0xc7, 0xc8, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf],
  ...[0xde, 0xdf],
]);
/** A picture needs ten; each one more is a whole pass over it for whoever decodes it. */
const maxScans = 256;

const isRestart = (marker: number): boolean => marker >= 0xd0 && marker <= 0xd7;
const byte = (bytes: Uint8Array, at: number): number => bytes[at] as number;
const short = (bytes: Uint8Array, at: number): number => (byte(bytes, at) << 8) | byte(bytes, at + 1);

/** What the walk has met so far. */
interface Walk {
  frame: { width: number; height: number; components: Set<number> } | undefined;
  seen: Set<number>;
  scans: number;
}

/** A segment's own fields, its length included. Answers what is wrong with them. */
function takeFrame(walk: Walk, segment: Uint8Array): string | undefined {
  if (walk.frame !== undefined) return "has two frame headers";
  if (segment.length < 8) return "has a frame header of the wrong length";
  const [precision, count] = [byte(segment, 2), byte(segment, 7)];
  const [height, width] = [short(segment, 3), short(segment, 5)];
  if (segment.length !== 8 + 3 * count) return "has a frame header of the wrong length";
  if (precision !== 8) return `has ${precision} bits a sample, not 8`;
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
  walk.frame = { width, height, components };
  return undefined;
}

function takeScan(walk: Walk, segment: Uint8Array): string | undefined {
  if (walk.frame === undefined) return "has a scan before its frame header";
  if (!walk.seen.has(dqt)) return "has a scan before any quantization table";
  if (!walk.seen.has(dht)) return "has a scan before any Huffman table";
  const count = segment.length > 2 ? byte(segment, 2) : 0;
  if (count < 1 || count > 4 || segment.length !== 6 + 2 * count) return "has a scan header of the wrong length";
  for (let at = 3; at < 3 + 2 * count; at += 2)
    if (!walk.frame.components.has(byte(segment, at))) return "has a scan of a component that its frame has not";
  walk.scans++;
  return walk.scans > maxScans ? `has more than ${maxScans} scans` : undefined;
}

/** Where the entropy-coded data that starts at `at` ends: at the next marker that is neither stuffing nor a restart. */
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

/** Takes one segment whose length stands at `at`; answers where what follows it starts, or what is wrong. */
function takeSegment(walk: Walk, bytes: Uint8Array, marker: number, at: number): number | string {
  const length = at + 2 <= bytes.length ? short(bytes, at) : Number.POSITIVE_INFINITY;
  if (length < 2) return "has a segment of an impossible length";
  if (at + length > bytes.length) return "breaks off within a segment";
  const segment = bytes.subarray(at, at + length);
  walk.seen.add(marker);
  if (frames.has(marker)) return takeFrame(walk, segment) ?? at + length;
  if (marker !== sos) return at + length;
  const problem = takeScan(walk, segment);
  if (problem !== undefined) return problem;
  const end = endOfData(bytes, at + length);
  if (end === at + length) return "has an empty scan";
  return end === -1 ? "breaks off within a scan" : end;
}

/**
 * Walks a picture from its first marker to its last; what follows it is not looked at: cameras append previews and gain
 * maps there. Answers the frame, or what is wrong, to follow the name of the thing: "has no width or no height".
 */
export function walkJpeg(bytes: Uint8Array): JpegFrame | string {
  if (bytes[0] !== 0xff || bytes[1] !== soi) return "is not a JPEG";
  const walk: Walk = { frame: undefined, seen: new Set(), scans: 0 };
  for (let at = 2; ; ) {
    if (at >= bytes.length) return "breaks off before its end marker";
    if (bytes[at] !== 0xff) return "has bytes between its segments";
    while (bytes[at] === 0xff) at++; // fill bytes (B.1.1.2)
    const marker = bytes[at++];
    if (marker === undefined) return "breaks off before its end marker";
    if (marker === eoi) {
      if (walk.frame === undefined || walk.scans === 0) return "has no picture in it";
      return { width: walk.frame.width, height: walk.frame.height, size: at };
    }
    if (foreign.has(marker))
      return "is coded in a way that decoders do not take (lossless, hierarchical or arithmetic)";
    if (marker < 0xc0 || marker === soi || isRestart(marker)) return "has a marker where none may stand";
    const next = takeSegment(walk, bytes, marker, at);
    if (typeof next === "string") return next;
    at = next;
  }
}

/** As walkJpeg, and nothing may follow the picture but zero bytes of padding. */
export function inspectJpeg(bytes: Uint8Array): JpegFrame | string {
  const frame = walkJpeg(bytes);
  if (typeof frame === "string") return frame;
  for (let at = frame.size; at < bytes.length; at++) if (bytes[at] !== 0) return "has bytes after its end marker";
  return frame;
}
