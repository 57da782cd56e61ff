// What the uploads keep for an open application, and how a request uses a finished upload.
import type { App } from "../../core/context.ts";
import { conflict, unprocessable } from "../../core/errors.ts";
import { stateOf } from "../../core/features.ts";
import type { KeyId } from "../../core/ids.ts";
import { Upload } from "../../core/inputs.ts";
import { headOf, sniff } from "../../core/store/media_types.ts";
import type { Staged } from "../../core/store/staging.ts";
import { change } from "../../core/store/statements.ts";
import { settledClockOf } from "../clock/settled_clock.ts";
import {
  fileOf,
  finish,
  nowOf,
  openResumableUploads,
  type ResumableUploads,
  storedUpload,
} from "./resumable_uploads.ts";

/** The resumable uploads of an application. */
export const resumableOf = stateOf((app) => {
  const { blobs, store, config } = app;
  const settled = settledClockOf(app);
  return openResumableUploads({
    store,
    blobs,
    ceiling: config.upload_limit,
    reserve: config.disk_reserve,
    clock: () => settled.now(),
  });
});

const markUsed = change("use_upload");
const quoted = (id: string): string => JSON.stringify(id.length > 64 ? `${id.slice(0, 64)}…` : id);
const alreadyUsed = (id: string) => unprocessable(`the upload ${quoted(id)} was already used`);

/**
 * The bytes of a complete upload of a key, and its file name. An upload that was used is returned as well, so that a
 * repeated request is recognised; `use` refuses it. Throws 422, which names the upload, if it is unknown or incomplete.
 */
async function bytesOf(
  uploads: ResumableUploads,
  id: string,
  key_id: KeyId,
): Promise<{ staged: Staged; file_name: string | null }> {
  const upload = storedUpload(uploads, id, key_id);
  if (upload === undefined) throw unprocessable(`the upload ${quoted(id)} does not exist or has expired`);
  const { length, received, sha256, content_type, file_name, used_at } = upload;
  if (received < length)
    throw unprocessable(`the upload ${quoted(id)} is incomplete: it has ${received} of ${length} bytes`);
  if (sha256 === null || content_type === null) return { staged: await finish(uploads, upload), file_name };
  const file = fileOf(uploads, id);
  const type = used_at === null ? sniff(headOf(file)) : content_type; // an older version may have received it
  return { staged: { file, sha256, size: length, content_type: type }, file_name };
}

/**
 * Reserves an upload for a request, which is named by any object of its own. Throws 422, which names the upload, if it
 * was used, and 409 if another request is using it.
 */
function claim(uploads: ResumableUploads, id: string, key_id: KeyId, request: object): void {
  if (storedUpload(uploads, id, key_id)?.used_at !== null) throw alreadyUsed(id);
  if (uploads.claims.has(id)) throw conflict(`another request is using the upload ${quoted(id)}`);
  uploads.claims.set(id, request);
}

/** Marks an upload as used, within the write transaction that stores its bytes. Throws 422 if it was used before. */
function use(uploads: ResumableUploads, id: string, key_id: KeyId): void {
  if (markUsed(uploads.store, { id, key_id, now: nowOf(uploads) }).changes === 0) throw alreadyUsed(id);
}

/** Ends the claim of a request, if it has one: removes the bytes of an upload that it used, and keeps the others. */
async function release(uploads: ResumableUploads, id: string, key_id: KeyId, request: object): Promise<void> {
  const { blobs, claims } = uploads;
  if (claims.get(id) !== request) return;
  claims.delete(id);
  const file = fileOf(uploads, id);
  const isUsed = storedUpload(uploads, id, key_id)?.used_at !== null;
  await (isUsed ? blobs.discard({ file }) : blobs.release({ file }));
}

/**
 * The file of a finished upload of a key, with its own name by default. Throws 422 if the upload is unknown or
 * incomplete.
 */
export async function findUpload(app: App, id: string, key_id: KeyId, name: string | undefined): Promise<Upload> {
  const uploads = resumableOf(app);
  const { staged, file_name } = await bytesOf(uploads, id, key_id);
  const request = {};
  return new Upload(name ?? file_name, staged, {
    id,
    claim: () => claim(uploads, id, key_id, request),
    use: () => use(uploads, id, key_id),
    release: () => release(uploads, id, key_id, request),
  });
}
