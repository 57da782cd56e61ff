// The files of one request: staged while they arrive, or brought by finished resumable uploads, which a JSON body
// names.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import * as v from "valibot";
import { needKey } from "../access/callers.ts";
import { maxFiles, refuseEmpty } from "../body_limits.ts";
import type { App } from "../context.ts";
import { unprocessable } from "../errors.ts";
import { contribution } from "../features.ts";
import type { KeyId } from "../ids.ts";
import { detailOf, list, text, Upload, upload } from "../inputs.ts";
import type { Operation } from "../operation.ts";
import type { Staging } from "../store/blobs.ts";

/** The field of a JSON body that names the uploads. */
export const uploadIdsField = "upload_ids";

/**
 * The field of an operation that takes files, and how many it takes; undefined if a JSON body does not name uploads.
 */
export function uploadField({ input, files_in_json }: Operation): { name: string; max: number } | undefined {
  if (files_in_json !== "upload_ids") return undefined;
  for (const [name, schema] of Object.entries(input.entries)) {
    if (schema === upload) return { name, max: 1 };
    if ("item" in schema && schema.item === upload) return { name, max: maxFiles };
  }
  throw new Error("an operation whose files are upload_ids in JSON has no file");
}

const idsOf = (max: number) =>
  v.object({ upload_ids: v.pipe(list(text(200), max), v.minLength(1, "must have at least one upload")) });

/** The module of the feature that keeps uploads which arrive before the request that uses them. */
/** The file of a finished upload of a key. Throws 422 if the upload is unknown or incomplete. */
export type FindUpload = (app: App, id: string, key_id: KeyId, name: string | undefined) => Promise<Upload>;

/** Resolves once a staged file is closed, because only then it can be removed. */
const closed = (staging: Staging): Promise<void> =>
  new Promise((resolve) => {
    if (staging.closed) return resolve();
    staging.once("close", resolve);
    staging.destroy();
  });

/** The files of a request. Call `end` once it is answered. */
export class RequestFiles {
  readonly #app: App;
  /** The key whose limits count, and whose resumable uploads can be used; null if there is none. */
  readonly key_id: KeyId | null;
  readonly #staged: Staging[] = [];
  readonly #uploads: Upload[] = [];

  constructor(app: App, key_id: KeyId | null = null) {
    this.#app = app;
    this.key_id = key_id;
  }

  /** A stream that stages a file of at most `max` bytes; the configured ceiling by default. */
  open(max?: number): Staging {
    const staging = this.#app.blobs.stage(max);
    this.#staged.push(staging);
    return staging;
  }

  /**
   * Runs `work`, during which a body of `announced` bytes arrives. Throws 503 if too many uploads are in progress, 507
   * if the disk is full.
   */
  async receive<T>(announced: number, work: () => Promise<T>): Promise<T> {
    const end = this.#app.blobs.uploads.begin(this.key_id, announced);
    try {
      return await work();
    } finally {
      end();
    }
  }

  /** Stages bytes that have been received. Throws as `receive`. */
  stage(file_name: string | null, pieces: Iterable<Buffer>, size: number, max?: number): Promise<Upload> {
    return this.receive(size, async () => {
      const staging = this.open(max);
      await pipeline(Readable.from(pieces), staging);
      refuseEmpty(file_name, staging.staged().size);
      return new Upload(file_name, staging.staged());
    });
  }

  /**
   * The file of a finished resumable upload, with its own name by default. Throws 422 if the upload is unknown or
   * incomplete.
   */
  async find(id: string, name?: string): Promise<Upload> {
    const source = contribution("uploads");
    if (source === undefined)
      throw unprocessable("this server takes no resumable uploads; send the files as multipart/form-data");
    const { findUpload } = await source();
    const found = await findUpload(this.#app, id, needKey(this.key_id), name);
    this.#uploads.push(found);
    refuseEmpty(found.file_name, found.staged.size);
    return found;
  }

  /** The files of several uploads. Throws as `find`, and 422 for an upload that is named twice. */
  async findAll(ids: readonly string[]): Promise<Upload[]> {
    const found: Upload[] = [];
    for (const [at, id] of ids.entries()) {
      if (ids.indexOf(id) < at) throw unprocessable(`${uploadIdsField} must name each upload once: ${id.slice(0, 64)}`);
      found.push(await this.find(id));
    }
    return found;
  }

  /** The files that a JSON body names, at most `max`. Throws 422 for anything that is not a list of upload ids. */
  async findNamed(max: number, fields: Readonly<Record<string, unknown>>): Promise<Upload[]> {
    if (fields[uploadIdsField] === undefined)
      throw unprocessable(`${uploadIdsField} is required in a JSON body; files are sent as multipart/form-data`);
    const given = v.safeParse(idsOf(max), fields);
    if (!given.success) throw unprocessable(detailOf(given.issues));
    return this.findAll(given.output.upload_ids);
  }

  /**
   * The items of a list that name resumable uploads, with the numbers of their files in place of the ids, and the
   * files, which follow those of a form. What is no list of objects stays as it is.
   */
  async numbered(field: string, items: unknown, sent: readonly Upload[] = []): Promise<Record<string, unknown>> {
    const files = [...sent];
    if (!Array.isArray(items) || items.length > maxFiles) return { [field]: items, files };
    const ids = new Map<string, number>();
    const numbered: unknown[] = [];
    for (const [at, item] of items.entries()) {
      const { upload_id, ...rest }: { upload_id?: unknown; file?: unknown } = Object(item) ?? {};
      if (typeof upload_id !== "string") {
        numbered.push(item);
        continue;
      }
      const place = `${field}[${at}]`;
      if (rest.file !== undefined && rest.file !== null)
        throw unprocessable(`${place} must have upload_id or file, not both`);
      const other = ids.get(upload_id);
      if (other !== undefined) throw unprocessable(`${place} has the same upload_id as ${field}[${other}]`);
      ids.set(upload_id, at);
      numbered.push({ ...rest, file: files.push(await this.find(upload_id)) - 1 });
    }
    return { [field]: numbered, files };
  }

  /**
   * Call this after the request: removes what it staged and the bytes of the uploads that it used, and keeps the other
   * uploads.
   */
  async end(): Promise<void> {
    const { blobs } = this.#app;
    for (const { earlier } of this.#uploads) await earlier?.release();
    await Promise.all(this.#staged.map((staging) => closed(staging).then(() => blobs.discard(staging))));
  }
}
