// The database rows of stored bytes.
import { change, many, one } from "./statements.ts";

export interface BlobRow {
  sha256: string;
  /** In bytes. */
  size: number;
  content_type: string;
}

export const getBlob = one<{ sha256: string }, BlobRow>("get_blob");
export const knownBlobs = many<{ sha256s: string }, Pick<BlobRow, "sha256">>("list_known_blobs");
/** `staged` is the JSON of a list of BlobRow. */
export const putBlobs = change<{ staged: string; created_at: string }>("put_blobs");
export const deleteUnneededBlob = change<{ sha256: string }>("delete_unneeded_blob");
export const deleteUnneededBlobs = change<object>("delete_unneeded_blobs");
