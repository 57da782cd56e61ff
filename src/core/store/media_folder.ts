// Says whether the media of a database are where they should be: the folder of a disk that is not mounted is missing or empty.
import { existsSync } from "node:fs";
import type Database from "better-sqlite3";
import { hasMediaFiles } from "./files.ts";

/** Why no medium can be read, as a sentence; undefined if the folder has media, or if the database names none. */
export function absentMedia(database: Database.Database, folder: string): string | undefined {
  if (hasMediaFiles(folder)) return undefined;
  if (database.prepare<[], 0 | 1>("SELECT EXISTS (SELECT 1 FROM media)").pluck().get() !== 1) return undefined;
  return `the database has media, but ${folder} is ${existsSync(folder) ? "empty" : "missing"}; mount its disk, or bring them back from a backup`;
}
