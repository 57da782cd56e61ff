// The open database, as every module that reads or writes it gets it. Types only.
import type Database from "better-sqlite3";
import type { Commits, Transactions } from "./transactions.ts";

/** The named statements, of one state of the database: that of its first read. */
export interface Snapshot extends Pick<Store, "statement"> {
  close(): void;
}

/** The open database with the named statements. */
export interface Store extends Transactions, Commits {
  readonly database: Database.Database;
  /** The path of the database in its data directory. The connection may read a copy of it. */
  readonly file: string;
  /** Why the connection can only read; undefined if it can write. */
  readonly unwritable: string | undefined;
  /**
   * The prepared statement of a name; with a column, it returns only the rows that have the value :wanted in it. Its
   * declaration in statements.ts says what its rows are.
   */
  statement<Row = unknown>(name: string, column?: string): Database.Statement<unknown[], Row>;
  /** The same statement, returning only the first column. */
  plucked<Value = unknown>(name: string): Database.Statement<unknown[], Value>;
  /**
   * Calls `listener` after every transaction of this connection, with whether its commit changed a row. It must not
   * write.
   */
  afterTransaction(listener: (wrote: boolean) => void): void;
  /** Opens a second connection, which reads the database as it is now, regardless of later writes. */
  snapshot(): Snapshot;
  /** Makes the connection read-only. For a database that turned out to be damaged. */
  stopWriting(): void;
  close(): void;
}
