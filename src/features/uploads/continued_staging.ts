// Continues a staged file that has a part of its bytes, as the core stages a new one.
import type { Hash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { Staging } from "../../core/store/staging.ts";

/** The time in milliseconds between two syncs of a file: each of them delays the disk's other work. */
const syncPause = 2_000;

/** How a file is continued. */
export interface Continuation {
  /** The number of bytes that are kept. Whatever the file has after them is removed. */
  offset: number;
  /** The hash of these bytes; it takes the further ones. Undefined if it is not known. */
  hash: Hash | undefined;
  /**
   * Called with an offset each time that another `interval` bytes are synced, but not more often than every two
   * seconds.
   */
  onSynced?: (offset: number) => Promise<void>;
  interval: number;
}

/** The file stays in place if the stream is destroyed, with the bytes that were written so far. */
export class ContinuedStaging extends Staging {
  readonly #continuation: Continuation;
  /** The size with the bytes that were synced. */
  #synced: number;
  #syncing: Promise<void> | undefined;
  /** By performance.now(). */
  #syncedAt = Number.NEGATIVE_INFINITY;

  constructor(file: string, ceiling: number, reserve: number, continuation: Continuation) {
    super(file, ceiling, reserve, { size: continuation.offset, hash: continuation.hash });
    this.#continuation = continuation;
    this.#synced = continuation.offset;
  }

  /** The size of the file with the bytes that are synced. */
  get synced(): number {
    return this.#synced;
  }

  /** Whether the hash has exactly the bytes that are synced. It has not after an error of the disk. */
  get isHashed(): boolean {
    return this.hash !== undefined && this.size === this.#synced;
  }

  protected override async openFile(): Promise<FileHandle> {
    const handle = await open(this.file, "r+", 0o600);
    await handle.truncate(this.#continuation.offset);
    return handle;
  }

  /** Starts to sync what is written if it is much, and reports it. Writing goes on in the meantime. */
  protected override afterWriting(): void {
    const { onSynced, interval } = this.#continuation;
    if (onSynced === undefined || this.#syncing !== undefined || this.written - this.#synced < interval) return;
    if (performance.now() - this.#syncedAt < syncPause) return;
    this.#syncing = this.#sync()
      .then(() => onSynced(this.#synced))
      .catch((error) => void this.destroy(error))
      .finally(() => {
        this.#syncing = undefined;
        this.#syncedAt = performance.now();
      });
  }

  async #sync(): Promise<void> {
    const { written } = this;
    await this.handle?.sync();
    this.#synced = written;
  }

  protected override async finish(): Promise<void> {
    await this.whenWritten();
    await this.#syncing;
    if (this.written > this.#synced) await this.#sync();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.finish().then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const close = () => this.closeFile(() => done(error));
    this.finish().then(close, close); // what has arrived stays
  }
}
