// Keeps backups in a folder: FOLDER/NAME has the database and the list of one backup, FOLDER/media the bytes of all of them, each once.
import { closeSync, createReadStream, existsSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { CliError } from "../../core/errors.ts";
import { databaseName } from "../../core/store/database.ts";
import { mediaFiles, readRecord } from "../../core/store/files.ts";
import { draftLockName, holding, lockBackups, lockBackupsForReading } from "../../core/store/lock.ts";
import type { Part } from "./archive.ts";
import {
  type BackupKind,
  type BackupOptions,
  backUp,
  draftSuffix,
  type Manifest,
  manifestSchema,
  type WrittenBackup,
} from "./backup.ts";
import { backupName, manifestName } from "./feature.ts";

/** How many backups are kept: the newest of each of the last days, weeks and months that have one. */
export interface RetentionCounts {
  daily: number;
  weekly: number;
  monthly: number;
}

/** A backup in a folder. */
export interface ListedBackup {
  name: string;
  created_at: string;
  /** Who asked for it; null if its list is damaged. */
  kind: BackupKind | null;
  /** The number of its media, and what it needs without the other backups in bytes; null if its list is damaged. */
  media: number | null;
  bytes: number | null;
}

/** The time of the backup in UTC, without characters that a file system refuses. */
const nameOf = (now: number): string => new Date(now).toISOString().replaceAll(":", "");
const timeOf = (name: string): string => name.replace(backupName, "$1$2:$3:$4");

/** The names of the complete backups in a folder, by the dates that they have. */
const datedNames = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => backupName.test(name) && existsSync(join(folder, name, manifestName)))
    .sort();

/** The list of a backup; undefined if it cannot be read. */
const manifestAt = (folder: string, name: string): Manifest | undefined =>
  readRecord(join(folder, name, manifestName), manifestSchema);

type Numbered = Pick<Manifest, "number" | "database" | "epoch"> & { name: string };

/** The backups in a folder, the one that was made last first. A damaged list counts as made after the one dated before it. */
function numberedNames(folder: string): Numbered[] {
  let last = 0;
  const numbered = datedNames(folder).map((name) => {
    const { number = last, database, epoch } = manifestAt(folder, name) ?? {};
    last = number;
    return { name, number, database, epoch };
  });
  return numbered.sort((one, other) => one.number - other.number).reverse();
}

/** The names of the complete backups in a folder, the one that was made last first, whatever date a wrong clock gave it. */
export const backupNames = (folder: string): string[] => numberedNames(folder).map(({ name }) => name);

export function describeBackup(folder: string, name: string): ListedBackup {
  const { members, kind = null } = manifestAt(folder, name) ?? {};
  const bytes = members?.reduce((sum, { size }) => sum + size, 0) ?? null;
  return { name, created_at: timeOf(name), kind, media: members === undefined ? null : members.length - 1, bytes };
}

/** The newest backup that was made until `now`: one that a wrong clock dated later says nothing about the last days. */
export function newestBefore(folder: string, now: number): ListedBackup | undefined {
  const name = datedNames(folder).findLast((name) => Date.parse(timeOf(name)) <= now);
  return name === undefined ? undefined : describeBackup(folder, name);
}

/** Throws CliError if `folder` is not a directory. It is not created: the disk that it is on may not be mounted. */
export function requireFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new CliError(`${folder} is not a folder; create it, or mount the disk that it is on`);
}

function checkPlace(data: string, folder: string): void {
  requireFolder(folder);
  if (!relative(resolve(data), resolve(folder)).startsWith(".."))
    throw new CliError(
      `${folder} is inside the data directory ${data}; name a folder elsewhere, on another disk if you have one`,
    );
}

/**
 * Throws CliError if a database with these epochs is not that of the backups in a folder. A copy of it that was restored or promoted elsewhere is
 * told by its backups between its own: a former state that was restored in the same place has none.
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

/**
 * The names that are kept: the newest backup, and those of the last days, weeks and months that have one. Those of the future were dated by
 * a wrong clock: they are kept until their time has come, and take no place of another one.
 */
