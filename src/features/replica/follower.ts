// Keeps a replica: copies the source again and again, waits longer after each failure, and ends when the replica is
// promoted.
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CliError, codeOf, errorOf } from "../../core/errors.ts";
import { commandText } from "../../core/program.ts";
import { databaseName, openErrorMessage, replicaName } from "../../core/store/database.ts";
import { epochsOf } from "../../core/store/database_mark.ts";
import { isReplica } from "../../core/store/directory_records.ts";
import { closing } from "../../core/store/files.ts";
import { openReadOnly } from "../../core/store/read_only.ts";
import { causeOf } from "../../core/system_errors.ts";
import { pauseAfter } from "../../core/times.ts";
import { copyDatabase } from "../soundness/database_copy.ts";
import { type Copying, copyMedia, MissingProgram, nothingKnown, receiveDatabase } from "./copying.ts";
import { lockForFollowing, promotionName } from "./following_lock.ts";
import { readReplicaRecord, writeReplicaRecord } from "./record.ts";

/** What a follower has to tell. */
export type FollowReport =
  /**
   * How old the copy was when it was complete, in milliseconds; the numbers of media whose bytes were copied and are
   * still missing, and why.
   */
  | { copied: { lag: number; media: number; missing: number; problem?: string } }
  /** The next try is after `pause` milliseconds. */
  | { failed: string; pause: number }
  /** A copy of the database, which is not the first one, is not complete after so many milliseconds. */
  | { waiting: number }
  /** The directory was a primary's, and its database is kept under this name. */
  | { kept: string };

export interface FollowOptions extends Copying {
  /** The time between the beginnings of two copies in milliseconds. */
  every: number;
  /** The time after which a copy is said to wait, in milliseconds; 9 s by default. */
  patience?: number;
  /** Ends the following when it is aborted. */
  signal: AbortSignal;
  tell(report: FollowReport): void;
}

/**
 * A copy that takes longer is ended and tried again, in milliseconds; a further try may take twice as long, and the
 * first copy any time.
 */
const usualTimeout = 60_000;
const longest = 2 ** 31 - 1;

/**
 * Takes the directory for following. Throws CliError if it is a primary's, or if another process follows or promotes
 * it.
 */
function openFolder({ source, data }: FollowOptions): { release(): void } {
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
      `the promotion of ${data} has begun; run ${commandText("promote")} again, or remove the file ${promotionName} in it`,
    );
  const lock = lockForFollowing(data);
  if (lock === undefined) throw new CliError(`another process follows or promotes ${data}`);
  // The marker of a first copy that is not complete: without it, the directory would look like a primary's.
  if (!isReplica(data)) writeReplicaRecord(data, { synced_at: new Date(0).toISOString(), source });
  return lock;
}

/**
 * Keeps a former primary's database before the first copy overwrites it. Returns the name of the copy; undefined if
 * there is none to make.
 */
function keepFormer(data: string): string | undefined {
  const { superseded_by } = readReplicaRecord(data) ?? {};
  const [file, name] = [join(data, databaseName), `${databaseName}.before-${superseded_by}`];
  if (superseded_by === undefined || !existsSync(file) || existsSync(join(data, name))) return undefined;
  return closing(openReadOnly(file), (database) => {
    if (epochsOf(database).includes(superseded_by)) return undefined; // it is a copy of the new primary's already
    database.pragma("query_only = OFF"); // it refuses VACUUM INTO, which writes only the copy
    copyDatabase(database, join(data, name));
    return name;
  });
}

/**
 * The error of a copy in words. Errors of the database are those of the source or of the disk, and may pass; every
 * other one is thrown.
 */
function reasonOf(error: unknown, data: string): string {
  const { name, message } = errorOf(error);
  if (error instanceof CliError && !(error instanceof MissingProgram)) return message;
  if (name === "TimeoutError") return "the copy took too long";
  if (!codeOf(error).startsWith("SQLITE_")) throw error;
  return openErrorMessage(error, join(data, databaseName));
}

/** One copy of everything. */
async function copy(options: FollowOptions, known: ReturnType<typeof nothingKnown>, limit: number, ended: AbortSignal) {
  const { source, data } = options;
  const { superseded_by } = readReplicaRecord(data) ?? {};
  const began = Date.now();
  const { patience = 9000, tell } = options;
  // The first copy may take any time; a later one is short, unless the line is cut in silence.
  const timer = limit === longest ? undefined : setTimeout(() => tell({ waiting: patience }), patience);
  const signal = AbortSignal.any([ended, AbortSignal.timeout(limit)]);
  await receiveDatabase(options, signal, known).finally(() => clearTimeout(timer));
  writeReplicaRecord(data, { synced_at: new Date(began).toISOString(), source, superseded_by });
  const lag = Date.now() - began;
  const { copied, missing, problem } = await copyMedia(options, ended, known);
  return { lag, media: copied, missing: missing.length, ...(problem !== undefined && { problem }) };
}

/**
 * Follows the source until the signal is aborted or the replica is promoted; resolves to whether it was promoted.
 * Throws CliError if the directory cannot be used.
 */
export async function follow(options: FollowOptions): Promise<"stopped" | "promoted"> {
  const { data, signal, every, tell } = options;
  const lock = openFolder(options);
  const promotion = new AbortController();
  const timer = setInterval(() => existsSync(join(data, promotionName)) && promotion.abort(), 200);
  const ended = AbortSignal.any([signal, promotion.signal]);
  try {
    const former = keepFormer(data);
    if (former !== undefined) tell({ kept: former });
    const known = nothingKnown();
    for (let [failures, limit] = [0, longest]; !ended.aborted; ) {
      const began = performance.now();
      let wait = every;
      try {
        tell({ copied: await copy(options, known, limit, ended) });
        [failures, limit] = [0, usualTimeout];
      } catch (error) {
        if (ended.aborted) break;
        [wait, limit] = [
          Math.round(pauseAfter(++failures, { first: 1000, most: 30_000 })),
          Math.min(longest, limit * 2),
        ];
        tell({ failed: reasonOf(error, data), pause: wait });
      }
      await pause(Math.max(0, wait - (performance.now() - began)), undefined, { signal: ended }).catch(() => {});
    }
  } finally {
    clearInterval(timer);
    lock.release();
  }
  return promotion.signal.aborted ? "promoted" : "stopped";
}
