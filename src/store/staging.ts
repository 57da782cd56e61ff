// Writes an upload to a staged file: hashes it while it arrives, enforces the size ceiling and the disk reserve, and syncs it
// at the end.
import { createHash, type Hash } from "node:crypto";
import { rmSync, statfsSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { Writable } from "node:stream";
import { diskFull, httpErrorOf, tooLarge } from "../errors.ts";
import { sniff } from "./sniff.ts";

/** Free disk space is checked again after this number of bytes. */
export const spaceCheckInterval = 16 * 1024 * 1024;

/** The maximum number of bytes of one upload that wait in memory for the disk. */
const maxWaiting = 4 * 1024 * 1024;

type Done = (error?: Error | null) => void;

/** Writes every byte. Needs a loop, because a disk that is nearly full writes only a part without an error. */
async function writeWhole(handle: FileHandle, chunks: Buffer[], bytes: number): Promise<void> {
  let { bytesWritten } = await handle.writev(chunks);
  while (bytesWritten < bytes) {
    const rest = Buffer.concat(chunks, bytes).subarray(bytesWritten);
    bytesWritten += (await handle.write(rest)).bytesWritten;
  }
}

/** Bytes that are synced to disk but not yet placed. */
export interface Staged {
  file: string;
  sha256: string;
  /** In bytes. */
  size: number;
  content_type: string;
}

/**
 * A stream that hashes bytes and writes them to a file. Once it has finished, the bytes are synced and `staged()` returns them.
 */
export class Staging extends Writable {
  readonly file: string;
  readonly #ceiling: number;
  readonly #reserve: number;
  readonly #hash: Hash = createHash("sha256");
  #head: Buffer = Buffer.alloc(0);
  #handle: FileHandle | undefined;
  #size = 0;
  /** The upload size up to which free space was checked. */
  #checkedTo = 0;
  #result: Staged | undefined;
  /** Chunks that are accepted but not yet being written. */
  #waiting: Buffer[] = [];
  /** The size of #waiting and of the chunks that are being written. */
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  /** The callback of a chunk that waits for memory. */
  #blocked: Done | undefined;

  /** `ceiling`: the maximum size in bytes. `reserve`: the free disk space in bytes that the upload must leave. */
  constructor(file: string, ceiling: number, reserve: number) {
    super({ highWaterMark: 1 << 20 });
    this.file = file;
    this.#ceiling = ceiling;
    this.#reserve = reserve;
  }

  override _construct(done: Done): void {
    open(this.file, "wx", 0o600).then((handle) => {
      this.#handle = handle;
      done();
    }, done);
  }

  /** Accepts chunks while the disk is writing, up to maxWaiting bytes, so that the sender does not wait for each chunk. */
  override _write(chunk: Buffer, _encoding: string, done: Done): void {
    try {
      this.#accept(chunk);
    } catch (error) {
      done(error as Error);
      return;
    }
    this.#writing ??= this.#write();
    if (this.#waitingBytes < maxWaiting) done();
    else this.#blocked = done;
  }

  #accept(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#ceiling)
      throw tooLarge(`a file must have at most ${this.#ceiling.toLocaleString("en")} bytes`);
    if (this.#size > this.#checkedTo) this.#checkSpace();
    if (this.#head.length < 512) this.#head = Buffer.concat([this.#head, chunk.subarray(0, 512)]);
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    this.#hash.update(chunk); // on this thread, while the disk is writing
  }

  /** Writes the waiting chunks and those that arrive in the meantime. Never throws: an error destroys the stream. */
  async #write(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const chunks = this.#waiting;
        const bytes = this.#waitingBytes;
        this.#waiting = [];
        await writeWhole(this.#handle as FileHandle, chunks, bytes);
        this.#waitingBytes -= bytes;
        const blocked = this.#blocked;
        this.#blocked = undefined;
        blocked?.();
      }
      this.#writing = undefined;
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  #checkSpace(): void {
    const { bavail, bsize } = statfsSync(dirname(this.file));
    if (bavail * bsize < this.#reserve + spaceCheckInterval) throw diskFull();
    this.#checkedTo = this.#size + spaceCheckInterval;
  }

  override _final(done: Done): void {
    this.#finish().then(() => {
      this.#result = {
        file: this.file,
        sha256: this.#hash.digest("hex"),
        size: this.#size,
        content_type: sniff(this.#head),
      };
      done();
    }, done);
  }

  async #finish(): Promise<void> {
    await this.#writing;
    await this.#handle?.sync();
  }

  override _destroy(error: Error | null, done: Done): void {
    const finish = () => {
      if (this.#result === undefined) rmSync(this.file, { force: true });
      done(error);
    };
    if (this.#handle === undefined) finish();
    else this.#handle.close().then(finish, finish);
  }

  /** Returns the staged bytes. Throws an HttpError if the stream has not finished. */
  staged(): Staged {
    if (this.#result === undefined) throw httpErrorOf(this.errored ?? new Error("the upload did not finish"));
    return this.#result;
  }
}
