// Draws a QR code of a short text as an SVG image (ISO/IEC 18004): bytes, error correction level M, versions 1 to 10.

/**
 * Of each version: all codewords, those for errors in each block, the blocks, and the centres of the alignment
 * patterns.
 */
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
    for (let at = 0; at < count; at++) generator[at] = product(generator[at] ?? 0, root) ^ (generator[at + 1] ?? 0);
  const rest = new Array<number>(count).fill(0);
  for (const byte of data) {
    const factor = byte ^ (rest.shift() ?? 0);
    rest.push(0);
    for (let at = 0; at < count; at++) rest[at] = (rest[at] ?? 0) ^ product(generator[at] ?? 0, factor);
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

/** The square of modules of a code while it is drawn: true is dark, undefined is free for data. */
class Square {
  readonly size: number;
  readonly #rows: (boolean | undefined)[][];

  constructor(version: number) {
    this.size = 17 + 4 * version;
    this.#rows = Array.from({ length: this.size }, () => new Array<boolean | undefined>(this.size).fill(undefined));
  }

  set(x: number, y: number, dark: boolean): void {
    const row = this.#rows[y];
    if (row !== undefined && x >= 0 && x < this.size) row[x] = dark;
  }

  modules(): boolean[][] {
    return this.#rows.map((row) => row.map((dark) => dark === true));
  }

  /** A square of rings around a centre, which is ring 0. */
  #drawRings(x: number, y: number, radius: number, isDark: (ring: number) => boolean): void {
    for (let dy = -radius; dy <= radius; dy++)
      for (let dx = -radius; dx <= radius; dx++) this.set(x + dx, y + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
  }

  /** The lines that count modules, and the three large patterns in the corners. */
  drawFinders(): void {
    for (let line = 0; line < this.size; line++) {
      this.set(6, line, line % 2 === 0);
      this.set(line, 6, line % 2 === 0);
    }
    const far = this.size - 4;
    for (const [x, y] of [[3, 3] as const, [far, 3] as const, [3, far] as const])
      this.#drawRings(x, y, 4, (ring) => ring !== 2 && ring !== 4);
  }

  /** The small patterns, but for the corners that have a large one. */
  drawAlignment(centres: readonly number[]): void {
    const [first, last] = [centres[0], centres.at(-1)];
    for (const x of centres)
      for (const y of centres)
        if (!((x === first && (y === first || y === last)) || (x === last && y === first)))
          this.#drawRings(x, y, 2, (ring) => ring !== 1);
  }

  /** The level of error correction and the mask, twice. */
  drawFormat(): void {
    const { size } = this;
    const format = withRemainder(0b00_011, 10, 0x537) ^ 0x5412; // level M, mask 3
    for (let bit = 0; bit < 15; bit++) {
      const dark = ((format >> bit) & 1) === 1;
      this.set(8, bit < 6 ? bit : bit < 8 ? bit + 1 : size - 15 + bit, dark);
      this.set(bit < 8 ? size - 1 - bit : bit === 8 ? 7 : 14 - bit, 8, dark);
    }
    this.set(8, size - 8, true);
  }

  /** The version, twice, which codes have from version 7 on. */
  drawVersion(version: number): void {
    if (version < 7) return;
    const shown = withRemainder(version, 12, 0x1f25);
    for (let bit = 0; bit < 18; bit++) {
      const [far, near, dark] = [this.size - 11 + (bit % 3), Math.floor(bit / 3), ((shown >> bit) & 1) === 1];
      this.set(far, near, dark);
      this.set(near, far, dark);
    }
  }

  /**
   * The bits of the codewords with the mask, in pairs of columns from the right, up and down in turns, around the
   * patterns.
   */
  drawData(words: readonly number[]): void {
    let next = 0;
    const draw = (x: number, y: number): void => {
      if (this.#rows[y]?.[x] !== undefined) return;
      const bit = ((words[next >> 3] ?? 0) >> (7 - (next & 7))) & 1;
      next++;
      this.set(x, y, (bit === 1) !== ((x + y) % 3 === 0));
    };
    for (let right = this.size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      for (let step = 0; step < this.size; step++) {
        const y = ((right + 1) & 2) === 0 ? this.size - 1 - step : step;
        draw(right, y);
        draw(right - 1, y);
      }
    }
  }
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
  const square = new Square(version);
  square.drawFinders();
  square.drawAlignment(centres);
  square.drawFormat();
  square.drawVersion(version);
  square.drawData(interleaved(dataCodewords(bytes, version, total - errors * count), form));
  return square.modules();
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
