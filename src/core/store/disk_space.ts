// Says whether the files of a data directory can be written to, by whom, and how much space is left for them. A
// database whose disk takes no new files is read from a copy in a temporary folder, because SQLite cannot read a
// database with a write-ahead log without files next to it.
import { accessSync, constants, existsSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { errorOf } from "../errors.ts";
import { shellWord } from "../wording.ts";

/** Why a database cannot be written to. */
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

/**
 * Whether the disk of a file has no space for the files that SQLite creates next to it. It then reports an input or
 * output error.
 */
export const isNearlyFull = (file: string): boolean => freeBytes(dirname(file)) < 65_536;

/**
 * Throws if a file or its folder cannot be written to. A database must not be opened for this: closing it would end
 * SQLite's locks.
 */
export function checkWritable(file: string): void {
  const paths = [dirname(file), file].filter((one) => existsSync(one));
  if ("Deno" in globalThis) checkByTrial(paths);
  else for (const path of paths) accessSync(path, constants.W_OK);
}

/**
 * The same on Deno, whose accessSync asks for a permission that a server does not need, and does not see a read-only
 * disk. A file that is created in the folder shows the user too. The groups of the user are not known: a file that its
 * group may change counts as writable.
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

/**
 * Why a file and its folder cannot be written to; undefined if they can. It costs a few system calls, so a request may
 * call it.
 */
export function writeProblemOf(file: string): WriteProblem | undefined {
  try {
    checkWritable(file);
  } catch (error) {
    const sentence = reasonOf(errorOf(error), file);
    if (sentence !== undefined) return { code: "SQLITE_READONLY", sentence };
  }
  return isNearlyFull(file) ? { code: "SQLITE_FULL", sentence: "the disk is full" } : undefined;
}

/** The owner of a file; undefined if there is no such file, or if this user may not enter its folder. */
export function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
}

/** The nearest of a path and the folders above it that this user can look at. */
const visible = (path: string): string =>
  ownerOf(path) !== undefined || dirname(path) === path ? path : visible(dirname(path));

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "USER"); // a user without a name, or Deno without the permission for it
  }
}

/**
 * What to do about a file that this user may not use: the command that gives it back if it belongs to somebody else.
 */
export function ownerAdvice(path: string): string {
  const file = visible(path);
  const [owner, user] = [ownerOf(file), process.getuid?.()];
  if (owner === undefined || user === undefined || owner === user) return "check its owner and permissions";
  const whose = owner === 0 ? "root" : `the user ${owner}`;
  return `it belongs to ${whose}, and \`sudo chown -R ${userName()}: ${shellWord(dirname(file))}\` gives it back`;
}
