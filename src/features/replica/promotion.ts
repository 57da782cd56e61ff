// Makes a replica a primary: ends the follower, checks the database, fetches the missing media, and starts a new epoch, so that no
// client continues with a cursor of the former primary.

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CliError } from "../../core/errors.ts";
import { migrateData } from "../../core/migration.ts";
import {
  checkDatabaseFile,
  databaseName,
  openErrorMessage,
  openReadOnly,
  openStore,
  replicaName,
} from "../../core/store/database.ts";
import { epoch, recordSuccession, startEpoch } from "../../core/store/database_mark.ts";
import { mediaName } from "../../core/store/file_placing.ts";
import { closing, syncPath } from "../../core/store/files.ts";
import { type Lock, lockForFollowing } from "../../core/store/lock.ts";
import { promotionName, readReplicaRecord } from "../../core/store/replica.ts";
import type { Store } from "../../core/store/store.ts";
import { minute } from "../../core/times.ts";
import { brokenParts } from "../soundness/soundness.ts";
import { copyingFile, copyMedia, missingMedia } from "./copying.ts";
import { meetPeer, type Peer, tookOver } from "./peer.ts";
import { recoverFormer } from "./previous_copy.ts";
import type { Programs } from "./programs.ts";

export interface PromoteOptions {
  data: string;
  programs: Programs;
  /** Whether to accept broken references; otherwise they are an error. */
  damaged: boolean;
  /** The other box: it is asked before the promotion and told after it. */
  peer?: Peer | undefined;
}

export interface Promotion {
  source: string;
  /** The copy contains everything that was committed before this time. */
  synced_at: string;
  promoted_at: string;
  /** The media whose bytes are missing, by their path in the directory. */
  missing: string[];
  /** What is broken, one sentence each; only with `damaged`. */
  broken: string[];
  /** Whether the other box was notified, and if not, why; absent if there is none. */
  peer?: { url: string; told: boolean; reason?: string } | undefined;
}

/** How long to wait for the follower and its program to end, and for media from the source. In milliseconds. */
const stopTimeout = 30_000;
const mediaTimeout = minute;

/** The process that is copying; undefined if there is none. */
function copyingProcess(data: string): number | undefined {
  try {
    const pid = Number(readFileSync(copyingFile(data), "utf8"));
    process.kill(pid, 0); // throws if there is no such process
    return pid;
  } catch {
    return undefined;
  }
}

/** Ends the following: the follower sees the file and stops. Throws CliError if it, or its program, does not end in time. */
async function stopFollowing(data: string): Promise<Lock> {
  writeFileSync(join(data, promotionName), "");
  const deadline = performance.now() + stopTimeout;
  let lock = lockForFollowing(data);
  while (performance.now() < deadline && (lock === undefined || copyingProcess(data) !== undefined)) {
    await pause(50);
    lock ??= lockForFollowing(data);
  }
  const copying = copyingProcess(data);
  if (lock !== undefined && copying === undefined) return lock;
  lock?.release();
  rmSync(join(data, promotionName), { force: true });
  throw new CliError(
    copying === undefined
      ? `another process follows ${data} and does not stop; end it and try again`
      : `process ${copying} is still copying into ${data}; end it and try again`,
  );
}

/** Checks the copy. Returns what is broken. Throws CliError if it is damaged, or broken without `damaged`. */
function checkCopy(data: string, damaged: boolean): string[] {
  const file = join(data, databaseName);
  const refusals = {
    damaged: (damage: string) =>
      new CliError(`${file} is damaged (${damage}); restore a backup instead; nothing was changed`),
    broken: (broken: readonly string[]) =>
      new CliError(
        `${file} is not sound; promote it unchanged with --damaged and then run tallylight doctor --repair; nothing was changed`,
        broken,
      ),
  };
  try {
    if (checkDatabaseFile(file) === 0)
      throw new CliError(`${data} has no complete copy of a primary; nothing was changed`);
    return closing(openReadOnly(file), (database) => brokenParts(database, damaged, refusals));
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`${openErrorMessage(error, file)}; it was not promoted`);
  }
}

/** Copies what is missing of the media if the source can be reached. Returns what is still missing. */
async function completeMedia(source: string, { data, programs }: PromoteOptions): Promise<string[]> {
  try {
    await copyMedia(source, data, missingMedia(data), programs, AbortSignal.timeout(mediaTimeout));
  } catch {
    // the source is gone, which is why this replica is promoted
  }
  return missingMedia(data).map(({ sha256 }) => mediaName(sha256));
}

/** Throws CliError if the other box took over from the epoch of this copy, and serves: two primaries would diverge. */
async function refuseBehind(store: Store, data: string, peer: Peer): Promise<void> {
  const statement = await meetPeer(peer, store).catch(() => undefined); // it is gone, which is why this replica is promoted
  if (statement !== undefined && tookOver(store, statement))
    throw new CliError(
      `${peer.url} took over at ${statement.started_at}, and ${data} does not have what was committed there since; follow it, or stop it before this promotion; nothing was changed`,
    );
}

/** Tells the other box, if it answers, so that it gives way at once. Otherwise it asks when it starts. */
async function tellPeer(store: Store, peer: Peer): Promise<Promotion["peer"]> {
  const { url } = peer;
  try {
    const { primary } = await meetPeer(peer, store);
    return primary ? { url, told: false, reason: "it does not give way" } : { url, told: true };
  } catch (error) {
    return { url, told: false, reason: (error as Error).message };
  }
}

/** Promotes a replica. Throws CliError, and leaves it a replica, if it cannot be a primary. */
export async function promote(options: PromoteOptions): Promise<Promotion> {
  const { data, damaged, peer } = options;
  if (!existsSync(join(data, replicaName)))
    throw new CliError(`${data} is not a replica: there is no ${replicaName} in it; nothing was changed`);
  const lock = await stopFollowing(data);
  try {
    if (!(await recoverFormer(data)))
      throw new CliError(
        `${data} has another database than the one that it is a copy of, because following ended when that came; restore a backup instead`,
      );
    const broken = checkCopy(data, damaged);
    const record = readReplicaRecord(data);
    if (record === undefined) throw new CliError(`${join(data, replicaName)} is damaged; nothing was changed`);
    const missing = await completeMedia(record.source, options);
    const promoted_at = new Date().toISOString();
    await migrateData(data, { promoting: true }); // if this version is newer than the former primary's
    const store = openStore(join(data, databaseName), { promoting: true });
    return await closing(store, async () => {
      if (peer !== undefined) await refuseBehind(store, data, peer);
      const former = epoch(store);
      store.writeSync(() => {
        startEpoch(store, { now: promoted_at });
        recordSuccession(store, { former });
      });
      renameSync(join(data, replicaName), join(data, `${replicaName}.former`)); // from here on it is a primary
      syncPath(join(data, databaseName));
      syncPath(data);
      const promotion = { ...record, promoted_at, missing, broken };
      return peer === undefined ? promotion : { ...promotion, peer: await tellPeer(store, peer) };
    });
  } finally {
    rmSync(join(data, promotionName), { force: true });
    lock.release();
  }
}
