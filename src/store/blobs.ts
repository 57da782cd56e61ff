// Media bytes on disk, named by their sha256. Bytes are staged and synced first; they take their place, and get their
// row, inside one write transaction. So a file without a row is a stray of a cut, and sweep() may remove it.
import { hash, randomBytes } from "node:crypto";
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers";
import type { Store } from "./database.ts";
import { lockMediaForRemoving } from "./lock.ts";
import { sniff } from "./sniff.ts";
import { type Staged, Staging } from "./staging.ts";
import { syncPath } from "./sync.ts";
import { openUploads } from "./uploads.ts";

export type { Staged, Staging };

const day = 86_400_000;
const forgetAfter = 1_000;

export interface BlobOptions {
  /** The most bytes that one upload may have, and the free bytes that uploads must leave on the disk. */
  ceiling: number;
  reserve?: number;
  /** How many uploads may be under way at once; no limit where left out. */
  uploads?: number;
  role: "server" | "command";
}

export type Blobs = ReturnType<typeof openBlobs>;

/** The media folder of a data directory: `media/ab/<sha256>` for what is kept, `media/staging/` for what is under way. */
export function openBlobs(folder: string, store: Store, options: BlobOptions) {
  const staging = join(folder, "staging");
  mkdirSync(staging, { recursive: true, mode: 0o700 });
  const fileOf = (sha256: string): string => join(folder, sha256.slice(0, 2), sha256);
  // The name says whose it is: the one server of a directory sweeps its own at boot and leaves a running import's alone.
  const stagingFile = (): string => join(staging, `${options.role}-${randomBytes(12).toString("hex")}`);
  const unneeded = new Set<string>();

  function removeUnneeded(): void {
    if (!store.database.open) return;
    const lock = lockMediaForRemoving(dirname(folder));
    if (lock === undefined) {
      setTimeout(removeUnneeded, 60_000).unref(); // a backup is copying
      return;
    }
    const asked = [...unneeded];
    unneeded.clear();
    // Placing happens inside write transactions only: within this one nobody puts the same bytes in place.
    try {
      store.write(() => {
        for (const sha256 of asked)
          if (store.run("delete_unneeded_blob", { sha256 }).changes > 0) rmSync(fileOf(sha256), { force: true });
      });
    } catch {
      // a full disk or a writer that does not end: the next boot's sweep removes them
    } finally {
      lock.release();
    }
  }

  return {
    fileOf,

    uploads: openUploads(folder, options.uploads ?? Number.POSITIVE_INFINITY, options.reserve ?? 0),

    /** A stream to pipe an upload into. The ceiling is the configured one where none is given. In bytes. */
    stage: (ceiling: number = options.ceiling): Staging => new Staging(stagingFile(), ceiling, options.reserve ?? 0),

    /** Stages bytes that are in memory already. */
    stageBytes(bytes: Uint8Array): Staged {
      const file = stagingFile();
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
    },

    /** Puts staged bytes in their place and writes their row. Only inside store.write: a crash leaves both or a stray. */
    place(staged: Staged, now: string): void {
      if (!store.database.inTransaction) throw new Error("blobs.place outside a write transaction");
      if (dirname(staged.file) !== staging || !/^[0-9a-f]{64}$/.test(staged.sha256))
        throw new Error("blobs.place of what was never staged");
      const file = fileOf(staged.sha256);
      if (store.get("get_blob", { sha256: staged.sha256 }) !== undefined && existsSync(file)) {
        rmSync(staged.file, { force: true });
        return;
      }
      mkdirSync(join(folder, staged.sha256.slice(0, 2)), { recursive: true, mode: 0o700 });
      renameSync(staged.file, file);
      store.beforeRollback(() => rmSync(file, { force: true }));
      syncPath(join(folder, staged.sha256.slice(0, 2)));
      syncPath(folder);
      store.run("put_blob", {
        sha256: staged.sha256,
        size: staged.size,
        content_type: staged.content_type,
        created_at: now,
      });
    },

    /**
     * Removes kept bytes a moment later, unless something needs them by then: who is reading them gets to open the file first.
     * What a stop leaves undone is the next boot's sweep.
     */
    forget(sha256: string): void {
      if (unneeded.size === 0) setTimeout(removeUnneeded, forgetAfter).unref();
      unneeded.add(sha256);
    },

    /** Forgets staged bytes that were refused. */
    discard(staged: Pick<Staged, "file">): void {
      rmSync(staged.file, { force: true });
    },

    /** Whole bytes of a small blob. */
    read: (sha256: string): Buffer => readFileSync(fileOf(sha256)),

    /** A stream of the bytes from `start` to `end`, both included. */
    stream: (sha256: string, start: number, end: number) =>
      createReadStream(fileOf(sha256), { start, end, highWaterMark: 1 << 18 }),

    /** Removes what a cut left behind: staged bytes, files without a row, rows that nothing needs. For the server's boot. */
    sweep(): { files: number; rows: number } {
      const lock = lockMediaForRemoving(dirname(folder));
      if (lock === undefined) return { files: 0, rows: 0 }; // a backup is copying; the next boot sweeps
      let files = 0;
      for (const name of readdirSync(staging)) {
        const file = join(staging, name);
        if (!name.startsWith(options.role) && Date.now() - statSync(file).mtimeMs < day) continue;
        rmSync(file, { force: true });
        files++;
      }
      // Placing happens inside write transactions only, so within one nothing is between its file and its row.
      const rows = store.write(() => {
        const { changes } = store.run("delete_unneeded_blobs", {});
        for (const part of readdirSync(folder)) {
          if (!/^[0-9a-f]{2}$/.test(part)) continue;
          for (const sha256 of readdirSync(join(folder, part))) {
            if (store.get("get_blob", { sha256 }) !== undefined) continue;
            rmSync(join(folder, part, sha256), { force: true });
            files++;
          }
        }
        return changes;
      });
      lock.release();
      return { files, rows };
    },

    /** The size on disk of one kept file in bytes; undefined where it is missing. */
    sizeOf: (sha256: string): number | undefined => statSync(fileOf(sha256), { throwIfNoEntry: false })?.size,
  };
}
