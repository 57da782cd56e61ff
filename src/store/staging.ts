// An upload on its way to disk: hashed as it comes, held to its ceiling and to the room that is left, synced at its end.
// Knows nothing of where it will be kept.
import { createHash, type Hash } from "node:crypto";
import { rmSync, statfsSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { Writable } from "node:stream";
import { diskFull, refusalOf, tooLarge } from "../errors.ts";
import { sniff } from "./sniff.ts";

/** The free room is looked at again each time that so many bytes have come. */
const roomStep = 16 * 1024 * 1024;

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

  /** `ceiling`: the most bytes it may have. `reserve`: the free bytes that it must leave on the disk. */
  constructor(file: string, ceiling: number, reserve: number) {
    super({ highWaterMark: 1 << 20 });
    this.file = file;
    this.#ceiling = ceiling;
    this.#reserve = reserve;
  }

  override _construct(done: (error?: Error | null) => void): void {
    open(this.file, "wx", 0o600).then((handle) => {
      this.#handle = handle;
      done();
    }, done);
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#take([chunk]).then(() => done(), done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#take(chunks.map(({ chunk }) => chunk)).then(() => done(), done);
  }

  async #take(chunks: Buffer[]): Promise<void> {
    for (const chunk of chunks) {
      this.#size += chunk.length;
      if (this.#size > this.#ceiling)
        throw tooLarge(`a file must have at most ${this.#ceiling.toLocaleString("en")} bytes`);
      if (this.#size > this.#checkedTo) this.#checkRoom();
      if (this.#head.length < 512) this.#head = Buffer.concat([this.#head, chunk.subarray(0, 512)]);
    }
    const writing = this.#handle?.writev(chunks);
    for (const chunk of chunks) this.#hash.update(chunk); // on this thread, while the disk works
    await writing;
  }

  #checkRoom(): void {
    const { bavail, bsize } = statfsSync(dirname(this.file));
    if (bavail * bsize < this.#reserve + roomStep) throw diskFull();
    this.#checkedTo = this.#size + roomStep;
  }

  override _final(done: (error?: Error | null) => void): void {
    const handle = this.#handle as FileHandle;
    handle.sync().then(() => {
      this.#result = {
        file: this.file,
        sha256: this.#hash.digest("hex"),
        size: this.#size,
        content_type: sniff(this.#head),
      };
      done();
    }, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const finish = () => {
      if (this.#result === undefined) rmSync(this.file, { force: true });
      done(error);
    };
    if (this.#handle === undefined) finish();
    else this.#handle.close().then(finish, finish);
  }

  /** The staged bytes; throws where the stream has not finished. */
  staged(): Staged {
    if (this.#result === undefined) throw refusalOf(this.errored ?? new Error("the upload did not finish"));
    return this.#result;
  }
}
