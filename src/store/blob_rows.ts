// The database rows of stored bytes.
import { change, one } from "./statements.ts";

export interface BlobRow {
  sha256: string;
  /** In bytes. */
  size: number;
  content_type: string;
}

export const getBlob = one<{ sha256: string }, BlobRow>("get_blob");
export const putBlob = change<BlobRow & { created_at: string }>("put_blob");
export const deleteUnneededBlob = change<{ sha256: string }>("delete_unneeded_blob");
export const deleteUnneededBlobs = change<object>("delete_unneeded_blobs");
