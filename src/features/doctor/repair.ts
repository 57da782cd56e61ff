// Repairs the findings of inspection.ts that can be repaired without data loss. The others need a backup.
import { chmodSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import { CliError } from "../../core/errors.ts";
import type { Finding } from "../../core/feature.ts";
import { databaseName } from "../../core/store/database.ts";
import { freeBytes } from "../../core/store/disk_space.ts";
import { closing, foundFolderName, freeName, moveToFoundFolder } from "../../core/store/files.ts";
import { holding, lockForServing } from "../../core/store/lock.ts";
import { durationText } from "../../core/wording.ts";
import { maxCopyAge, removeOldCopies } from "../clock/old_copies.ts";
import { SettledClock } from "../clock/settled_clock.ts";
import { copyDatabase } from "../soundness/database_copy.ts";
import { hasOrphans, removeOrphans } from "../soundness/orphans.ts";
import { returnMedia } from "./media_return.ts";

/** The problems of integrity_check that only concern an index. */
const indexProblems: readonly RegExp[] = [
  /^row \d+ missing from index /,
  /^wrong # of entries in index /,
  /^row \d+ of .* out of order/,
  /^non-unique entry in index /,
];

/** Returns what was done in one or more sentences; undefined if nothing could be repaired. */
type Repair = (folder: string, items: readonly string[]) => string | readonly string[] | undefined;

const repairs: Readonly<Record<string, Repair>> = {
  integrity(folder, items) {
    // only indexes can be rebuilt
    if (!items.every((item) => indexProblems.some((one) => one.test(item)))) return undefined;
    withDatabase(folder, (database) => database.exec("REINDEX"));
    return "rebuilt the indexes";
  },
  references(folder) {
    return withDatabase(folder, (database) => {
      if (!hasOrphans(database)) return undefined;
      const copy = freeName(join(folder, `${databaseName}.before-repair`));
      copyDatabase(database, copy);
      return [`copied the database to ${basename(copy)}`, ...removeOrphans(database)];
    });
  },
  media_files(folder, items) {
    for (const item of items) moveToFoundFolder(folder, item.replace(/^media\//, ""));
    return `moved ${items.length} files to ${foundFolderName}/`;
  },
  staging(folder, items) {
    for (const item of items) rmSync(join(folder, item), { force: true });
    return `removed ${items.length} files of interrupted uploads`;
  },
  journal(folder) {
    withDatabase(folder, (database) => database.pragma("wal_checkpoint(TRUNCATE)"));
    return "merged the write-ahead log into the database";
  },
  permissions(folder, items) {
    for (const item of items) {
      const path = join(folder, item);
      chmodSync(path, statSync(path).isDirectory() ? 0o700 : 0o600);
    }
    return `made ${items.join(", ")} readable only by the owner`;
  },
};

const withDatabase = <T>(folder: string, work: (database: Database.Database) => T): T =>
  closing(new Database(join(folder, databaseName), { timeout: 5000 }), work);

/** The time by which copies are old: no jump of the clock makes one old. */
function deletionTime(folder: string, now: number): number {
  const clock = new SettledClock(folder, { clock: () => now, running: () => 0, notice() {}, writes: false });
  clock.close();
  return clock.now();
}

/**
 * Removes old copies of the database, and gives the space of removed rows back to the disk; in a damaged database it
 * changes nothing. Returns what was done, in sentences. Throws CliError if a server is using the directory, or if the
 * disk has not the space for it.
 */
export function compactData(folder: string, findings: readonly Finding[], now: number): string[] {
  if (findings.some(({ check, ok }) => !ok && (check === "database" || check === "integrity")))
    return ["nothing was compacted, because the database is damaged"];
  return holding(lockForServing(folder), () => {
    const file = join(folder, databaseName);
    // First the copies: on a full disk, their space is what compacting needs.
    const removed = removeOldCopies(file, deletionTime(folder, now)).map(
      (name) => `removed ${name}, which is older than ${durationText(maxCopyAge)}`,
    );
    const before = statSync(file).size;
    withDatabase(folder, (database) => {
      const size = (name: string) => Number(database.pragma(name, { simple: true }));
      // The rows that stay are written twice: to a temporary file, and to the write-ahead log.
      const needed = 2 * (size("page_count") - size("freelist_count")) * size("page_size");
      const free = freeBytes(folder);
      if (free < needed)
        throw new CliError(
          `${folder} has ${free} bytes free, and compacting needs ${needed}; the database was not changed`,
          removed,
        );
      database.exec("VACUUM");
      database.pragma("wal_checkpoint(TRUNCATE)");
    });
    return [...removed, `compacted the database from ${before} to ${statSync(file).size} bytes`];
  });
}

/** Whether a repair is safe. In a damaged database or with a changed schema, a row may only appear to be an orphan. */
const isCertain = (check: string, findings: readonly Finding[]): boolean =>
  check !== "references" || findings.every(({ check, ok }) => ok || (check !== "integrity" && check !== "schema"));

/**
 * Repairs what can be repaired; media from the folder `from`, if it is given. Returns what was done, in sentences.
 * Throws CliError if a server is using the directory.
 */
export const repairData = async (folder: string, findings: readonly Finding[], from?: string): Promise<string[]> =>
  holding(lockForServing(folder), async () => {
    const repaired = findings.flatMap(({ check, ok, items }) => {
      const done = ok || !isCertain(check, findings) ? undefined : repairs[check]?.(folder, items);
      return done ?? [];
    });
    return from === undefined ? repaired : [...repaired, ...(await returnMedia(folder, findings, from))];
  });
