// The thread that makes a backup: writes the backup to a file, and answers its size, or the reason why it was refused.
import { parentPort, workerData } from "node:worker_threads";
import { CliError } from "../errors.ts";
import { backUp } from "../store/backup.ts";
import type { BackupJob, BackupResult } from "./backups.ts";

async function run({ data, file, options }: BackupJob): Promise<BackupResult> {
  try {
    const { bytes, created_at } = await backUp(data, file, options);
    return { bytes, created_at };
  } catch (error) {
    if (error instanceof CliError) return { refused: error.message };
    throw error;
  }
}

parentPort?.postMessage(await run(workerData as BackupJob)); // backups.ts starts the thread with one
