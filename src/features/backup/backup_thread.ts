// The thread that makes a backup, in a file or in the folder of backups if one is due, or that reads all of the folder.
import { doWork } from "../work/thread_work.ts";
import { backUp } from "./backup.ts";
import { describeBackup, newestBefore, requireFolder } from "./backup_folder.ts";
import { backUpInto } from "./folder_writing.ts";
import type { BackupInFile, BackupInFolder, BackupJob } from "./server_backups.ts";
import { type Verification, verifyFolder } from "./verification.ts";

async function make({ data, options, ...job }: BackupJob): Promise<BackupInFile | BackupInFolder | Verification> {
  if ("file" in job) {
    const { bytes, created_at } = await backUp(data, job.file, options);
    return { bytes, created_at };
  }
  requireFolder(job.folder);
  if ("verifies" in job) return verifyFolder(data, job.folder, options);
  const { folder, every, keep } = job;
  const newest = newestBefore(folder, options.now);
  const isDue = newest === undefined || options.now - Date.parse(newest.created_at) >= every;
  if (!isDue) return { newest, written: null, renewed: [] };
  const { name, bytes, renewed } = await backUpInto(data, folder, { ...options, keep, kind: "scheduled" });
  return { newest: describeBackup(folder, name), written: bytes, renewed };
}

doWork(make);
