// Rows whose owner is gone and that mean nothing without it: they can be removed without losing anything. What people made
// or wrote (versions, media, notes, submissions) is never among them, whatever it names.
import type Database from "better-sqlite3";
import { keyColumns, rowName } from "./soundness.ts";

/** Each table's columns that name an owner. A row is an orphan where the row that one of them names does not exist. */
const owners: Readonly<Record<string, readonly string[]>> = {
  scenes: ["node_id"],
  node_links: ["from_node_id", "to_node_id"],
  version_ingredients: ["version_id", "ingredient_id"],
  strips: ["shoot_day_id", "node_id"],
  delivery_nodes: ["delivery_id", "node_id"],
  approval_steps: ["approval_id"],
  cost_report_lines: ["cost_report_id"],
  // An id may be given out again, and the grant would then open what nobody granted.
  grants: ["engagement_id", "node_id", "department_id", "delivery_id"],
  look_briefs: ["version_id"],
  oauth_codes: ["client_id", "key_id"],
  oauth_tokens: ["client_id", "key_id"],
  idempotent_answers: ["key_id"],
  storage_events: ["install_id"],
  storage_tasks: ["install_id"],
};

interface Owner {
  table: string;
  column: string;
  parent: string;
  parentColumn: string;
}

/** Every column of `owners` with the table and the column that it names. */
function ownersIn(database: Database.Database): Owner[] {
  const parentOf = database.prepare(
    `SELECT "table" AS parent, "to" AS parentColumn FROM pragma_foreign_key_list(?) WHERE "from" = ?`,
  );
  return Object.entries(owners).flatMap(([table, columns]) =>
    columns.flatMap((column) => {
      const named = parentOf.get(table, column) as Pick<Owner, "parent" | "parentColumn"> | undefined;
      return named === undefined ? [] : [{ table, column, ...named }];
    }),
  );
}

/** The id alone counts: a row that names one of another production was altered, and is not certain to be an orphan. */
const isOrphan = ({ table, column, parent, parentColumn }: Owner): string =>
  `${column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${parent} AS owner WHERE owner.${parentColumn} = ${table}.${column})`;

export const hasOrphans = (database: Database.Database): boolean =>
  ownersIn(database).some(
    (owner) => database.prepare(`SELECT 1 FROM ${owner.table} WHERE ${isOrphan(owner)} LIMIT 1`).get() !== undefined,
  );

const maxNamed = 100;

/** Removes every orphan in one transaction; answers what was removed, a sentence for each of the first hundred of a kind. */
export function removeOrphans(database: Database.Database): string[] {
  const remove = database.transaction(() =>
    ownersIn(database).flatMap((owner) => {
      const { table, column, parent } = owner;
      const key = keyColumns(database, table);
      const rows = database
        .prepare(`DELETE FROM ${table} WHERE ${isOrphan(owner)} RETURNING ${[...new Set([...key, column])]}`)
        .all() as Record<string, unknown>[];
      const sentences = rows
        .slice(0, maxNamed)
        .map((row) => `removed ${rowName(table, key, row)}: its ${column} ${row[column]} is no row of ${parent}`);
      const more = rows.length - sentences.length;
      return more > 0 ? [...sentences, `removed ${more} more rows of ${table} without a row of ${parent}`] : sentences;
    }),
  );
  return remove.immediate();
}
