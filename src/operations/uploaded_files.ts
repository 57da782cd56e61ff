// Stores the uploaded files of a request. A finished resumable upload can be used once.
import type { Context } from "../context.ts";
import type { Upload } from "../inputs.ts";

/**
 * Prepares the bytes before the transaction. Throws 422, which names the upload, for a resumable upload that was used, and 409 if
 * another request is using it. The transport ends the claims.
 */
export async function prepareFiles({ app, caller }: Context, files: readonly Upload[]): Promise<void> {
  for (const file of files) if (file.upload_id !== undefined) app.resumable.claim(file.upload_id, caller.key_id, file);
  await app.blobs.prepare(files.map(({ staged }) => staged));
}

/** Marks resumable uploads as used, within the transaction that stores them. Throws 422 if another request was faster. */
export function useFiles({ app, caller }: Context, files: readonly Upload[]): void {
  for (const { upload_id } of files) if (upload_id !== undefined) app.resumable.use(upload_id, caller.key_id);
}
