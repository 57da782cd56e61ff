// Makes backups in a running server, on a thread: one at a time, for its admin to download or as the schedule says.
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { App } from "../../core/context.ts";
import { conflict } from "../../core/errors.ts";
import { stateOf } from "../../core/features.ts";
import { startThread, type Thread } from "../work/thread.ts";
import type { BackupOptions } from "./backup.ts";
import type { ListedBackup } from "./backup_folder.ts";
import type { RetentionCounts } from "./retention.ts";

/**
 * The input of the thread: a backup in a file, one in the folder of the setting if it is due, or reading all that are
 * in the folder.
 */
export type BackupJob = {
  /** The data directory. */
  data: string;
  options: Omit<BackupOptions, "progress">;
} & ({ file: string } | { folder: string; every: number; keep: RetentionCounts } | { folder: string; verifies: true });

export type BackupInFile = { bytes: number; created_at: string };
/**
 * The newest backup in the folder, how many bytes were written for it (null if it was there already), and the media
 * that were damaged in the folder.
 */
export type BackupInFolder = { newest: ListedBackup; written: number | null; renewed: string[] };

/** A backup in a temporary file. */
export interface MadeBackup {
  file: string;
  /** In bytes. */
  size: number;
  created_at: string;
  /** Removes the file. Until then, no other backup can be made. */
  discard(): Promise<void>;
}

/** The thread that makes a backup. An application makes one at a time, because a backup needs space on the disk. */
const backupOf = stateOf((app): { thread: Thread<unknown> | undefined } => {
  app.onEnd(() => endBackup(app));
  return { thread: undefined };
});

/** Ends the backup that an application is making. Resolves once its thread does nothing any more. */
export async function endBackup(app: App): Promise<void> {
  const { thread } = backupOf(app);
  thread?.end();
  await thread?.ended;
}

/** Whether a backup is being made, downloaded or read. */
export const isBusy = (app: App): boolean => backupOf(app).thread !== undefined;

/** Runs a job of the schedule. The next one may run once it has ended. */
export const runScheduled = <Result>(app: App, job: JobOf): Promise<Result> =>
  startBackup<Result>(app, job).finally(() => {
    backupOf(app).thread = undefined;
  });

type JobOf = Omit<BackupJob, "data" | "options"> & Partial<BackupJob>;

function startBackup<Result>(app: App, job: JobOf): Promise<Result> {
  const options = { now: app.clock(), reserve: app.config.disk_reserve };
  const thread = new URL("./backup_thread.ts", import.meta.url);
  const started = startThread<Result>(thread, { ...job, data: dirname(app.store.file), options }, "backup");
  backupOf(app).thread = started;
  return started.result;
}

/**
 * Backs up the data directory to a file in the staging folder. The caller must discard the file; after a crash, the
 * next start of the server removes it. Throws 409 if another backup is not finished or if the data cannot be backed up,
 * 503 on a replica.
 */
export async function makeBackup(app: App): Promise<MadeBackup> {
  if (app.copy !== undefined) throw app.copy.readOnly();
  if (backupOf(app).thread !== undefined)
    throw conflict("another backup is being made or downloaded; try again once it is finished");
  const file = app.blobs.stagingFile();
  const discard = async (): Promise<void> => {
    try {
      await rm(file, { force: true });
    } finally {
      backupOf(app).thread = undefined;
    }
  };
  try {
    const { bytes, created_at } = await startBackup<BackupInFile>(app, { file });
    return { file, size: bytes, created_at, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}
