// The thread that makes a backup: in a file, or in the folder of backups if one is due. Answers what it made, or why it was refused.
import { CliError } from "../errors.ts";
import { backUp } from "../store/backup.ts";
import { backUpInto, describeBackup, newestBefore, requireFolder } from "../store/backup_folder.ts";
import type { BackupJob, BackupResult } from "./backups.ts";
import { doWork } from "./thread_work.ts";

async function make({ data, options, ...job }: BackupJob): Promise<BackupResult> {
  if ("file" in job) {
    const { bytes, created_at } = await backUp(data, job.file, options);
    return { bytes, created_at };
  }
  const { folder, every, keep } = job;
  requireFolder(folder);
  const newest = newestBefore(folder, options.now);
  const isDue = newest === undefined || options.now - Date.parse(newest.created_at) >= every;
  if (!isDue) return { newest, written: null };
  const { name, bytes } = await backUpInto(data, folder, { ...options, keep });
  return { newest: describeBackup(folder, name), written: bytes };
}

async function run(job: BackupJob): Promise<BackupResult> {
  try {
    return await make(job);
  } catch (error) {
    if (error instanceof CliError) return { refused: error.message };
    throw error;
  }
}

doWork(run);
