// Encodes real baseline JPEGs of one flat colour, so that tests need no image files.

const segment = (marker: number, ...bytes: number[]): number[] => {
  const length = bytes.length + 2;
  return [0xff, marker, length >> 8, length & 0xff, ...bytes];
};

/** A grey baseline JPEG of `width` by `height` pixels; different values of `shade` (0 to 7) give different bytes. */
export function jpeg(width: number, height: number, shade = 0): Uint8Array {
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  // One DC code of length 1 for category 0 ("0"), one of length 2 for category 3 ("10"); AC: end of block is "0".
  const bits: string[] = ["10", (4 + (shade % 4)).toString(2).padStart(3, "0"), "0"];
  for (let block = 1; block < blocks; block++) bits.push("00");
  const padded = bits.join("").replace(/$/, "1".repeat((8 - (bits.join("").length % 8)) % 8));
  const entropy = (padded.match(/.{8}/g) ?? []).flatMap((byte) => {
    const value = Number.parseInt(byte, 2);
    return value === 0xff ? [0xff, 0x00] : [value];
  });
  const quantization = new Array(64).fill(1 + Math.floor(shade / 4));
  return Uint8Array.from([
    0xff,
    0xd8,
    ...segment(0xe0, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0),
    ...segment(0xdb, 0, ...quantization),
    ...segment(0xc0, 8, height >> 8, height & 0xff, width >> 8, width & 0xff, 1, 1, 0x11, 0),
    ...segment(0xc4, 0x00, 1, 1, ...new Array(14).fill(0), 0, 3),
    ...segment(0xc4, 0x10, 1, ...new Array(15).fill(0), 0),
    ...segment(0xda, 1, 1, 0x00, 0, 63, 0),
    ...entropy,
    0xff,
    0xd9,
  ]);
}
