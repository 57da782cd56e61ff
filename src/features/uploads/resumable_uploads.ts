// The resumable uploads of an application: a staged file for each, a row with the number of its bytes that are synced,
// and in memory what requests are doing with them. A part is acknowledged by the row, so after a crash an upload
// continues at the offset in its row.
import { createHash, type Hash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { KeyId } from "../../core/ids.ts";
import type { Blobs } from "../../core/store/blobs.ts";
import { sha256OfFile } from "../../core/store/files.ts";
import { headOf, sniff } from "../../core/store/media_types.ts";
import { resumablePrefix, type Staged } from "../../core/store/staging.ts";
import { change, one } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";
import { day } from "../../core/times.ts";

/** How long an upload is kept after its last bytes, in milliseconds. */
const lifetime = day;
/** The maximum number of hashes in memory. The hash of another upload is computed again when it is complete. */
const maxHashes = 1_000;

export interface ResumableUpload {
  id: string;
  key_id: KeyId;
  /** In bytes: the size of the whole file, and of what is stored of it. */
  length: number;
  received: number;
  /** The metadata as the client sent it. */
  metadata: string;
  file_name: string | null;
  /** Null until the upload is complete. */
  sha256: string | null;
  content_type: string | null;
  expires_at: string;
  used_at: string | null;
}

/** The running hash of an upload, with the number of bytes that it has. */
interface RunningHash {
  hash: Hash;
  size: number;
}

/** The part of an upload that is arriving. */
interface Writing {
  source: Readable;
  ended: Promise<void>;
}

export interface ResumableUploads {
  readonly store: Store;
  readonly blobs: Blobs;
  /** The maximum size of one upload in bytes. */
  readonly ceiling: number;
  /** The free disk space in bytes that uploads must leave. */
  readonly reserve: number;
  /** The current time in milliseconds. */
  readonly clock: () => number;
  /** By id, oldest first. */
  readonly hashes: Map<string, RunningHash>;
  readonly writing: Map<string, Writing>;
  /** The uploads that a request is using, with the request. */
  readonly claims: Map<string, object>;
  /** The uploads whose file exists and whose row does not yet. */
  readonly creating: Set<string>;
}

type UploadKey = { id: string; key_id: KeyId; now: string };
const uploadOf = one<UploadKey, ResumableUpload>("get_upload");
const acknowledge = change("acknowledge_upload");
const complete = change("complete_upload");
/** Removes the row of an upload. */
export const deleteUpload = change("delete_upload");

export const openResumableUploads = (
  given: Pick<ResumableUploads, "store" | "blobs" | "ceiling" | "reserve" | "clock">,
): ResumableUploads => ({
  ...given,
  hashes: new Map(),
  writing: new Map(),
  claims: new Map(),
  creating: new Set(),
});

const idPattern = /^[\w-]{22}$/;

/** The staged file of an upload. */
export function fileOf({ blobs }: ResumableUploads, id: string): string {
  if (!idPattern.test(id)) throw new Error("this is not the id of an upload"); // it becomes a part of a path
  return join(blobs.staging, resumablePrefix + id);
}

export const nowOf = ({ clock }: ResumableUploads): string => new Date(clock()).toISOString();
/** When an upload expires whose last bytes arrive now. */
export const expiresAt = ({ clock }: ResumableUploads): string => new Date(clock() + lifetime).toISOString();
/** In bytes; -1 if there is no such file. */
export const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? -1;

/** Writes rows of uploads, which no kept answer shows. */
export const write = <T>({ store }: ResumableUploads, work: () => T): Promise<T> =>
  store.write(work, { reports: true });

/**
 * The upload of a key; undefined if it is unknown, has expired or has lost bytes. Throws 503 if the disk of the media
 * is absent.
 */
export function storedUpload(uploads: ResumableUploads, id: string, key_id: KeyId): ResumableUpload | undefined {
  const upload = uploadOf(uploads.store, { id, key_id, now: nowOf(uploads) });
  if (upload === undefined || upload.used_at !== null) return upload;
  if (sizeOf(fileOf(uploads, id)) >= upload.received) return upload;
  uploads.blobs.requireFolder();
  return undefined;
}

export function keepHash({ hashes }: ResumableUploads, id: string, running: RunningHash): void {
  hashes.set(id, running);
  for (const oldest of hashes.keys()) {
    if (hashes.size <= maxHashes) break;
    hashes.delete(oldest);
  }
}

/** Takes the running hash of an upload; undefined if it is not known. */
export function takeHash({ hashes }: ResumableUploads, { id, received }: ResumableUpload): Hash | undefined {
  const running = hashes.get(id);
  hashes.delete(id);
  if (running?.size === received) return running.hash;
  return received === 0 ? createHash("sha256") : undefined;
}

export const recordReceived = (uploads: ResumableUploads, id: string, received: number): Promise<unknown> =>
  write(uploads, () => acknowledge(uploads.store, { id, received, expires_at: expiresAt(uploads) }));

/** Records that an upload is complete, its hash and its type. Reads the file again if its running hash is not known. */
export async function finish(uploads: ResumableUploads, upload: ResumableUpload): Promise<Staged> {
  const { store } = uploads;
  const { id, length } = upload;
  const file = fileOf(uploads, id);
  const sha256 = takeHash(uploads, upload)?.digest("hex") ?? (await sha256OfFile(file));
  const content_type = sniff(headOf(file));
  await write(uploads, () => {
    acknowledge(store, { id, received: length, expires_at: expiresAt(uploads) });
    return complete(store, { id, sha256, content_type });
  });
  return { file, sha256, size: length, content_type };
}
