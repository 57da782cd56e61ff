// Statements whose text the program composes, of names of tables and columns: each is prepared once for a connection.
import type Database from "better-sqlite3";

const prepared = new WeakMap<Database.Database, Map<string, Database.Statement>>();

/** The statement of a text. There must be few texts: their statements stay as long as the connection. */
export function composed<Row>(database: Database.Database, text: string): Database.Statement<unknown[], Row> {
  const known = prepared.get(database) ?? new Map<string, Database.Statement>();
  prepared.set(database, known);
  const statement = known.get(text) ?? database.prepare(text);
  known.set(text, statement);
  return statement as Database.Statement<unknown[], Row>; // the caller knows the columns of its text
}
