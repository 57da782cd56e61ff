// Keeps a replica: copies the source again and again, waits longer after each failure, and ends when the replica is promoted.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CliError, causeOf } from "../../core/errors.ts";
import { databaseName, openErrorMessage, openReadOnly, replicaName } from "../../core/store/database.ts";
import { epochsOf } from "../../core/store/database_mark.ts";
import { mediaName } from "../../core/store/file_placing.ts";
import { closing } from "../../core/store/files.ts";
import { lockForFollowing } from "../../core/store/lock.ts";
import { copyDatabase } from "../../core/store/migrations.ts";
import { isReplica, promotionName, readReplicaRecord, writeReplicaRecord } from "../../core/store/replica.ts";
import { type Backoff, minute, pauseAfter } from "../../core/times.ts";
import { copyMedia, copyPrimaryDatabase, missingMedia } from "./copying.ts";
import { keepingFormer } from "./previous_copy.ts";
import { type Programs, requirePrograms } from "./programs.ts";

export interface Copied {
  /** How old the copy is when it is complete, in milliseconds: what was committed later is not in it. */
  lag: number;
  /** The number of media whose bytes were copied, and of those whose bytes are still missing. */
  media: number;
  missing: number;
  /** Why media could not be copied. */
  problem?: string;
}

export interface FollowOptions {
  /** As sourceOf returns it. */
  source: string;
  /** The directory of the replica. */
  data: string;
  programs: Programs;
  /** The time between the beginnings of two copies in milliseconds. */
  every: number;
  /** Ends the following when it is aborted. */
  signal: AbortSignal;
  copied(copied: Copied): void;
  /** The directory was a primary's, and its database is kept under this name. */
  kept?(name: string): void;
  /** A copy failed; the next try is after `pause` milliseconds. */
  failed(error: CliError, pause: number): void;
}

const retryPace: Backoff = { first: 1000, most: 30_000 };
/** Media whose bytes were wrong are asked for again after this time, in milliseconds: the source may be repaired. */
const wrongPause = minute;
/** How often a promotion is looked for, in milliseconds. */
const lookInterval = 200;
/** A copy that takes longer is ended, in milliseconds; the first one and the second of two in a row may take any time. */
const usualTimeout = minute;

