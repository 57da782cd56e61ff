// Weighs the tables of a database.
import type Database from "better-sqlite3";

export interface TableWeight {
  table: string;
  rows: number;
  /** With its indexes, in bytes. */
  bytes: number;
}

/** What each table weighs, the heaviest first. */
export function tableWeights(database: Database.Database): TableWeight[] {
  const bytes = database
    .prepare<[], Omit<TableWeight, "rows">>(
      `SELECT s.tbl_name AS "table", sum(d.pgsize) AS bytes FROM dbstat d JOIN sqlite_schema s ON s.name = d.name
       WHERE d.aggregate = TRUE GROUP BY s.tbl_name ORDER BY bytes DESC, s.tbl_name`,
    )
    .all();
  return bytes.map((weight) => {
    const rows = database.prepare<[], number>(`SELECT count(*) FROM "${weight.table}"`).pluck().get() ?? 0;
    return { ...weight, rows };
  });
}
