// Puts markup into every text of a database: whatever a document, a vendor or a browser could have brought, and more.
import type { Store } from "../../src/core/store/store.ts";

/** Breaks out of text, of both kinds of attributes, of a title, a script and a comment. */
export const hostileText = `'"></title></script>--><img src=x onerror=alert(1)><script>alert(2)</script>`;

/** Columns that programs compare: with other text in them there would be nothing to show. */
const compared =
  /^(?:id|.*_at|.*_id|.*sha256|date|due|week_of|path|kind|mode|state|filespace|scopes|version|epoch|sql|name)$/;
const tables =
  /^(?!sqlite_|blobs|media|epochs|last_ids|oauth|idempotent|migrations|sign_in|uploads|resumable|storage_events)/;

const poisoned = (value: unknown, added: string): unknown => {
  if (typeof value === "string") return value + added;
  if (Array.isArray(value)) return value.map((one) => poisoned(one, added));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [`${name}${added}`, poisoned(part, added)]));
};

interface Column {
  table: string;
  column: string;
}

/** Appends the hostile text, or another one, to every text column that allows it; returns the columns that have it. */
export function poison(store: Store, added = hostileText): string[] {
  const { database } = store;
  const columns = database
    .prepare(
      `SELECT m.name AS "table", c.name AS "column" FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND c.type = 'TEXT'`,
    )
    .all() as Column[];
  const done: string[] = [];
  const named = ["people", "departments", "vendors"]; // here a name is only shown
  for (const { table, column } of columns) {
    if (!tables.test(table) || (compared.test(column) && !(column === "name" && named.includes(table)))) continue;
    try {
      database.prepare(`UPDATE ${table} SET ${column} = ${column} || ?`).run(added);
      done.push(`${table}.${column}`);
    } catch {
      if (poisonJson(store, table, column, added)) done.push(`${table}.${column}`);
    }
  }
  return done;
}

/** Puts the text into the names and values of a JSON column. Returns false if the column has a closed set of values. */
function poisonJson({ database }: Store, table: string, column: string, added: string): boolean {
  try {
    const rows = database.prepare(`SELECT rowid AS row, ${column} AS text FROM ${table} WHERE ${column} IS NOT NULL`);
    const update = database.prepare(`UPDATE ${table} SET ${column} = ? WHERE rowid = ?`);
    for (const { row, text } of rows.all() as { row: number; text: string }[]) {
      const parsed = JSON.parse(text);
      // Pages read the cast by its name.
      const cast = column === "elements" ? { cast: poisoned(parsed.cast, added) } : undefined;
      update.run(JSON.stringify(cast ? { ...Object(poisoned(parsed, added)), ...cast } : poisoned(parsed, added)), row);
    }
    return true;
  } catch {
    return false; // a constraint refuses it, or the table has no rowid and no such column
  }
}
