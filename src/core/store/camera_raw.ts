// Detects the raw pictures of cameras, most of which are TIFF: by their own signatures, or by the maker and by what the
// first directory holds.

const signatures: readonly (readonly [at: number, text: string, type: string])[] = [
  [0, "FUJIFILMCCD-RAW", "image/x-fuji-raf"],
  [0, "IIRO", "image/x-olympus-orf"],
  [0, "IIRS", "image/x-olympus-orf"],
  [0, "MMOR", "image/x-olympus-orf"],
  [0, "IIU\0", "image/x-panasonic-rw2"],
  [0, "FOVb", "image/x-sigma-x3f"],
  [0, "\0MRM", "image/x-minolta-mrw"],
  [6, "HEAPCCDR", "image/x-canon-crw"],
  [8, "CR\x02", "image/x-canon-cr2"],
  [0, "ARRI", "image/x-arri-ari"],
  [4, "RED1", "video/x-red-r3d"],
  [4, "RED2", "video/x-red-r3d"],
];

/** The types of pictures that are TIFF, by the beginning of the maker's name. */
const makers: readonly (readonly [maker: RegExp, type: string])[] = [
  [/^nikon/i, "image/x-nikon-nef"],
  [/^sony/i, "image/x-sony-arw"],
  [/^(?:pentax|asahi|ricoh)/i, "image/x-pentax-pef"],
  [/^samsung/i, "image/x-samsung-srw"],
  [/^hasselblad/i, "image/x-hasselblad-3fr"],
  [/^phase one/i, "image/x-phaseone-iiq"],
  [/^canon/i, "image/x-canon-cr2"],
  [/^(?:eastman )?kodak/i, "image/x-kodak-dcr"],
  [/^epson|^seiko epson/i, "image/x-epson-erf"],
  [/^mamiya|^leaf/i, "image/x-leaf-mos"],
];

/** Tags of a directory of TIFF. */
const tags = { subfileType: 254, compression: 259, make: 271, dngVersion: 50706 } as const;
/** Compressions that only cameras use. */
const rawCompressions = new Set([32767, 32769, 32770, 34713, 65535]);
const isTiff = /^(?:II\*\0|MM\0\*|II\+\0|MM\0\+)/;

interface Entry {
  count: number;
  /** The value, or where it is. */
  value: number;
  /** Where the value stands, if it is short enough to stand here. */
  at: number;
}

/** The entries of the first directory, as far as they are in the bytes. */
function firstDirectory(bytes: Buffer): Map<number, Entry> {
  const isLittle = bytes[0] === 0x49;
  const read = (at: number, size: 2 | 4): number =>
    at + size > bytes.length ? 0 : isLittle ? bytes.readUIntLE(at, size) : bytes.readUIntBE(at, size);
  const start = read(4, 4);
  const entries = new Map<number, Entry>();
  for (let n = 0; n < read(start, 2) && start + 14 + 12 * n <= bytes.length; n++) {
    const at = start + 2 + 12 * n;
    const isShort = read(at + 2, 2) === 3;
    entries.set(read(at, 2), { count: read(at + 4, 4), value: read(at + 8, isShort ? 2 : 4), at: at + 8 });
  }
  return entries;
}

function tiffType(bytes: Buffer): string {
  const plain = "image/tiff";
  if (bytes[2] === 0x2b || bytes[3] === 0x2b) return plain; // large files of a new form
  const entries = firstDirectory(bytes);
  if (entries.has(tags.dngVersion)) return "image/x-adobe-dng";
  const make = entries.get(tags.make);
  if (make === undefined) return plain;
  const at = make.count > 4 ? make.value : make.at;
  const maker = bytes.toString("latin1", at, at + Math.min(make.count, 40));
  const isReduced = ((entries.get(tags.subfileType)?.value ?? 0) & 1) === 1;
  const isRaw = isReduced || rawCompressions.has(entries.get(tags.compression)?.value ?? 0);
  return (isRaw && makers.find(([known]) => known.test(maker))?.[1]) || plain;
}

/** The type of a camera's raw picture or of another TIFF; undefined for what is neither. */
export function cameraRaw(bytes: Buffer): string | undefined {
  const signed = signatures.find(([at, text]) => bytes.toString("latin1", at, at + text.length) === text);
  if (signed !== undefined) return signed[2];
  return isTiff.test(bytes.toString("latin1", 0, 4)) ? tiffType(bytes) : undefined;
}
