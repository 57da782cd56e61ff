// Migrates the database of a data directory to this version, after a backup of the directory.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CliError } from "./errors.ts";
import { contribution } from "./features.ts";
import { commandText, release } from "./program.ts";
import { checkDatabaseFile, databaseName, openErrorMessage, openWritable, saidSchema } from "./store/database.ts";
import { isReplica } from "./store/directory_records.ts";
import { writeProblemOf } from "./store/disk_space.ts";
import { closing } from "./store/files.ts";
import { holding, isServed, lockForServing } from "./store/lock.ts";
import { migrateAfter, migrations } from "./store/migrations.ts";

/** How a directory is migrated. */
export interface MigrationOptions {
  /** Whether the directory is a replica that becomes a primary; any other replica is migrated at its primary. */
  promoting?: boolean;
  /** Is told what was saved where, and how to go back. */
  notice?: ((sentence: string) => void) | undefined;
}

/** Backs up a data directory for the migration to a version. Returns what `restore` takes. */
export type BackUpBefore = (folder: string, version: string) => Promise<string>;

/**
 * The schema that the database of a directory says it has, if this process may migrate it. Any other problem of it is
 * reported when it is opened.
 */
function saidIn(folder: string, file: string, { promoting = false }: MigrationOptions): number | undefined {
  if (!existsSync(file) || (isReplica(folder) && !promoting)) return undefined;
  const problem = writeProblemOf(file);
  if (problem !== undefined && problem.code !== "SQLITE_FULL") return undefined;
  try {
    return saidSchema(file);
  } catch {
    return undefined;
  }
}

/** Whether it is a sound database of an older schema, and no server uses it. */
function isDue(folder: string, file: string, said = 0): boolean {
  if (said === 0 || said >= migrations().length) return false;
  try {
    return checkDatabaseFile(file) > 0 && !isServed(folder);
  } catch {
    return false;
  }
}

/** Backs the directory up and says so; nothing without a feature that makes backups. */
async function save(folder: string, notice: (sentence: string) => void): Promise<void> {
  const feature = await contribution("backUpBefore")?.();
  if (feature === undefined) return;
  const backup = await feature.backUpBefore(folder, release);
  notice(
    `${folder} is migrated to version ${release}; before, it was backed up as ${backup}: to go back, stop the server, run ${commandText(`restore ${backup} --data ${folder}`)}, and start the former version`,
  );
}

/**
 * Migrates the database of a directory, if it is of an older version. Throws CliError, and changes nothing, if that
 * fails. Returns the schema that the database said it has, if it stays as it is. docs/operating.md, "Upgrade, and go
 * back".
 */
export async function migrateData(folder: string, options: MigrationOptions = {}): Promise<number | undefined> {
  const file = join(folder, databaseName);
  const said = saidIn(folder, file, options);
  if (!isDue(folder, file, said)) return said;
  const { notice = (sentence) => void process.stderr.write(`${sentence}\n`) } = options;
  await holding(lockForServing(folder), async () => {
    try {
      await closing(openWritable(file), (database) => migrateAfter(database, () => save(folder, notice)));
    } catch (error) {
      throw error instanceof CliError ? error : new CliError(openErrorMessage(error, file));
    }
  });
  return undefined;
}
