// Brings staged bytes to where they are kept: linked and synced before a transaction, recorded within it. The staged file stays
// until it is discarded, so that whatever happens between the two, the transaction can link it again.
import { existsSync, linkSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { link, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { getBlob, putBlob } from "./blob_rows.ts";
import type { Store } from "./database.ts";
import type { Staged } from "./staging.ts";
import { syncPath } from "./sync.ts";

/** How many files are linked, or folders synced, at once. */
const atOnce = 8;

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function forEachAtOnce<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const next = async () => {
    for (let item = queue.pop(); item !== undefined; item = queue.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, queue.length) }, next));
}

/** File systems without hard links say so in one of these ways; the transaction then moves the staged file itself. */
const withoutLinks: ReadonlySet<unknown> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EXDEV"]);

export type Placing = ReturnType<typeof openPlacing>;

/** `folder` holds what is kept, as `ab/<sha256>`; `staging` what is staged. `orphaned` is told of bytes that got no row. */
export function openPlacing(folder: string, staging: string, store: Store, orphaned: (sha256: string) => void) {
  const fileOf = (sha256: string): string => join(folder, sha256.slice(0, 2), sha256);
  /** The staged files that are prepared, with their SHA-256. */
  const prepared = new Map<string, string>();

  const isKept = (sha256: string): boolean => getBlob(store, { sha256 }) !== undefined && existsSync(fileOf(sha256));

  function check({ file, sha256 }: Staged): void {
    if (dirname(file) !== staging || !/^[0-9a-f]{64}$/.test(sha256)) throw new Error("these bytes were never staged");
  }

  /** Links staged bytes to their place; answers the folder to sync, undefined if this file system has no links. */
  async function linkToPlace({ file, sha256 }: Staged): Promise<string | undefined> {
    const place = fileOf(sha256);
    await mkdir(dirname(place), { recursive: true, mode: 0o700 });
    const draft = `${file}.link`;
    try {
      await link(file, draft);
    } catch (error) {
      if (withoutLinks.has((error as { code?: unknown }).code)) return undefined;
      throw error;
    }
    await rename(draft, place); // what stands there without a row is of a crash, and is replaced
    return dirname(place);
  }

  function placeWithin({ file, sha256 }: Staged): void {
    const place = fileOf(sha256);
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    try {
      linkSync(file, `${file}.link`);
      renameSync(`${file}.link`, place);
    } catch (error) {
      if (!withoutLinks.has((error as { code?: unknown }).code)) throw error;
      renameSync(file, place);
    }
    store.beforeRollback(() => rmSync(place, { force: true }));
    syncPath(dirname(place));
    syncPath(folder);
  }

  return {
    fileOf,

    /** Whether bytes are between their preparation and their discarding, when they must not be removed. */
    isHeld: (sha256: string): boolean => prepared.size > 0 && [...prepared.values()].includes(sha256),

    /** Links staged bytes to their places and syncs each folder once. To be called before the transaction that places them. */
    async prepare(staged: readonly Staged[]): Promise<void> {
      const folders = new Set<string>();
      for (const one of staged) {
        check(one);
        prepared.set(one.file, one.sha256);
      }
      await forEachAtOnce(staged, async (one) => {
        const linked = isKept(one.sha256) ? undefined : await linkToPlace(one);
        if (linked !== undefined) folders.add(linked);
      });
      if (folders.size > 0) folders.add(folder);
      await forEachAtOnce(folders, syncFolder);
    },

    /** Writes the row of staged bytes. Only within a write transaction; what was not prepared is moved and synced here. */
    place(staged: Staged, now: string): void {
      if (!store.database.inTransaction) throw new Error("bytes are placed within a write transaction");
      check(staged);
      const { sha256, size, content_type } = staged;
      if (isKept(sha256)) return;
      if (!prepared.has(staged.file) || !existsSync(fileOf(sha256))) placeWithin(staged);
      putBlob(store, { sha256, size, content_type, created_at: now });
    },

    /** Removes a staged file. Bytes that were prepared and got no row are told to `orphaned`. */
    async discard(file: string): Promise<void> {
      const sha256 = prepared.get(file);
      prepared.delete(file);
      await rm(file, { force: true });
      if (sha256 !== undefined && store.database.open && getBlob(store, { sha256 }) === undefined) orphaned(sha256);
    },
  };
}
