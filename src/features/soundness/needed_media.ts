// Which files of media a database needs, and where they are.
import type Database from "better-sqlite3";
import type { BlobRow } from "../../core/store/file_placing.ts";

/** The name of a stored file in its data directory. */
export const mediaName = (sha256: string): string => `media/${sha256.slice(0, 2)}/${sha256}`;

/**
 * The bytes that something needs, in a database of any schema: those that a row of another table refers to, which are
 * media and what change sets keep for their undo. Others may be removed already, and the next sweep deletes their rows.
 */
export function neededBlobs(database: Database.Database): Omit<BlobRow, "content_type">[] {
  const selects = database
    .prepare<[], string>(
      `SELECT format('SELECT "%w" FROM "%w"', r."from", s.name) FROM sqlite_schema s, pragma_foreign_key_list(s.name) r
       WHERE s.type = 'table' AND r."table" = 'blobs'`,
    )
    .pluck()
    .all();
  const hashes = selects.join(" UNION ALL ");
  return database
    .prepare<[], Omit<BlobRow, "content_type">>(
      `SELECT sha256, size FROM blobs WHERE sha256 IN (${hashes}) ORDER BY sha256`,
    )
    .all();
}
