// The bytes of a file that is moved: hashed, and copied so that what is on the destination's disk is what was hashed.
import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";

const pieceSize = 1 << 20;

/** Reads a file piece by piece. */
async function eachPiece(
  handle: FileHandle,
  signal: AbortSignal,
  take: (piece: Buffer) => Promise<void> | void,
): Promise<void> {
  const buffer = Buffer.alloc(pieceSize);
  for (let at = 0; ; ) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, pieceSize, at);
    if (bytesRead === 0) return;
    await take(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
}

/** The SHA-256 of a file's bytes in hex. */
export async function hashFile(file: string, signal: AbortSignal): Promise<string> {
  const handle = await open(file, "r");
  try {
    const hash = createHash("sha256");
    await eachPiece(handle, signal, (piece) => void hash.update(piece));
    return hash.digest("hex");
  } finally {
    await handle.close();
  }
}

async function writePiece(handle: FileHandle, piece: Buffer, at: number): Promise<void> {
  for (let done = 0; done < piece.length; )
    done += (await handle.write(piece, done, piece.length - done, at + done)).bytesWritten;
}

/** Copies a file to a name that must be free, with its times and permissions, and syncs it. */
export async function copyBytes(from: string, to: string, signal: AbortSignal): Promise<void> {
  const source = await open(from, "r");
  try {
    const target = await open(to, "wx", 0o600);
    try {
      let at = 0;
      await eachPiece(source, signal, async (piece) => {
        await writePiece(target, piece, at);
        at += piece.length;
      });
      const { atimeMs, mtimeMs, mode } = await source.stat();
      await target.chmod(mode & 0o777).catch(() => {}); // not every file system has permissions
      await target.utimes(atimeMs / 1000, mtimeMs / 1000).catch(() => {});
      await target.sync();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
