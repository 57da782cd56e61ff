// Media bytes on disk, named by their SHA-256. Bytes are staged and synced first, then brought to their place, and get their row
// within a write transaction. So a file without a row is an orphan of a crash, and sweep() may remove it.
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
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers";
import { deleteUnneededBlob, deleteUnneededBlobs, getBlob } from "./blob_rows.ts";
import type { Store } from "./database.ts";
import { lockMediaForRemoving } from "./lock.ts";
import { openPlacing } from "./placing.ts";
import { sniff } from "./sniff.ts";
import { type Staged, Staging } from "./staging.ts";
import { openUploads } from "./uploads.ts";

export type { Staged, Staging };

const day = 86_400_000;
const removeAfter = 1_000;
const retryAfter = 60_000;

export interface BlobOptions {
  /** The most bytes that one upload may have, and the free bytes that uploads must leave on the disk. */
  ceiling: number;
  reserve?: number;
  /** How many uploads of one key may be under way at once; no limit by default. */
  uploads?: number;
  role: "server" | "command";
}

export type Blobs = ReturnType<typeof openBlobs>;

/** Bytes in memory as a staged file. */
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
  return { file, sha256: hash("sha256", bytes), size: bytes.length, content_type: sniff(bytes.subarray(0, 512)) };
}

/** The media folder of a data directory: `media/ab/<sha256>` for what is kept, `media/staging/` for what is under way. */
export function openBlobs(folder: string, store: Store, options: BlobOptions) {
  const staging = join(folder, "staging");
  mkdirSync(staging, { recursive: true, mode: 0o700 });
  // The name says whose it is: the one server of a directory sweeps its own at start and leaves a running import's alone.
  const stagingFile = (): string => join(staging, `${options.role}-${randomBytes(12).toString("hex")}`);
  const removal = openRemoval(folder, store, (sha256) => placing.isHeld(sha256));
  const placing = openPlacing(folder, staging, store, removal.add);
  const { fileOf } = placing;
  const { reserve = 0, ceiling } = options;
  return {
    fileOf,
    uploads: openUploads(folder, options.uploads ?? Number.POSITIVE_INFINITY, reserve),

    /** A stream to pipe an upload into; at most `max` bytes, the configured ceiling by default. */
    stage: (max: number = ceiling): Staging => new Staging(stagingFile(), max, reserve),

    /** Stages bytes that are in memory already. */
    stageBytes: (bytes: Uint8Array): Staged => writeStaged(stagingFile(), bytes),

    prepare: placing.prepare,
    place: placing.place,
    /** Removes staged bytes, placed or refused. */
    discard: ({ file }: Pick<Staged, "file">): Promise<void> => placing.discard(file),

    /** Removes kept bytes a moment later unless something needs them by then: whoever reads them gets to open the file first. */
    forget: removal.add,
    /** Removes now what forget and discard left. */
    removeUnneeded: removal.run,

    /** All bytes of a small blob. */
    read: (sha256: string): Buffer => readFileSync(fileOf(sha256)),

    /** A stream of the bytes from `start` to `end`, both included. */
    stream: (sha256: string, start: number, end: number) =>
      createReadStream(fileOf(sha256), { start, end, highWaterMark: 1 << 18 }),

    /** The size on disk of one kept file in bytes; undefined if it is missing. */
    sizeOf: (sha256: string): number | undefined => statSync(fileOf(sha256), { throwIfNoEntry: false })?.size,

    /** Removes what a crash left behind: staged bytes, files without a row, rows that nothing needs. At a server's start. */
    sweep: (): { files: number; rows: number } => sweep(folder, staging, store, options.role),
  };
}

/** Removes bytes that nothing needs any more, a moment after it is told of them. */
function openRemoval(folder: string, store: Store, isHeld: (sha256: string) => boolean) {
  const unneeded = new Set<string>();

  function removeFiles(asked: readonly string[]): void {
    for (const sha256 of asked) {
      if (isHeld(sha256)) continue; // its upload ends with a look at its row
      const gone = deleteUnneededBlob(store, { sha256 }).changes > 0 || getBlob(store, { sha256 }) === undefined;
      if (gone) rmSync(join(folder, sha256.slice(0, 2), sha256), { force: true });
    }
  }

  async function run(): Promise<void> {
    if (unneeded.size === 0 || !store.database.open) return;
    const lock = lockMediaForRemoving(dirname(folder));
    if (lock === undefined) {
      setTimeout(run, retryAfter).unref(); // a backup is copying
      return;
    }
    const asked = [...unneeded];
    unneeded.clear();
    try {
      // Rows are written in transactions alone: within this one nobody gives the same bytes a row.
      await store.write(() => removeFiles(asked));
    } catch {
      // a full disk, or a writer that does not end: the sweep of the next start removes them
    } finally {
      lock.release();
    }
  }

  const add = (sha256: string): void => {
    if (unneeded.size === 0) setTimeout(run, removeAfter).unref();
    unneeded.add(sha256);
  };
  return { add, run };
}

function sweep(folder: string, staging: string, store: Store, role: string): { files: number; rows: number } {
  const lock = lockMediaForRemoving(dirname(folder));
  if (lock === undefined) return { files: 0, rows: 0 }; // a backup is copying; the next start sweeps
  let files = 0;
  for (const name of readdirSync(staging)) {
    const file = join(staging, name);
    if (!name.startsWith(role) && Date.now() - statSync(file).mtimeMs < day) continue;
    rmSync(file, { force: true });
    files++;
  }
  // An import that has linked a file and not yet written its row links it again, because it still has its staged file.
  const rows = store.writeSync(() => {
    const { changes } = deleteUnneededBlobs(store, {});
    for (const part of readdirSync(folder)) {
      if (!/^[0-9a-f]{2}$/.test(part)) continue;
      for (const sha256 of readdirSync(join(folder, part))) {
        if (getBlob(store, { sha256 }) !== undefined) continue;
        rmSync(join(folder, part, sha256), { force: true });
        files++;
      }
    }
    return changes;
  });
  lock.release();
  return { files, rows };
}
