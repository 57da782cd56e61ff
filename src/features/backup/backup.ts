// Makes backups: a snapshot of the database, the media that it refers to, and a manifest with all hashes, in a folder
// of backups (backup_folder.ts) or in one archive file. A running server is not interrupted. A backup has no secrets of
// the server.
import { closeSync, existsSync, openSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";
import { allSettings, readSettings } from "../../core/config.ts";
import { CliError, isDiskFull } from "../../core/errors.ts";
import { commandText } from "../../core/program.ts";
import { blocks } from "../../core/settings.ts";
import { checkDatabaseFile, damageAdvice, databaseName, openErrorMessage } from "../../core/store/database.ts";
import { epochsOf } from "../../core/store/database_mark.ts";
import { freeBytes } from "../../core/store/disk_space.ts";
import { closing, sha256OfFile, syncPath, writeRecord } from "../../core/store/files.ts";
import { holding, type Lock } from "../../core/store/lock.ts";
import { openReadOnly } from "../../core/store/read_only.ts";
import { causeOf } from "../../core/system_errors.ts";
import { shellWord } from "../../core/wording.ts";
import type { Medium } from "../soundness/media_bytes.ts";
import { mediaName, neededBlobs } from "../soundness/needed_media.ts";
import { brokenParts } from "../soundness/soundness.ts";
import type { Progress } from "../work/progress.ts";
import { ArchiveError, filePart, writeArchive } from "./archive.ts";
import { backupNameOf } from "./backup_folder.ts";
import { finishDraft, openDraft } from "./drafts.ts";
import { manifestName } from "./feature.ts";
import { lockMediaForReading } from "./locks.ts";
import type { BackupKind, Manifest, Member } from "./manifest.ts";
import { type MediaPlace, mediaInPlace } from "./media_saving.ts";

/**
 * What config.json has: the values of the settings that are no secrets, and the names of those that are. Empty if it
 * cannot be read.
 */
export function storedSettings(folder: string): { settings: Record<string, unknown>; secrets: string[] } {
  let given: Record<string, unknown> = {};
  try {
    given = readSettings(folder);
  } catch {
    // the server and doctor report it
  }
  const known = Object.entries(allSettings()).filter(([name]) => Object.hasOwn(given, name));
  const isSecret = ([, schema]: (typeof known)[number]) => schema.wrapped === blocks.secret;
  const open = known.filter((setting) => !isSecret(setting)).map(([name]) => [name, given[name]]);
  return { settings: Object.fromEntries(open), secrets: known.filter(isSecret).map(([name]) => name) };
}

/**
 * The manifest of a new backup, how many bytes were written for it, and the SHA-256 of the media of which the folder
 * had other bytes.
 */
export type WrittenBackup = Manifest & { bytes: number; renewed: string[] };

/** The progress of long work, and the signal that ends it. */
export interface Watched {
  progress?: Progress | undefined;
  /** Ends the work when it is aborted. Its reason is the error. */
  signal?: AbortSignal | undefined;
}

/** Returns a function that adds up byte counts and reports the sum. It throws once the work is to end. */
export function progressCounter({ progress, signal }: Watched, total: number): (bytes: number) => void {
  let done = 0;
  return (bytes) => {
    signal?.throwIfAborted();
    done += bytes;
    progress?.(done, total);
  };
}

export interface BackupOptions extends Watched {
  /** The current time in milliseconds. */
  now: number;
  /**
   * Whether to back up what is damaged too: media without their bytes are listed, and so is what is broken in the
   * database.
   */
  damaged?: boolean;
  /** The free disk space that the backup must leave, in bytes; by default none. */
  reserve?: number;
  /** Changes the snapshot of the database before it is checked and written. */
  prepare?: (copy: Database.Database) => void;
}

/** What a backup is part of. */
export interface BackupTarget {
  kind: BackupKind;
  /** Its entry in the manifest. */
  number: number;
  media: MediaPlace;
  /** Whether everything is written once more, into one file. */
  archived?: true;
  /** Throws CliError if a database with these epochs does not belong to the backups that are there already. */
  accept?(epochs: readonly string[]): void;
}

/** Copies a consistent state of the whole database to `file`. Other processes can write in the meantime. */
const snapshot = (source: string, file: string, signal: AbortSignal | undefined): Promise<unknown> =>
  closing(openReadOnly(source), (database) => {
    database.exec("BEGIN"); // keeps one state for all steps of the copy
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    const progress = () => {
      signal?.throwIfAborted();
      return 1000;
    };
    return database.backup(file, { progress });
  });

/**
 * Checks the copy of the database `source`, and reads what its backup needs. Throws CliError if it is damaged, or
 * broken without `damaged`.
 */
const readCopy = (copy: string, source: string, { damaged = false, prepare }: BackupOptions) =>
  closing(new Database(copy), (database) => {
    database.pragma("journal_mode = DELETE");
    prepare?.(database);
    database.pragma("trusted_schema = OFF");
    const broken = brokenParts(database, damaged, {
      damaged: (damage) =>
        new CliError(`${source} is damaged (${damage}); ${damageAdvice(shellWord(dirname(source)))}`),
      broken: (broken) =>
        new CliError(
          `${source} is not sound, so restore would refuse its backup; run ${commandText("doctor --repair")}, or back it up unchanged with --damaged; nothing was written`,
          broken,
        ),
    });
    const schema = database.pragma("user_version", { simple: true }) as number; // SQLite answers a number
    const epochs = epochsOf(database);
    const facts = { schema, database: epochs[0], epoch: epochs.at(-1) };
    return { blobs: neededBlobs(database), broken, epochs, facts };
  });

function checkFreeSpace(folder: string, needed: number, { reserve = 0 }: BackupOptions): void {
  const free = freeBytes(folder);
  if (free - reserve < needed)
    throw new CliError(
      `${folder} has ${free} bytes free${reserve > 0 ? `, of which ${reserve} stay free,` : ""} and the backup needs ${needed}; nothing was written`,
    );
}

/**
 * Saves the media that a database needs. Returns their members, and the SHA-256 of those that the backup or the data
 * directory lacks, and of those that were damaged in the folder.
 */
async function saveMedia({ media }: BackupTarget, blobs: readonly Medium[], report: (bytes: number) => void) {
  const members: Member[] = [];
  const [missing, lacking, renewed]: [string[], string[], string[]] = [[], [], []];
  for (const medium of blobs) {
    const { listed, sound, ...saved } = await media.save(medium, report);
    if (listed) members.push({ name: mediaName(medium.sha256), ...medium });
    else missing.push(medium.sha256);
    if (!sound) lacking.push(medium.sha256);
    if (saved.renewed) renewed.push(medium.sha256);
  }
  media.end();
  return { members, missing, lacking, renewed };
}

/** Prevents the removal of media. Waits up to 10 seconds for a removal in progress. Throws CliError after that. */
async function lockMedia(folder: string): Promise<Lock> {
  for (let tries = 0; tries < 40; tries++) {
    const lock = lockMediaForReading(folder);
    if (lock !== undefined) return lock;
    await pause(250);
  }
  throw new CliError(`another process is removing media from ${folder}; try again in a moment`);
}

/** Writes the database and the manifest of a backup of `data` into `draft`, and saves its media. */
async function writeBackup(data: string, draft: string, options: BackupOptions, target: BackupTarget) {
  const [source, copy] = [join(data, databaseName), join(draft, databaseName)];
  checkDatabaseFile(source);
  checkFreeSpace(dirname(draft), statSync(source).size, options);
  closeSync(openSync(copy, "wx", 0o600));
  await snapshot(source, copy, options.signal);
  const { blobs, broken, epochs, facts } = readCopy(copy, source, options);
  target.accept?.(epochs);
  syncPath(copy);
  const database = { name: databaseName, size: statSync(copy).size, sha256: await sha256OfFile(copy) };
  const needed = target.media.open(blobs) + (target.archived ? database.size : 0);
  checkFreeSpace(dirname(draft), needed, options);
  const counted = progressCounter(options, needed);
  let bytes = database.size;
  const saved = await saveMedia(target, blobs, (more) => {
    bytes += more;
    counted(more);
  });
  const manifest: Manifest = {
    format: "tallylight backup",
    version: 1,
    created_at: new Date(options.now).toISOString(),
    number: target.number,
    kind: target.kind,
    ...facts,
    ...storedSettings(data),
    members: [database, ...saved.members],
    missing: saved.missing,
    lacking: saved.lacking,
    broken,
  };
  writeRecord(join(draft, manifestName), manifest, true);
  return { written: { ...manifest, bytes, renewed: saved.renewed }, counted };
}

/**
 * Makes a backup of `data` in a draft of `file`, and gives it the name. Throws CliError if that fails, and leaves no
 * files behind.
 */
async function inDraft<T>(data: string, file: string, work: (draft: string) => Promise<T>): Promise<T> {
  const source = join(data, databaseName);
  if (!existsSync(source)) throw new CliError(`${data} has no Tallylight data: there is no ${databaseName} in it`);
  if (existsSync(file)) throw new CliError(`${file} already exists; name another file`);
  try {
    return await closing(openDraft(file), async ({ draft }) => holding(await lockMedia(data), () => work(draft)));
  } catch (error) {
    throw error instanceof CliError ? error : new CliError(messageOf(error, source));
  }
}

/** Makes a backup of `data` as the folder `place`. It only appears once it is complete and synced to disk. */
export const backUpAs = (
  data: string,
  place: string,
  options: BackupOptions,
  target: (draft: string) => BackupTarget,
) =>
  inDraft(data, place, async (draft) => {
    const { written } = await writeBackup(data, draft, options, target(draft));
    finishDraft(draft, place);
    return written;
  });

/**
 * Backs up the data directory `data` to the archive `file`, which must not exist: a folder with one backup, as a tar.
 * It only appears once it is complete and synced to disk. Throws CliError if the backup fails, and leaves no files
 * behind.
 */
export const backUp = (data: string, file: string, options: BackupOptions): Promise<WrittenBackup> =>
  inDraft(data, file, async (draft) => {
    const media = mediaInPlace(data, options.damaged === true);
    const target: BackupTarget = { kind: "manual", number: 0, media, archived: true };
    const { written, counted } = await writeBackup(data, draft, options, target);
    const [lost] = written.lacking;
    if (lost !== undefined && options.damaged !== true) throw lostBytes(mediaName(lost));
    const name = backupNameOf(options.now);
    const parts = written.members.map((member, at) => ({
      ...filePart(
        at === 0 ? `${name}/${member.name}` : member.name,
        join(at === 0 ? draft : data, member.name),
        member.size,
      ),
      sha256: member.sha256,
    }));
    const list = join(draft, manifestName);
    const archive = join(draft, "archive");
    const seconds = Math.floor(options.now / 1000);
    await writeArchive(
      archive,
      [...parts, filePart(`${name}/${manifestName}`, list, statSync(list).size)],
      seconds,
      counted,
    );
    finishDraft(archive, file);
    return { ...written, bytes: statSync(file).size };
  });

const lostBytes = (name: string): CliError =>
  new CliError(
    `the bytes of ${name} are missing or damaged; run ${commandText("doctor --deep")}, or back up the rest with --damaged`,
  );

function messageOf(error: unknown, source: string): string {
  const code = (error as { code?: string }).code ?? ""; // whatever was thrown
  if (isDiskFull(error)) return "the disk of the backup file is full; nothing was written";
  if (code.startsWith("SQLITE")) return openErrorMessage(error, source);
  if (error instanceof ArchiveError && error.part !== undefined) return lostBytes(error.part).message;
  const { path } = error as { path?: string }; // an error with a code is an object
  return `the backup failed${path === undefined ? "" : ` at ${path}`}: ${causeOf(error)}`;
}
