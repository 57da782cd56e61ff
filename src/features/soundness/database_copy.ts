// Copies a database to another file.
import { closeSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type Database from "better-sqlite3";
import { syncPath } from "../../core/store/files.ts";

/**
 * Copies the database to the file `copy`, readable only by its owner. The copy is complete or absent. Only one process
 * at a time may make one.
 */
export function copyDatabase(database: Database.Database, copy: string): void {
  const draft = `${copy}.part`;
  const removeDraft = () => {
    for (const name of [draft, `${draft}-journal`]) rmSync(name, { force: true });
  };
  try {
    removeDraft(); // left by a copy that was killed
    closeSync(openSync(draft, "wx", 0o600)); // VACUUM INTO accepts an existing file if it is empty
    database.prepare("VACUUM INTO ?").run(draft);
    syncPath(draft);
    renameSync(draft, copy);
    syncPath(dirname(copy));
  } catch (error) {
    removeDraft();
    throw error;
  }
}
