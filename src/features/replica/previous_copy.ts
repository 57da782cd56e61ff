// Holds the former state of a copy open while the database is copied, and puts it back if what came is not the same database: a source
// that was set up anew, is another one, or is broken must not overwrite the only other copy.
import { copyFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { CliError } from "../../core/errors.ts";
import { databaseName, openReadOnly } from "../../core/store/database.ts";
import { epochsOf } from "../../core/store/database_mark.ts";
import { closing } from "../../core/store/files.ts";
import { readReplicaRecord } from "../../core/store/replica.ts";

/** The former state of the copy, while it is put back. It stays if that fails. */
const formerName = `${databaseName}.former`;

/** Which database a file is: "none" if it is none of Tallylight's, undefined if there is none or if it cannot be read. */
function identityOf(file: string): string | undefined {
  try {
    if (statSync(file).size === 0) return undefined;
    return closing(openReadOnly(file), (database) => epochsOf(database)[0] ?? "none");
  } catch {
    return undefined;
  }
}

/** Opens the copy in a read transaction, which keeps its state; undefined if there is none yet. */
function hold(file: string): Database.Database | undefined {
  if ([undefined, "none"].includes(identityOf(file))) return undefined;
  const database = new Database(file, { fileMustExist: true, timeout: 5000 });
  database.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
  return database;
}

/** Puts the former state back, in one transaction: a reader of the file sees all of it or nothing. If that fails, the next copy tries it again. */
async function putBack(kept: string, file: string): Promise<void> {
  await closing(openReadOnly(kept), (former) => former.backup(file));
  rmSync(kept);
}

/**
 * Puts the former state back if a follower ended before it could: while it held that state, the file had it without its log. Returns whether
 * the directory has the database that it is a copy of.
 */
export async function recoverFormer(data: string): Promise<boolean> {
  const [file, kept] = [join(data, databaseName), join(data, formerName)];
  const { database } = readReplicaRecord(data) ?? {};
  if (database === undefined || [undefined, database].includes(identityOf(file))) return true;
  if (identityOf(kept) !== database) copyFileSync(file, kept);
  const isSound =
    identityOf(kept) === database &&
    closing(openReadOnly(kept), (copy) => copy.pragma("quick_check(1)", { simple: true }) === "ok");
  if (isSound) await putBack(kept, file);
  else rmSync(kept);
  return isSound;
}

/**
 * Runs `work`, which copies the database of `source` into the directory. Returns which database it is. Throws CliError if the result is not
 * the database that was there before, or none of Tallylight's; the former state is there again then.
 */
export async function keepingFormer(
  { source, data }: { source: string; data: string },
  work: () => Promise<void>,
): Promise<string> {
  const [file, kept] = [join(data, databaseName), join(data, formerName)];
  const isCopy = await recoverFormer(data);
  const former = hold(file);
  try {
    const held = former && epochsOf(former)[0];
    const before = isCopy ? held : readReplicaRecord(data)?.database;
    const [outcome] = await Promise.allSettled([work()]);
    const now = identityOf(file);
    const isNone = now === undefined || now === "none";
    if (former !== undefined && now !== before) {
      if (isCopy) {
        rmSync(kept, { force: true });
        await former.backup(kept);
        await putBack(kept, file);
      }
      const found = isNone ? "no database of Tallylight" : `another database (${now})`;
      const kind = isCopy ? `is of ${before}, so the former copy stays` : `was of ${before}, and is lost`;
      throw new CliError(
        `${source} has ${found}, and the copy ${kind}; to follow the other one, choose another directory`,
      );
    }
    if (outcome.status === "rejected") throw outcome.reason;
    if (isNone) throw new CliError(`${source} has no database of Tallylight`);
    return now;
  } finally {
    if (former?.inTransaction) former.exec("COMMIT");
    // While it was held, the pages that came could not be moved from the log into the file: with a server that reads, the log would grow.
    former?.pragma("wal_checkpoint(PASSIVE)");
    former?.close();
  }
}
