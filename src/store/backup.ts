// Creates backups: a snapshot of the database, the media that it refers to, and a manifest with all hashes, in one archive file or in a
// folder (backup_folder.ts). A running server is not interrupted. A backup does not contain secrets.json or config.json.
import { randomBytes } from "node:crypto";
import {
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
import { CliError, isDiskFull } from "../errors.ts";
import { archiveWriter } from "./archive.ts";
import { neededBlobs } from "./blob_rows.ts";
import { checkDatabaseFile, databaseName, openErrorMessage, openReadOnly } from "./database.ts";
import { closing, sha256OfFile, syncPath } from "./files.ts";
import { draftLockName, type Lock, lockDraft, lockMediaForReading } from "./lock.ts";
import { epochsOf } from "./mark.ts";
import { brokenParts } from "./soundness.ts";
import { freeBytes } from "./writable.ts";

export const manifestName = "manifest.json";
export const mediaName = (sha256: string): string => `media/${sha256.slice(0, 2)}/${sha256}`;

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

/** The manifest of a new backup, and how many bytes were written for it. */
export type WrittenBackup = Manifest & { bytes: number };

/** Called repeatedly with the number of bytes done and the total. */
export type Progress = (done: number, total: number) => void;

/** Returns a function that adds up byte counts and reports the sum to `progress`. */
export function progressCounter(progress: Progress | undefined, total: number): (bytes: number) => void {
  let done = 0;
  return (bytes) => {
    done += bytes;
    progress?.(done, total);
  };
}

export interface BackupOptions {
  /** The current time in milliseconds. */
  now: number;
  /** Whether to leave out media whose bytes are missing or damaged; otherwise they are an error. */
  allowMissing?: boolean;
  /** Whether to accept broken references and a schema that was changed by hand; otherwise they are an error. */
  allowBroken?: boolean;
  /** The free disk space that the backup must leave, in bytes; by default none. */
  reserve?: number;
  progress?: Progress;
  /** Ends the backup when it is aborted. Its reason is the error. */
  signal?: AbortSignal | undefined;
  /** Changes the snapshot of the database before it is checked and written. */
  prepare?: (copy: Database.Database) => void;
}

/** Where the parts of a backup are written to, in the folder of its draft. */
export interface BackupTarget {
  /** The path at which the database is copied. */
  copy: string;
  /** What becomes the backup once it is complete. */
  result: string;
  /** What the manifest says of its place. */
  number: number;
  /** Throws CliError if a database with these epochs does not belong to the backups that are there already. */
  accept(epochs: readonly string[]): void;
  /** Whether a member is there already. */
  has(member: Member): boolean;
  /** Adds a member. Returns its SHA-256; undefined, without adding it, if the source has other bytes. */
  add(name: string, size: number, source: AsyncIterable<Buffer>, sha256?: string): Promise<string | undefined>;
  /** Syncs everything to disk. Returns how many bytes were written. */
  end(): Promise<number>;
  close(): Promise<void> | void;
}
type Member = Manifest["members"][number];

async function openArchive(draft: string, now: number): Promise<BackupTarget> {
  const [copy, result] = [join(draft, databaseName), join(draft, "archive")];
  const handle = await open(result, "wx", 0o600);
  const place = { number: 0, accept() {}, has: () => false };
  return { ...place, copy, result, ...archiveWriter(handle, now), close: () => handle.close() };
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

/** Adds the snapshot and the media. Returns the members, and the SHA-256 of the media that are missing. */
async function addMembers(
  target: BackupTarget,
  folder: string,
  blobs: ReturnType<typeof neededBlobs>,
  options: BackupOptions,
) {
  const { copy } = target;
  const size = statSync(copy).size;
  const media = blobs.map(({ sha256, size }) => ({ name: mediaName(sha256), size, sha256 }));
  const total = media.reduce((sum, member) => sum + (target.has(member) ? 0 : member.size), size);
  checkFreeSpace(dirname(dirname(target.result)), total, options);
  const report = progressCounter(options.progress, total);
  const add = async ({ name, size, sha256 }: Member, file: string): Promise<boolean> => {
    const chunks = async function* () {
      // A larger buffer than a small file needs costs more than its reading.
      for await (const chunk of createReadStream(file, { highWaterMark: Math.min(1 << 20, size + 1) })) {
        options.signal?.throwIfAborted();
        yield chunk as Buffer;
        report(chunk.length);
      }
    };
    return (await target.add(name, size, chunks(), sha256)) !== undefined;
  };
  const snapshot = { name: databaseName, size, sha256: await sha256OfFile(copy) };
  const members: Member[] = [snapshot];
  const missing: string[] = [];
  if (!target.has(snapshot) && !(await add(snapshot, copy))) throw new Error("the snapshot changed");
  for (const member of media) {
    const file = join(folder, member.name);
    if (target.has(member) || (existsSync(file) && (await add(member, file)))) members.push(member);
    else if (options.allowMissing) missing.push(member.sha256);
    else
      throw new CliError(
        `the bytes of ${member.name} are missing or damaged; run tallylight doctor --deep, or back up the rest with --allow-missing`,
      );
  }
  return { members, missing };
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
 * Backs up the data directory `folder` to `file`, which must not exist. The file only appears once it is complete and synced to
 * disk. Throws CliError if the backup fails, and leaves no files behind.
 */
export async function backUp(
  folder: string,
  file: string,
  options: BackupOptions,
  openTarget: (draft: string, now: number) => Promise<BackupTarget> | BackupTarget = openArchive,
): Promise<WrittenBackup> {
  const source = join(folder, databaseName);
  if (!existsSync(source)) throw new CliError(`${folder} has no Tallylight data: there is no ${databaseName} in it`);
  if (existsSync(file)) throw new CliError(`${file} already exists; name another file`);
  let lock: Lock | undefined;
  let opened: ReturnType<typeof openDraft> | undefined;
  let target: BackupTarget | undefined;
  try {
    opened = openDraft(file);
    target = await openTarget(opened.draft, options.now);
    lock = await lockMedia(folder);
    checkDatabaseFile(source);
    checkFreeSpace(dirname(file), statSync(source).size, options);
    closeSync(openSync(target.copy, "wx", 0o600));
    await snapshot(source, target.copy, options.signal);
    const { blobs, broken, epochs, facts } = readCopy(target.copy, source, options);
    target.accept(epochs);
    const added = await addMembers(target, folder, blobs, options);
    const created_at = new Date(options.now).toISOString();
    const head = { format: "tallylight backup", version: 1, created_at, number: target.number } as const;
    const manifest: Manifest = { ...head, ...facts, ...added, broken };
    const text = Buffer.from(`${JSON.stringify(manifest)}\n`);
    await target.add(manifestName, text.length, Readable.from([text]));
    const bytes = await target.end();
    renameSync(target.result, file);
    syncPath(dirname(file));
    return { ...manifest, bytes };
  } catch (error) {
    throw error instanceof CliError ? error : new CliError(messageOf(error, source));
  } finally {
    await target?.close();
    lock?.release();
    opened?.close();
  }
}

function messageOf(error: unknown, source: string): string {
  const code = (error as { code?: string }).code ?? "";
  if (isDiskFull(error)) return "the disk of the backup file is full; nothing was written";
  return code.startsWith("SQLITE") ? openErrorMessage(error, source) : `the backup failed: ${(error as Error).message}`;
}
