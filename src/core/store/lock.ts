// Locks between processes on one data directory. A lock is a transaction on a small SQLite file, so that the operating
// system releases it when the process ends, however it ends, on every runtime.
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { CliError, codeOf } from "../errors.ts";
import { causeOf } from "../system_errors.ts";
import { closing } from "./files.ts";

/** A lock that this process has taken. */
export interface Lock {
  release(): void;
}

/**
 * Creates the file of a lock. Returns whether it can be written to. Throws unless the disk is read-only or the lock is
 * shared.
 */
function createLock(file: string, shared: boolean): boolean {
  try {
    closeSync(openSync(file, "a", 0o600));
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "EROFS" || (shared && (code === "EACCES" || code === "ENOSPC"))) return false;
    throw error;
  }
}

/**
 * The databases of the locks that are held. Without it, one that its owner does not keep would be collected, and the
 * lock would end.
 */
const locking = new Set<Database.Database>();

/**
 * Takes the lock in `file` without waiting; undefined if a conflicting lock is held, by this or another process. Where
 * the file cannot be created, nothing can be changed either, and the lock holds nothing.
 */
export function tryLock(file: string, shared: boolean): Lock | undefined {
  const readonly = !createLock(file, shared);
  if (readonly && (!shared || !existsSync(file))) return { release() {} };
  const database = new Database(file, { timeout: 0, readonly });
  try {
    database.pragma("journal_mode = MEMORY"); // a journal file needs space on the disk
    database.exec(shared ? "BEGIN" : "BEGIN EXCLUSIVE");
    if (shared) database.prepare("SELECT count(*) FROM sqlite_schema").get(); // BEGIN locks at the first read
    locking.add(database);
    return {
      release() {
        locking.delete(database);
        database.close();
      },
    };
  } catch (error) {
    database.close();
    if (codeOf(error).startsWith("SQLITE_BUSY")) return undefined;
    throw error;
  }
}

/** Runs work while a lock is held, which it then releases. */
export const holding = <T>(lock: Lock, work: () => T): T => closing({ close: lock.release }, work);

/** The lock of the one server of a directory. */
export const serverLockName = "server.lock";

/**
 * Makes this process the only server of a data directory, until release or its end. With `reading`, a directory to
 * which this user may not write is only read: the lock holds nothing there. Throws CliError if another one runs.
 */
export function lockForServing(folder: string, { reading = false } = {}): Lock {
  let lock: Lock | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    lock = tryLock(join(folder, serverLockName), false);
  } catch (error) {
    if (reading && codeOf(error) === "EACCES" && !isServed(folder)) return { release() {} };
    throw new CliError(`${folder} cannot be written to: ${causeOf(error)}; check its owner and permissions`);
  }
  if (lock === undefined)
    throw new CliError(
      `another Tallylight server is using ${folder}; stop it first, or serve another --data directory`,
    );
  return lock;
}

/** Whether a server or a restore is using the data directory, as far as this user may know. */
export function isServed(folder: string): boolean {
  const file = join(folder, serverLockName);
  if (!existsSync(file)) return false;
  try {
    closing(new Database(file, { timeout: 0, readonly: true }), (database) =>
      database.prepare("SELECT count(*) FROM sqlite_schema").get(),
    );
    return false;
  } catch {
    return true;
  }
}

/** The lock between backups, which read media/, and what removes files there. */
export const mediaLockName = "media.lock";

/** An exclusive lock for removing files under media/. Undefined if a backup holds its lock. */
export const lockMediaForRemoving = (folder: string): Lock | undefined => tryLock(join(folder, mediaLockName), false);
