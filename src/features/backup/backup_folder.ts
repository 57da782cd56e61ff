// Reads a folder of backups: FOLDER/NAME has the database and the list of one backup, FOLDER/media the bytes of all of
// them, each once.
import { closeSync, existsSync, openSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { CliError, codeOf } from "../../core/errors.ts";
import { commandText } from "../../core/program.ts";
import { databaseName } from "../../core/store/database.ts";
import { ownerAdvice } from "../../core/store/disk_space.ts";
import { readRecord } from "../../core/store/files.ts";
import { shellWord } from "../../core/wording.ts";
import { filePart, type Part } from "./archive.ts";
import { isBackupName, manifestName } from "./feature.ts";
import { lockBackupsForReading } from "./locks.ts";
import { type BackupKind, type Manifest, manifestSchema } from "./manifest.ts";

/** A backup in a folder. */
export interface ListedBackup {
  name: string;
  created_at: string;
  /** Why it was made; null if its list is damaged. */
  kind: BackupKind | null;
  /** The number of its media, and what it needs without the other backups in bytes; null if its list is damaged. */
  media: number | null;
  bytes: number | null;
}

/** The name of a backup of a time: in UTC, without characters that a file system refuses. */
export const backupNameOf = (now: number): string => new Date(now).toISOString().replaceAll(":", "");

/** The time in the name of a backup. */
const timeOf = (name: string): string => name.replace(/^(.{10}T\d\d)(\d\d)(\d\d)/, "$1:$2:$3");

/**
 * Whether a backup has its list. Throws CliError if this user may not look: a backup of another user must not seem to
 * be absent.
 */
function isComplete(folder: string, name: string): boolean {
  const list = join(folder, name, manifestName);
  try {
    closeSync(openSync(list, "r"));
    return true;
  } catch (error) {
    if (codeOf(error) === "EACCES") throw new CliError(`${folder}@${name} cannot be read; ${ownerAdvice(list)}`);
    return false;
  }
}

/** The names of the complete backups in a folder. */
export const completeNames = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => isBackupName(name) && isComplete(folder, name))
        .sort()
    : [];

/** The names of what is called as a backup and has lost its list: only a restore with --damaged takes it. */
export const unlistedNames = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && isBackupName(entry.name) && !isComplete(folder, entry.name))
    .map(({ name }) => name)
    .sort();

/** A sentence about a backup that has lost its list. */
export const unlistedSentence = (folder: string, name: string): string =>
  `${folder}@${name} has no ${manifestName}, which lists what it has: ${commandText(`restore --damaged ${shellWord(`${folder}@${name}`)} --data NEW`)} takes what can be read of it`;

/** The list of a backup; undefined if it cannot be read. */
export const manifestAt = (folder: string, name: string): Manifest | undefined =>
  readRecord(join(folder, name, manifestName), manifestSchema);

export type Numbered = Pick<Manifest, "number" | "database" | "epoch"> & { name: string };

/**
 * The backups in a folder, the one that was made last first. A damaged list counts as made after the one dated before
 * it.
 */
export function numberedNames(folder: string): Numbered[] {
  let last = 0;
  const numbered = completeNames(folder).map((name) => {
    const { number = last, database, epoch } = manifestAt(folder, name) ?? {};
    last = number;
    return { name, number, database, epoch };
  });
  return numbered.sort((one, other) => one.number - other.number).reverse();
}

/**
 * The names of the complete backups in a folder, the one that was made last first, whatever date a wrong clock gave it.
 */
export const backupNames = (folder: string): string[] => numberedNames(folder).map(({ name }) => name);

export function describeBackup(folder: string, name: string): ListedBackup {
  const { members, kind = null, created_at = timeOf(name) } = manifestAt(folder, name) ?? {};
  const bytes = members?.reduce((sum, { size }) => sum + size, 0) ?? null;
  return { name, created_at, kind, media: members === undefined ? null : members.length - 1, bytes };
}

/** The SHA-256 of the media that the data directory lacked when a backup was made. */
export const lackingOf = (folder: string, name: string): string[] => manifestAt(folder, name)?.lacking ?? [];

/** The newest backup that was made until `now`: one that a wrong clock dated later says nothing about the last days. */
export const newestBefore = (folder: string, now: number): ListedBackup | undefined =>
  completeNames(folder)
    .map((name) => describeBackup(folder, name))
    .filter(({ created_at }) => Date.parse(created_at) <= now)
    .sort((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at))
    .at(-1);

/** Throws CliError if `folder` is not a directory. It is not created: the disk that it is on may not be mounted. */
export function requireFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new CliError(`${folder} is not a folder; create it, or mount the disk that it is on`);
}

/**
 * The members of a backup in a folder, in the order of its list, and then the list. A member without a file is left
 * out.
 */
export async function* partsIn(folder: string, name: string): AsyncGenerator<Part> {
  const lock = lockBackupsForReading(folder);
  if (lock === undefined) throw new CliError(`a backup is being written to ${folder}; try again once it is finished`);
  try {
    for (const { name: member } of [...(manifestAt(folder, name)?.members ?? []), { name: manifestName }]) {
      const isMedia = /^media\/[0-9a-f]{2}\/[0-9a-f]{64}$/.test(member);
      if (!isMedia && member !== databaseName && member !== manifestName) return; // no path may escape
      const file = join(folder, isMedia ? "" : name, member);
      const size = statSync(file, { throwIfNoEntry: false })?.size;
      if (size !== undefined) yield filePart(member, file, size);
    }
  } finally {
    lock.release();
  }
}
