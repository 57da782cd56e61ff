// Parses the source of a replica: a data directory of this machine, or of another machine that ssh reaches.
import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { CliError } from "../../core/errors.ts";
import { databaseName } from "../../core/store/database.ts";

/** As in rsync: a colon before the first slash separates a host from its directory. */
const remote = /^[^/:]+:./;

/** Whether a directory is on another machine. */
export const isRemote = (folder: string): boolean => remote.test(folder);

/** Parses SOURCE: DIR or [USER@]HOST:DIR, as rsync and sqlite3_rsync take it. Throws CliError if it cannot be copied to `data`: it is no primary's directory, or the same one. */
export function sourceOf(written: string, data: string): string {
  const folder = written.replace(/(?<=.)\/+$/, "");
  if (folder.startsWith("-")) throw new CliError(`${written} is not a directory or HOST:DIR`);
  if (isRemote(folder)) return folder;
  if (!existsSync(join(folder, databaseName)))
    throw new CliError(`${written} contains no Tallylight data: there is no ${databaseName} in it`);
  if (existsSync(data) && realpathSync(folder) === realpathSync(data))
    throw new CliError(`${written} and ${data} are the same directory; a replica needs one of its own`);
  return resolve(folder);
}
