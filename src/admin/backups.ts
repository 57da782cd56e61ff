// Makes backups in a running server, so that its admin can download them.
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { App } from "../context.ts";
import { conflict } from "../errors.ts";
import type { BackupOptions } from "../store/backup.ts";
import { startThread, type Thread } from "./thread.ts";

/** The input of the thread that makes a backup. */
export interface BackupJob {
  /** The data directory. */
  data: string;
  file: string;
  options: Omit<BackupOptions, "progress">;
}

/** The answer of the thread. */
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

/** The applications that are making or sending a backup. Each makes one at a time, because a backup needs space on the disk. */
const busy = new WeakMap<App, Thread<BackupResult> | undefined>();

/** Ends the backup that an application is making. Resolves once its thread does nothing any more. */
export async function endBackup(app: App): Promise<void> {
  const thread = busy.get(app);
  thread?.end();
  await thread?.ended;
}

/**
 * Backs up the data directory to a file in the staging folder. The caller must discard the file; after a crash, the next start of the
 * server removes it. Throws 409 if another backup is not finished or if the data cannot be backed up, 503 on a replica.
 */
export async function makeBackup(app: App): Promise<MadeBackup> {
  if (app.replica !== undefined) throw app.replica.readOnly();
  if (busy.has(app)) throw conflict("another backup is being made or downloaded; try again once it is finished");
  busy.set(app, undefined);
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
    const thread = new URL("./backup_thread.ts", import.meta.url);
    const job: BackupJob = { data: dirname(app.store.file), file, options };
    const started = startThread<BackupResult>(thread, job, "backup");
    busy.set(app, started);
    const result = await started.result;
    if ("refused" in result) throw conflict(result.refused);
    return { file, size: result.bytes, created_at: result.created_at, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}
