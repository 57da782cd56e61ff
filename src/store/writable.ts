// Says whether the files of a data directory can be written to, and how much space is left for them.
import { accessSync, constants, existsSync, statfsSync, statSync, utimesSync } from "node:fs";
import { dirname } from "node:path";

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

/**
 * Throws if a path cannot be written to. Deno's accessSync does not see a read-only disk; setting the times that a folder has does.
 * A database must not be opened for this: closing it would end SQLite's locks.
 */
function checkWritable(path: string): void {
  accessSync(path, constants.W_OK);
  if (!("Deno" in globalThis)) return;
  const stats = statSync(path);
  if (stats.isDirectory()) utimesSync(path, stats.atime, stats.mtime);
}

/** Why a file and its folder cannot be written to; undefined if they can. Two looks at the disk, so a request may ask. */
export function writeProblemOf(file: string): WriteProblem | undefined {
  for (const path of [dirname(file), file].filter((one) => existsSync(one)))
    try {
      checkWritable(path);
    } catch (error) {
      const isDisk = (error as NodeJS.ErrnoException).code === "EROFS";
      return {
        code: "SQLITE_READONLY",
        sentence: isDisk ? "the disk is read-only" : `this user may not write to ${path}`,
      };
    }
  return isNearlyFull(file) ? { code: "SQLITE_FULL", sentence: "the disk is full" } : undefined;
}
