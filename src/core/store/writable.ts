// Says whether the files of a data directory can be written to, and how much space is left for them.
import { accessSync, constants, existsSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface WriteProblem {
  /** The code that errors of this kind have: of a full disk, or of a read-only one. */
  code: "SQLITE_FULL" | "SQLITE_READONLY";
  /** Such as "the disk is full". */
  sentence: string;
}

/** The free space of the disk of a folder, in bytes. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Whether the disk of a file has no space for the files that SQLite creates next to it. It then reports an input or output error. */
export const isNearlyFull = (file: string): boolean => freeBytes(dirname(file)) < 65_536;

/** Throws if a file or its folder cannot be written to. A database must not be opened for this: closing it would end SQLite's locks. */
function checkWritable(file: string): void {
  const paths = [dirname(file), file].filter((one) => existsSync(one));
  if ("Deno" in globalThis) checkByTrial(paths);
  else for (const path of paths) accessSync(path, constants.W_OK);
}

/**
 * The same on Deno, whose accessSync asks for a permission that a server does not need, and does not see a read-only disk. A file that is
 * made in the folder tells the user too. The groups of the user are not known: a file that its group may change counts as writable.
 */
function checkByTrial([folder, file]: readonly string[]): void {
  if (folder === undefined) return;
  const trial = join(folder, `.write-check-${process.pid}`);
  writeFileSync(trial, "");
  const { uid } = statSync(trial);
  rmSync(trial, { force: true });
  const found = file === undefined ? undefined : statSync(file);
  if (found === undefined || uid === 0) return;
  const isAllowed = (found.mode & (found.uid === uid ? 0o200 : 0o022)) !== 0;
  if (!isAllowed) throw Object.assign(new Error(`${file} may not be changed`), { code: "EACCES", path: file });
}

/** Says why an error of checkWritable came; undefined if the disk is full, which is measured. */
function reasonOf(error: NodeJS.ErrnoException, file: string): string | undefined {
  if (error.code === "ENOSPC") return undefined;
  if (error.code === "EROFS") return "the disk is read-only";
  if (error.name === "NotCapable") return `Deno was not given the permission --allow-write=${dirname(file)}`;
  return `this user may not write to ${error.path === file ? file : dirname(file)}`;
}

/** Why a file and its folder cannot be written to; undefined if they can. A few looks at the disk, so a request may ask. */
export function writeProblemOf(file: string): WriteProblem | undefined {
  try {
    checkWritable(file);
  } catch (error) {
    const sentence = reasonOf(error as NodeJS.ErrnoException, file);
    if (sentence !== undefined) return { code: "SQLITE_READONLY", sentence };
  }
  return isNearlyFull(file) ? { code: "SQLITE_FULL", sentence: "the disk is full" } : undefined;
}
