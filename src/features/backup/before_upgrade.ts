// The backup of a data directory before a migration: backups/before-VERSION in it. Its media are links to those of the
// directory.
import { join } from "node:path";
import type { BackUpBefore } from "../../core/directory_migration.ts";
import { completeNames, manifestAt } from "./backup_folder.ts";
import { removeBackup } from "./drafts.ts";
import { backUpInto, localBackups } from "./folder_writing.ts";

/** The hash of the database in a backup. */
const databaseOf = (folder: string, name: string): string | undefined => manifestAt(folder, name)?.members[0]?.sha256;

/**
 * A migration that was killed has left a backup of the same database: that one stays, so that kills do not fill the
 * disk.
 */
export const backUpBefore: BackUpBefore = async (data, version) => {
  const folder = localBackups(data);
  const label = `before-${version}`;
  const former = completeNames(folder).filter((name) => name.startsWith(label));
  const made = await backUpInto(data, folder, { now: Date.now(), kind: "before-upgrade", name: label, damaged: true });
  const same = former.find((name) => databaseOf(folder, name) === databaseOf(folder, made.name));
  if (same !== undefined) removeBackup(join(folder, made.name));
  return `${folder}@${same ?? made.name}`;
};
