// Receives resumable uploads: creates them, appends the parts that arrive, and removes them.
import { type Hash, randomBytes } from "node:crypto";
import { closeSync, openSync, rmSync } from "node:fs";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { HttpError } from "../../core/errors.ts";
import type { KeyId } from "../../core/ids.ts";
import { syncPath } from "../../core/store/files.ts";
import { change, value } from "../../core/store/statements.ts";
import { ContinuedStaging } from "./continued_staging.ts";
import {
  deleteUpload,
  expiresAt,
  fileOf,
  finish,
  keepHash,
  nowOf,
  type ResumableUpload,
  type ResumableUploads,
  recordReceived,
  storedUpload,
  takeHash,
  write,
} from "./resumable_uploads.ts";

/** The maximum number of unused uploads of one key. */
const maxUploadsOfKey = 2_000;
/** After this number of bytes, and two seconds, a part is synced and acknowledged while it goes on. */
const acknowledgeInterval = 64 * 1024 * 1024;

const insertUpload = change("create_upload");
const countOf = value<{ key_id: KeyId; now: string }, number>("count_uploads");

/** What a client announces of a part. */
export interface UploadPart {
  /** Reads the bytes. */
  source: Readable;
  /** The hash to compare, which must be of the bytes of this part. A part with another hash is dropped as a whole. */
  checksum?: { hash: Hash; digest: Buffer } | undefined;
}

/** 460, as the checksum extension of tus defines it. */
const checksumMismatch = () =>
  new HttpError(460, "the bytes do not have the checksum of Upload-Checksum; they were dropped");

type Created = Pick<ResumableUpload, "key_id" | "length" | "metadata" | "file_name">;

/** Creates the row of an upload. Throws 503 if the key has too many, and what `check` throws. */
const insert = (uploads: ResumableUploads, id: string, given: Created, check: () => void): Promise<unknown> =>
  write(uploads, () => {
    check();
    const now = nowOf(uploads);
    if ((countOf(uploads.store, { key_id: given.key_id, now }) ?? 0) >= maxUploadsOfKey)
      throw new HttpError(503, `this key has ${maxUploadsOfKey} unused uploads; use some, or delete them`);
    return insertUpload(uploads.store, { id, ...given, now, expires_at: expiresAt(uploads) });
  });

/**
 * Creates an upload. `length` is at most the ceiling. Throws what `check` throws before it and within the transaction,
 * 503 if the key has too many, 507 if the disk has no space for it.
 */
export async function createUpload(
  uploads: ResumableUploads,
  given: Created,
  check: () => void,
): Promise<ResumableUpload> {
  const { blobs, creating } = uploads;
  check(); // before the free disk is asked for: a length beyond the quota tells nothing of it
  blobs.uploads.begin(given.key_id, given.length)();
  const id = randomBytes(16).toString("base64url");
  creating.add(id);
  try {
    closeSync(openSync(fileOf(uploads, id), "wx", 0o600));
    syncPath(blobs.staging);
    await insert(uploads, id, given, check);
  } catch (error) {
    rmSync(fileOf(uploads, id), { force: true });
    throw error;
  } finally {
    creating.delete(id);
  }
  return storedUpload(uploads, id, given.key_id) as ResumableUpload; // it was just created
}

/**
 * Ends the part that is arriving, if there is one: a client that asks again has lost the connection that brings it.
 * Resolves once its bytes are acknowledged.
 */
export async function interruptUpload({ writing }: ResumableUploads, id: string): Promise<void> {
  for (let part = writing.get(id); part !== undefined; part = writing.get(id)) {
    part.source.destroy();
    await part.ended;
  }
}

/** Passes bytes on, and adds them to a hash. */
const hashing = (hash: Hash) =>
  async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };

/** Streams a part to a file. Throws 460 if its bytes have another checksum. */
async function streamPart({ source, checksum }: UploadPart, staging: ContinuedStaging): Promise<void> {
  if (checksum === undefined) return pipeline(source, staging);
  await pipeline(source, hashing(checksum.hash), staging);
  if (!checksum.hash.digest().equals(checksum.digest)) throw checksumMismatch();
}

/**
 * Writes a part to the file of its upload. Returns the number of synced bytes, and the error that ended the part early.
 */
async function stream(uploads: ResumableUploads, upload: ResumableUpload, part: UploadPart) {
  const { checksum } = part;
  const { id, length, received: offset } = upload;
  const hash = takeHash(uploads, upload);
  const staging = new ContinuedStaging(fileOf(uploads, id), length, uploads.reserve, {
    offset,
    hash,
    interval: acknowledgeInterval,
    // A part with a checksum is acknowledged as a whole, or not at all.
    ...(checksum === undefined && {
      onSynced: async (synced: number) => void (await recordReceived(uploads, id, synced)),
    }),
  });
  const closed = new Promise<void>((resolve) => void staging.once("close", resolve));
  let problem: unknown;
  try {
    await streamPart(part, staging);
  } catch (error) {
    problem = error;
  }
  await closed;
  const received = checksum !== undefined && problem !== undefined ? offset : staging.synced;
  if (hash !== undefined && staging.isHashed && received === staging.synced)
    keepHash(uploads, id, { hash, size: received });
  return { received, problem };
}

/**
 * Appends a part. Returns the new offset. Throws what ended the part early; what is stored is acknowledged then, too.
 */
async function append(uploads: ResumableUploads, upload: ResumableUpload, part: UploadPart): Promise<number> {
  const { received, problem } = await stream(uploads, upload, part);
  const isComplete = received === upload.length && upload.sha256 === null;
  // To hash a large file takes time, so its bytes are acknowledged before.
  if (received > upload.received && !(isComplete && uploads.hashes.has(upload.id)))
    await recordReceived(uploads, upload.id, received);
  if (isComplete) await finish(uploads, { ...upload, received });
  if (problem !== undefined) throw problem;
  return received;
}

/**
 * Appends a part at the offset that the upload had when `upload` was read. What arrived before an error stays and is
 * acknowledged, except in a part with a checksum. Returns the new offset. Throws what ended the part early, 409 if the
 * upload has changed in the meantime, 460 for another checksum, 413 for more bytes than the upload has, 507 if the disk
 * is full.
 */
export async function appendPart(
  uploads: ResumableUploads,
  upload: ResumableUpload,
  part: UploadPart,
  announced: number,
): Promise<number> {
  const { writing, blobs } = uploads;
  if (writing.has(upload.id)) throw new HttpError(409, "another part of this upload is arriving");
  const end = blobs.uploads.begin(upload.key_id, announced);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  writing.set(upload.id, { source: part.source, ended });
  try {
    return await append(uploads, upload, part);
  } finally {
    writing.delete(upload.id);
    end();
    resolve();
  }
}

/** Removes an upload and its bytes. */
export async function removeUpload(uploads: ResumableUploads, { id }: Pick<ResumableUpload, "id">): Promise<void> {
  await interruptUpload(uploads, id);
  await write(uploads, () => deleteUpload(uploads.store, { id }));
  uploads.hashes.delete(id);
  await uploads.blobs.discard({ file: fileOf(uploads, id) });
}
