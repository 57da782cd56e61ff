// Reads and writes the tar files of backups (POSIX ustar, with sizes of 8 GiB and more in base 256). Memory use does
// not depend on the size. The reader is strict: it only accepts what this writer writes.
import { type FileHandle, open } from "node:fs/promises";
import { closing, hashBytes, readBytes } from "../../core/store/files.ts";
import { withoutEnd } from "../../core/wording.ts";

const block = 512;
const chunkSize = 1 << 20;
const padded = (size: number): number => Math.ceil(size / block) * block;

/**
 * An invalid archive. The message completes a sentence that begins with the file name. `part` is what could not be put
 * into it.
 */
export class ArchiveError extends Error {
  readonly part: string | undefined;
  constructor(message: string, part?: string) {
    super(message);
    this.part = part;
  }
}

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
  // A header has as many bytes.
  for (let at = 0; at < block; at++) sum += at >= 148 && at < 156 ? 0x20 : (header[at] as number);
  return sum;
};

/**
 * The 512-byte header of a member. `name` has at most 100 ASCII characters, `size` is in bytes, `seconds` is the Unix
 * time.
 */
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

/** A member of a backup, with its bytes. */
export interface Part {
  name: string;
  /** In bytes. */
  size: number;
  bytes(): AsyncIterable<Buffer>;
}

/**
 * The name and the size of a member. Its header must be exactly what this writer would write, so that it contains
 * nothing else.
 */
function memberOf(header: Buffer): Pick<Part, "name" | "size"> {
  const name = withoutEnd(header.toString("latin1", 0, 100), /\0/);
  const field = header.subarray(124, 136);
  const size =
    field[0] === 0x80 ? Number(field.readBigUInt64BE(4)) : Number.parseInt(field.toString("latin1", 0, 11), 8);
  const seconds = Number.parseInt(header.toString("latin1", 136, 147), 8);
  if (
    !Number.isSafeInteger(size) ||
    !Number.isSafeInteger(seconds) ||
    !memberHeader(name, size, seconds).equals(header)
  )
    throw new ArchiveError("is damaged or is not a Tallylight backup");
  return { name, size };
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

const isZero = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0);

/**
 * The members of the archive in a file, in order. Throws ArchiveError if it is truncated, damaged, or has data after
 * its end.
 */
export async function* partsOf(file: string): AsyncGenerator<Part> {
  const handle = await open(file, "r");
  try {
    const total = (await handle.stat()).size;
    for (let at = 0; ; ) {
      const header = await readAt(handle, at, block);
      const start = at + block;
      if (isZero(header)) {
        if (isZero(await readAt(handle, start, block)) && total === start + block) return;
        throw new ArchiveError("has data after its end");
      }
      const { name, size } = memberOf(header);
      at = start + padded(size);
      if (at > total) throw new ArchiveError("is truncated");
      async function* bytes(): AsyncGenerator<Buffer> {
        for (let done = 0; done < size; done += chunkSize)
          yield await readAt(handle, start + done, Math.min(chunkSize, size - done));
      }
      yield { name, size, bytes };
      if (!isZero(await readAt(handle, start + size, at - start - size)))
        throw new ArchiveError("is damaged between two members");
    }
  } finally {
    await handle.close();
  }
}

/** A file as a part of a backup. */
export const filePart = (name: string, file: string, size: number): Part => ({
  name,
  size,
  bytes: () => readBytes(file, size),
});

/**
 * Writes an archive of parts, and reports those that have a hash. Throws ArchiveError if the bytes of one do not match
 * its hash or its size.
 */
export const writeArchive = async (
  file: string,
  parts: readonly (Part & { sha256?: string })[],
  seconds: number,
  report: (bytes: number) => void,
): Promise<void> =>
  closing(await open(file, "wx", 0o600), async (handle) => {
    for (const { name, size, sha256, bytes } of parts) {
      await handle.writeFile(memberHeader(name, size, seconds));
      const found = await hashBytes(bytes(), handle, sha256 === undefined ? undefined : report);
      if (found.size !== size || found.sha256 !== (sha256 ?? found.sha256))
        throw new ArchiveError(`does not have the bytes of ${name}`, name);
      await handle.writeFile(Buffer.alloc(padded(size) - size));
    }
    await handle.writeFile(Buffer.alloc(2 * block));
    await handle.sync();
  });
