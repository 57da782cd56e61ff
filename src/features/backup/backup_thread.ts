// The thread that makes a backup: in a file, or in the folder of backups if one is due. Answers what it made.

import { doWork } from "../work/thread_work.ts";
import { backUp } from "./backup.ts";
import { backUpInto, requireFolder } from "./backup_folder.ts";
import { describeBackup, newestBefore } from "./backup_list.ts";
import type { BackupInFile, BackupInFolder, BackupJob } from "./server_backups.ts";

async function make({ data, options, ...job }: BackupJob): Promise<BackupInFile | BackupInFolder> {
  if ("file" in job) {
    const { bytes, created_at } = await backUp(data, job.file, options);
    return { bytes, created_at };
  }
  const { folder, every, keep } = job;
  requireFolder(folder);
  const newest = newestBefore(folder, options.now);
  const isDue = newest === undefined || options.now - Date.parse(newest.created_at) >= every;
  if (!isDue) return { newest, written: null, lacking: [] };
  const { name, bytes, lacking } = await backUpInto(data, folder, { ...options, keep, kind: "scheduled" });
  return { newest: describeBackup(folder, name), written: bytes, lacking };
}

doWork(make);
