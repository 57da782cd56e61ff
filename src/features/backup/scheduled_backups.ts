// The schedule of a server's backups: makes them, reads them again, and says what is wrong with them.
import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { App } from "../../core/context.ts";
import type { Condition } from "../../core/feature.ts";
import { commandText } from "../../core/program.ts";
import type { Serving } from "../../core/serving.ts";
import { day, hour, minute } from "../../core/times.ts";
import { recordAction } from "../../graph/audit.ts";
import { mediaName } from "../soundness/needed_media.ts";
import { type ListedBackup, lackingOf } from "./backup_folder.ts";
import { type BackupInFolder, isBusy, runScheduled } from "./server_backups.ts";
import { type Verification, verificationOf } from "./verification.ts";

/** How often the server looks whether something is due, and how long it waits after it failed, in milliseconds. */
const lookInterval = minute;
const retryDelay = 15 * lookInterval;
const verifyEvery = { daily: day, weekly: 7 * day } as const;

/** What is done again and again: why the last try failed, and when the next one may begin after that. */
interface Tried {
  problem?: string | undefined;
  retryAt?: number | undefined;
}

interface Scheduled {
  newest?: ListedBackup;
  backup: Tried;
  verification: Tried;
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
  /** Why the last reading failed, or what it found; undefined if it found nothing, or if the setting asks for none. */
  unverified: string | undefined;
  /** When all backups were read last; undefined if they never were. */
  verified: Verification | undefined;
  /**
   * The SHA-256 of the media that the last backup or the last reading missed in the data directory, as far as they are
   * not back.
   */
  lacking: string[];
}

/** Whether a medium was brought back after a time: otherwise its file is absent or older. */
const isBack = (data: string, sha256: string, since: string): boolean =>
  (statSync(join(data, mediaName(sha256)), { throwIfNoEntry: false })?.ctimeMs ?? 0) > Date.parse(since);

function lackingNow(app: App, folder: string, newest: ListedBackup | undefined, verified: Verification | undefined) {
  const data = dirname(app.store.file);
  const found = [
    ...(newest === undefined
      ? []
      : lackingOf(folder, newest.name).map((sha256) => [sha256, newest.created_at] as const)),
    // it is there with its media
    ...(verified?.lacking ?? []).map((sha256) => [sha256, verified?.at as string] as const),
  ];
  return [...new Set(found.filter(([sha256, since]) => !isBack(data, sha256, since)).map(([sha256]) => sha256))];
}

/** Undefined if the setting names no folder, or if this server makes no backups. */
export function backupStateOf(app: App): BackupState | undefined {
  const state = scheduled.get(app);
  const { backup } = app.config;
  if (state === undefined || backup === undefined) return undefined;
  const { newest, since } = state;
  const last = newest === undefined ? undefined : Date.parse(newest.created_at);
  const isLate = app.clock() - (last ?? since) > 2 * backup.every * hour;
  const late = isLate ? `the last backup in ${backup.folder} is late` : undefined;
  const age = last === undefined ? undefined : Math.max(0, (app.clock() - last) / 1000);
  const verified = verificationOf(backup.folder);
  return {
    folder: backup.folder,
    newest,
    age,
    problem: state.backup.problem ?? late,
    unverified: backup.verify && (state.verification.problem ?? verified?.problems[0]),
    verified,
    lacking: lackingNow(app, backup.folder, newest, verified),
  };
}

/** Whether a try must wait because the last one failed a short time ago. */
const mustWait = ({ retryAt }: Tried, now: number): boolean =>
  retryAt !== undefined && now < retryAt && now >= retryAt - retryDelay;

/** Does what is due. If it fails, says so, and does not try again at once. */
async function attempt(tried: Tried, now: number, what: string, work: () => Promise<void>): Promise<void> {
  if (mustWait(tried, now)) return;
  try {
    await work();
    Object.assign(tried, { problem: undefined, retryAt: undefined }); // a backup throws errors
  } catch (error) {
    // A backup throws errors.
    Object.assign(tried, { problem: `${what} failed: ${(error as Error).message}`, retryAt: now + retryDelay });
  }
}

/** Makes a backup in the folder of the setting if one is due, unless another one is being made. */
export async function backUpIfDue(app: App): Promise<void> {
  const state = scheduled.get(app);
  const { backup } = app.config;
  if (state === undefined || backup === undefined || isBusy(app)) return;
  const [now, every] = [app.clock(), backup.every * hour];
  const last = state.newest && Date.parse(state.newest.created_at);
  if (last !== undefined && now >= last && now - last < every) return;
  await attempt(state.backup, now, `the backup in ${backup.folder}`, async () => {
    const { folder, keep } = backup;
    const { newest, written, renewed } = await runScheduled<BackupInFolder>(app, { folder, every, keep });
    state.newest = newest;
    if (renewed.length > 0)
      app.notice(
        `${folder} had other bytes of ${renewed.length} media (${renewed[0]}, …), which are written again; its disk may fail`,
      );
    if (written === null) return;
    const by = { store: app.store, now: newest.created_at, actor: "tallylight", key_id: null };
    const detail = { file: newest.name, bytes: written };
    await app.store.write(() => recordAction(by, { action: "data.backed_up", production_id: null, detail }));
  });
}

/** Reads all backups in the folder of the setting if that is due, unless a backup is being made. */
export async function verifyIfDue(app: App): Promise<void> {
  const state = scheduled.get(app);
  const { backup } = app.config;
  if (state?.newest === undefined || backup?.verify === undefined || isBusy(app)) return;
  const { folder, verify } = backup;
  const [now, last] = [app.clock(), Date.parse(verificationOf(folder)?.at ?? "")];
  if (now >= last && now - last < verifyEvery[verify]) return;
  await attempt(state.verification, now, `reading the backups in ${folder}`, async () => {
    await runScheduled(app, { folder, verifies: true });
  });
}

/** What is wrong with the backups, for health. */
export const openConditions = (app: App) => (): Condition[] => {
  const state = backupStateOf(app);
  if (state === undefined) return [];
  const { folder, problem, unverified, lacking } = state;
  const [first] = lacking;
  const count = `the bytes of ${lacking.length} media are missing or damaged`;
  const back = `bring them back by ${commandText(`doctor --repair --from ${folder}`)}`;
  return [
    { name: "backup", problem, summary: "the last backup failed or is late" },
    { name: "backup_verification", problem: unverified, summary: "a backup cannot be restored, or could not be read" },
    {
      name: "media",
      problem: first && `${count} (${first}${lacking.length > 1 ? ", …" : ""}); ${back}`,
      summary: count,
    },
  ];
};

/** Makes backups as the setting says, once the server listens. */
export function start({ app, onListening }: Serving): void {
  onListening(() => app.onEnd(keepBackedUp(app)));
}

/** Makes backups and reads them as the setting says, until the returned function is called. */
export function keepBackedUp(app: App): () => void {
  if (app.config.backup === undefined || app.store.unwritable !== undefined) return () => {};
  scheduled.set(app, { since: app.clock(), backup: {}, verification: {} });
  const lookNow = async (): Promise<void> => {
    await backUpIfDue(app);
    await verifyIfDue(app);
  };
  const look = () => void lookNow();
  const first = setTimeout(look, 1_000).unref();
  const timer = setInterval(look, lookInterval).unref();
  return () => {
    clearTimeout(first);
    clearInterval(timer);
    scheduled.delete(app);
  };
}
