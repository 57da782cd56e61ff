// Lists the backups in a folder: their names, their lists, and the order in which they were made.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readRecord } from "../../core/store/files.ts";
import { isBackup, manifestName } from "./feature.ts";
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

/** The folder in a data directory for backups before an upgrade or a deletion, if no setting names another one. Its media are links. */
export const ownBackups = (data: string): string => join(data, "backups");

/** The time in the name of a backup. */
const timeOf = (name: string): string => name.replace(/^(.{10}T\d\d)(\d\d)(\d\d)/, "$1:$2:$3");

/** The names of the complete backups in a folder. */
export const namesOfBackups = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => isBackup(folder, name))
        .sort()
    : [];

/** The list of a backup; undefined if it cannot be read. */
export const manifestAt = (folder: string, name: string): Manifest | undefined =>
  readRecord(join(folder, name, manifestName), manifestSchema);

/** A backup with its place in the order in which they were made. */
export type Numbered = Pick<Manifest, "number" | "database" | "epoch"> & { name: string };

/** The backups in a folder, the one that was made last first. A damaged list counts as made after the one dated before it. */
export function numberedNames(folder: string): Numbered[] {
  let last = 0;
  const numbered = namesOfBackups(folder).map((name) => {
    const { number = last, database, epoch } = manifestAt(folder, name) ?? {};
    last = number;
    return { name, number, database, epoch };
  });
  return numbered.sort((one, other) => one.number - other.number).reverse();
}

/** The names of the complete backups in a folder, the one that was made last first, whatever date a wrong clock gave it. */
export const backupNames = (folder: string): string[] => numberedNames(folder).map(({ name }) => name);

export function describeBackup(folder: string, name: string): ListedBackup {
  const { members, kind = null, created_at = timeOf(name) } = manifestAt(folder, name) ?? {};
  const bytes = members?.reduce((sum, { size }) => sum + size, 0) ?? null;
  return { name, created_at, kind, media: members === undefined ? null : members.length - 1, bytes };
}

/** The newest backup that was made until `now`: one that a wrong clock dated later says nothing about the last days. */
export const newestBefore = (folder: string, now: number): ListedBackup | undefined =>
  namesOfBackups(folder)
    .map((name) => describeBackup(folder, name))
    .filter(({ created_at }) => Date.parse(created_at) <= now)
    .sort((one, other) => Date.parse(one.created_at) - Date.parse(other.created_at))
    .at(-1);
