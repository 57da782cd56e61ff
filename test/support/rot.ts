// Changes one byte of a file and leaves its size and its time as they were, as a disk does that loses bytes without a
// trace.
import { readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";

/** Returns the bytes that the file had. */
export function rot(file: string): Buffer {
  const [bytes, { atime, mtime }] = [readFileSync(file), statSync(file)];
  const wrong = Buffer.from(bytes);
  wrong[9] = (wrong[9] as number) ^ 1; // the files of the tests are longer
  writeFileSync(file, wrong);
  utimesSync(file, atime, mtime);
  return bytes;
}
