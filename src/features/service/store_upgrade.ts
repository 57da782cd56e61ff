// Says what an upgrade would do to a data directory: which migrations are pending, how long they take, and whether the disk has space
// for the copy that is made before them. Measures on a copy of the database and leaves nothing behind.
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import Database from "better-sqlite3";
import { CliError, isDiskFull } from "../../core/errors.ts";
import { megabytes } from "../../core/spelling.ts";
import { checkDatabaseFile, databaseName, openErrorMessage, openReadOnly } from "../../core/store/database.ts";
import { freeBytes } from "../../core/store/disk_space.ts";
import { closing } from "../../core/store/files.ts";
import { copyBefore, copyDatabase, migrate, migrations } from "../../core/store/migrations.ts";

export interface UpgradeCheck {
  /** The schema of the data directory, and the schema of this version. */
  schema: number;
  supported: number;
  /** The names of the migrations that wait, in order. */
  waiting: string[];
  /** The name of the copy that is made before them; null if none waits. */
  copy: string | null;
  /** The database and its journal, the space that the upgrade needs, and the free space of the disk, in bytes. */
  database_bytes: number;
  needed_bytes: number;
  free_bytes: number;
  /** Whether the free space suffices. */
  fits: boolean;
  /** The time that the upgrade of a copy of this database took on this disk; null if it was not measured. */
  seconds: number | null;
  /** Why it was not measured. */
  unmeasured: string | null;
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

const trialName = "upgrade-check-";

/** Removes the folder of a check that was killed. */
function removeTrials(folder: string): void {
  const old = Date.now() - 86_400_000;
  for (const name of readdirSync(folder))
    if (name.startsWith(trialName) && statSync(join(folder, name)).mtimeMs < old)
      rmSync(join(folder, name), { recursive: true, force: true });
}

/** Upgrades a copy of the database, with the copy that the upgrade itself makes. `bytes`: what the upgrade added to the disk. */
function measure(folder: string, source: Database.Database): { seconds: number; bytes: number } {
  removeTrials(folder);
  const trial = mkdtempSync(join(folder, trialName));
  try {
    const file = join(trial, databaseName);
    source.pragma("query_only = OFF"); // it refuses VACUUM INTO, which writes only the copy
    copyDatabase(source, file);
    const before = sizeOf(file);
    const added = closing(new Database(file), (database) => {
      database.pragma("journal_mode = WAL");
      database.pragma("synchronous = FULL");
      database.pragma("foreign_keys = ON");
      const started = performance.now();
      migrate(database, file);
      const seconds = (performance.now() - started) / 1000;
      return { seconds, bytes: sizeOf(copyBefore(file, migrations().length)) + sizeOf(`${file}-wal`) };
    });
    return { ...added, bytes: added.bytes + Math.max(0, sizeOf(file) - before) };
  } finally {
    rmSync(trial, { recursive: true, force: true });
  }
}

/** Returns the measured figures. Without a trial, the bytes are those of the copy, and of a journal that has every page once. */
function tryToMeasure(folder: string, source: Database.Database, size: number, free: number) {
  const without = (unmeasured: string) => ({ seconds: null, bytes: 2 * size, unmeasured });
  if (free < 3 * size) return without("the disk has no space for a trial");
  try {
    return { ...measure(folder, source), unmeasured: null };
  } catch (error) {
    if (isDiskFull(error)) return without("the disk has no space for a trial");
    if (["EROFS", "EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? ""))
      return without("this user cannot write to the directory");
    throw error;
  }
}

/**
 * Checks what this version would do to the data directory at its start. A server may use the directory. Throws CliError if there
 * is no database in it, or one that this version cannot upgrade.
 */
export function checkUpgrade(folder: string): UpgradeCheck {
  const file = join(folder, databaseName);
  try {
    checkDatabaseFile(file);
    return closing(openReadOnly(file), (source) => checkOpened(folder, source));
  } catch (error) {
    throw error instanceof CliError ? error : new CliError(openErrorMessage(error, file));
  }
}

function checkOpened(folder: string, source: Database.Database): UpgradeCheck {
  const file = join(folder, databaseName);
  const schema = source.pragma("user_version", { simple: true }) as number;
  const supported = migrations().length;
  const waiting = migrations()
    .slice(schema)
    .map(({ name }) => name);
  const database_bytes = sizeOf(file) + sizeOf(`${file}-wal`);
  const free_bytes = freeBytes(folder);
  const known = { schema, supported, waiting, database_bytes, free_bytes };
  if (waiting.length === 0) return { ...known, copy: null, needed_bytes: 0, fits: true, seconds: 0, unmeasured: null };
  const { bytes: needed_bytes, ...trial } = tryToMeasure(folder, source, database_bytes, free_bytes);
  const copy = basename(copyBefore(file, supported));
  return { ...known, copy, needed_bytes, fits: needed_bytes <= free_bytes, ...trial };
}

/** The result as sentences: what waits, how long it takes, and the space. */
export function upgradeSentences(check: UpgradeCheck): string[] {
  const { schema, supported, waiting, copy, needed_bytes, free_bytes, fits, seconds, unmeasured } = check;
  if (waiting.length === 0) return [`no migration is pending: the schema is ${schema}, which is that of this version`];
  return [
    `${waiting.length} ${waiting.length === 1 ? "migration is pending" : "migrations are pending"}, from schema ${schema} to ${supported}: ${waiting.join(", ")}`,
    seconds === null
      ? `the time was not measured: ${unmeasured}`
      : `the upgrade of a copy of this database took ${seconds.toFixed(seconds < 1 ? 2 : 1)} s on this disk`,
    `it first copies the database to ${copy}; it needs ${megabytes(needed_bytes)} in all, and ${megabytes(free_bytes)} are free`,
    ...(fits
      ? []
      : ["the disk has not enough free space for the upgrade; the start would be refused and change nothing"]),
  ];
}
