// The locks of backups: of their folder, of the draft that is written in it, and of the media that they copy.
import { join } from "node:path";
import { type Lock, mediaLockName, tryLock } from "../../core/store/lock.ts";

export const draftLockName = "draft.lock";

/** Says that the draft of a backup in the folder is being written. Undefined if another process writes it. */
export const lockDraft = (folder: string): Lock | undefined => tryLock(join(folder, draftLockName), false);

/** A shared lock that prevents the removal of files under media/, for backups. Undefined if files are being removed. */
export const lockMediaForReading = (folder: string): Lock | undefined => tryLock(join(folder, mediaLockName), true);

const backupsLockName = "backup.lock";

/**
 * An exclusive lock for writing to a folder of backups. Undefined if another process writes to it or reads a backup.
 */
export const lockBackups = (folder: string): Lock | undefined => tryLock(join(folder, backupsLockName), false);

/**
 * A shared lock that prevents the removal of backups from a folder, for reading one. Undefined if a backup is being
 * made.
 */
export const lockBackupsForReading = (folder: string): Lock | undefined => tryLock(join(folder, backupsLockName), true);