export function retainedNames(
  names: readonly string[],
  { daily, weekly, monthly }: RetentionCounts,
  now: number,
): ReadonlySet<string> {
  const isLater = (name: string): boolean => Date.parse(timeOf(name)) > now;
  const newest = names
    .filter((name) => !isLater(name))
    .sort()
    .reverse();
  const day = (name: string): number => Date.parse(name.slice(0, 10)) / 86_400_000;
  const rules: readonly (readonly [number, (name: string) => string | number])[] = [
    [daily, day],
    [weekly, (name) => Math.floor((day(name) + 3) / 7)], // day 0 was a Thursday
    [monthly, (name) => name.slice(0, 7)],
  ];
  const firsts = rules.flatMap(([count, periodOf]) => {
    const firstOf = new Map<string | number, string>();
    for (const name of newest) if (!firstOf.has(periodOf(name))) firstOf.set(periodOf(name), name);
    return [...firstOf.values()].slice(0, count);
  });
  return new Set([...newest.slice(0, 1), ...firsts, ...names.filter(isLater)]);
}

/** Removes the backups of the schedule that are not kept, and the media that no backup lists. Returns the names of the removed backups. */
function rotate(folder: string, keep: RetentionCounts, now: number): string[] {
  const names = datedNames(folder);
  const isManual = (name: string): boolean => manifestAt(folder, name)?.kind === "manual";
  const scheduled = names.filter((name) => !isManual(name)); // what a person made stays, and takes no place of another one
  const isKept = retainedNames(scheduled, keep, now);
  const removed = scheduled.filter((name) => !isKept.has(name));
  const kept = names.filter((name) => !removed.includes(name));
  for (const name of removed) {
    const draft = join(folder, `${name}${draftSuffix()}`);
    closeSync(openSync(join(folder, name, draftLockName), "a", 0o600)); // if this is killed, the next backup removes the rest
    renameSync(join(folder, name), draft); // what is half removed must not look like a backup
    rmSync(draft, { recursive: true, force: true });
  }
  const listed = new Set<string>();
  for (const name of kept) {
    const list = manifestAt(folder, name);
    if (list === undefined) return removed; // what it needs is not known
    for (const member of list.members) listed.add(member.name);
  }
  for (const name of mediaFiles(join(folder, "media")))
    if (/\/[0-9a-f]{64}$/.test(name) && !listed.has(`media/${name}`))
      rmSync(join(folder, "media", name), { force: true });
  return removed;
}

export interface FolderBackup extends WrittenBackup {
  name: string;
  /** The names of the backups that were removed. */
  removed: string[];
}

/**
 * Adds a backup of the data directory `data` to `folder`: writes the database, and the media that the folder does not have. Then removes
 * what is not kept; without `keep`, nothing. Throws CliError if the backup fails, or if the folder has backups of another database.
 */
export async function backUpInto(
  data: string,
  folder: string,
  { keep, kind = "manual", ...options }: BackupOptions & { keep?: RetentionCounts | undefined; kind?: BackupKind },
): Promise<FolderBackup> {
  checkPlace(data, folder);
  const lock = lockBackups(folder);
  if (lock === undefined)
    throw new CliError(`another backup is being written to ${folder} or read from it; try again once it is finished`);
  return holding(lock, async () => {
    const name = nameOf(options.now);
    const backups = numberedNames(folder);
    const number = (backups[0]?.number ?? 0) + 1;
    const accept = (epochs: readonly string[]) => checkEpochs(folder, backups, epochs);
    const written = await backUp(data, join(folder, name), options, { folder, number, kind, accept });
    return { ...written, name, removed: keep === undefined ? [] : rotate(folder, keep, options.now) };
  });
}

/** The members of a backup in a folder, in the order of its list, and then the list. A member without a file is left out. */
export async function* partsIn(folder: string, name: string): AsyncGenerator<Part> {
  const lock = lockBackupsForReading(folder);
  if (lock === undefined) throw new CliError(`a backup is being written to ${folder}; try again once it is finished`);
  try {
    for (const { name: member } of [...(manifestAt(folder, name)?.members ?? []), { name: manifestName }]) {
      const isMedia = /^media\/[0-9a-f]{2}\/[0-9a-f]{64}$/.test(member);
      if (!isMedia && member !== databaseName && member !== manifestName) return; // no path may escape
      const file = join(folder, isMedia ? "" : name, member);
      const size = statSync(file, { throwIfNoEntry: false })?.size;
      if (size !== undefined)
        yield { name: member, size, bytes: () => createReadStream(file, { highWaterMark: 1 << 20 }) };
    }
  } finally {
    lock.release();
  }
}
