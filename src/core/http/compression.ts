// Compresses bodies in the thread pool of zlib, so that other requests are answered meanwhile.
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Coded, Coding } from "./send.ts";

const [gzipped, brotli] = [promisify(gzip), promisify(brotliCompress)];
// Low levels: the higher ones take several times the processor time for a tenth less.
const encoders: Readonly<Record<Coding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body) => gzipped(body, { level: 4 }),
};

/** Returns the body in a content coding. `coded` has the forms that were made before, and gets this one. */
export async function encoded(body: Buffer, coding: Coding, coded: Coded = {}): Promise<Buffer> {
  coded[coding] ??= await encoders[coding](body);
  return coded[coding];
}
