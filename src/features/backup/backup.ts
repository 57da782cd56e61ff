// Creates backups: a snapshot of the database, the media that it refers to, and a manifest with all hashes, in one archive file or in a
// folder (backup_folder.ts). A running server is not interrupted. A backup does not contain secrets.json or config.json.
import { hash, randomBytes } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";
import * as v from "valibot";
import { CliError, causeOf, isDiskFull } from "../../core/errors.ts";
import { checkDatabaseFile, databaseName, openErrorMessage, openReadOnly } from "../../core/store/database.ts";
import { epochsOf, forgetSecrets } from "../../core/store/database_mark.ts";
import { freeBytes } from "../../core/store/disk_space.ts";
import { mediaName, neededBlobs } from "../../core/store/file_placing.ts";
import { closing, hashBytes, sha256OfFile, syncPath } from "../../core/store/files.ts";
import { draftLockName, holding, type Lock, lockDraft, lockMediaForReading } from "../../core/store/lock.ts";
import { brokenParts } from "../soundness/soundness.ts";
import type { Progress } from "../work/progress.ts";
import { archiveEnd, memberHeader, paddingAfter } from "./archive.ts";
import { manifestName } from "./feature.ts";

/** Why a backup was made. */
export const backupKinds = ["scheduled", "manual"] as const;
export type BackupKind = (typeof backupKinds)[number];

const memberSchema = v.object({
  name: v.string(),
  size: v.number(),
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
});
export const manifestSchema = v.object({
  format: v.literal("tallylight backup"),
  version: v.literal(1),
  created_at: v.string(),
  /** The position in its folder: a clock may be wrong, and this only grows. 0 in a file, and in lists of former versions. */
  number: v.optional(v.number(), 0),
  /** Who asked for it: only what the schedule made is removed by the schedule. Lists of former versions do not say it. */
  kind: v.optional(v.picklist(backupKinds), "scheduled"),
  schema: v.number(),
  /** The first epoch of the database, which tells it from other databases, and its last one; absent if its schema has none. */
  database: v.optional(v.string()),
  epoch: v.optional(v.string()),
  /** Every other member, in the order of the archive. */
  members: v.array(memberSchema),
  /** The SHA-256 of media in the database whose bytes were already missing or damaged. */
  missing: v.array(v.string()),
  /** The problems of the database, one sentence each. Such a backup can only be restored with allowBroken. */
  broken: v.optional(v.array(v.string()), []),
});
export type Manifest = v.InferOutput<typeof manifestSchema>;

/** The manifest of a new backup, how many bytes were written for it, and the SHA-256 of the media that the data directory lacks or has damaged. */
export type WrittenBackup = Manifest & { bytes: number; lacking: string[] };

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
  /** Whether to leave out media whose bytes are missing or damaged; otherwise they are an error. */
  allowMissing?: boolean;
  /** Whether to accept broken references and a schema that was changed by hand; otherwise they are an error. */
  allowBroken?: boolean;
  /** The free disk space that the backup must leave, in bytes; by default none. */
  reserve?: number;
  /** Changes the snapshot of the database before it is checked and written. */
  prepare?: (copy: Database.Database) => void;
}

/** The folder of backups to which a backup is added. */
interface Into {
  folder: string;
  kind: BackupKind;
  /** Its entry in the manifest. */
  number: number;
  /** Throws CliError if a database with these epochs does not belong to the backups that are there already. */
  accept(epochs: readonly string[]): void;
}
type Member = Manifest["members"][number];

/**
 * Writes the members of a backup: into one archive in its draft, or into a folder, the media to their place and the others to the draft, which
 * becomes FOLDER/NAME.
 */
