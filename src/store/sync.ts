// Syncs a file or a folder to disk.
import { closeSync, fsyncSync, openSync } from "node:fs";

/** Syncs the bytes of a file, or the entries of a folder, to disk. */
export function syncPath(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
