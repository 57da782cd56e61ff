// Stores media bytes on disk, named by their SHA-256. Bytes are first staged and synced, then moved to their place, and
// get their row in a write transaction. A file without a row is therefore left over from a crash or belongs to another
// state of the database; sweep() moves it to found/. Uploads in progress are limited: those of one key, those of all
// keys, and by free disk space.
import { hash, randomBytes } from "node:crypto";
import {
  closeSync,
  createReadStream,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers";
import { busy, diskFull, mediaAbsent } from "../errors.ts";
import type { KeyId } from "../ids.ts";
import { Shares } from "../limits.ts";
import { day, minute } from "../times.ts";
import { adoptMedia } from "./database_mark.ts";
import { freeBytes } from "./disk_space.ts";
import { deleteUnneededBlob, deleteUnneededBlobs, getBlob, Placing } from "./file_placing.ts";
import { absentMedia, mediaFiles, moveToFoundFolder, sha256OfFile } from "./files.ts";
import { holding, lockMediaForRemoving } from "./lock.ts";
import { sniff } from "./media_types.ts";
import { resumablePrefix, type Staged, Staging } from "./staging.ts";
import type { Store } from "./store.ts";

export type { Staged, Staging };

/** The delay before unneeded bytes are removed, and before the next try if a backup is running. In milliseconds. */
const removalDelay = 1_000;
const retryDelay = minute;

/** What limits the uploads, and whose files are whose. */
export interface BlobOptions {
  /** The maximum size of one upload in bytes. */
  ceiling: number;
  /** The free disk space in bytes that uploads must leave; 0 by default. */
  reserve?: number;
  /** The maximum number of concurrent uploads of one key; no limit by default. */
  uploads?: number;
  /** Whether files are also stored while those that the database names are absent. */
  withoutMedia?: boolean | undefined;
  /**
   * Who stages files: its name begins theirs, so that a server at its start removes its own and not those of a running
   * command or job.
   */
  role: "server" | "command" | `server-${string}`;
}

/** Writes bytes from memory to a staged file and syncs it. */
function writeStaged(file: string, bytes: Uint8Array): Staged {
  try {
    const handle = openSync(file, "wx", 0o600);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
  return { file, sha256: hash("sha256", bytes), size: bytes.length, content_type: sniff(bytes) };
}

/**
 * The media folder of a data directory: stored bytes are at `media/ab/<sha256>`, uploads in progress in
 * `media/staging/`.
 */
export class Blobs extends Placing {
  readonly uploads: Uploads;
  readonly #options: BlobOptions;
  /** The hashes of bytes that are removed soon, unless they are needed then. */
  readonly #unneeded = new Set<string>();

  constructor(folder: string, store: Store, options: BlobOptions) {
    super(folder, store);
    this.#options = options;
    this.uploads = openUploads(folder, options, () => this.requireFolder());
    try {
      mkdirSync(this.staging, { recursive: true, mode: 0o700 });
    } catch (error) {
      if (store.unwritable === undefined) throw error;
    }
    if (store.unwritable === undefined) adoptMedia(store, dirname(folder));
  }

  /** Why no medium can be read; undefined if that is not so. */
  absence = (): string | undefined => absentMedia(this.store.database, this.folder);

  /** Throws 503 if the disk of the media is absent: what is stored now would be hidden once it is back. */
  requireFolder(): void {
    if (this.#options.withoutMedia !== true && this.absence() !== undefined) throw mediaAbsent();
  }

  /** The path of a new staged file, for a writer that does not stage through `stage`. The caller discards it. */
  stagingFile(): string {
    this.requireFolder();
    return join(this.staging, `${this.#options.role}-${randomBytes(12).toString("hex")}`);
  }

  /** A stream that stages an upload of at most `max` bytes; the configured ceiling by default. */
  stage(max: number = this.#options.ceiling): Staging {
    return new Staging(this.stagingFile(), max, this.#options.reserve ?? 0);
  }

  /** Stages bytes from memory. */
  stageBytes(bytes: Uint8Array): Staged {
    return writeStaged(this.stagingFile(), bytes);
  }

  /** All bytes of a small blob. */
  read(sha256: string): Buffer {
    return readFileSync(this.fileOf(sha256));
  }

  /** A stream of the bytes from `start` to `end`, both inclusive. */
  stream(sha256: string, start: number, end: number) {
    return createReadStream(this.fileOf(sha256), { start, end, highWaterMark: 1 << 18 });
  }

  /** The size of a stored file in bytes; undefined if the file is missing. */
  sizeOf(sha256: string): number | undefined {
    return statSync(this.fileOf(sha256), { throwIfNoEntry: false })?.size;
  }

  /** Removes the staged files of a role that has ended, and their bytes from their places unless they got a row. */
  async discardOf(role: string): Promise<void> {
    const names = await readdir(this.staging);
    for (const file of names.filter((name) => name.startsWith(`${role}-`)).map((name) => join(this.staging, name))) {
      this.removeIfUnneeded(await sha256OfFile(file));
      await this.discard({ file });
    }
    await this.removeUnneeded();
  }

  /**
   * Removes stored bytes after a short delay, unless they are needed then. The delay lets current readers open the
   * file.
   */
  readonly removeIfUnneeded = (sha256: string): void => {
    if (this.#unneeded.size === 0) this.#removeAfter(removalDelay);
    this.#unneeded.add(sha256);
  };

  /** Runs the scheduled removals now. */
  async removeUnneeded(): Promise<void> {
    if (this.#unneeded.size === 0 || !this.store.database.open) return;
    const lock = lockMediaForRemoving(dirname(this.folder));
    if (lock === undefined) return this.#removeAfter(retryDelay); // a backup is copying media
    const scheduled = [...this.#unneeded];
    this.#unneeded.clear();
    // In a write transaction, so that no other process can add a row for the same bytes. If the disk is full or another
    // process keeps writing, the sweep at the next start removes them.
    await holding(lock, () => this.store.write(() => this.#removeFiles(scheduled))).catch(() => {});
  }

  #removeAfter(delay: number): void {
    setTimeout(() => void this.removeUnneeded(), delay).unref();
  }

  #removeFiles(scheduled: readonly string[]): void {
    for (const sha256 of scheduled) {
      if (this.isPrepared(sha256)) continue; // discard checks again at the end of the upload
      const deleted = deleteUnneededBlob(this.store, { sha256 }).changes > 0;
      if (deleted || getBlob(this.store, { sha256 }) === undefined) rmSync(this.fileOf(sha256), { force: true });
    }
  }

  /**
   * Removes what a crash left behind: staged files, and rows that no media refer to. Moves files without a row to
   * found/, and returns how many. For a server's start. Does nothing while a backup copies media: the next start does
   * it.
   */
  sweep(): { moved: number } {
    const lock = lockMediaForRemoving(dirname(this.folder));
    if (lock === undefined) return { moved: 0 };
    return holding(lock, () => {
      this.#sweepStaged();
      // This may move a file that a running import has linked but not yet recorded. The import then links its staged
      // file again.
      return this.store.writeSync(() => {
        deleteUnneededBlobs(this.store, {});
        const names = mediaFiles(this.folder).filter(
          (name) => getBlob(this.store, { sha256: name.slice(3) }) === undefined,
        );
        for (const name of names) moveToFoundFolder(dirname(this.folder), name);
        return { moved: names.length };
      });
    });
  }

  #sweepStaged(): void {
    for (const name of readdirSync(this.staging)) {
      const file = join(this.staging, name);
      if (name.startsWith(resumablePrefix)) continue; // they expire by the time in their rows
      if (!name.startsWith(this.#options.role) && Date.now() - statSync(file).mtimeMs < day) continue;
      rmSync(file, { recursive: true, force: true });
    }
  }
}

export const openBlobs = (folder: string, store: Store, options: BlobOptions): Blobs =>
  new Blobs(folder, store, options);

/** The uploads in progress. docs/reference.md, "Forms and uploads". */
export interface Uploads {
  /**
   * Begins an upload of a key with `announced` bytes; returns a function that ends it. Throws 503 if the key or all
   * keys together have too many uploads in progress, 507 if the upload would not leave the disk reserve free.
   */
  begin(key_id: KeyId | null, announced: number): () => void;
  /** The number of uploads in progress. */
  running(): number;
}

/** The limit of all keys together is this multiple of the limit of one key. */
const totalFactor = 8;
/** A key without an upload in progress may exceed the limit of all keys, up to this multiple of it. */
const spareFactor = 2;

/** How many uploads may be in progress, so that `reserve` bytes of the disk of `folder` stay free. */
function openUploads(folder: string, options: BlobOptions, requireFolder: () => void): Uploads {
  const { uploads: ofOwner = Number.POSITIVE_INFINITY, reserve = 0 } = options;
  const ofAll = ofOwner * totalFactor;
  const shares = new Shares<KeyId | null>({ ofOwner, ofAll, withNewOwner: ofAll * spareFactor });
  const check = (key_id: KeyId | null, announced: number): void => {
    const exceeded = shares.exceeded(key_id);
    if (exceeded === "owner") throw busy(`this key has ${shares.of(key_id)} uploads in progress`);
    if (exceeded === "all") throw busy(`${shares.total} uploads are in progress`);
    requireFolder();
    if (freeBytes(folder) - reserve < announced) throw diskFull();
  };
  return {
    running: () => shares.total,
    begin(key_id, announced) {
      check(key_id, announced);
      shares.take(key_id);
      let ended = false;
      return () => {
        if (!ended) shares.giveBack(key_id);
        ended = true;
      };
    },
  };
}
