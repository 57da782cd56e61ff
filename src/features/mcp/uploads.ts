// Stages the files that are base64 in a tool's arguments: decodes them piece by piece while they are hashed.

import { maxFiles, tooManyFiles } from "../../core/body_limits.ts";
import type { Context } from "../../core/context.ts";
import { decodeBase64 } from "../../core/http/body.ts";
import { RequestFiles } from "../../core/http/request_files.ts";
import type { Upload } from "../../core/inputs.ts";
import * as input from "../../core/inputs.ts";
import type { Operation } from "../../core/operation.ts";
import { asInvalidParams, type Fields, invalidParams, isObject, ProtocolError } from "./messages.ts";

/** In characters. A multiple of four, so that each piece is complete base64. */
const piece = 1 << 18;

/** Yields the bytes of a base64 text. Only its last piece may have padding. */
function* decoded(text: string, place: string): Generator<Buffer> {
  for (let at = 0; at < text.length; at += piece) {
    const part = text.slice(at, at + piece);
    if (at + piece < text.length && part.endsWith("="))
      throw new ProtocolError(invalidParams, `${place} must be base64`);
    yield asInvalidParams(() => decodeBase64(part, place));
  }
}

/** Estimates the size in bytes of base64, before it is decoded. */
const bytesOf = (base64: string): number => Math.floor((base64.length * 3) / 4);

/** Whether a schema is a list of files. */
export const isUploadList = (schema: object): boolean => "item" in schema && schema.item === input.upload;

/**
 * Stages the files in `given` and calls `use` with the fields, in which the staged files replace the given ones.
 * Afterwards removes the staged files that `use` did not store. Throws a ProtocolError for a malformed file, 413 for
 * too many files or a file over the size limit, 503 if too many uploads are in progress, 507 if the disk is full.
 */
export async function withUploads<T>(
  { app, caller: { key_id } }: Context,
  row: Operation,
  given: Fields,
  use: (fields: Fields) => Promise<T>,
): Promise<T> {
  const staged = new RequestFiles(app, key_id);
  const takesObjects = row.files_in_json === "upload_ids";
  const stage = (file_name: string | null, base64: string, place: string): Promise<Upload> =>
    staged.stage(file_name, decoded(base64, place), bytesOf(base64), row.body_limit);
  async function receive(file: unknown, place: string): Promise<Upload> {
    if (!isObject(file)) throw new ProtocolError(invalidParams, `${place} must be an object`);
    const [filename, upload_id, content_base64] = [file.filename, file.upload_id, file.content_base64].map(
      (value) => value ?? undefined,
    );
    const mustBeText = (field: string) => new ProtocolError(invalidParams, `${place}.${field} must be text`);
    if (takesObjects && upload_id !== undefined) {
      if (typeof upload_id !== "string") throw mustBeText("upload_id");
      if (filename !== undefined && typeof filename !== "string") throw mustBeText("filename");
      return staged.find(upload_id, filename);
    }
    if (typeof filename !== "string") throw mustBeText("filename");
    if (typeof content_base64 !== "string") throw mustBeText("content_base64");
    return stage(filename, content_base64, `${place}.content_base64`);
  }
  try {
    const fields: Record<string, unknown> = { ...given };
    for (const [name, schema] of Object.entries(row.input.entries)) {
      const files = given[name];
      if (schema === input.upload && !takesObjects && typeof files === "string")
        fields[name] = await stage(null, files, name);
      else if (schema === input.upload && takesObjects && isObject(files)) fields[name] = await receive(files, name);
      else if (isUploadList(schema) && Array.isArray(files)) {
        if (files.length > maxFiles) throw tooManyFiles();
        const received: Upload[] = [];
        for (const [at, file] of files.entries()) received.push(await receive(file, `${name}[${at}]`));
        fields[name] = received;
      }
    }
    if (row.item_files !== undefined)
      Object.assign(fields, await staged.numbered(row.item_files, given[row.item_files]));
    return await use(fields);
  } finally {
    await staged.end();
  }
}
