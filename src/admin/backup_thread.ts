// The thread that makes a backup: writes the backup to a file, and answers its size, or the reason why it was refused.
import { CliError } from "../errors.ts";
import { backUp } from "../store/backup.ts";
import type { BackupJob, BackupResult } from "./backups.ts";
import { doWork } from "./thread_work.ts";

async function run({ data, file, options }: BackupJob): Promise<BackupResult> {
  try {
    const { bytes, created_at } = await backUp(data, file, options);
    return { bytes, created_at };
  } catch (error) {
    if (error instanceof CliError) return { refused: error.message };
    throw error;
  }
}

doWork(run);
