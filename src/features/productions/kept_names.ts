// Finds what still has the name of an erased person: every text of the production, in whatever column, and what belongs
// to no production.
import type Database from "better-sqlite3";
import { ownedTables } from "../backup/production_rows.ts";
import { likeOf, mayHaveName } from "./name_pattern.ts";

/** A row that keeps a name. */
export interface KeptName {
  table: string;
  column: string;
  /** The id of the row; null if its table has none. */
  id: number | null;
  /** The row has the first name alone, which may be somebody else's. */
  only?: "first name";
}

const quoted = (name: string): string => `"${name}"`;

/** Tables that belong to no production and have what people typed. */
const shared: Readonly<Record<string, string>> = { oauth_clients: "1", sessions: "1" };

/** The rows of a production in which `has` finds a name. */
export function keptNames(
  database: Database.Database,
  production_id: number,
  name: string,
  has: (text: string) => boolean,
): KeptName[] {
  database.function("has_name", { deterministic: true }, (text) => (has(String(text)) ? 1 : 0));
  const columns = database
    .prepare<[table: string], string>("SELECT name FROM pragma_table_info(?) WHERE type = 'TEXT'")
    .pluck();
  const hasIds = database.prepare("SELECT NOT wr FROM pragma_table_list(?) WHERE schema = 'main'").pluck();
  const tables = [...ownedTables(database), ...Object.entries(shared)];
  return tables.flatMap(([table, condition]) =>
    columns.all(table).flatMap((column) =>
      database
        .prepare<{ like: string; production_id?: number }, Pick<KeptName, "id">>(
          `SELECT ${hasIds.get(table) === 1 ? "rowid" : "NULL"} AS id FROM ${quoted(table)} WHERE (${condition}) AND ${mayHaveName(quoted(column))} AND has_name(${quoted(column)})`,
        )
        .all({ like: likeOf(name), ...(condition.includes(":production_id") && { production_id }) })
        .map(({ id }) => ({ table, column, id })),
    ),
  );
}
