// What the uploads keep for an open application, and how a request uses a finished upload.
import type { App } from "../../core/context.ts";
import { stateOf } from "../../core/feature_state.ts";
import { Upload } from "../../core/inputs.ts";
import { openResumableUploads } from "./resumable_uploads.ts";

/** The resumable uploads of an application. */
export const resumableOf = stateOf(({ blobs, store, config, settled }: App) =>
  openResumableUploads(blobs.staging, store, blobs, {
    ceiling: config.upload_limit,
    reserve: config.disk_reserve,
    clock: settled.now,
  }),
);

/** The file of a finished upload of a key, with its own name by default. Throws 422 if the upload is unknown or incomplete. */
export async function findUpload(app: App, id: string, key_id: number, name: string | undefined): Promise<Upload> {
  const resumable = resumableOf(app);
  const { staged, file_name } = await resumable.bytesOf(id, key_id);
  const owner = {}; // identifies the request
  return new Upload(name ?? file_name, staged, {
    id,
    claim: () => resumable.claim(id, key_id, owner),
    use: () => resumable.use(id, key_id),
    release: () => resumable.release(id, key_id, owner),
  });
}
