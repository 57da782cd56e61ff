// Makes a replica a primary: ends the follower, checks the database, fetches the missing media, and starts a new epoch,
// so that no client continues with a cursor of the former primary.
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { migrateData } from "../../core/directory_migration.ts";
import { CliError } from "../../core/errors.ts";
import { commandText } from "../../core/program.ts";
import {
  checkDatabaseFile,
  databaseName,
  openErrorMessage,
  openStore,
  replicaName,
} from "../../core/store/database.ts";
import { epoch, startEpoch } from "../../core/store/database_mark.ts";
import { closing, syncPath } from "../../core/store/files.ts";
import type { Lock } from "../../core/store/lock.ts";
import { openReadOnly } from "../../core/store/read_only.ts";
import { change } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { minute } from "../../core/times.ts";
import { mediaName } from "../soundness/needed_media.ts";
import { brokenParts } from "../soundness/soundness.ts";
import { arrivedName, copyingFile, copyMedia } from "./copying.ts";
import { lockForFollowing, promotionName } from "./following_lock.ts";
import { meetPeer, type Peer, tookOver } from "./peer.ts";
import { readReplicaRecord } from "./record.ts";

/** Records that the present epoch continues another one. */
const recordSuccession = change("record_succession");

/** How long to wait for the follower and its program to end, and for media from the source. In milliseconds. */
const stopTimeout = 30_000;
const mediaTimeout = minute;

/** Whether a program still writes to the copy, also if the follower that started it was killed. */
function isCopying(data: string): boolean {
  try {
    return process.kill(Number(readFileSync(copyingFile(data), "utf8")), 0); // throws if there is no such process
  } catch {
    return false;
  }
}

/**
 * Ends the following: the follower sees the file and stops. Throws CliError if it, or its program, does not end in
 * time.
 */
async function stopFollowing(data: string): Promise<Lock> {
  writeFileSync(join(data, promotionName), "");
  let lock: Lock | undefined;
  for (const deadline = performance.now() + stopTimeout; performance.now() < deadline; await pause(50)) {
    lock ??= lockForFollowing(data);
    if (lock !== undefined && !isCopying(data)) return lock;
  }
  lock?.release();
  rmSync(join(data, promotionName), { force: true });
  throw new CliError(`another process follows ${data}, or copies into it, and does not stop; end it and try again`);
}

/** Checks the copy. Returns what is broken. Throws CliError if it is damaged, or broken without `damaged`. */
function checkCopy(data: string, damaged: boolean): string[] {
  const file = join(data, databaseName);
  const refused = (reason: string, items?: readonly string[]) => new CliError(`${reason}; nothing was changed`, items);
  try {
    if (checkDatabaseFile(file) === 0) throw refused(`${data} has no complete copy of a primary`);
    return closing(openReadOnly(file), (database) =>
      brokenParts(database, damaged, {
        damaged: (damage) => refused(`${file} is damaged (${damage}); restore a backup instead`),
        broken: (broken) =>
          refused(
            `${file} is not sound; promote it unchanged with --damaged and then run ${commandText("doctor --repair")}`,
            broken,
          ),
      }),
    );
  } catch (error) {
    throw error instanceof CliError ? error : new CliError(`${openErrorMessage(error, file)}; it was not promoted`);
  }
}

/** Throws CliError if the other box took over from the epoch of this copy, and serves: two primaries would diverge. */
async function refuseBehind(store: Store, data: string, peer: Peer): Promise<void> {
  // it is gone, which is why this replica is promoted
  const statement = await meetPeer(peer, store).catch(() => undefined);
  if (statement !== undefined && tookOver(store, statement))
    throw new CliError(
      `${peer.url} took over at ${statement.started_at}, and ${data} does not have what was committed there since; follow it, or stop it before this promotion; nothing was changed`,
    );
}

/** Tells the other box, if it answers, so that it gives way at once. Otherwise it asks when it starts. */
const tellPeer = (store: Store, peer: Peer): Promise<{ url: string; told: boolean; reason?: string }> =>
  meetPeer(peer, store).then(
    ({ primary }) =>
      primary ? { url: peer.url, told: false, reason: "it does not give way" } : { url: peer.url, told: true },
    ({ message }: Error) => ({ url: peer.url, told: false, reason: message }),
  );

export interface PromoteOptions {
  data: string;
  /** Whether to accept broken references; otherwise they are an error. */
  damaged: boolean;
  /** The other box: it is asked before the promotion and told after it. */
  peer?: Peer | undefined;
}

/**
 * Promotes a replica, and says what is missing or broken in it. Throws CliError, and leaves it a replica, if it cannot
 * be a primary.
 */
export async function promote({ data, damaged, peer }: PromoteOptions) {
  if (!existsSync(join(data, replicaName)))
    throw new CliError(`${data} is not a replica: there is no ${replicaName} in it; nothing was changed`);
  const lock = await stopFollowing(data);
  try {
    const broken = checkCopy(data, damaged);
    const { source, synced_at } = readReplicaRecord(data) ?? {};
    if (source === undefined) throw new CliError(`${join(data, replicaName)} is damaged; nothing was changed`);
    // if the source still answers
    const { missing } = await copyMedia({ source, data, copier: "" }, AbortSignal.timeout(mediaTimeout));
    const promoted_at = new Date().toISOString();
    await migrateData(data, { promoting: true }); // if this version is newer than the former primary's
    return await closing(openStore(join(data, databaseName), { promoting: true }), async (store) => {
      if (peer !== undefined) await refuseBehind(store, data, peer);
      const former = epoch(store);
      store.writeSync(() => {
        startEpoch(store, { now: promoted_at });
        recordSuccession(store, { former });
      });
      renameSync(join(data, replicaName), join(data, `${replicaName}.former`)); // from here on it is a primary
      for (const end of ["", "-wal", "-shm"]) rmSync(join(data, `${arrivedName}${end}`), { force: true });
      syncPath(join(data, databaseName));
      syncPath(data);
      const names = missing.map(({ sha256 }) => mediaName(sha256));
      return { source, synced_at, promoted_at, missing: names, broken, peer: peer && (await tellPeer(store, peer)) };
    });
  } finally {
    rmSync(join(data, promotionName), { force: true });
    lock.release();
  }
}
