// Adds a backup to a folder of backups, and removes what its schedule does not keep.
import { mkdirSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { CliError } from "../../core/errors.ts";
import { freePath } from "../../core/store/files.ts";
import { holding } from "../../core/store/lock.ts";
import { type BackupOptions, backUpAs, type WrittenBackup } from "./backup.ts";
import { backupNameOf, type Numbered, numberedNames, requireFolder } from "./backup_folder.ts";
import { lockBackups } from "./locks.ts";
import type { BackupKind } from "./manifest.ts";
import { MediaInFolder } from "./media_saving.ts";
import { type RetentionCounts, rotateBackups } from "./retention.ts";
import { verificationOf } from "./verification.ts";

/**
 * The folder in a data directory for backups before an upgrade or a deletion, if no setting names another one. Its
 * media are links.
 */
export const localBackups = (data: string): string => join(data, "backups");

/** All of a small folder, and what takes few seconds of a large one. */
const readAgain = 256 << 20;

const isLocal = (data: string, folder: string): boolean => resolve(folder) === resolve(localBackups(data));

function checkPlace(data: string, folder: string, kind: BackupKind): void {
  const isAllowed = isLocal(data, folder) && kind.startsWith("before-");
  if (isAllowed) mkdirSync(folder, { recursive: true, mode: 0o700 });
  requireFolder(folder);
  if (isAllowed || relative(resolve(data), resolve(folder)).startsWith("..")) return;
  throw new CliError(
    `${folder} is inside the data directory ${data}; name a folder elsewhere, on another disk if you have one`,
  );
}

/**
 * Throws CliError if a database with these epochs is not that of the backups in a folder. A copy of it that was
 * restored or promoted elsewhere is told by its backups between its own: a former state that was restored in the same
 * place has none.
 */
function checkEpochs(folder: string, backups: readonly Numbered[], epochs: readonly string[]): void {
  const [newest] = backups;
  const last = newest?.epoch ?? newest?.database;
  if (last === undefined || epochs.length === 0 || epochs.includes(last)) return;
  if (newest?.database !== epochs[0] || backups.some(({ epoch }) => epoch === epochs.at(-1)))
    throw new CliError(
      `${folder} has the backups of another database, or of another copy of this one (the last is ${newest?.name}); use a folder for each data directory`,
    );
}

export interface FolderBackup extends WrittenBackup {
  name: string;
  /** The names of the backups that were removed. */
  removed: string[];
}

export interface FolderOptions extends BackupOptions {
  kind?: BackupKind;
  /**
   * Its name in the folder, such as before-1.2.0; by default its time. A number is added if there is one of that name.
   */
  name?: string;
  /** Which backups of the schedule stay; without it, all of them. */
  keep?: RetentionCounts | undefined;
}

/**
 * Adds a backup of the data directory `data` to `folder`: writes the database, and the media that the folder does not
 * have. Then removes what is not kept. Throws CliError if the backup fails, or if the folder has backups of another
 * database.
 */
export async function backUpInto(
  data: string,
  folder: string,
  { keep, kind = "manual", name, ...options }: FolderOptions,
): Promise<FolderBackup> {
  checkPlace(data, folder, kind);
  const lock = lockBackups(folder);
  if (lock === undefined)
    throw new CliError(`another backup is being written to ${folder} or read from it; try again once it is finished`);
  return holding(lock, async () => {
    const backups = numberedNames(folder);
    const number = (backups[0]?.number ?? 0) + 1;
    const suspects = verificationOf(folder)?.damaged ?? [];
    const place = freePath(join(folder, name ?? backupNameOf(options.now)));
    const written = await backUpAs(data, place, options, (draft) => ({
      kind,
      number,
      media: new MediaInFolder({ data, folder, draft, number, readAgain, suspects, links: isLocal(data, folder) }),
      accept: (epochs) => checkEpochs(folder, backups, epochs),
    }));
    return {
      ...written,
      name: basename(place),
      removed: keep === undefined ? [] : rotateBackups(folder, keep, options.now),
    };
  });
}
