// Holds the former state of a copy open while the database is copied, and puts it back if what came is not the same database: a source
// that was set up anew, is another one, or is broken must not overwrite the only other copy.
import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { CliError } from "../errors.ts";
import { databaseName, openReadOnly } from "../store/database.ts";
import { closing } from "../store/files.ts";
import { epochsOf } from "../store/mark.ts";
import { type Programs, run } from "./programs.ts";

/** The former state of the copy, while it is put back. It stays if that fails. */
const formerName = `${databaseName}.former`;

/** How long the former state may take to be put back, in milliseconds. */
const putBackTimeout = 60_000;

/** Which database a file is; undefined if it is none of Tallylight's. */
function identityOf(file: string): string | undefined {
  try {
    return closing(openReadOnly(file), (database) => epochsOf(database)[0]);
  } catch {
    return undefined;
  }
}

/** Opens the copy in a read transaction, which keeps its state; undefined if there is none yet. */
function hold(file: string): Database.Database | undefined {
  if (!existsSync(file) || statSync(file).size === 0 || identityOf(file) === undefined) return undefined;
  const database = new Database(file, { fileMustExist: true, timeout: 5000 });
  database.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
  return database;
}

/**
 * Runs `work`, which copies the database of `source` into the directory. Throws CliError if the result is not the database that was
 * there before, or none of Tallylight's; the former state is there again then.
 */
export async function keepingFormer(
  { source, data, programs }: { source: string; data: string; programs: Programs },
  work: () => Promise<void>,
): Promise<void> {
  const [file, kept] = [join(data, databaseName), join(data, formerName)];
  const former = hold(file);
  try {
    const before = former && epochsOf(former)[0];
    const [outcome] = await Promise.allSettled([work()]);
    const now = identityOf(file);
    if (former !== undefined && now !== before) {
      rmSync(kept, { force: true });
      await former.backup(kept);
      former.exec("COMMIT");
      await run(programs.sqlite3_rsync, [kept, file], { signal: AbortSignal.timeout(putBackTimeout) }).catch(() => {
        throw new CliError(`${source} broke the copy; the former one is in ${kept}, put it in the place of ${file}`);
      });
      rmSync(kept);
      const found = now === undefined ? "no database of Tallylight" : `another database (${now})`;
      throw new CliError(
        `${source} has ${found}, and the copy is of ${before}, so the former copy stays; to follow the other one, choose another directory`,
      );
    }
    if (outcome.status === "rejected") throw outcome.reason;
    if (now === undefined) throw new CliError(`${source} has no database of Tallylight`);
  } finally {
    if (former?.inTransaction) former.exec("COMMIT");
    // While it was held, the pages that came could not be moved from the log into the file: with a server that reads, the log would grow.
    former?.pragma("wal_checkpoint(PASSIVE)");
    former?.close();
  }
}
