// The agent's state: one SQLite file with the journal and the moves under way; and the lock that lets only one agent at
// a time use it, a transaction on a small SQLite file: the operating system releases it when the process ends, however
// it ends.
import { closeSync, existsSync, mkdirSync, openSync, renameSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { AgentError, codeOrTextOf, reasonOf } from "./errors.ts";
import { age } from "./journal/journal.ts";

const version = 1;

/** `position` is a path in the order of a walk; `pending` has one row at the most. */
const schema = `
CREATE TABLE state (filespace TEXT NOT NULL, root TEXT, clock TEXT NOT NULL DEFAULT '', floor INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE files (
  position TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns TEXT NOT NULL,
  returns INTEGER NOT NULL,
  stand_in TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE pending (reports TEXT NOT NULL) STRICT;
CREATE TABLE intents (task_id INTEGER PRIMARY KEY, intent TEXT NOT NULL) STRICT;
PRAGMA user_version = ${version};
`;

const fileOf = (folder: string): string => join(folder, "state.db");

function prepare(database: Database.Database, folder: string, filespace: string): void {
  const found = Number(database.pragma("user_version", { simple: true }));
  if (found > version) throw new AgentError(`${folder} was written by a newer version of the agent`);
  if (found === 0) {
    database.exec(schema);
    database.prepare("INSERT INTO state (filespace) VALUES (?)").run(filespace);
  }
  const known = database.prepare("SELECT filespace FROM state").pluck().get();
  if (known !== filespace)
    throw new AgentError(`${folder} is the state of the filespace ${known}, not of ${filespace}; give another --state`);
}

/**
 * Opens the state in a folder, or starts one. What the server acknowledged and what is intended survives a power
 * failure. Throws AgentError for the state of another filespace.
 */
export function openState(folder: string, filespace: string): Database.Database {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  closeSync(openSync(fileOf(folder), "a", 0o600)); // SQLite's log gets the same permissions
  const database = new Database(fileOf(folder));
  try {
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    database.transaction(() => prepare(database, folder, filespace)).immediate();
    database.exec(`CREATE INDEX IF NOT EXISTS wanted ON files (${age}, position) WHERE stand_in = 'wanted'`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens the state in a folder to read it: nothing in the folder changes, and there may be nothing. */
export function readState(folder: string, filespace: string): Database.Database {
  const file = fileOf(folder);
  const isThere = existsSync(file);
  // A read-only connection would leave behind the log that it creates.
  const database = new Database(isThere ? file : ":memory:", { readonly: isThere && existsSync(`${file}-wal`) });
  try {
    database.transaction(() => prepare(database, folder, filespace))();
    database.pragma("query_only = ON");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Sets a damaged state aside, so that the next one starts from nothing; answers where it is now. */
export function setStateAside(folder: string): string {
  const suffix = `.damaged-${Date.now()}`;
  const damaged = fileOf(folder);
  renameSync(damaged, `${damaged}${suffix}`);
  for (const end of ["-wal", "-shm"])
    if (existsSync(`${damaged}${end}`)) renameSync(`${damaged}${end}`, `${damaged}${suffix}${end}`);
  return `${damaged}${suffix}`;
}

const lockOf = (state: string): string => join(state, "state.lock");
const isBusy = (error: unknown): boolean => codeOrTextOf(error).startsWith("SQLITE_BUSY");
/** Milliseconds for which a lock is waited for: `agent status` looks at it for a moment. */
const patience = 1000;

/** Whether an agent is running on a state at this moment. */
export function isRunning(state: string): boolean {
  const file = lockOf(state);
  if (!existsSync(file)) return false;
  const database = new Database(file, { timeout: 0, readonly: true });
  try {
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

/**
 * Makes this process the only agent on a state; answers how to release it. Throws AgentError while another agent has
 * the state.
 */
export function lockState(state: string): () => void {
  const file = lockOf(state);
  let database: Database.Database | undefined;
  try {
    mkdirSync(state, { recursive: true, mode: 0o700 });
    closeSync(openSync(file, "a", 0o600));
    database = new Database(file, { timeout: patience });
    database.pragma("journal_mode = MEMORY");
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database?.close();
    if (isBusy(error)) throw new AgentError(`an agent is running on ${state}; stop it, or give another --state`);
    throw new AgentError(`${state} cannot be written: ${reasonOf(error)}`);
  }
  return () => void database.close();
}
