// An upload on its way to disk: hashed as it comes, held to its ceiling and to the room that is left, synced at its end.
// Knows nothing of where it will be kept.
import { createHash, type Hash } from "node:crypto";
import { rmSync, statfsSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { Writable } from "node:stream";
import { diskFull, httpErrorOf, tooLarge } from "../errors.ts";
import { sniff } from "./sniff.ts";

/** The free room is looked at again each time that so many bytes have come. */
export const roomStep = 16 * 1024 * 1024;

/** So many bytes of one upload may wait in memory for the disk. */
const maxWaiting = 4 * 1024 * 1024;

type Done = (error?: Error | null) => void;

/** Writes every byte: a disk that is nearly full takes a part of them without an error. */
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

/** Takes bytes as they come, hashing them; `staged()` answers once the stream has finished and the bytes are synced. */
export class Staging extends Writable {
  readonly file: string;
  readonly #ceiling: number;
  readonly #reserve: number;
  readonly #hash: Hash = createHash("sha256");
  #head: Buffer = Buffer.alloc(0);
  #handle: FileHandle | undefined;
  #size = 0;
  #checkedTo = 0;
  #result: Staged | undefined;
  /** Taken, but not yet with the disk. */
  #waiting: Buffer[] = [];
  /** With what the disk is writing. */
  #waitingBytes = 0;
  #importer: Promise<void> | undefined;
  /** Tells the writer that there is room again. */
  #taken: Done | undefined;

  /** `ceiling`: the most bytes it may have. `reserve`: the free bytes that it must leave on the disk. */
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

  /** Takes more while the disk is at work, up to a bound: who writes waits for room in memory, not for each piece. */
  override _write(chunk: Buffer, _encoding: string, done: Done): void {
    try {
      this.#take(chunk);
    } catch (error) {
      done(error as Error);
      return;
    }
    this.#importer ??= this.#write();
    if (this.#waitingBytes < maxWaiting) done();
    else this.#taken = done;
  }

  #take(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#ceiling)
      throw tooLarge(`a file must have at most ${this.#ceiling.toLocaleString("en")} bytes`);
    if (this.#size > this.#checkedTo) this.#checkRoom();
    if (this.#head.length < 512) this.#head = Buffer.concat([this.#head, chunk.subarray(0, 512)]);
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    this.#hash.update(chunk); // on this thread, while the disk works
  }

  /** Writes what waits, and what comes meanwhile. Never throws: what fails destroys the stream. */
  async #write(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const chunks = this.#waiting;
        const bytes = this.#waitingBytes;
        this.#waiting = [];
        await writeWhole(this.#handle as FileHandle, chunks, bytes);
        this.#waitingBytes -= bytes;
        const taken = this.#taken;
        this.#taken = undefined;
        taken?.();
      }
      this.#importer = undefined;
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  #checkRoom(): void {
    const { bavail, bsize } = statfsSync(dirname(this.file));
    if (bavail * bsize < this.#reserve + roomStep) throw diskFull();
    this.#checkedTo = this.#size + roomStep;
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
    await this.#importer;
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

  /** The staged bytes; throws where the stream has not finished. */
  staged(): Staged {
    if (this.#result === undefined) throw httpErrorOf(this.errored ?? new Error("the upload did not finish"));
    return this.#result;
  }
}
