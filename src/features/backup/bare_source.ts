// What has a database and media, and no list of them: a data directory, or a backup in a folder that has lost its
// manifest. A restore takes what can be read of it: the database is copied with its log, and recovered if it is
// damaged; media are copied if their bytes are whole.
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { CliError } from "../../core/errors.ts";
import { commandText } from "../../core/program.ts";
import { databaseName } from "../../core/store/database.ts";
import { closing, hashBytes, readBytes } from "../../core/store/files.ts";
import { holding, lockForServing } from "../../core/store/lock.ts";
import { shellWord } from "../../core/wording.ts";
import type { Medium } from "../soundness/media_bytes.ts";
import { mediaName, neededBlobs } from "../soundness/needed_media.ts";
import { soundnessOf } from "../soundness/soundness.ts";
import { progressCounter, storedSettings, type Watched } from "./backup.ts";
import { isBackupName, manifestName } from "./feature.ts";
import type { Manifest } from "./manifest.ts";
import { recoverDatabase } from "./recovery.ts";
import { damaged } from "./unpacking.ts";

export interface BareSource {
  name: string;
  /** The database. */
  file: string;
  /** The folder with its folder media. */
  folder: string;
}

const isBare = (folder: string): boolean =>
  existsSync(join(folder, databaseName)) && !existsSync(join(folder, manifestName));

/**
 * The data directory that a path names, or the backup without a manifest, as FOLDER@NAME; undefined for any other path.
 */
export function bareSourceAt(path: string): BareSource | undefined {
  if (existsSync(path)) return isBare(path) ? { name: path, file: join(path, databaseName), folder: path } : undefined;
  const at = path.lastIndexOf("@");
  const [folder, name] = [path.slice(0, at), path.slice(at + 1)];
  if (at === -1 || !isBackupName(name) || !isBare(join(folder, name))) return undefined;
  return { name: path, file: join(folder, name, databaseName), folder };
}

/** Throws CliError for a source that is taken only as a damaged one. */
export function refuseBare({ name, folder }: BareSource): never {
  const what =
    name === folder ? "is a data directory, not a backup" : `has no ${manifestName}, which lists what it has`;
  throw new CliError(
    `${name} ${what}; ${commandText(`restore --damaged ${shellWord(name)} --data NEW`)} makes a sound data directory NEW of what can be read of it, and leaves it as it is; nothing was restored`,
  );
}

/** Copies a database, and merges its log into the copy. */
function copyMerged(from: string, to: string): void {
  for (const end of ["", "-wal"])
    if (existsSync(from + end)) {
      copyFileSync(from + end, to + end);
      chmodSync(to + end, 0o600);
    }
  try {
    closing(new Database(to), (database) => {
      database.pragma("wal_checkpoint(TRUNCATE)");
      database.pragma("journal_mode = DELETE");
    });
  } catch {
    // it is damaged, and recovered without what its log has
  }
  for (const end of ["-wal", "-shm"]) rmSync(to + end, { force: true });
}

function isSound(file: string): boolean {
  try {
    return closing(new Database(file, { readonly: true }), (database) => soundnessOf(database).integrity.length === 0);
  } catch {
    return false;
  }
}

/**
 * The number of migrations that a database file has in its header. Throws ArchiveError if it is too short to be one.
 */
async function schemaOf(file: string): Promise<number> {
  const header = await closing(
    await open(file),
    async (handle) => (await handle.read(Buffer.alloc(100), 0, 100, 0)).buffer,
  );
  if (statSync(file).size < 512) throw damaged("its database has no pages");
  return header.readUInt32BE(60);
}

/** Copies a medium. Returns whether its bytes are those of its hash. */
async function copyMedium(from: string, to: string, { sha256 }: Medium, report: (bytes: number) => void) {
  const size = statSync(from, { throwIfNoEntry: false })?.size;
  if (size === undefined) return false;
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  try {
    const found = await closing(await open(to, "wx", 0o600), (file) => hashBytes(readBytes(from, size), file, report));
    if (found.sha256 === sha256) return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== "read") throw error; // what the disk does not give back is lost
  }
  rmSync(to);
  return false;
}

async function copyAll({ file, folder }: BareSource, staging: string, options: Watched) {
  const to = join(staging, databaseName);
  copyMerged(file, to);
  const schema = await schemaOf(to);
  const lost = isSound(to) ? [] : recoverDatabase(to, schema);
  const needed = closing(new Database(to, { readonly: true }), neededBlobs);
  const report = progressCounter(
    options,
    needed.reduce((sum, { size }) => sum + size, 0),
  );
  const [members, missing]: [Manifest["members"], string[]] = [[{ name: databaseName, size: 0, sha256: "" }], []];
  for (const medium of needed) {
    const name = mediaName(medium.sha256);
    if (await copyMedium(join(folder, name), join(staging, name), medium, report)) members.push({ name, ...medium });
    else missing.push(medium.sha256);
  }
  const created_at = statSync(file).mtime.toISOString();
  const manifest = {
    ...({ format: "tallylight backup", version: 1, created_at, number: 0, kind: "manual", schema } as const),
    ...storedSettings(folder),
    ...{ members, missing, lacking: missing, broken: [], lost: missing, problem: undefined },
  };
  return { manifest, members, lost };
}

/**
 * Copies what can be read into `staging`. Returns the list of it, and what is lost of the rows. Throws CliError while a
 * server uses the source.
 */
export async function unpackBare(source: BareSource, staging: string, options: Watched) {
  if (source.name !== source.folder) return copyAll(source, staging, options);
  const lock = lockForServing(source.folder, { reading: true });
  return holding(lock, () => copyAll(source, staging, options));
}
