// Bringing a file or a folder's names to disk. Knows nothing of what is in them.
import { closeSync, fsyncSync, openSync } from "node:fs";

/** Brings a file's bytes, or a folder's entries, to disk before it answers. */
export function syncPath(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
