// Writes small files as one step, and brings folders to disk.
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";
import { codeOf } from "./errors.ts";

/** What file systems answer that have no such call for folders. */
const unsupported: ReadonlySet<string> = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** Brings a folder's entries to disk, where that can be asked for: on Windows it cannot. */
export function syncFolder(folder: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } catch (error) {
    if (!unsupported.has(codeOf(error))) throw error;
  } finally {
    closeSync(handle);
  }
}

/** Replaces a file's text as one step. Not synced: losing the newest text does no harm. */
export function replaceFile(file: string, text: string): void {
  const draft = `${file}.new`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}
