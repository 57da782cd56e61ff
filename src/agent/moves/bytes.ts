// The bytes of a file that is moved: hashed, and copied so that what is on the destination's disk is what was hashed.
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";

const highWaterMark = 1 << 20;

/** The SHA-256 of a file's bytes in hex. */
export async function hashFile(file: string, signal: AbortSignal): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file, { highWaterMark }), hash, { signal });
  return hash.digest("hex");
}

/** Copies a file to a name that must be free, with its times and permissions, and syncs it. */
export async function copyBytes(from: string, to: string, signal: AbortSignal): Promise<void> {
  const target = createWriteStream(to, { flags: "wx", mode: 0o600, highWaterMark });
  await pipeline(createReadStream(from, { highWaterMark }), target, { signal });
  const copy = await open(to, "r+");
  try {
    const { atimeMs, mtimeMs, mode } = await stat(from);
    await copy.chmod(mode & 0o777).catch(() => {}); // not every file system has permissions
    await copy.utimes(atimeMs / 1000, mtimeMs / 1000).catch(() => {});
    await copy.sync();
  } finally {
    await copy.close();
  }
}
