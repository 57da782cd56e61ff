// Reads a database whose disk takes no new files: from a copy in a temporary folder, because SQLite cannot read a database with a
// write-ahead log without files next to it.
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import { CliError } from "../errors.ts";

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
    rmSync(folder, { recursive: true, force: true }); // the open files stay until they are closed, also if the process is killed
  }
}

/** Opens a copy of a database and of its write-ahead log. Throws the error of the last place, CliError if the file keeps changing. */
export function readAside(file: string): Database.Database {
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
