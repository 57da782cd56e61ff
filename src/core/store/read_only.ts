// Opens a SQLite database so that no statement can write to it; where SQLite cannot create the files that it needs, a
// copy of it.
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import { CliError, isDamage } from "../errors.ts";
import { writeProblemOf } from "./disk_space.ts";

/** The first one that has space for the copy is used. */
const places = (): string[] => [tmpdir(), "/dev/shm"];

/** What changes if another process writes to the files while they are copied. */
const stateOf = (files: readonly string[]): string =>
  JSON.stringify(
    files.map((file) => {
      const stats = statSync(file, { throwIfNoEntry: false });
      return stats && [stats.mtimeMs, stats.size];
    }),
  );

function openCopy(files: readonly [string, string], place: string): Database.Database {
  const folder = mkdtempSync(join(place, "tallylight-"));
  try {
    for (const file of files) if (existsSync(file)) copyFileSync(file, join(folder, basename(file)));
    const database = new Database(join(folder, basename(files[0])), { timeout: 5000 });
    database.pragma("schema_version"); // opens every file of the copy
    return database;
  } finally {
    // the open files stay until they are closed, also if the process is killed
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Opens a copy of a database and of its write-ahead log. Throws the error of the last place, CliError if the file keeps
 * changing.
 */
function openTemporaryCopy(file: string): Database.Database {
  const files = [file, `${file}-wal`] as const;
  let problem: unknown;
  for (const place of places())
    for (let tries = 0; tries < 3; tries++)
      try {
        const before = stateOf(files);
        const database = openCopy(files, place);
        if (stateOf(files) === before) return database;
        database.close();
        problem = new CliError(`${file} cannot be read, because another process keeps writing to it; try again`);
      } catch (error) {
        problem = error;
        break;
      }
  throw problem;
}

/**
 * Opens a database for reading; no statement can write to it. If there is no write-ahead log, the connection is a
 * writable one, because SQLite then removes the log again on closing; a read-only connection would leave it behind. If
 * SQLite cannot create the files that it needs next to the database, the connection reads a copy.
 */
export function openReadOnly(file: string): Database.Database {
  let database = new Database(file, { readonly: existsSync(`${file}-wal`), fileMustExist: true, timeout: 5000 });
  try {
    database.pragma("schema_version"); // the first read opens or creates these files
  } catch (error) {
    database.close();
    if (writeProblemOf(file) === undefined || isDamage(error)) throw error;
    database = openTemporaryCopy(file);
  }
  database.pragma("query_only = ON");
  database.pragma("trusted_schema = OFF");
  return database;
}
