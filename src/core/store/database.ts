// Opens the SQLite database for writing, for reading or as a replica, checks that it is of this version, and prepares
// the statements of sql/ at their first use. A test prepares all.
import { closeSync, existsSync, mkdirSync, openSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { CliError, codeOf, errorOf, HttpError, isDiskFull } from "../errors.ts";
import { commandText } from "../program.ts";
import { castPlaceOf, sameName, shellWord } from "../wording.ts";
import { foreignMedia, refuseLostDatabase } from "./database_mark.ts";
import { isNearlyFull, ownerAdvice, type WriteProblem, writeProblemOf } from "./disk_space.ts";
import { closing } from "./files.ts";
import {
  checkDatabase,
  checkOlderServer,
  defineSearchForm,
  indexChanges,
  isOlder,
  migrate,
  migrations,
  schemaOf,
} from "./migrations.ts";
import { openReadOnly } from "./read_only.ts";
import { statementTexts } from "./statements.ts";
import type { Snapshot, Store } from "./store.ts";
import { openCommits, openTransactions } from "./transactions.ts";

/** The name of the database file in a data directory. */
export const databaseName = "tallylight.db";
/** The name of the file that makes a data directory a replica's. */
export const replicaName = "replica.json";

/** What to do about the damaged database of a data directory. */
export const damageAdvice = (folder: string): string =>
  `${commandText(`restore --damaged ${folder} --data NEW`)} makes a sound data directory NEW of what can be read; what it names as lost is in a backup`;

/** The message for an error of SQLite while it opens or reads `file`. */
export function openErrorMessage(error: unknown, file: string): string {
  const code = codeOf(error);
  if (code === "SQLITE_NOTADB") return `${file} is not a Tallylight database; it was not changed`;
  if (code.startsWith("SQLITE_BUSY")) return `${file} is locked by another program; stop it and try again`;
  if (isDiskFull(error) || (code.startsWith("SQLITE_IOERR") && isNearlyFull(file)))
    return `${file} cannot be opened: the disk is full; nothing was changed`;
  if (code.startsWith("SQLITE_CORRUPT"))
    return `${file} is damaged; ${damageAdvice(shellWord(dirname(file)))} (nothing was changed)`;
  if (code.startsWith("SQLITE_READONLY") || code === "SQLITE_CANTOPEN")
    return `${file} cannot be opened for writing; ${ownerAdvice(file)}`;
  const { path, message } = errorOf(error);
  if (code === "EACCES" && path !== undefined) return `${path} cannot be used; ${ownerAdvice(path)}`;
  return `${file} cannot be opened: ${message}`;
}

/**
 * Returns the schema of a database file. Throws CliError if the file is not a Tallylight database, is of a newer
 * version, or is half-migrated. Does not change it.
 */
export const checkDatabaseFile = (file: string): number =>
  closing(openReadOnly(file), (database) => checkDatabase(database, file));

/** The bytes of a database file up to the end of its user_version (sqlite.org/fileformat.html). */
const versionEnd = 64;

/**
 * The schema in the header of a database file; undefined with a write-ahead log, which may have another one. With a log
 * this process may have the database open, and closing the file would drop the locks of that.
 */
function writtenSchema(file: string): number | undefined {
  if (existsSync(`${file}-wal`)) return undefined;
  const [header, handle] = [Buffer.alloc(versionEnd), openSync(file, "r")];
  try {
    readSync(handle, header, 0, versionEnd, 0);
  } finally {
    closeSync(handle);
  }
  return header.toString("latin1", 0, 15) === "SQLite format 3" ? header.readUInt32BE(versionEnd - 4) : undefined;
}

/**
 * The schema that a database file says it has; 0 if it says none. Reads no more of it, because SQLite reads the whole
 * schema for every other question, and has to make its log for any.
 */
export function saidSchema(file: string): number {
  const { length } = migrations();
  return writtenSchema(file) === length ? length : closing(openReadOnly(file), schemaOf);
}

/** How a database is opened. */
export interface StoreOptions {
  /** Set by a server, because it holds the lock of the directory itself. */
  serving?: boolean;
  /** Set by a promotion, which writes before the directory is a primary's. */
  promoting?: boolean;
  /**
   * Whether an older database is migrated here and without a backup, because it is a copy. Otherwise migrateData has
   * migrated it before.
   */
  unsaved?: boolean;
  /** What saidSchema told just before. */
  said?: number | undefined;
}

/** Opens a database for writing, after `check`. Throws the error of SQLite. */
export function openWritable(file: string, check: (database: Database.Database) => void = () => {}): Database.Database {
  const database = new Database(file, { timeout: 5000 });
  try {
    check(database);
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL"); // an acknowledged write survives a power cut
    database.pragma("foreign_keys = ON");
    database.pragma("trusted_schema = OFF");
    database.pragma("cache_size = -16000");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Opens a database file, and creates it if it does not exist. Throws CliError, without changing the file, if it is of
 * another version, half-migrated, locked, damaged, not a database, or in use by a server of an older version. A server
 * sets `serving`, because it holds the lock itself.
 */
export function openStore(file: string, options: StoreOptions = {}): Store {
  let database: Database.Database | undefined;
  try {
    refuseLostDatabase(file);
    let check: ((opened: Database.Database) => void) | undefined;
    if (!existsSync(file)) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      closeSync(openSync(file, "a", 0o600)); // SQLite's journals get the same permissions
    } else if ((options.said ?? saidSchema(file)) === migrations().length)
      check = (opened) => void checkDatabase(opened, file);
    else {
      const schema = checkDatabaseFile(file);
      if (options.serving !== true) checkOlderServer(file, schema);
    }
    database = openWritable(file, check);
    if (options.unsaved !== true && isOlder(database))
      throw new CliError(`${file} is of an older Tallylight, and was not backed up and migrated before it was opened`);
    migrate(database);
    const foreign = foreignMedia(database, dirname(file));
    if (foreign !== undefined) throw new CliError(foreign);
    return openPrepared(database, file, options.promoting !== true);
  } catch (error) {
    database?.close();
    throw error instanceof CliError ? error : new CliError(openErrorMessage(error, file));
  }
}

/**
 * Opens a database as openStore does. If nothing can be written next to it, but its bytes can be read, opens it for
 * reading; `readOnly` makes the error of every write. Throws CliError if it cannot be read either.
 */
export function openReadable(file: string, options: StoreOptions, readOnly: (problem: WriteProblem) => Error): Store {
  const problem = existsSync(file) ? writeProblemOf(file) : undefined;
  if (problem === undefined) return openStore(file, options);
  const { code, sentence } = problem;
  if (code === "SQLITE_FULL")
    try {
      return openStore(file, options); // the disk may still have space for the files that it needs
    } catch {
      // then it is only read
    }
  const older = (version: number) =>
    `${file} is of an older Tallylight (schema ${version}, this version needs ${migrations().length}), and ${sentence}, so it cannot be upgraded`;
  return openReadingStore(
    file,
    () => openReadOnly(file),
    sentence,
    older,
    () => readOnly(problem),
  );
}

/**
 * Opens the database of a replica: read-only, with `readOnly()` as the error of every write. Every commit of the copier
 * counts as a change of everything. Throws CliError if the copy is not complete or is of another version.
 */
export function openReplicaStore(file: string, readOnly: () => Error): Store {
  const older = (version: number) =>
    version === 0
      ? `${file} has no complete copy yet; wait for the first one`
      : `${file} is a copy of an older Tallylight (schema ${version}, this version needs ${migrations().length}); upgrade the primary first`;
  // Not read-only: such a connection could not recover the log of a copier that was killed.
  const open = () => {
    const database = new Database(file, { fileMustExist: true, timeout: 5000 });
    database.pragma("query_only = ON");
    database.pragma("trusted_schema = OFF");
    return database;
  };
  return openReadingStore(file, open, "it is a replica", older, readOnly);
}

/**
 * Opens a store whose connection only reads: `older` is the message for an older schema, `readOnly` makes the error of
 * every write.
 */
function openReadingStore(
  file: string,
  open: () => Database.Database,
  unwritable: string,
  older: (schema: number) => string,
  readOnly: () => Error,
): Store {
  let database: Database.Database | undefined;
  try {
    database = open();
    const version = checkDatabase(database, file);
    if (version < migrations().length) throw new CliError(older(version));
    const store = openPrepared(database, file, false);
    const refuse = () => {
      throw readOnly();
    };
    return { ...store, unwritable, write: async () => refuse(), writeSync: refuse };
  } catch (error) {
    database?.close();
    throw error instanceof CliError ? error : new CliError(openErrorMessage(error, file));
  }
}

/**
 * Puts a unary plus before every parameter. Otherwise SQLite compiles the statement again for each new value of a
 * parameter that it compares with a column, which takes 240 µs for a bundle, compared with 3 µs for its look-ups
 * (measured). The plus does not change the value.
 */
const withFixedPlan = (text: string): string =>
  text.replace(/'[^']*'|--.*|:[a-z]\w*/g, (part) => (part.startsWith(":") ? `+${part}` : part));

/**
 * The statements of sql/ on one connection, each prepared when it is first used: all of them take several megabytes.
 */
function prepareStatements(database: Database.Database): Pick<Store, "statement" | "plucked"> {
  const texts = statementTexts();
  database.function("cast_place", { deterministic: true }, (number, name) => castPlaceOf(number, String(name)));
  database.function("name_key", { deterministic: true }, (name) => (name === null ? null : sameName(String(name))));
  defineSearchForm(database);
  const prepare = (name: string, column?: string): Database.Statement => {
    const text = texts.get(name);
    if (text === undefined) throw new Error(`sql: there is no statement ${name}`);
    const chosen = column === undefined ? text : `SELECT * FROM (${text}\n) WHERE "${column}" = :wanted`;
    return database.prepare(withFixedPlan(chosen));
  };
  const statements = new Map<string, Database.Statement>();
  const plucked = new Map<string, Database.Statement>();
  const preparedIn = <Row>(among: Map<string, Database.Statement>, key: string, made: () => Database.Statement) => {
    let found = among.get(key);
    if (found === undefined) {
      found = made();
      among.set(key, found);
    }
    return found as Database.Statement<unknown[], Row>; // safe as far as the declaration of the statement is
  };
  return {
    statement: (name, column) =>
      preparedIn(statements, column === undefined ? name : `${name} ${column}`, () => prepare(name, column)),
    plucked: (name) => preparedIn(plucked, name, () => prepare(name).pluck()),
  };
}

/** A connection that only reads. */
function openReader(file: string) {
  const database = new Database(file, { readonly: true, fileMustExist: true });
  try {
    database.pragma("trusted_schema = OFF");
    return { database, statement: prepareStatements(database).statement };
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Opens second connections to a database, each of which sees one state of it: that of its first read. One that is no
 * longer used is kept for the next, because a new one reads the schema and prepares its statements again.
 */
function openSnapshots(file: string): { snapshot(): Snapshot; close(): void } {
  let [kept, isClosed]: [ReturnType<typeof openReader> | undefined, boolean] = [undefined, false];
  function release(reader: ReturnType<typeof openReader>): void {
    if (kept !== undefined || isClosed) return void reader.database.close();
    try {
      reader.database.exec("COMMIT");
      kept = reader;
    } catch {
      reader.database.close();
    }
  }
  return {
    snapshot() {
      const reader = kept ?? openReader(file);
      kept = undefined;
      try {
        reader.database.exec("BEGIN");
      } catch (error) {
        reader.database.close();
        throw error;
      }
      return { statement: reader.statement, close: () => release(reader) };
    },
    close() {
      isClosed = true;
      kept?.database.close();
    },
  };
}

/**
 * In rows. A table that had one row when it was analyzed is searched from its beginning, also once it has 20,000.
 * Without statistics, its indexes are used.
 */
const smallTable = 1_000;

/** Deletes the statistics of small tables. A large one can have an index of few rows. */
function forgetSmall(database: Database.Database): void {
  const small = `SELECT tbl FROM sqlite_stat1 GROUP BY tbl HAVING max(CAST(stat AS INTEGER)) < ${smallTable}`;
  if (database.prepare(small).get() === undefined) return; // nothing is locked
  database.exec(`DELETE FROM sqlite_stat4 WHERE tbl IN (${small}); DELETE FROM sqlite_stat1 WHERE tbl IN (${small})`);
}

/** How many rows a connection changes before tables may have become so large that their statistics mislead. */
const fewRows = 100;

/**
 * Does what `PRAGMA optimize` would do, except for small tables: otherwise every command would analyze them again, and
 * forget them again.
 */
function optimize(database: Database.Database): void {
  if (Number(database.prepare("SELECT total_changes()").pluck().get()) > fewRows) analyze(database);
  forgetSmall(database);
}

function analyze(database: Database.Database): void {
  // 3: what it would do, such as ANALYZE "main"."nodes"
  const statements = database.prepare<[], string>("PRAGMA optimize(3)").pluck().all();
  const due = statements.filter((statement) => {
    const table = statement.replace("ANALYZE ", "");
    return database.prepare(`SELECT 1 FROM ${table} LIMIT 1 OFFSET ${smallTable - 1}`).get() !== undefined;
  });
  database.pragma("analysis_limit = 2000"); // as it sets it
  if (due.length > 0) database.transaction(() => due.forEach((statement) => void database.exec(statement)))();
}

/**
 * `yields`: whether no transaction may begin once the directory is a replica's, whichever process or thread made it
 * one.
 */
function openPrepared(database: Database.Database, file: string, yields: boolean): Store {
  const record = join(dirname(file), replicaName);
  const dataVersion = database.prepare<[], number>("PRAGMA data_version").pluck();
  const statements = prepareStatements(database);
  const snapshots = openSnapshots(database.name);
  const commits = openCommits(() => dataVersion.get() ?? 0);
  const listeners: ((wrote: boolean) => void)[] = [];
  const store: Store = {
    database,
    file,
    unwritable: undefined,
    ...statements,
    ...openTransactions(database, {
      begun() {
        if (yields && existsSync(record))
          throw new HttpError(
            503,
            "the data directory is a replica's now, because another box took over; nothing was written",
          );
      },
      beforeCommit: () => indexChanges(store),
      ended(wrote, changes) {
        commits.count(wrote, changes);
        for (const listener of listeners) listener(wrote);
      },
    }),
    revision: commits.revision,
    changedAt: commits.changedAt,
    afterTransaction: (listener) => void listeners.push(listener),
    snapshot: snapshots.snapshot,
    stopWriting: () => void database.pragma("query_only = ON"),
    close() {
      if (!database.open) return;
      snapshots.close();
      try {
        optimize(database);
      } catch {
        // it is only read, or the disk is full or damaged; optimize only improves performance
      }
      database.close();
    },
  };
  return store;
}
