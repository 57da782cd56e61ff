// The database rows of stored bytes.
import type Database from "better-sqlite3";
import { change, one } from "./statements.ts";

export interface BlobRow {
  sha256: string;
  /** In bytes. */
  size: number;
  content_type: string;
}

export const getBlob = one<{ sha256: string }, BlobRow>("get_blob");
/** `staged` is the JSON of a list of BlobRow. */
export const putBlobs = change("put_blobs");
export const deleteUnneededBlob = change("delete_unneeded_blob");
export const deleteUnneededBlobs = change("delete_unneeded_blobs");

/**
 * The bytes that something needs, in a database of any schema: those that a row of another table refers to, which are media and what
 * change sets keep for their undo. Others may be removed already, and the next sweep deletes their rows.
 */
export function neededBlobs(database: Database.Database): Omit<BlobRow, "content_type">[] {
  const selects = database
    .prepare(
      `SELECT format('SELECT "%w" FROM "%w"', r."from", s.name) FROM sqlite_schema s, pragma_foreign_key_list(s.name) r
       WHERE s.type = 'table' AND r."table" = 'blobs'`,
    )
    .pluck()
    .all();
  const hashes = selects.join(" UNION ALL ");
  return database
    .prepare(`SELECT sha256, size FROM blobs WHERE sha256 IN (${hashes}) ORDER BY sha256`)
    .all() as ReturnType<typeof neededBlobs>;
}
