// Reads and writes the tar files of backups (POSIX ustar, with sizes of 8 GiB and more in base 256). Memory use does not depend
// on the size. The reader is strict: it only accepts what this writer writes.
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";

const block = 512;
const chunkSize = 1 << 20;
const padded = (size: number): number => Math.ceil(size / block) * block;

/** An invalid archive. The message completes a sentence that begins with the file name. */
export class ArchiveError extends Error {}

function numberField(value: number, length: number): Buffer {
  const octal = value.toString(8).padStart(length - 1, "0");
  if (octal.length < length) return Buffer.from(`${octal}\0`, "latin1");
  const field = Buffer.alloc(length);
  field.writeBigUInt64BE(BigInt(value), length - 8);
  field[0] = 0x80;
  return field;
}

const checksum = (header: Buffer): number => {
  let sum = 0;
  for (let at = 0; at < block; at++) sum += at >= 148 && at < 156 ? 0x20 : (header[at] as number);
  return sum;
};

/** The 512-byte header of a member. `name` has at most 100 ASCII characters, `size` is in bytes, `seconds` is the Unix time. */
export function memberHeader(name: string, size: number, seconds: number): Buffer {
  const header = Buffer.alloc(block);
  header.write(name, 0, 100, "latin1");
  header.write("0000600\0", 100, "latin1"); // mode
  header.write("0000000\0", 108, "latin1"); // owner
  header.write("0000000\0", 116, "latin1"); // group
  numberField(size, 12).copy(header, 124);
  numberField(seconds, 12).copy(header, 136);
  header.write("0", 156, "latin1"); // a regular file
  header.write("ustar\x0000", 257, "latin1");
  header.write(`${checksum(header).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}

/** One member of an archive. */
export interface Member {
  name: string;
  /** In bytes. */
  size: number;
  /** The position of its first byte in the archive. */
  at: number;
}

function memberOf(header: Buffer, at: number): Member {
  const name = header.toString("latin1", 0, 100).replace(/\0+$/, "");
  const field = header.subarray(124, 136);
  const size =
    field[0] === 0x80 ? Number(field.readBigUInt64BE(4)) : Number.parseInt(field.toString("latin1", 0, 11), 8);
  const seconds = Number.parseInt(header.toString("latin1", 136, 147), 8);
  // The header must be exactly what this writer would write, so that it contains nothing else.
  if (
    !Number.isSafeInteger(size) ||
    !Number.isSafeInteger(seconds) ||
    !memberHeader(name, size, seconds).equals(header)
  )
    throw new ArchiveError("is damaged or is not a Tallylight backup");
  return { name, size, at };
}

async function readAt(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(buffer, filled, length - filled, at + filled);
    if (bytesRead === 0) throw new ArchiveError("is truncated");
    filled += bytesRead;
  }
  return buffer;
}

/** The members of an archive, in order. Throws ArchiveError if it is truncated, damaged, or has data after its end. */
export async function* membersOf(handle: FileHandle): AsyncGenerator<Member> {
  const { size } = await handle.stat();
  let at = 0;
  for (;;) {
    const header = await readAt(handle, at, block);
    at += block;
    if (header.every((byte) => byte === 0)) break;
    const member = memberOf(header, at);
    if (at + padded(member.size) > size) throw new ArchiveError("is truncated");
    yield member;
    at += padded(member.size);
  }
  const rest = await readAt(handle, at, block);
  if (rest.some((byte) => byte !== 0) || size !== at + block) throw new ArchiveError("has data after its end");
}

/** The bytes of a member in chunks of up to 1 MiB. Throws ArchiveError if the padding after them is not zero. */
export async function* readMember(handle: FileHandle, { at, size }: Member): AsyncGenerator<Buffer> {
  for (let done = 0; done < size; done += chunkSize)
    yield await readAt(handle, at + done, Math.min(chunkSize, size - done));
  const padding = await readAt(handle, at + size, padded(size) - size);
  if (padding.some((byte) => byte !== 0)) throw new ArchiveError("is damaged between two members");
}

/** Writes an archive into an empty file. `now` is the time of its members in milliseconds. */
export function archiveWriter(handle: FileHandle, now: number) {
  let end = 0;

  async function put(at: number, bytes: Buffer): Promise<void> {
    for (let done = 0; done < bytes.length; )
      done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
  }

  return {
    /**
     * Adds a member of exactly `size` bytes. Returns the SHA-256 of the bytes in hex, or undefined, without adding the member, if
     * the source has another size or its SHA-256 is not `sha256`.
     */
    async add(name: string, size: number, source: AsyncIterable<Buffer>, sha256?: string): Promise<string | undefined> {
      const hash = createHash("sha256");
      let at = end + block;
      const last = at + size;
      for await (const chunk of source) {
        if (at + chunk.length > last) return undefined;
        hash.update(chunk);
        await put(at, chunk);
        at += chunk.length;
      }
      const found = hash.digest("hex");
      if (at !== last || (sha256 !== undefined && sha256 !== found)) return undefined;
      await put(end, memberHeader(name, size, Math.floor(now / 1000)));
      await put(last, Buffer.alloc(padded(size) - size));
      end += block + padded(size);
      return found;
    },

    /** Ends the archive and syncs it to disk. Overwrites what a member that was not added has left. Returns the size in bytes. */
    async end(): Promise<number> {
      await put(end, Buffer.alloc(2 * block));
      await handle.truncate(end + 2 * block);
      await handle.sync();
      return end + 2 * block;
    },
  };
}
