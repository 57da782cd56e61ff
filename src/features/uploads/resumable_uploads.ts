// Stores uploads that arrive in parts: each is a staged file and a row with the number of its bytes that are synced. A part is
// acknowledged by that row, so after a crash an upload continues at the offset in its row.
import { createHash, type Hash, randomBytes } from "node:crypto";
import { closeSync, openSync, readdirSync, readSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { conflict, HttpError, unprocessable } from "../../core/errors.ts";
import type { Blobs } from "../../core/store/blobs.ts";
import { moveToFoundFolder, sha256OfFile, syncPath } from "../../core/store/files.ts";
import { resumablePrefix, type Staged, Staging, sniff } from "../../core/store/staging.ts";
import { change, many, one, value } from "../../core/store/statements.ts";
import type { Store } from "../../core/store/store.ts";

/** How long an upload is kept after its last bytes, in milliseconds. */
const lifetime = 86_400_000;
/** The maximum number of unused uploads of one key. */
const maxUploadsOfKey = 2_000;
/** After this number of bytes, and two seconds, a part is synced and acknowledged while it goes on. */
const acknowledgeInterval = 64 * 1024 * 1024;
/** The maximum number of hashes in memory. The hash of another upload is computed again when it is complete. */
const maxHashes = 1_000;

export interface ResumableUpload {
  id: string;
  key_id: number;
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

type UploadKey = { id: string; key_id: number; now: string };
const insertUpload = change("create_upload");
const uploadOf = one<UploadKey, ResumableUpload>("get_upload");
const countOf = value<{ key_id: number; now: string }, number>("count_uploads");
const acknowledge = change("acknowledge_upload");
const complete = change("complete_upload");
const markUsed = change("use_upload");
const deleteUpload = change("delete_upload");
const listUploads = many<object, Pick<ResumableUpload, "id" | "received" | "used_at" | "expires_at">>("list_uploads");

const idPattern = /^[\w-]{22}$/;

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

export type ResumableUploads = ReturnType<typeof openResumableUploads>;

export interface ResumableUploadOptions {
  /** The maximum size of one upload in bytes. */
  ceiling: number;
  /** The free disk space in bytes that uploads must leave. */
  reserve: number;
  /** The current time in milliseconds. */
  clock: () => number;
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

/** The first bytes of a file, from which its type is detected. */
function headOf(file: string): Buffer {
  const handle = openSync(file, "r");
  try {
    const head = Buffer.alloc(512);
    return head.subarray(0, readSync(handle, head, 0, head.length, 0));
  } finally {
    closeSync(handle);
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? -1;
const quoted = (id: string): string => JSON.stringify(id.length > 64 ? `${id.slice(0, 64)}…` : id);

/** `folder` is the folder of staged files. */
export function openResumableUploads(folder: string, store: Store, blobs: Blobs, options: ResumableUploadOptions) {
  const { ceiling, reserve, clock } = options;
  function fileOf(id: string): string {
    if (!idPattern.test(id)) throw new Error("this is not the id of an upload"); // it becomes a part of a path
    return join(folder, resumablePrefix + id);
  }
  const timestamp = (after = 0): string => new Date(clock() + after).toISOString();
  const hashes = new Map<string, RunningHash>(); // oldest first
  const writing = new Map<string, Writing>();
  /** The uploads that a request is using, with the request. */
  const claims = new Map<string, object>();
  /** The uploads whose file exists and whose row does not yet. */
  const creating = new Set<string>();

  function keepHash(id: string, running: RunningHash): void {
    hashes.set(id, running);
    for (const oldest of hashes.keys()) {
      if (hashes.size <= maxHashes) break;
      hashes.delete(oldest);
    }
  }

  /** Takes the running hash of an upload; undefined if it is not known. */
  function takeHash({ id, received }: ResumableUpload): Hash | undefined {
    const running = hashes.get(id);
    hashes.delete(id);
    if (running?.size === received) return running.hash;
    return received === 0 ? createHash("sha256") : undefined;
  }

  const write = <T>(work: () => T): Promise<T> => store.write(work, { concern: { reports: true } });

  const recordReceived = (id: string, received: number): Promise<unknown> =>
    write(() => acknowledge(store, { id, received, expires_at: timestamp(lifetime) }));

  /** Records that an upload is complete, its hash and its type. Reads the file again if its running hash is not known. */
  async function finish(upload: ResumableUpload): Promise<Staged> {
    const file = fileOf(upload.id);
    const sha256 = takeHash(upload)?.digest("hex") ?? (await sha256OfFile(file));
    const content_type = sniff(headOf(file));
    await write(() => {
      acknowledge(store, { id: upload.id, received: upload.length, expires_at: timestamp(lifetime) });
      return complete(store, { id: upload.id, sha256, content_type });
    });
    return { file, sha256, size: upload.length, content_type };
  }

  function find(id: string, key_id: number): ResumableUpload | undefined {
    const upload = uploadOf(store, { id, key_id, now: timestamp() });
    return upload !== undefined && (upload.used_at !== null || sizeOf(fileOf(id)) >= upload.received)
      ? upload
      : undefined;
  }

  /**
   * Ends the part that is arriving, if there is one: a client that asks again has lost the connection that brings it. Resolves
   * once its bytes are acknowledged.
   */
  async function interrupt(id: string): Promise<void> {
    for (let part = writing.get(id); part !== undefined; part = writing.get(id)) {
      part.source.destroy();
      await part.ended;
    }
  }

  /** Streams a part to the file. Returns the number of synced bytes, and the error that ended the part early. */
  async function stream(upload: ResumableUpload, { source, checksum }: UploadPart) {
    const hash = takeHash(upload);
    const staging = new Staging(fileOf(upload.id), upload.length, reserve, {
      offset: upload.received,
      hash,
      interval: acknowledgeInterval,
      // A part with a checksum is acknowledged as a whole, or not at all.
      ...(checksum === undefined && {
        onSynced: async (offset: number) => void (await recordReceived(upload.id, offset)),
      }),
    });
    const closed = new Promise<void>((resolve) => void staging.once("close", resolve));
    let problem: unknown;
    try {
      if (checksum === undefined) await pipeline(source, staging);
      else
        await pipeline(
          source,
          async function* (chunks: AsyncIterable<Buffer>) {
            for await (const chunk of chunks) {
              checksum.hash.update(chunk);
              yield chunk;
            }
          },
          staging,
        );
      if (checksum !== undefined && !checksum.hash.digest().equals(checksum.digest)) problem = checksumMismatch();
    } catch (error) {
      problem = error;
    }
    await closed;
    const received = checksum !== undefined && problem !== undefined ? upload.received : staging.synced;
    if (hash !== undefined && staging.isHashed && received === staging.synced)
      keepHash(upload.id, { hash, size: received });
    return { received, problem };
  }

  return {
    ceiling,
    find,
    interrupt,

    /** Creates an upload. `length` is at most the ceiling. Throws 503 if the key has too many, 507 if the disk has no space for it. */
    async create(
      key_id: number,
      given: Pick<ResumableUpload, "length" | "metadata" | "file_name">,
    ): Promise<ResumableUpload> {
      blobs.uploads.begin(key_id, given.length)();
      const id = randomBytes(16).toString("base64url");
      const now = timestamp();
      creating.add(id);
      try {
        closeSync(openSync(fileOf(id), "wx", 0o600));
        syncPath(folder);
        await write(() => {
          if ((countOf(store, { key_id, now }) ?? 0) >= maxUploadsOfKey)
            throw new HttpError(503, `this key has ${maxUploadsOfKey} unused uploads; use some, or delete them`);
          return insertUpload(store, { id, key_id, ...given, now, expires_at: timestamp(lifetime) });
        });
      } catch (error) {
        rmSync(fileOf(id), { force: true });
        throw error;
      } finally {
        creating.delete(id);
      }
      const upload = find(id, key_id) as ResumableUpload; // it was just created
      if (upload.length === 0) await finish(upload);
      return upload;
    },

    /**
     * Appends a part at the offset that the upload had when `upload` was read. What arrived before an error stays and is
     * acknowledged, except in a part with a checksum. Returns the new offset. Throws what ended the part early, 409 if the
     * upload has changed in the meantime, 460 for another checksum, 413 for more bytes than the upload has, 507 if the disk is full.
     */
    async append(upload: ResumableUpload, part: UploadPart, announced: number): Promise<number> {
      if (writing.has(upload.id)) throw new HttpError(409, "another part of this upload is arriving");
      const end = blobs.uploads.begin(upload.key_id, announced);
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      writing.set(upload.id, { source: part.source, ended });
      try {
        const { received, problem } = await stream(upload, part);
        const isComplete = received === upload.length && upload.sha256 === null;
        // To hash a large file takes time, so its bytes are acknowledged before.
        if (received > upload.received && !(isComplete && hashes.has(upload.id)))
          await recordReceived(upload.id, received);
        if (isComplete) await finish({ ...upload, received });
        if (problem !== undefined) throw problem;
        return received;
      } finally {
        writing.delete(upload.id);
        end();
        resolve();
      }
    },

    /** Removes an upload and its bytes. */
    async remove({ id }: Pick<ResumableUpload, "id">): Promise<void> {
      await interrupt(id);
      await write(() => deleteUpload(store, { id }));
      hashes.delete(id);
      await blobs.discard({ file: fileOf(id) });
    },

    /**
     * The bytes of a complete upload of a key, and its file name. An upload that was used is returned as well, so that a repeated
     * request is recognised; `use` refuses it. Throws 422, which names the upload, if it is unknown or incomplete.
     */
    async bytesOf(id: string, key_id: number): Promise<{ staged: Staged; file_name: string | null }> {
      const upload = find(id, key_id);
      if (upload === undefined) throw unprocessable(`the upload ${quoted(id)} does not exist or has expired`);
      const { length, received, sha256, content_type, file_name } = upload;
      if (received < length)
        throw unprocessable(`the upload ${quoted(id)} is incomplete: it has ${received} of ${length} bytes`);
      if (sha256 === null || content_type === null) return { staged: await finish(upload), file_name };
      return { staged: { file: fileOf(id), sha256, size: length, content_type }, file_name };
    },

    /**
     * Reserves an upload for a request, which is named by any object of its own. Throws 422, which names the upload, if it was used,
     * and 409 if another request is using it.
     */
    claim(id: string, key_id: number, owner: object): void {
      if (find(id, key_id)?.used_at !== null) throw unprocessable(`the upload ${quoted(id)} was already used`);
      if (claims.has(id)) throw conflict(`another request is using the upload ${quoted(id)}`);
      claims.set(id, owner);
    },

    /** Marks an upload as used, within the write transaction that stores its bytes. Throws 422 if it was used before. */
    use(id: string, key_id: number): void {
      if (markUsed(store, { id, key_id, now: timestamp() }).changes === 0)
        throw unprocessable(`the upload ${quoted(id)} was already used`);
    },

    /** Ends the claim of a request, if it has one: removes the bytes of an upload that it used, and keeps the others. */
    async release(id: string, key_id: number, owner: object): Promise<void> {
      if (claims.get(id) !== owner) return;
      claims.delete(id);
      const isUsed = find(id, key_id)?.used_at !== null;
      await (isUsed ? blobs.discard({ file: fileOf(id) }) : blobs.release({ file: fileOf(id) }));
    },

    /**
     * Removes expired uploads and rows without their bytes. Moves bytes that no row names to found/, and returns how many files. Within
     * a write transaction.
     */
    sweep(): { moved: number } {
      const now = timestamp();
      const kept = new Set([...creating, ...writing.keys(), ...claims.keys()]);
      const ended = new Set<string>();
      for (const { id, received, used_at, expires_at } of listUploads(store, {})) {
        const isLost = used_at === null && sizeOf(fileOf(id)) < received;
        if ((expires_at <= now || isLost) && !kept.has(id)) deleteUpload(store, { id });
        else if (used_at === null) kept.add(id);
        ended.add(id);
      }
      let moved = 0;
      for (const name of readdirSync(folder)) {
        const id = name.slice(resumablePrefix.length);
        if (!name.startsWith(resumablePrefix) || kept.has(id)) continue;
        if (ended.has(id) || sizeOf(join(folder, name)) === 0) rmSync(join(folder, name), { force: true });
        else {
          moveToFoundFolder(dirname(dirname(folder)), join(basename(folder), name)); // no row says that it ended
          moved++;
        }
      }
      return { moved };
    },
  };
}