/** Takes the directory for following. Throws CliError if it is a primary's, if a program is missing, or if another process follows or promotes it. */
function openFolder(data: string, programs: Programs): { release(): void } {
  try {
    mkdirSync(data, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new CliError(`${data} cannot be created: ${causeOf(error)}`);
  }
  if (existsSync(join(data, databaseName)) && !isReplica(data))
    throw new CliError(
      `${data} has a database and no ${replicaName}, so it is a primary's, and following would overwrite it; choose another directory`,
    );
  if (existsSync(join(data, promotionName)))
    throw new CliError(
      `the promotion of ${data} has begun; run \`tallylight promote\` again, or remove the file ${promotionName} in it`,
    );
  requirePrograms(programs);
  const lock = lockForFollowing(data);
  if (lock === undefined) throw new CliError(`another process follows or promotes ${data}`);
  return lock;
}

/** Keeps a former primary's database before the first copy overwrites it. Returns the name of the copy; undefined if there is none to make. */
function keepFormer(data: string): string | undefined {
  const { superseded_by } = readReplicaRecord(data) ?? {};
  const file = join(data, databaseName);
  if (superseded_by === undefined || !existsSync(file)) return undefined;
  const name = `${databaseName}.before-${superseded_by}`;
  return closing(openReadOnly(file), (database) => {
    if (epochsOf(database).includes(superseded_by) || existsSync(join(data, name))) return undefined; // it is a copy of the new primary's already
    database.pragma("query_only = OFF"); // it refuses VACUUM INTO, which writes only the copy
    copyDatabase(database, join(data, name));
    return name;
  });
}

/** The error of a copy in words. Errors of the database are those of the source or of the disk, and may pass; every other one is thrown. */
function copyErrorOf(error: unknown, data: string): CliError {
  if (error instanceof CliError) return error;
  if (!String((error as { code?: unknown }).code).startsWith("SQLITE_")) throw error;
  return new CliError(openErrorMessage(error, join(data, databaseName)));
}

/** What is known of media by their SHA-256: those that are complete, and when those are asked for again whose bytes were wrong. */
interface KnownMedia {
  complete: Set<string>;
  wrong: Map<string, number>;
}

/** One copy of everything. */
async function copy(
  options: FollowOptions,
  { complete, wrong }: KnownMedia,
  limit: number,
  ended: AbortSignal,
): Promise<Copied> {
  const { source, data, programs } = options;
  const began = Date.now();
  const late = AbortSignal.timeout(limit);
  const stop = AbortSignal.any([ended, late]);
  const database = await keepingFormer({ source, data }, () => copyPrimaryDatabase(source, data, programs, stop)).catch(
    (error: unknown) => {
      if (error !== late.reason || ended.aborted) throw error;
      throw new CliError(`the copy took longer than ${limit / 1000} s`);
    },
  );
  const { superseded_by } = readReplicaRecord(data) ?? {};
  writeReplicaRecord(data, {
    synced_at: new Date(began).toISOString(),
    source,
    database,
    ...(superseded_by !== undefined && { superseded_by }),
  });
  const lag = Date.now() - began;
  const absent = missingMedia(data, complete);
  const wanted = absent.filter(({ sha256 }) => (wrong.get(sha256) ?? 0) <= performance.now());
  let problem: string | undefined;
  try {
    for (const sha256 of await copyMedia(source, data, wanted, programs, ended))
      wrong.set(sha256, performance.now() + wrongPause);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    problem = error.message;
  }
  const missing = absent.length === 0 ? 0 : missingMedia(data, complete).length;
  const refused = absent.filter(({ sha256 }) => wrong.has(sha256) && !complete.has(sha256));
  if (refused[0] !== undefined)
    problem ??= `${source} has other bytes than the name says for ${mediaName(refused[0].sha256)}`;
  return { lag, media: absent.length - missing, missing, ...(problem !== undefined && { problem }) };
}

/**
 * Follows the source until the signal is aborted or the replica is promoted; resolves to whether it was promoted. Throws CliError
 * if the directory cannot be used.
 */
export async function follow(options: FollowOptions): Promise<"stopped" | "promoted"> {
  const { data, signal, every } = options;
  const lock = openFolder(data, options.programs);
  // The marker of a first copy that is not complete: without it, the directory would look like a primary's.
  if (!isReplica(data)) writeReplicaRecord(data, { synced_at: new Date(0).toISOString(), source: options.source });
  const kept = keepFormer(data);
  if (kept !== undefined) options.kept?.(kept);
  const promotion = new AbortController();
  const timer = setInterval(() => {
    if (existsSync(join(data, promotionName))) promotion.abort();
  }, lookInterval);
  const ended = AbortSignal.any([signal, promotion.signal]);
  const known = { complete: new Set<string>(), wrong: new Map<string, number>() };
  let failures = 0;
  let limit = 2 ** 31 - 1; // the longest timer
  try {
    while (!ended.aborted) {
      const began = performance.now();
      let wait = every;
      try {
        options.copied(await copy(options, known, limit, ended));
        failures = 0;
        limit = usualTimeout;
      } catch (error) {
        if (ended.aborted) break;
        const told = copyErrorOf(error, data);
        wait = Math.round(pauseAfter(++failures, retryPace));
        limit = Math.min(2 ** 31 - 1, limit * 2); // a copy may need longer after a long interruption
        options.failed(told, wait);
      }
      await pause(Math.max(0, wait - (performance.now() - began)), undefined, { signal: ended }).catch(() => {});
    }
  } finally {
    clearInterval(timer);
    lock.release();
  }
  return promotion.signal.aborted ? "promoted" : "stopped";
}
