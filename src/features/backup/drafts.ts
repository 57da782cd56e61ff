// Drafts of backups: a backup is made in a folder beside its final name, and gets the name once it is complete. What a
// killed one left is removed by the next one.
import { randomBytes } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { syncPath } from "../../core/store/files.ts";
import { draftLockName, lockDraft } from "./locks.ts";

/** The name of a draft of `file`: what has it is no backup. */
const draftOf = (file: string): string => `${file}.part-${randomBytes(6).toString("hex")}`;

/** Removes what killed backups left in a folder: drafts that no process holds. */
function removeDrafts(folder: string): void {
  for (const name of readdirSync(folder).filter((name) => /\.part-[0-9a-f]{12}$/.test(name))) {
    const draft = join(folder, name);
    const lock = existsSync(join(draft, draftLockName)) ? lockDraft(draft) : undefined;
    try {
      rmdirSync(draft); // killed before it had its lock
    } catch {
      if (lock !== undefined) rmSync(draft, { recursive: true, force: true });
    }
    lock?.release();
  }
}

/** Makes a draft folder for `file`, and removes the drafts that others left. */
export function openDraft(file: string): { draft: string; close(): void } {
  removeDrafts(dirname(file));
  const draft = draftOf(file);
  mkdirSync(draft, { mode: 0o700 });
  const lock = lockDraft(draft);
  return {
    draft,
    close() {
      rmSync(draft, { recursive: true, force: true });
      lock?.release();
    },
  };
}

/** Gives what is complete its name: a draft, or a file in it. */
export function finishDraft(made: string, file: string): void {
  syncPath(made);
  renameSync(made, file);
  const lock = join(file, draftLockName);
  if (existsSync(lock)) rmSync(lock); // not before: a draft without it is not swept
  syncPath(dirname(file));
}

/**
 * Removes a backup from its folder. What is half removed does not look like a backup; the next one removes the rest.
 */
export function removeBackup(path: string): void {
  const draft = draftOf(path);
  closeSync(openSync(join(path, draftLockName), "a", 0o600));
  renameSync(path, draft);
  rmSync(draft, { recursive: true, force: true });
}
