// Finds and removes orphans: rows that refer to an owner that no longer exists and are useless without it. Content that
// people created (versions, media, notes, submissions) is never treated as an orphan.
import type Database from "better-sqlite3";
import { keyColumns, rowName } from "./soundness.ts";

/** The columns of each table that refer to an owner. A row is an orphan if one of these owners does not exist. */
const owners: Readonly<Record<string, readonly string[]>> = {
  scenes: ["node_id"],
  node_links: ["from_node_id", "to_node_id"],
  version_ingredients: ["version_id", "ingredient_id"],
  strips: ["shoot_day_id", "node_id"],
  day_calls: ["shoot_day_id", "node_id", "person_id", "department_id"],
  day_lines: ["shoot_day_id"],
  day_parts: ["shoot_day_id", "scene_node_id"],
  day_banners: ["shoot_day_id", "before_node_id"],
  delivery_nodes: ["delivery_id", "node_id"],
  approval_steps: ["approval_id"],
  cost_report_lines: ["cost_report_id"],
  // SQLite may reuse an id, and the grant would then apply to a target that nobody granted.
  grants: ["engagement_id", "node_id", "department_id", "delivery_id"],
  look_briefs: ["version_id"],
  oauth_codes: ["client_id", "key_id"],
  oauth_tokens: ["client_id", "key_id"],
  idempotent_answers: ["key_id"],
  uploads: ["key_id"],
  storage_events: ["install_id"],
  storage_tasks: ["install_id"],
};

interface Owner {
  table: string;
  column: string;
  parent: string;
  parentColumn: string;
}

/** Every column of `owners` with the table and the column that it refers to. */
function ownersIn(database: Database.Database): Owner[] {
  const parentOf = database.prepare<[string, string], Pick<Owner, "parent" | "parentColumn">>(
    `SELECT "table" AS parent, "to" AS parentColumn FROM pragma_foreign_key_list(?) WHERE "from" = ?`,
  );
  return Object.entries(owners).flatMap(([table, columns]) =>
    columns.flatMap((column) => {
      const reference = parentOf.get(table, column);
      return reference === undefined ? [] : [{ table, column, ...reference }];
    }),
  );
}

/** Compares only the id. A row that refers to another production was changed by hand and is not certainly an orphan. */
const isOrphan = ({ table, column, parent, parentColumn }: Owner): string =>
  `${column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${parent} AS owner WHERE owner.${parentColumn} = ${table}.${column})`;

export const hasOrphans = (database: Database.Database): boolean =>
  ownersIn(database).some(
    (owner) => database.prepare(`SELECT 1 FROM ${owner.table} WHERE ${isOrphan(owner)} LIMIT 1`).get() !== undefined,
  );

const maxListed = 100;

/**
 * Removes every orphan in one transaction. Returns one sentence for each of the first 100 removed rows of each column
 * of `owners`, and one for the number of further rows.
 */
export function removeOrphans(database: Database.Database): string[] {
  const remove = database.transaction(() =>
    ownersIn(database).flatMap((owner) => {
      const { table, column, parent } = owner;
      const key = keyColumns(database, table);
      const rows = database
        .prepare<[], Record<string, unknown>>(
          `DELETE FROM ${table} WHERE ${isOrphan(owner)} RETURNING ${[...new Set([...key, column])]}`,
        )
        .all();
      const sentences = rows
        .slice(0, maxListed)
        .map((row) => `removed ${rowName(table, key, row)}: its ${column} ${row[column]} does not exist in ${parent}`);
      const more = rows.length - sentences.length;
      return more > 0 ? [...sentences, `removed ${more} more rows of ${table} without a row in ${parent}`] : sentences;
    }),
  );
  return remove.immediate();
}