function writerIn(draft: string, now: number, folder: string | undefined) {
  const part = join(draft, folder === undefined ? "archive" : "part");
  const placeOf = (name: string): string => join(folder && name.startsWith("media/") ? folder : draft, name);
  const changed = new Set([draft]);
  let bytes = 0;
  return {
    /** What becomes the backup once it is complete. */
    result: folder === undefined ? part : draft,

    /** Whether a member is there already. Only sizes are compared, because the bytes of media never change; `backup verify` reads them. */
    has: ({ name, size }: Member): boolean =>
      folder !== undefined && statSync(placeOf(name), { throwIfNoEntry: false })?.size === size,

    /** Adds a member. Returns whether its source had these bytes; if not, nothing is added. */
    add: async (
      { name, size, sha256 }: Member,
      source: () => AsyncIterable<Buffer>,
      report?: (bytes: number) => void,
    ) =>
      closing(await open(part, "a", 0o600), async (file) => {
        const { size: start } = await file.stat();
        if (folder === undefined) await file.writeFile(memberHeader(name, size, Math.floor(now / 1000)));
        const found = await hashBytes(source(), file, report);
        if (found.size !== size || found.sha256 !== sha256) {
          await file.truncate(start);
          return false;
        }
        bytes += size;
        if (folder === undefined) await file.writeFile(paddingAfter(size));
        else {
          await file.sync();
          const parent = dirname(placeOf(name));
          if (mkdirSync(parent, { recursive: true, mode: 0o700 })) changed.add(dirname(parent)).add(folder);
          renameSync(part, placeOf(name));
          changed.add(parent);
        }
        return true;
      }),

    /** Syncs everything to disk. Returns how many bytes were written. */
    end(): number {
      if (folder === undefined) appendFileSync(part, archiveEnd, { mode: 0o600 }); // Deno changes the mode of a file to this one
      const file = folder === undefined ? part : join(draft, databaseName);
      for (const path of [file, ...changed]) syncPath(path);
      return statSync(file).size + (folder === undefined ? 0 : bytes);
    },
  };
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
 * Checks the copy of the database `source`, and reads what its backup needs. Throws CliError if it is damaged, or broken without allowBroken.
 */
const readCopy = (copy: string, source: string, { allowBroken = false, prepare }: BackupOptions) =>
  closing(new Database(copy), (database) => {
    database.pragma("journal_mode = DELETE");
    prepare?.(database);
    database.pragma("trusted_schema = OFF");
    const broken = brokenParts(database, allowBroken, {
      damaged: (damage) => new CliError(`${source} is damaged (${damage}); run tallylight doctor`),
      broken: (broken) =>
        new CliError(
          `${source} is not sound, so restore would refuse its backup; run tallylight doctor --repair, or back it up unchanged with --allow-broken; nothing was written`,
          broken,
        ),
    });
    forgetSecrets(database);
    const schema = database.pragma("user_version", { simple: true }) as number;
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
 * Adds the snapshot and the media. Returns the members, and the SHA-256 of the media that are missing in the backup, and of those that the data
 * directory lacks. With `savesRest`, missing media are no error: what is there is saved.
 */
async function addMembers(
  writer: ReturnType<typeof writerIn>,
  draft: string,
  data: string,
  blobs: ReturnType<typeof neededBlobs>,
  options: BackupOptions,
  savesRest: boolean,
) {
  const copy = join(draft, databaseName);
  const wanted: Member[] = [
    { name: databaseName, size: statSync(copy).size, sha256: await sha256OfFile(copy) },
    ...blobs.map(({ sha256, size }) => ({ name: mediaName(sha256), size, sha256 })),
  ];
  const total = wanted.reduce((sum, one) => sum + (writer.has(one) ? 0 : one.size), 0);
  checkFreeSpace(dirname(draft), total, options);
  const report = progressCounter(options, total);
  const members: Member[] = [];
  const missing: string[] = [];
  const lacking: string[] = [];
  for (const member of wanted) {
    const { name, size, sha256 } = member;
    const file = join(name === databaseName ? draft : data, name);
    // A larger buffer than a small file needs costs more than its reading. A file that has grown is not read to its end.
    const source = () => createReadStream(file, { highWaterMark: Math.min(1 << 20, size + 1), end: size });
    const isHeld = writer.has(member);
    // The bytes of media never change, so that a file of the same size is read only by doctor --deep.
    if (isHeld && statSync(file, { throwIfNoEntry: false })?.size !== size) lacking.push(sha256);
    if (isHeld || (existsSync(file) && (await writer.add(member, source, report)))) members.push(member);
    else if (savesRest && name !== databaseName) missing.push(sha256);
    else
      throw new CliError(
        `the bytes of ${name} are missing or damaged; run tallylight doctor --deep, or back up the rest with --allow-missing`,
      );
  }
  return { members, missing, lacking: [...lacking, ...missing] };
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

/** The suffix of a draft: what has it is no backup. */
export const draftSuffix = (): string => `.part-${randomBytes(6).toString("hex")}`;

/** Removes what killed backups left in a folder: drafts that no process holds. */
function removeDrafts(folder: string): void {
  for (const name of readdirSync(folder).filter((name) => /\.part-[0-9a-f]{12}$/.test(name))) {
    const draft = join(folder, name);
    const lock = existsSync(join(draft, draftLockName)) ? lockDraft(draft) : undefined;
    try {
      rmdirSync(draft); // killed before it had its lock
    } catch {
      if (lock !== undefined) rmSync(draft, { recursive: true, force: true });
    }
    lock?.release();
  }
}

/** Makes a folder for the files of a backup next to its own file, so that the next backup can remove them after a kill. */
function openDraft(file: string): { draft: string; close(): void } {
  removeDrafts(dirname(file));
  const draft = `${file}${draftSuffix()}`;
  mkdirSync(draft, { mode: 0o700 });
  const lock = lockDraft(draft);
  return {
    draft,
    close() {
      rmSync(draft, { recursive: true, force: true });
      lock?.release();
    },
  };
}

/**
 * Backs up the data directory `data` to `file`, which must not exist: one archive, or a backup `into` a folder of them. It only appears once it
 * is complete and synced to disk. Throws CliError if the backup fails, and leaves no files behind.
 */
export async function backUp(data: string, file: string, options: BackupOptions, into?: Into): Promise<WrittenBackup> {
  const source = join(data, databaseName);
  if (!existsSync(source)) throw new CliError(`${data} has no Tallylight data: there is no ${databaseName} in it`);
  if (existsSync(file)) throw new CliError(`${file} already exists; name another file`);
  try {
    return await closing(openDraft(file), async ({ draft }) => {
      const writer = writerIn(draft, options.now, into?.folder);
      const copy = join(draft, databaseName);
      const written = await holding(await lockMedia(data), async () => {
        checkDatabaseFile(source);
        checkFreeSpace(dirname(file), statSync(source).size, options);
        closeSync(openSync(copy, "wx", 0o600));
        await snapshot(source, copy, options.signal);
        const { blobs, broken, epochs, facts } = readCopy(copy, source, options);
        into?.accept(epochs);
        const savesRest = into !== undefined || options.allowMissing === true;
        const { lacking, ...added } = await addMembers(writer, draft, data, blobs, options, savesRest);
        const created_at = new Date(options.now).toISOString();
        const head = { format: "tallylight backup", version: 1, created_at, number: into?.number ?? 0 } as const;
        const manifest: Manifest = { ...head, kind: into?.kind ?? "manual", ...facts, ...added, broken };
        const text = Buffer.from(`${JSON.stringify(manifest)}\n`);
        const list = { name: manifestName, size: text.length, sha256: hash("sha256", text) };
        await writer.add(list, () => Readable.from([text]));
        return { ...manifest, bytes: writer.end(), lacking };
      });
      renameSync(writer.result, file);
      if (into !== undefined) rmSync(join(file, draftLockName)); // not before: a draft without it is not swept
      syncPath(dirname(file));
      return written;
    });
  } catch (error) {
    throw error instanceof CliError ? error : new CliError(messageOf(error, source));
  }
}

function messageOf(error: unknown, source: string): string {
  const code = (error as { code?: string }).code ?? "";
  if (isDiskFull(error)) return "the disk of the backup file is full; nothing was written";
  if (code.startsWith("SQLITE")) return openErrorMessage(error, source);
  const { path } = error as { path?: string };
  return `the backup failed${path === undefined ? "" : ` at ${path}`}: ${causeOf(error)}`;
}
