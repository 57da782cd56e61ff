// Makes backups in a running server: for its admin to download, and from time to time in the folder of the setting.

import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import { recordAction } from "../../core/audit.ts";
import type { App } from "../../core/context.ts";
import { conflict } from "../../core/errors.ts";
import { stateOf } from "../../core/feature_state.ts";
import { startThread, type Thread } from "../work/thread.ts";
import type { BackupOptions } from "./backup.ts";
import type { ListedBackup } from "./backup_list.ts";
import type { RetentionCounts } from "./retention.ts";

/** The input of the thread that makes a backup: in a file, or in the folder of the setting. */
export type BackupJob = {
  /** The data directory. */
  data: string;
  options: Omit<BackupOptions, "progress">;
} & ({ file: string } | { folder: string; every: number; keep: RetentionCounts });

export type BackupInFile = { bytes: number; created_at: string };
/** The newest backup in the folder, how many bytes were written for it (null if it was there already), and the media that this server lacks. */
export type BackupInFolder = { newest: ListedBackup; written: number | null; lacking: string[] };

/** A backup in a temporary file. */
export interface MadeBackup {
  file: string;
  /** In bytes. */
  size: number;
  created_at: string;
  /** Removes the file. Until then, no other backup can be made. */
  discard(): Promise<void>;
}

/** The thread that makes a backup. An application makes one at a time, because a backup needs space on the disk. */
const backupOf = stateOf((app): { thread: Thread<unknown> | undefined } => {
  app.onEnd(() => endBackup(app));
  return { thread: undefined };
});

/** Ends the backup that an application is making. Resolves once its thread does nothing any more. */
export async function endBackup(app: App): Promise<void> {
  const { thread } = backupOf(app);
  thread?.end();
  await thread?.ended;
}

function startBackup<Result>(app: App, job: Omit<BackupJob, "data" | "options"> & Partial<BackupJob>): Promise<Result> {
  const options = { now: app.clock(), reserve: app.config.disk_reserve };
  const thread = new URL("./backup_thread.ts", import.meta.url);
  const started = startThread<Result>(thread, { ...job, data: dirname(app.store.file), options }, "backup");
  backupOf(app).thread = started;
  return started.result;
}

/**
 * Backs up the data directory to a file in the staging folder. The caller must discard the file; after a crash, the next start of the
 * server removes it. Throws 409 if another backup is not finished or if the data cannot be backed up, 503 on a replica.
 */
export async function makeBackup(app: App): Promise<MadeBackup> {
  if (app.copy !== undefined) throw app.copy.readOnly();
  if (backupOf(app).thread !== undefined)
    throw conflict("another backup is being made or downloaded; try again once it is finished");
  const file = app.blobs.stagingFile();
  const discard = async (): Promise<void> => {
    try {
      await rm(file, { force: true });
    } finally {
      backupOf(app).thread = undefined;
    }
  };
  try {
    const { bytes, created_at } = await startBackup<BackupInFile>(app, { file });
    return { file, size: bytes, created_at, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

const hour = 3_600_000;
/** How often the server looks whether a backup is due, and how long it waits after one that failed, in milliseconds. */
const lookInterval = 60_000;
const retryDelay = 15 * lookInterval;

interface Scheduled {
  newest?: ListedBackup;
  /** Why the last try failed. */
  problem?: string | undefined;
  /** When the next try may begin after one that failed. */
  retryAt?: number;
  /** When the server began to look. */
  since: number;
}
const scheduled = new WeakMap<App, Scheduled>();

/** The state of the backups in the folder of the setting, for people and metrics. */
export interface BackupState {
  folder: string;
  newest: ListedBackup | undefined;
  /** The age of the newest backup in seconds; undefined if there is none. */
  age: number | undefined;
  /** What is wrong: a backup is late, or the last try failed. */
  problem: string | undefined;
}

/** Undefined if the setting names no folder, or if this server makes no backups. */
export function backupStateOf(app: App): BackupState | undefined {
  const state = scheduled.get(app);
  const { backup } = app.config;
  if (state === undefined || backup === undefined) return undefined;
  const { newest, problem, since } = state;
  const last = newest === undefined ? undefined : Date.parse(newest.created_at);
  const isLate = app.clock() - (last ?? since) > 2 * backup.every * hour;
  const late = isLate ? `the last backup in ${backup.folder} is late` : undefined;
  const age = last === undefined ? undefined : Math.max(0, (app.clock() - last) / 1000);
  return { folder: backup.folder, newest, age, problem: problem ?? late };
}

/** What is wrong if a backup met media whose bytes are missing or damaged here; undefined if there are none. */
const lackingSentence = (lacking: readonly string[]): string | undefined =>
  lacking.length === 0
    ? undefined
    : `the bytes of ${lacking.length} media are missing or damaged here (${lacking[0]}${lacking.length > 1 ? ", …" : ""}); run tallylight doctor --deep`;

/** Makes a backup in the folder of the setting if one is due, unless another one is being made. */
export async function backUpIfDue(app: App): Promise<void> {
  const state = scheduled.get(app);
  const { backup } = app.config;
  if (state === undefined || backup === undefined || backupOf(app).thread !== undefined) return;
  const [now, every] = [app.clock(), backup.every * hour];
  const last = state.newest && Date.parse(state.newest.created_at);
  if (last !== undefined && now >= last && now - last < every) return;
  if (state.retryAt !== undefined && now < state.retryAt && now >= state.retryAt - retryDelay) return;
  try {
    const { folder, keep } = backup;
    const { newest, written, lacking } = await startBackup<BackupInFolder>(app, { folder, every, keep });
    Object.assign(state, { newest, retryAt: undefined });
    if (written === null) return;
    state.problem = lackingSentence(lacking);
    const by = { store: app.store, now: newest.created_at, actor: "tallylight", key_id: null };
    const detail = { file: newest.name, bytes: written };
    await app.store.write(() => recordAction(by, { action: "data.backed_up", production_id: null, detail }));
  } catch (error) {
    Object.assign(state, {
      problem: `the backup in ${backup.folder} failed: ${(error as Error).message}`,
      retryAt: now + retryDelay,
    });
  } finally {
    backupOf(app).thread = undefined;
  }
}

/** Makes backups as the setting says, and calls `notice` with each new problem, until the returned function is called. */
export function keepBackedUp(app: App, notice: (sentence: string) => void): () => void {
  if (app.config.backup === undefined || app.store.unwritable !== undefined) return () => {};
  scheduled.set(app, { since: app.clock() });
  let told: string | undefined;
  const look = async (): Promise<void> => {
    await backUpIfDue(app);
    const problem = backupStateOf(app)?.problem;
    if (problem !== undefined && problem !== told) notice(`warning: ${problem}`);
    told = problem;
  };
  const first = setTimeout(look, 1_000).unref();
  const timer = setInterval(look, lookInterval).unref();
  return () => {
    clearTimeout(first);
    clearInterval(timer);
    scheduled.delete(app);
  };
}
