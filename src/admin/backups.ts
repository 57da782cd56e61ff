// Backups that a running server makes, for its admin to download.
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { App } from "../context.ts";
import { conflict } from "../errors.ts";
import type { BackupOptions } from "../store/backup.ts";
import { runThread } from "./thread.ts";

/** What the thread of a backup is given. */
export interface BackupJob {
  /** The data directory. */
  data: string;
  file: string;
  options: Omit<BackupOptions, "progress">;
}

/** What the thread answers. */
export type BackupResult = { bytes: number; created_at: string } | { refused: string };

/** A backup in a temporary file. */
export interface MadeBackup {
  file: string;
  /** In bytes. */
  size: number;
  created_at: string;
  /** Removes the file. Until then, no other backup can be made. */
  discard(): Promise<void>;
}

/** The applications for which a backup is being made or downloaded: one at a time, because each needs space on the disk. */
const busy = new WeakSet<App>();

/**
 * Backs up the data directory to a file among the staged ones, which the next start of the server removes if a crash leaves it.
 * The caller must discard it. Throws 409 if another one is not finished or if the data cannot be backed up, 503 on a replica.
 */
export async function makeBackup(app: App): Promise<MadeBackup> {
  if (app.replica !== undefined) throw app.replica.readOnly();
  if (busy.has(app)) throw conflict("another backup is being made or downloaded; try again once it is finished");
  busy.add(app);
  const file = app.blobs.stagingFile();
  const discard = async (): Promise<void> => {
    try {
      await rm(file, { force: true });
    } finally {
      busy.delete(app);
    }
  };
  try {
    const options = { now: app.clock(), reserve: app.config.disk_reserve };
    const job: BackupJob = { data: dirname(app.store.database.name), file, options };
    const result = await runThread<BackupResult>(new URL("./backup_thread.ts", import.meta.url), job, "backup");
    if ("refused" in result) throw conflict(result.refused);
    return { file, size: result.bytes, created_at: result.created_at, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}
