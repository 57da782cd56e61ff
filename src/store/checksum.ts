// Computes the checksum of a file without reading it into memory at once.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** The SHA-256 of a file's bytes, in hex. */
export async function sha256OfFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) hash.update(chunk);
  return hash.digest("hex");
}
