// Opens the one SQLite file, brings it to this version, and prepares every statement of sql/ at boot: a bad statement
// stops the server, not a request. Knows no operation and no caller.
import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { CliError } from "../errors.ts";
import { migrate, migrations, recordedMigrations } from "./migrations.ts";
import { statementTexts } from "./statements.ts";
import { openTransactions, type Transactions } from "./transactions.ts";

/** The database file's name in a data directory. */
export const databaseName = "tallylight.db";

/** The open database with every named statement prepared. */
export interface Store extends Transactions {
  readonly database: Database.Database;
  /** The prepared statement of a declared name. */
  statement(name: string): Database.Statement;
  /** The same, answering the first column alone. */
  plucked(name: string): Database.Statement;
  /** A value that differs after every commit of any process, this one's included; without `look` of this one alone since the last. */
  revision(look?: boolean): number;
  /** Counts a change of a part of a production, once for each transaction. Throws an Error outside one, or without a production. */
  touch(production_id: unknown, part: string): void;
  /** Only reading from now on: a file that was found damaged is not written to any further. */
  stopWriting(): void;
  close(): void;
}

export function sentenceOf(error: unknown, file: string): string {
  const code = (error as { code?: string }).code ?? "";
  if (code === "SQLITE_NOTADB") return `${file} is not a Tallylight database; it was left as it is`;
  if (code.startsWith("SQLITE_BUSY")) return `${file} is locked by another program; end it and try again`;
  if (code.startsWith("SQLITE_CORRUPT")) return `${file} is damaged; restore a backup (nothing was changed)`;
  if (code.startsWith("SQLITE_READONLY") || code === "SQLITE_CANTOPEN")
    return `${file} cannot be opened for writing; check its owner and permissions`;
  return `${file} cannot be opened: ${(error as Error).message}`;
}

/**
 * A database for looking only: nothing is ever written into it. Where it has no journal it is opened as a writer opens it,
 * because a writer leaves none behind, and a reader does.
 */
export function openToLook(file: string): Database.Database {
  const database = new Database(file, { readonly: existsSync(`${file}-wal`), fileMustExist: true, timeout: 5000 });
  database.pragma("query_only = ON");
  database.pragma("trusted_schema = OFF");
  return database;
}

/** Refuses, before anything is written, a file that is not ours, is newer, or was left half-migrated. */
export function inspect(file: string): void {
  const database = openToLook(file);
  try {
    const version = database.pragma("user_version", { simple: true }) as number;
    const tables = database.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() as number;
    if (version === 0 && tables === 0) return;
    const recorded = recordedMigrations(database);
    if (recorded === undefined) throw new CliError(`${file} is a database of another program; it was left as it is`);
    if (version > migrations().length)
      throw new CliError(
        `${file} was written by a newer Tallylight (schema ${version}, this one knows ${migrations().length}); it was left as it is`,
      );
    const known = migrations();
    const sound =
      recorded.length === version &&
      recorded.every((row, at) => row.name === known[at]?.name && row.sha256 === known[at]?.sha256);
    if (!sound)
      throw new CliError(`${file} was left half-migrated or changed by hand; restore a backup (nothing was changed)`);
  } finally {
    database.close();
  }
}

/**
 * Opens DIR's database file, creating it where it is absent, and migrates it. Throws CliError with one sentence
 * for a file that is newer, half-migrated, locked, damaged or no database; such a file is left as it is.
 */
export function openStore(file: string): Store {
  const fresh = !existsSync(file);
  let database: Database.Database | undefined;
  try {
    if (fresh) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      closeSync(openSync(file, "a", 0o600)); // SQLite gives its journals the permissions of the file
    } else inspect(file);
    database = new Database(file, { timeout: 5000 });
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL"); // an acknowledged write survives a power cut
    database.pragma("foreign_keys = ON");
    database.pragma("trusted_schema = OFF");
    database.pragma("cache_size = -16000");
    migrate(database, file);
    return openPrepared(database);
  } catch (error) {
    database?.close();
    throw error instanceof CliError ? error : new CliError(sentenceOf(error, file));
  }
}

/**
 * SQLite compiles a statement anew at every call that binds another value to a parameter which it compares with a column:
 * 240 µs for a bundle, against 3 for its look-ups. Behind a unary plus, which changes no value, the plan stays as it is.
 */
const withFixedPlan = (text: string): string =>
  text.replace(/'[^']*'|--.*|:[a-z]\w*/g, (part) => (part.startsWith(":") ? `+${part}` : part));

/** The statements of sql/ on one connection; a bad one stops the start, not a request. */
function prepareStatements(database: Database.Database): Pick<Store, "statement" | "plucked"> {
  const texts = statementTexts();
  const statements = new Map<string, Database.Statement>();
  const plucked = new Map<string, Database.Statement>();
  for (const [name, text] of texts) {
    try {
      statements.set(name, database.prepare(withFixedPlan(text)));
    } catch (error) {
      throw new Error(`sql: ${name}: ${(error as Error).message}`);
    }
  }
  const statement = (name: string): Database.Statement => {
    const found = statements.get(name);
    if (found === undefined) throw new Error(`sql: there is no statement ${name}`);
    return found;
  };
  return {
    statement,
    plucked(name) {
      let found = plucked.get(name);
      if (found === undefined) {
        found = database.prepare(statement(name).source).pluck();
        plucked.set(name, found);
      }
      return found;
    },
  };
}

function openPrepared(database: Database.Database): Store {
  const dataVersion = database.prepare("PRAGMA data_version").pluck();
  const statements = prepareStatements(database);
  const touched = new Map<string, Set<number>>();
  let revision = 0;
  let seenDataVersion = -1;
  return {
    database,
    ...statements,
    ...openTransactions(database, {
      beforeCommit() {
        for (const [part, productions] of touched)
          for (const production_id of productions) statements.statement("bump_revision").run({ production_id, part });
      },
      ended() {
        revision++;
        touched.clear();
      },
    }),
    touch(production_id, part) {
      if (!database.inTransaction) throw new Error("a change is counted within its transaction only");
      if (typeof production_id !== "number") throw new Error(`a change of ${part} names no production`);
      const productions = touched.get(part) ?? new Set();
      touched.set(part, productions.add(production_id));
    },
    // data_version moves with the commits of other connections only; those of this one are counted where they end.
    revision(look = true) {
      if (!look) return revision;
      const dataVersionNow = dataVersion.get() as number;
      if (dataVersionNow !== seenDataVersion) {
        seenDataVersion = dataVersionNow;
        revision++;
      }
      return revision;
    },
    stopWriting: () => void database.pragma("query_only = ON"),
    close() {
      if (!database.open) return;
      try {
        database.pragma("optimize");
      } catch {
        // a full or damaged disk: it is for speed alone
      }
      database.close();
    },
  };
}
