// Reads multipart bodies: fields as text, and files streamed to the staging folder while they are hashed.
import type { IncomingMessage } from "node:http";
import { finished } from "node:stream/promises";
import { formFields } from "../../body_limits.ts";
import { type HttpError, maxFiles, tooLarge, tooManyFiles, unprocessable } from "../../errors.ts";
import { Upload } from "../../inputs.ts";
import type { Staging } from "../../store/blobs.ts";
import { requestTurn } from "../../store/turn.ts";
import { acceptBody, incompleteBody } from "./body.ts";
import { drain } from "./body_timeouts.ts";
import { type FormPart, formParts } from "./multipart_parts.ts";
import type { RequestFiles } from "./request_files.ts";

const maxFields = 100;
/** Bytes for the boundaries, headers and fields of a form whose body has a limit. */
const formOverhead = 1 << 16;

/** The content of a form: its text fields in their order, and the files by field name. */
export interface ReceivedForm {
  fields: [name: string, text: string][];
  files: Map<string, Upload[]>;
}

/** The boundary in a Content-Type. Throws 422 unless it is multipart/form-data with a boundary. */
function boundaryOf(type: string): string {
  if (!/^multipart\/form-data\b/i.test(type)) throw unprocessable("the body must be multipart/form-data");
  // RFC 2046 allows 70 characters.
  const [, quoted, plain] = /boundary=(?:"([^"]{1,200})"|([^;]{1,200})(?:;|$))/i.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined)
    throw unprocessable("the body's Content-Type must have a boundary of at most 200 characters");
  return boundary;
}

/** The chunks of a body. Throws `overLimit` for more than `limit` bytes, 400 if the body is incomplete. */
async function* chunksOf(req: IncomingMessage, limit: number, overLimit: () => HttpError): AsyncGenerator<Buffer> {
  acceptBody(req);
  const chunks = req.iterator({ destroyOnReturn: false }); // a refused body is read on
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await chunks.next().catch(() => {
        throw incompleteBody();
      });
      if (done === true) return;
      size += value.length;
      if (size > limit) throw overLimit();
      yield value;
    }
  } finally {
    await chunks.return?.();
  }
}

/** Reads the texts of a form's fields. Throws 413 if they are too many or too large together. */
function openFields() {
  const fields: ReceivedForm["fields"] = [];
  let size = 0;
  const tooMuch = () => tooLarge(`a form must have at most ${maxFields} fields of ${formFields} bytes in total`);
  async function add({ name, content }: FormPart): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const bytes of content) {
      size += bytes.length;
      if (size > formFields) throw tooMuch();
      chunks.push(bytes);
    }
    if (fields.push([name, Buffer.concat(chunks).toString()]) > maxFields) throw tooMuch();
  }
  return { fields, add };
}

/** Writes the content of a file, which is hashed and synced while the next parts are read. */
async function write(staging: Staging, content: FormPart["content"]): Promise<void> {
  for await (const bytes of content)
    await new Promise<void>((resolve, reject) => staging.write(bytes, (error) => (error ? reject(error) : resolve())));
  staging.end();
}

export interface FormOptions {
  /** The most bytes of all files together, and of the body with an allowance for the form itself; by default each file has one. */
  limit?: number | undefined;
  /** Called with the fields before each file and at the end. Throws if the form is refused. */
  check?: (fields: ReceivedForm["fields"]) => void;
}

interface ReceivedFile {
  name: string;
  file_name: string;
  staging: Staging;
  done: Promise<void>;
}

/**
 * Reads a multipart body, whose files the caller ends. Throws what `check` throws, 422 if the body is not a form, 413 over a limit, 503 if
 * too many uploads are in progress, 507 if the disk is full, 400 if the body is incomplete.
 */
export async function readMultipart(
  req: IncomingMessage,
  staged: RequestFiles,
  { limit, check = () => {} }: FormOptions = {},
): Promise<ReceivedForm> {
  const boundary = boundaryOf(req.headers["content-type"] ?? "");
  if (req.destroyed) throw incompleteBody();
  const bodyLimit = limit === undefined ? Number.POSITIVE_INFINITY : limit + formOverhead;
  const overLimit = () => tooLarge(`the body must have at most ${bodyLimit} bytes`);
  const announced = Number(req.headers["content-length"] ?? 0);
  if (announced > bodyLimit) throw overLimit();
  const chunks = chunksOf(req, bodyLimit, overLimit);
  const { fields, add } = openFields();
  const files: ReceivedFile[] = [];
  async function read(): Promise<void> {
    for await (const part of formParts(chunks, boundary)) {
      const { name, file_name, content } = part;
      while (requestTurn.isOver) await requestTurn.next(staged.key_id);
      if (file_name === null) {
        await add(part);
        continue;
      }
      check(fields);
      if (files.length === maxFiles) throw tooManyFiles();
      const staging = staged.open(limit);
      const done = finished(staging);
      done.catch(() => {}); // it is awaited after the last part
      files.push({ name, file_name, staging, done });
      await write(staging, content);
    }
    for await (const _ of chunks); // what follows the last part
    check(fields);
    await Promise.all(files.map(({ done }) => done));
  }
  try {
    await staged.receive(announced, read);
  } catch (error) {
    drain(req); // the response may be a page that is sent like any other
    throw files.find(({ staging }) => staging.errored !== null)?.staging.errored ?? error; // it says more than the write after it
  } finally {
    await chunks.return(undefined);
  }
  return { fields, files: uploadsOf(files) };
}

/** Groups the files by field name. */
function uploadsOf(files: readonly ReceivedFile[]): ReceivedForm["files"] {
  const byName = new Map<string, Upload[]>();
  for (const { name, file_name, staging } of files) {
    const staged = staging.staged();
    if (file_name === "" && staged.size === 0) continue; // a browser sends this if no file was chosen
    const uploads = byName.get(name) ?? [];
    uploads.push(new Upload(file_name, staged));
    byName.set(name, uploads);
  }
  return byName;
}
