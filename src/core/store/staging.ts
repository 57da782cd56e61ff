// Writes an upload to a staged file: hashes it while it arrives, enforces the size ceiling and the disk reserve, and
// syncs it at the end. The media type is detected from the bytes; what a client says is ignored.
import { createHash, type Hash } from "node:crypto";
import { rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { Writable } from "node:stream";
import { diskFull, httpErrorOf, tooLarge } from "../errors.ts";
import { withCommas } from "../wording.ts";
import { freeBytes } from "./disk_space.ts";
import { headBytes, sniff } from "./media_types.ts";

/** The prefix of the staged files of resumable uploads, which outlive a request and a process. */
export const resumablePrefix = "resumable-";

/** Free disk space is checked again after this number of bytes. */
export const spaceCheckInterval = 16 * 1024 * 1024;

/** The maximum number of bytes of one upload that wait in memory for the disk. */
const maxWaiting = 4 * 1024 * 1024;

type Done = (error?: Error | null) => void;

/**
 * Writes every byte at `position`. Needs a loop, because a disk that is nearly full writes only a part without an
 * error.
 */
async function writeWhole(handle: FileHandle, chunks: Buffer[], bytes: number, position: number): Promise<void> {
  let { bytesWritten } = await handle.writev(chunks, position);
  while (bytesWritten < bytes) {
    const rest = Buffer.concat(chunks, bytes).subarray(bytesWritten);
    bytesWritten += (await handle.write(rest, 0, rest.length, position + bytesWritten)).bytesWritten;
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
 * A stream that hashes bytes and writes them to a file. Once it has finished, the bytes are synced and `staged()`
 * returns them. What arrives while the disk is writing waits in the stream, up to maxWaiting bytes, and is written in
 * one piece.
 */
export class Staging extends Writable {
  readonly file: string;
  readonly #ceiling: number;
  readonly #reserve: number;
  protected readonly hash: Hash | undefined;
  #head: Buffer = Buffer.alloc(0);
  protected handle: FileHandle | undefined;
  /** The size with the bytes that were accepted, and with those that were written. */
  protected size: number;
  protected written: number;
  /** The upload size up to which free space was checked. */
  #checkedTo: number;
  #result: Staged | undefined;
  #writing: Promise<void> | undefined;

  /**
   * `ceiling`: the maximum size in bytes. `reserve`: the free disk space in bytes that the upload must leave. `begun`:
   * the size of what the file has already, and the hash of that if it is known.
   */
  constructor(
    file: string,
    ceiling: number,
    reserve: number,
    begun: { size: number; hash: Hash | undefined } = { size: 0, hash: createHash("sha256") },
  ) {
    super({ highWaterMark: maxWaiting });
    this.file = file;
    this.#ceiling = ceiling;
    this.#reserve = reserve;
    this.hash = begun.hash;
    this.size = begun.size;
    this.written = begun.size;
    this.#checkedTo = begun.size;
  }

  override _construct(done: Done): void {
    this.openFile().then((handle) => {
      this.handle = handle;
      done();
    }, done);
  }

  protected openFile(): Promise<FileHandle> {
    return open(this.file, "wx", 0o600);
  }

  override _writev(given: { chunk: Buffer }[], done: Done): void {
    this.#writing = this.#write(given.map(({ chunk }) => chunk));
    this.#writing.then(() => done(), done);
  }

  async #write(chunks: Buffer[]): Promise<void> {
    const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
    if (this.size + bytes > this.#ceiling)
      throw tooLarge(`a file must have at most ${withCommas(this.#ceiling)} bytes`);
    this.size += bytes;
    if (this.size > this.#checkedTo) this.#checkSpace();
    // open: nothing is written before
    const writing = writeWhole(this.handle as FileHandle, chunks, bytes, this.written);
    for (const chunk of chunks) {
      if (this.#head.length < headBytes) this.#head = Buffer.concat([this.#head, chunk.subarray(0, headBytes)]);
      this.hash?.update(chunk); // on this thread, while the disk is writing
    }
    await writing;
    this.written += bytes;
    this.afterWriting();
  }

  /** Called whenever more is written. */
  protected afterWriting(): void {}

  #checkSpace(): void {
    if (freeBytes(dirname(this.file)) < this.#reserve + spaceCheckInterval) throw diskFull();
    this.#checkedTo = this.size + spaceCheckInterval;
  }

  override _final(done: Done): void {
    this.finish().then(() => {
      const content_type = sniff(this.#head);
      if (this.hash !== undefined)
        this.#result = { file: this.file, sha256: this.hash.digest("hex"), size: this.size, content_type };
      done();
    }, done);
  }

  /** Writes and syncs what was accepted. */
  protected async finish(): Promise<void> {
    await this.whenWritten();
    await this.handle?.sync();
  }

  protected async whenWritten(): Promise<void> {
    await this.#writing;
  }

  protected closeFile(then: () => void): void {
    if (this.handle === undefined) then();
    else this.handle.close().then(then, then);
  }

  override _destroy(error: Error | null, done: Done): void {
    const finish = () => {
      if (this.#result === undefined) rmSync(this.file, { force: true });
      done(error);
    };
    this.closeFile(finish);
  }

  /** Returns the staged bytes. Throws an HttpError if the stream has not finished. */
  staged(): Staged {
    if (this.#result === undefined) throw httpErrorOf(this.errored ?? new Error("the upload did not finish"));
    return this.#result;
  }
}
