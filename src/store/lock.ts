// Locks between processes on one data directory, held in small SQLite files: the system gives them up with the process,
// however it ends, on every runtime alike. Knows nothing of what they guard.
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { CliError } from "../errors.ts";

export interface Lock {
  release(): void;
}

/** Takes the lock in `file` at once; undefined where another holder, in whatever process, stands against it. */
function take(file: string, shared: boolean): Lock | undefined {
  closeSync(openSync(file, "a", 0o600));
  const database = new Database(file, { timeout: 0 });
  try {
    database.exec(shared ? "BEGIN" : "BEGIN EXCLUSIVE");
    if (shared) database.prepare("SELECT count(*) FROM sqlite_schema").get(); // a transaction locks as it first reads
    return { release: () => void database.close() };
  } catch (error) {
    database.close();
    if ((error as { code?: string }).code?.startsWith("SQLITE_BUSY")) return undefined;
    throw error;
  }
}

export const serverLockName = "server.lock";

/** Makes this process the one server of a data directory until it releases or ends. Throws CliError for a second one. */
export function lockForServing(folder: string): Lock {
  let lock: Lock | undefined;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    lock = take(join(folder, serverLockName), false);
  } catch (error) {
    throw new CliError(`${folder} cannot be written (${(error as Error).message}); check its owner and permissions`);
  }
  if (lock === undefined)
    throw new CliError(
      `another Tallylight server is using ${folder}; stop it first, or serve another --data directory`,
    );
  return lock;
}

/** Whether a server, or a restore, has the data directory at this moment. */
export function isServed(folder: string): boolean {
  const file = join(folder, serverLockName);
  if (!existsSync(file)) return false;
  const database = new Database(file, { timeout: 0, readonly: true });
  try {
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch {
    return true;
  } finally {
    database.close();
  }
}

const keepName = "media.lock";

/** Keeps every file under media/ where it is until released: for a backup. Shared; undefined where files are being removed. */
export const lockMediaForReading = (folder: string): Lock | undefined => take(join(folder, keepName), true);

/** Allows files under media/ to be removed until released; undefined where somebody needs them all. */
export const lockMediaForRemoving = (folder: string): Lock | undefined => take(join(folder, keepName), false);
