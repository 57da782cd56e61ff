// Moves staged bytes to their place: they are linked and synced before the transaction, and recorded in it, in the rows
// of stored bytes. The staged file remains until it is discarded, so that the transaction can link it again if the link
// was removed in the meantime.
import { existsSync, linkSync, mkdirSync, renameSync } from "node:fs";
import { link, mkdir, open, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf } from "../errors.ts";
import { syncPath } from "./files.ts";
import type { Staged } from "./staging.ts";
import { change, one } from "./statements.ts";
import type { Store } from "./store.ts";

/** The number of files that are linked, or folders that are synced, concurrently. */
const concurrency = 8;

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function forEachConcurrently<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const next = async () => {
    for (let item = queue.pop(); item !== undefined; item = queue.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, queue.length) }, next));
}

/** The errors of file systems without hard links. The transaction then moves the staged file itself. */
const noLinkErrors: ReadonlySet<unknown> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"]);

/** Links a staged file to its place. Returns the folder to sync; undefined if the file system has no hard links. */
async function linkToPlace(file: string, place: string): Promise<string | undefined> {
  await mkdir(dirname(place), { recursive: true, mode: 0o700 });
  const draft = `${file}.link`;
  try {
    await link(file, draft);
  } catch (error) {
    if (noLinkErrors.has(codeOf(error))) return undefined;
    throw error;
  }
  await rename(draft, place); // replaces a file that a crash left without a row
  return dirname(place);
}

/** The same within a transaction, with the file itself if the file system has no hard links. Syncs the folders. */
function placeAtOnce(file: string, place: string): void {
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
  try {
    linkSync(file, `${file}.link`);
    renameSync(`${file}.link`, place);
  } catch (error) {
    if (!noLinkErrors.has(codeOf(error))) throw error;
    renameSync(file, place);
  }
  syncPath(dirname(place));
  syncPath(dirname(dirname(place)));
}

/** The places of stored bytes, `folder`/ab/<sha256>, and of staged ones, `folder`/staging. */
export abstract class Placing {
  /** The folder of staged files. */
  readonly staging: string;
  protected readonly folder: string;
  protected readonly store: Store;
  /** The SHA-256 of each prepared staged file. */
  readonly #prepared = new Map<string, string>();

  constructor(folder: string, store: Store) {
    this.folder = folder;
    this.store = store;
    this.staging = join(folder, "staging");
  }

  /** Called for bytes that were prepared and got no row. */
  abstract readonly removeIfUnneeded: (sha256: string) => void;

  fileOf(sha256: string): string {
    return join(this.folder, sha256.slice(0, 2), sha256);
  }

  /** Links staged bytes to their places and syncs each folder once. Call it before the transaction that places them. */
  async prepare(staged: readonly Staged[]): Promise<void> {
    const folders = new Set<string>();
    for (const one of staged) {
      this.#check(one);
      this.#prepared.set(one.file, one.sha256);
    }
    await forEachConcurrently(staged, async (one) => {
      const linked = this.#isStored(one.sha256) ? undefined : await linkToPlace(one.file, this.fileOf(one.sha256));
      if (linked !== undefined) folders.add(linked);
    });
    if (folders.size > 0) folders.add(this.folder);
    await forEachConcurrently(folders, syncFolder);
  }

  /**
   * Inserts the rows of staged bytes. Must be called in a write transaction. Bytes that were not prepared are moved and
   * synced. `discard` removes them again if the transaction is rolled back.
   */
  place(staged: readonly Staged[], now: string): void {
    if (!this.store.database.inTransaction) throw new Error("place must be called in a write transaction");
    for (const one of staged) this.#check(one);
    for (const { file, sha256 } of staged) {
      if (this.#prepared.has(file) && existsSync(this.fileOf(sha256))) continue;
      this.#prepared.set(file, sha256);
      placeAtOnce(file, this.fileOf(sha256));
    }
    putBlobs(this.store, { staged: JSON.stringify(staged), created_at: now });
  }

  /** Removes a staged file, whether its bytes were placed or refused. */
  async discard({ file }: Pick<Staged, "file">): Promise<void> {
    await unlink(file).catch((error) => {
      // not rm: it looks at the file first and blocks, and a form may have 1,000
      if (error.code !== "ENOENT") throw error;
    });
    this.release({ file });
  }

  /** Ends the preparation of a staged file, which stays for another attempt. */
  release({ file }: Pick<Staged, "file">): void {
    const sha256 = this.#prepared.get(file);
    this.#prepared.delete(file);
    if (sha256 === undefined || !this.store.database.open) return;
    if (getBlob(this.store, { sha256 }) === undefined) this.removeIfUnneeded(sha256);
  }

  /** Whether bytes are prepared and not yet discarded. They must not be removed in this state. */
  protected isPrepared(sha256: string): boolean {
    return this.#prepared.size > 0 && [...this.#prepared.values()].includes(sha256);
  }

  #isStored(sha256: string): boolean {
    return getBlob(this.store, { sha256 }) !== undefined && existsSync(this.fileOf(sha256));
  }

  #check({ file, sha256 }: Staged): void {
    if (dirname(file) !== this.staging || !/^[0-9a-f]{64}$/.test(sha256))
      throw new Error("these bytes were not staged");
  }
}

/** The row of stored bytes. */
export interface BlobRow {
  sha256: string;
  /** In bytes. */
  size: number;
  content_type: string;
}

/** The row of bytes; undefined if they are not stored. */
export const getBlob = one<{ sha256: string }, BlobRow>("get_blob");
/** `staged` is the JSON of a list of BlobRow. */
const putBlobs = change("put_blobs");
/** Deletes the row of bytes, or all such rows, to which nothing refers. The files stay. */
export const deleteUnneededBlob = change("delete_unneeded_blob");
export const deleteUnneededBlobs = change("delete_unneeded_blobs");
