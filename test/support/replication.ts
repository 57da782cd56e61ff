// What the tests of replication share: the programs that copy, and a primary with a replica's directory beside it.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import Database from "better-sqlite3";
import { sourceOf } from "../../src/features/replica/copying.ts";
import { type FollowOptions, type FollowReport, follow } from "../../src/features/replica/follower.ts";
import { mediaName } from "../../src/features/soundness/needed_media.ts";
import { temporaryFolder } from "./folder.ts";

/** sqlite3_rsync is in the tools download of SQLite; .ci/kills builds it. */
export const copier = process.env.SQLITE3_RSYNC || "sqlite3_rsync";

const runs = (program: string): boolean => spawnSync(program, ["--version"], { stdio: "ignore" }).status === 0;
/** Whether the programs are installed; otherwise the tests that need them are skipped. */
export const canCopy = runs(copier) && runs("rsync");
/** Added to the name of a suite that is skipped. */
export const skipped = canCopy ? "" : ": skipped, sqlite3_rsync and rsync are not installed";

/** A directory for a replica. */
export const replicaFolder = (): string => join(temporaryFolder(), "replica");

/** Follows `source` until `enough` copies are complete or failed; returns what was reported. */
export async function followUntil(source: string, data: string, enough: number, options: Partial<FollowOptions> = {}) {
  const stop = new AbortController();
  const reported: string[] = [];
  const tell = (told: FollowReport) => {
    if ("kept" in told || "waiting" in told) return;
    reported.push("failed" in told ? told.failed : `copied ${told.copied.media} ${told.copied.missing}`);
    if (reported.length >= enough) stop.abort();
  };
  const ended = await follow({
    source: sourceOf(source, data),
    data,
    copier,
    every: 50,
    signal: stop.signal,
    ...options,
    tell(told) {
      options.tell?.(told);
      tell(told);
    },
  });
  return { ended, reported };
}

/** The media that a directory's database names, by their paths in the directory. */
export function mediaOf(folder: string): string[] {
  const database = new Database(join(folder, "tallylight.db"), { readonly: true });
  const names = database.prepare("SELECT sha256 FROM media ORDER BY sha256").pluck().all() as string[];
  database.close();
  return names.map(mediaName);
}
