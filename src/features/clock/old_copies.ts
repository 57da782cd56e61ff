// Removes the copies of the database that were made beside it long ago.
import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { day } from "../../core/times.ts";

/** How long a copy of the database is kept beside it, in milliseconds. */
export const maxCopyAge = 30 * day;

/**
 * Removes the copies of the database that were made beside it longer than maxCopyAge ago: before a repair, a restore in
 * its place or the following of another primary, and those of former versions. Returns their names.
 */
export function removeOldCopies(file: string, now: number): string[] {
  const folder = dirname(file);
  const isOld = (name: string): boolean => now - statSync(join(folder, name)).mtimeMs > maxCopyAge;
  const isCopy = (name: string): boolean => /^\.(before|after)-/.test(name.slice(basename(file).length));
  const old = readdirSync(folder).filter((name) => name.startsWith(basename(file)) && isCopy(name) && isOld(name));
  for (const name of old) rmSync(join(folder, name), { force: true });
  return old;
}
