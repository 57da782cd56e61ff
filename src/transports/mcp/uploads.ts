// Stages the files that are base64 in a tool's arguments: decodes them piece by piece while they are hashed.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type * as v from "valibot";
import type { Context } from "../../context.ts";
import { maxFiles, tooManyFiles } from "../../errors.ts";
import { Upload, upload } from "../../inputs.ts";
import type { Operation } from "../../operations.ts";
import { decodeBase64 } from "../http/body.ts";
import { filesOf, releaseUploads } from "../http/upload_ids.ts";
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

/** Estimates the size in bytes of what is base64, before it is decoded. */
const bytesOf = (base64: unknown): number => (typeof base64 === "string" ? Math.floor((base64.length * 3) / 4) : 0);

const announcedBytes = (files: readonly unknown[]): number =>
  files.reduce<number>((sum, file) => sum + bytesOf(isObject(file) ? file.content_base64 : undefined), 0);

const isUploadList = (schema: v.GenericSchema & { item?: unknown }): boolean => schema.item === upload;

/**
 * Stages the files in `given` and calls `use` with the fields, in which the staged files replace the given ones. Afterwards
 * removes the staged files that `use` did not store. Throws a ProtocolError for a malformed file, 413 for too many files or a file
 * over the size limit, 503 if too many uploads are in progress, 507 if the disk is full.
 */
export async function withUploads<T>(
  { app, caller: { key_id } }: Context,
  row: Operation,
  given: Fields,
  use: (fields: Fields) => Promise<T>,
): Promise<T> {
  const { blobs } = app;
  const owner = { app, credentials: { authorization: undefined, key_id } };
  const takesObjects = row.files_in_json === "upload_ids";
  const staged: string[] = [];
  const fields: Record<string, unknown> = { ...given };
  const ends: (() => void)[] = [];
  async function stage(file_name: string | null, base64: string, place: string): Promise<Upload> {
    const staging = blobs.stage(row.body_limit);
    staged.push(staging.file);
    await pipeline(Readable.from(decoded(base64, place)), staging);
    return new Upload(file_name, staging.staged());
  }
  async function find({ upload_id, filename }: Fields, place: string): Promise<Upload> {
    if (typeof upload_id !== "string") throw new ProtocolError(invalidParams, `${place}.upload_id must be text`);
    if (filename !== undefined && typeof filename !== "string")
      throw new ProtocolError(invalidParams, `${place}.filename must be text`);
    const [found] = (await filesOf(owner, [upload_id])) as [Upload]; // one for each id
    return filename === undefined ? found : new Upload(filename, found.staged, upload_id);
  }
  async function receive(file: unknown, place: string): Promise<Upload> {
    if (!isObject(file)) throw new ProtocolError(invalidParams, `${place} must be an object`);
    if (takesObjects && file.upload_id !== undefined) return find(file, place);
    for (const field of ["filename", "content_base64"] as const)
      if (typeof file[field] !== "string") throw new ProtocolError(invalidParams, `${place}.${field} must be text`);
    return stage(file.filename as string, file.content_base64 as string, `${place}.content_base64`);
  }
  try {
    for (const [name, schema] of Object.entries(row.input.entries)) {
      const files = given[name];
      if (schema === upload && !takesObjects && typeof files === "string") {
        ends.push(blobs.uploads.begin(key_id, bytesOf(files)));
        fields[name] = await stage(null, files, name);
      } else if (schema === upload && takesObjects && isObject(files)) {
        ends.push(blobs.uploads.begin(key_id, announcedBytes([files])));
        fields[name] = await receive(files, name);
      } else if (isUploadList(schema as v.GenericSchema) && Array.isArray(files)) {
        if (files.length > maxFiles) throw tooManyFiles();
        ends.push(blobs.uploads.begin(key_id, announcedBytes(files)));
        const received: Upload[] = [];
        for (const [at, file] of files.entries()) received.push(await receive(file, `${name}[${at}]`));
        fields[name] = received;
      }
    }
    return await use(fields);
  } finally {
    for (const end of ends) end();
    await releaseUploads(owner, fields);
    await Promise.all(staged.map((file) => blobs.discard({ file })));
  }
}
