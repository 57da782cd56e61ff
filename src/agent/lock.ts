// Lets only one agent at a time use a state, by a transaction on a small SQLite file: the operating system releases it when the
// process ends, however it ends.
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { AgentError, codeOf } from "./errors.ts";

const lockOf = (state: string): string => join(state, "state.lock");
const isBusy = (error: unknown): boolean => codeOf(error).startsWith("SQLITE_BUSY");
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

/** Makes this process the only agent on a state; answers how to release it. Throws AgentError while another agent has the state. */
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
    throw new AgentError(`${state} cannot be written: ${codeOf(error)}`);
  }
  return () => void database.close();
}
