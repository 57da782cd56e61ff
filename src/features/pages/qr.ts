// Draws a QR code of a short text as an SVG image (ISO/IEC 18004): bytes, error correction level M, versions 1 to 10.

/** Of each version: all codewords, those for errors in each block, the blocks, and the centres of the alignment patterns. */
const versions: readonly (readonly [total: number, errors: number, blocks: number, centres: readonly number[]])[] = [
  [26, 10, 1, []],
  [44, 16, 1, [6, 18]],
  [70, 26, 1, [6, 22]],
  [100, 18, 2, [6, 26]],
  [134, 24, 2, [6, 30]],
  [172, 16, 4, [6, 34]],
  [196, 18, 4, [6, 22, 38]],
  [242, 22, 4, [6, 24, 42]],
  [292, 22, 5, [6, 26, 46]],
  [346, 26, 5, [6, 28, 50]],
];

/** The product in the field of 256 elements by x^8 + x^4 + x^3 + x^2 + 1. */
function product(a: number, b: number): number {
  let result = 0;
  for (let bit = 7; bit >= 0; bit--) result = (result << 1) ^ ((result >> 7) * 0x11d) ^ (((b >> bit) & 1) * a);
  return result;
}

/** The remainder of the data by the generator of `count` codewords (Reed-Solomon). */
function errorCodewords(data: readonly number[], count: number): number[] {
  const generator = new Array<number>(count).fill(0);
  generator[count - 1] = 1;
  for (let power = 0, root = 1; power < count; power++, root = product(root, 2))
    for (let at = 0; at < count; at++)
      generator[at] = product(generator[at] as number, root) ^ (generator[at + 1] ?? 0);
  const rest = new Array<number>(count).fill(0);
  for (const byte of data) {
    const factor = byte ^ (rest.shift() as number);
    rest.push(0);
    for (let at = 0; at < count; at++) rest[at] = (rest[at] as number) ^ product(generator[at] as number, factor);
  }
  return rest;
}

/** The bits of the text as codewords, padded to the capacity. */
function dataCodewords(bytes: Uint8Array, version: number, capacity: number): number[] {
  const length = bytes.length.toString(2).padStart(version < 10 ? 8 : 16, "0");
  const text = `0100${length}${Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("")}`;
  const bits = `${text}0000`.slice(0, capacity * 8);
  const words = (bits.padEnd(Math.ceil(bits.length / 8) * 8, "0").match(/.{8}/g) ?? []).map((byte) =>
    Number.parseInt(byte, 2),
  );
  for (let at = 0; words.length < capacity; at++) words.push(at % 2 === 0 ? 0xec : 0x11);
  return words;
}

/** The codewords of all blocks, in turns. */
function interleaved(data: readonly number[], [total, errors, count]: (typeof versions)[number]): number[] {
  const short = Math.floor(total / count) - errors;
  const long = total % count;
  let start = 0;
  const blocks = Array.from({ length: count }, (_, at) => {
    const size = short + (at < count - long ? 0 : 1);
    const words = data.slice(start, start + size);
    start += size;
    return { words, checks: errorCodewords(words, errors) };
  });
  const turns = (lists: readonly (readonly number[])[]) => {
    const length = lists.reduce((most, list) => Math.max(most, list.length), 0);
    return Array.from({ length }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat();
  };
  return [...turns(blocks.map(({ words }) => words)), ...turns(blocks.map(({ checks }) => checks))];
}

/** A value followed by its remainder by a generator (BCH). */
function withRemainder(value: number, bits: number, generator: number): number {
  let rest = value << bits;
  for (let at = 31 - Math.clz32(rest); at >= bits; at = 31 - Math.clz32(rest)) rest ^= generator << (at - bits);
  return (value << bits) | rest;
}

/** The modules of a code: true is dark. Throws an Error if the text is too long. */
export function qrModules(text: string): boolean[][] {
  const bytes = new TextEncoder().encode(text);
  const at = versions.findIndex(
    ([total, errors, count], index) => bytes.length + (index < 9 ? 2 : 3) <= total - errors * count,
  );
  const form = versions[at];
  if (form === undefined) throw new Error("the text is too long for a QR code");
  const [version, [total, errors, count, centres]] = [at + 1, form];
  const size = 17 + 4 * version;
  const modules = Array.from({ length: size }, () => new Array<boolean | undefined>(size).fill(undefined));
  const set = (x: number, y: number, dark: boolean): void => {
    const row = modules[y];
    if (row !== undefined && x >= 0 && x < size) row[x] = dark;
  };
  const rings = (x: number, y: number, radius: number, isDark: (ring: number) => boolean): void => {
    for (let dy = -radius; dy <= radius; dy++)
      for (let dx = -radius; dx <= radius; dx++) set(x + dx, y + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
  };
  for (let line = 0; line < size; line++) {
    set(6, line, line % 2 === 0);
    set(line, 6, line % 2 === 0);
  }
  for (const [x, y] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ] as const)
    rings(x, y, 4, (ring) => ring !== 2 && ring !== 4);
  const [first, last] = [centres[0], centres.at(-1)];
  for (const x of centres)
    for (const y of centres)
      if (!((x === first && (y === first || y === last)) || (x === last && y === first)))
        rings(x, y, 2, (ring) => ring !== 1);
  const format = withRemainder(0b00_011, 10, 0x537) ^ 0x5412; // level M, mask 3
  for (let bit = 0; bit < 15; bit++) {
    const dark = ((format >> bit) & 1) === 1;
    set(8, bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit, dark);
    set(bit < 8 ? size - 1 - bit : bit === 8 ? 7 : 14 - bit, 8, dark);
  }
  set(8, size - 8, true);
  const shown = version < 7 ? 0 : withRemainder(version, 12, 0x1f25);
  for (let bit = 0; bit < (version < 7 ? 0 : 18); bit++) {
    const [far, near, dark] = [size - 11 + (bit % 3), Math.floor(bit / 3), ((shown >> bit) & 1) === 1];
    set(far, near, dark);
    set(near, far, dark);
  }
  const words = interleaved(dataCodewords(bytes, version, total - errors * count), form);
  let next = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++)
      for (const x of [right, right - 1]) {
        const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
        if (modules[y]?.[x] !== undefined) continue;
        const bit = ((words[next >> 3] ?? 0) >> (7 - (next & 7))) & 1;
        next++;
        set(x, y, (bit === 1) !== ((x + y) % 3 === 0));
      }
  }
  return modules.map((row) => row.map((dark) => dark === true));
}

/** The code as the address of an SVG image, with the quiet zone that readers need. */
export function qrImage(text: string): string {
  const modules = qrModules(text);
  const size = modules.length + 8;
  const path = modules
    .flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x + 4} ${y + 4}h1v1h-1z`] : [])))
    .join("");
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
