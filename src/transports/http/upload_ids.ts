// Finds the files that a request names by the ids of finished resumable uploads.
import * as v from "valibot";
import { maxFiles, unprocessable } from "../../errors.ts";
import { detailOf, list, text, Upload, upload } from "../../inputs.ts";
import type { Operation } from "../../operations/operation.ts";
import type { RequestContext } from "./request_context.ts";

/** The field of a JSON body that names the uploads. */
export const uploadIdsField = "upload_ids";

/** The field of an operation that takes files, and how many it takes; undefined if a JSON body does not name uploads. */
export function uploadField({ input, files_in_json }: Operation): { name: string; max: number } | undefined {
  if (files_in_json !== "upload_ids") return undefined;
  for (const [name, schema] of Object.entries(input.entries)) {
    if (schema === upload) return { name, max: 1 };
    if ("item" in schema && schema.item === upload) return { name, max: maxFiles };
  }
  throw new Error("an operation whose files are upload_ids in JSON has no file");
}

/** The files of the uploads `ids` of a key. Throws 422 for an upload that is named twice, is unknown or is incomplete. */
export async function filesOf(
  { app, credentials }: Pick<RequestContext, "app" | "credentials">,
  ids: readonly string[],
): Promise<Upload[]> {
  const key_id = credentials.key_id ?? 0;
  const files: Upload[] = [];
  for (const [at, id] of ids.entries()) {
    if (ids.indexOf(id) < at) throw unprocessable(`${uploadIdsField} must name each upload once: ${id.slice(0, 64)}`);
    const { staged, file_name } = await app.resumable.bytesOf(id, key_id);
    files.push(new Upload(file_name, staged, id));
  }
  return files;
}

const idsOf = (max: number) =>
  v.object({
    [uploadIdsField]: v.pipe(list(text(200), max), v.minLength(1, "must have at least one upload")),
  });

/** The file or the files of a JSON body for the operation's field. Throws 422 for anything that is not a list of upload ids. */
export async function filesInJson(
  ctx: Pick<RequestContext, "app" | "credentials">,
  max: number,
  fields: Readonly<Record<string, unknown>>,
): Promise<Upload[]> {
  if (fields[uploadIdsField] === undefined)
    throw unprocessable(`${uploadIdsField} is required in a JSON body; files are sent as multipart/form-data`);
  const given = v.safeParse(idsOf(max), fields);
  if (!given.success) throw unprocessable(detailOf(given.issues));
  return filesOf(ctx, given.output[uploadIdsField] as string[]);
}

/** Call this after the request, with its fields: removes the bytes of the resumable uploads that it used, and keeps the others. */
export async function releaseUploads(
  { app, credentials }: Pick<RequestContext, "app" | "credentials">,
  fields: object,
): Promise<void> {
  for (const field of Object.values(fields).flat())
    if (field instanceof Upload && field.upload_id !== undefined)
      await app.resumable.release(field.upload_id, credentials.key_id ?? 0, field);
}
