// Writes the small files and folders of the agent's state so that a power failure leaves the old text or the new one.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "./errors.ts";

/** Writes every byte at the end of an open file: a disk that is nearly full takes a part of them without an error. */
export function writeWhole(handle: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done, bytes.length - done);
}

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

/** Replaces a file's text as one step; `durable` false skips the sync where losing the newest text does no harm. */
export function replaceFile(file: string, text: string, durable = true): void {
  const draft = `${file}.new`;
  const handle = openSync(draft, "w", 0o600);
  try {
    writeWhole(handle, Buffer.from(text));
    if (durable) fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
  if (durable) syncFolder(dirname(file));
}

/** Removes a file as one durable step; it may be gone already. */
export function removeFile(file: string): void {
  rmSync(file, { force: true });
  syncFolder(dirname(file));
}
