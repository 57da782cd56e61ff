// Restores a backup of the folder backups/ of a data directory in that directory: the way back after an upgrade. The
// database that it replaces stays beside it, and so do the media: only those that are absent are linked or copied.
import { copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import Database from "better-sqlite3";
import { CliError } from "../../core/errors.ts";
import { commandText } from "../../core/program.ts";
import { databaseName } from "../../core/store/database.ts";
import { markName } from "../../core/store/database_mark.ts";
import { refuseReplica } from "../../core/store/directory_records.ts";
import { closing, freePath, syncPath } from "../../core/store/files.ts";
import { holding, lockForServing } from "../../core/store/lock.ts";
import { manifestAt } from "./backup_folder.ts";
import { localBackups } from "./folder_writing.ts";
import type { Manifest } from "./manifest.ts";
import { type RestoredBackup, type RestoreOptions, stagingName, startRestoredEpoch, verified } from "./restore.ts";
import { sourcesAt } from "./unpacking.ts";

/** The name of the backup of the directory's own folder that a path names; undefined for any other path. */
export function localBackupAt(path: string, data: string): string | undefined {
  const at = path.lastIndexOf("@");
  return at > 0 && resolve(path.slice(0, at)) === resolve(localBackups(data)) ? path.slice(at + 1) : undefined;
}

const mediaOf = ({ members }: Manifest): Manifest["members"] => members.slice(1);

/** The media of the backup that the directory has. Their bytes never change, so they are not read again. */
const heldMedia = (data: string, manifest: Manifest): Map<string, string> =>
  new Map(
    mediaOf(manifest).flatMap(({ name, size, sha256 }) =>
      statSync(join(data, name), { throwIfNoEntry: false })?.size === size ? [[name, sha256]] : [],
    ),
  );

/** Puts the other media of the backup where they were. */
function bringMedia(data: string, manifest: Manifest, held: ReadonlyMap<string, string>): void {
  for (const { name } of mediaOf(manifest)) {
    if (held.has(name)) continue;
    const [from, to] = [join(localBackups(data), name), join(data, name)];
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    rmSync(to, { force: true }); // of another size, so damaged
    try {
      linkSync(from, to);
    } catch {
      copyFileSync(from, to); // a file system without links
      syncPath(to);
    }
    syncPath(dirname(to));
  }
}

/**
 * Keeps the database beside its place, with its log if that cannot be merged because it is damaged. Returns the name;
 * undefined if there is none.
 */
function setAside(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const aside = freePath(`${file}.before-restore`);
  try {
    closing(new Database(file), (database) => database.pragma("wal_checkpoint(TRUNCATE)"));
  } catch {
    if (existsSync(`${file}-wal`)) linkSync(`${file}-wal`, `${aside}-wal`);
  }
  linkSync(file, aside);
  for (const journal of [`${file}-wal`, `${file}-shm`]) rmSync(journal, { force: true });
  return aside;
}

export type RestoredInPlace = RestoredBackup & { replaced: string | undefined };

/** Throws CliError, and changes nothing, if the backup cannot be restored, or if a server uses the directory. */
export async function restoreInPlace(path: string, data: string, options: RestoreOptions): Promise<RestoredInPlace> {
  refuseReplica(data, commandText("restore"));
  if (options.production !== undefined)
    throw new CliError("one production is restored into an empty directory; nothing was changed");
  const [source] = sourcesAt(path); // it throws if there is none
  const list = manifestAt(localBackups(data), localBackupAt(path, data) as string); // the path names one
  if (source === undefined || list === undefined) throw new CliError(`${path} has a damaged list; nothing was changed`);
  const [file, staging] = [join(data, databaseName), join(data, stagingName)];
  return holding(lockForServing(data), async () => {
    rmSync(staging, { recursive: true, force: true }); // left by an interrupted restore
    mkdirSync(staging, { mode: 0o700 });
    try {
      const held = heldMedia(data, list);
      const manifest = await verified(source, staging, options, new Map(held));
      startRestoredEpoch(join(staging, databaseName));
      syncPath(join(staging, databaseName));
      bringMedia(data, manifest, held);
      const replaced = setAside(file);
      renameSync(join(staging, databaseName), file);
      rmSync(join(data, "media", markName), { force: true }); // it says what the replaced database had
      syncPath(data);
      return { ...manifest, name: path, taken_over: [], set_aside: [], secrets: [], replaced };
    } finally {
      rmSync(staging, { recursive: true, force: true });
    }
  });
}
