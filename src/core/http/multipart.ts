// Reads multipart bodies: fields as text, and files streamed to the staging folder while they are hashed.
import type { IncomingMessage } from "node:http";
import type { Writable } from "node:stream";
import formidable, { errors, multipart } from "formidable";
import { formFields, maxFiles, refuseEmpty, tooManyFiles } from "../body_limits.ts";
import { errorOf, HttpError, httpErrorOf, tooLarge, unprocessable } from "../errors.ts";
import { Upload } from "../inputs.ts";
import { requestTurn } from "../limits.ts";
import type { Staging } from "../store/blobs.ts";
import { acceptBody, incompleteBody } from "./body.ts";
import { drain } from "./connections.ts";
import { namesOfPart } from "./file_names.ts";
import { handlePart, limitParts, removeLines } from "./multipart_limits.ts";
import type { RequestFiles } from "./request_files.ts";

const maxFields = 100;
/** Bytes for the boundaries, headers and fields of a form whose body has a limit. */
const formOverhead = 1 << 16;

/** The content of a form: its text fields in their order, and the files by field name. */
export interface ReceivedForm {
  fields: [name: string, text: string][];
  files: Map<string, Upload[]>;
}

/** The error that a client gets for one of the parser, of a file or of the stream. */
function formError(error: unknown): HttpError {
  const code: unknown = errorOf(error).code; // formidable's codes are numbers
  if (error instanceof HttpError) return error;
  if (code === errors.maxFieldsExceeded || code === errors.maxFieldsSizeExceeded)
    return tooLarge(`a form must have at most ${maxFields} fields of ${formFields} bytes in total`);
  if (code === errors.maxFilesExceeded) return tooManyFiles();
  if (code === errors.aborted) return incompleteBody();
  if (
    code === errors.malformedMultipart ||
    code === errors.missingMultipartBoundary ||
    code === errors.missingContentType ||
    code === errors.unknownTransferEncoding
  )
    return unprocessable("the body is not a well-formed multipart/form-data body");
  return httpErrorOf(error);
}

/** A file of a form: the name of its field, its own name, and where its bytes are written. */
interface ReceivedFile {
  name: string;
  file_name: string | null;
  staging: Staging;
}

/**
 * A form while it is read. `failure` is the first error of a staged file; it is more precise than the parser's error
 * after it.
 */
interface PartialForm {
  files: ReceivedFile[];
  fields: ReceivedForm["fields"];
  failure: unknown;
}

/** What a form is read with. */
interface FormOptions {
  /**
   * The most bytes of the body, without 64 KiB for the form itself; by default, only each file has a limit, the setting
   * upload_limit.
   */
  limit?: number | undefined;
  /** Called with the fields before each file and at the end. Throws if the form is refused. */
  check?: (fields: ReceivedForm["fields"]) => void;
}

/** The parser of a form, which puts what it reads into `partial`. */
function openForm(partial: PartialForm, staged: RequestFiles, { limit, check = () => {} }: FormOptions) {
  let name = "";
  let failed = false;
  const form = formidable({
    maxFields,
    maxFieldsSize: formFields,
    maxFiles,
    maxFileSize: Number.MAX_SAFE_INTEGER, // the staged file enforces the limit
    maxTotalFileSize: Number.MAX_SAFE_INTEGER,
    minFileSize: 0,
    allowEmptyFiles: true,
    // a staged file has its own name, and the default is a hash that takes a quarter of the time of a form
    filename: () => "",
    enabledPlugins: [multipart, limitParts],
    fileWriteStreamHandler: (file): Writable => {
      // as formidable makes it
      const file_name = file && "originalFilename" in file ? (file.originalFilename as string | null) : null;
      const staging = staged.open(limit);
      staging.on("error", (error) => {
        partial.failure ??= error;
      });
      partial.files.push({ name, file_name, staging });
      return staging;
    },
  });
  // A part with a file name is a file: some clients send files without a content type, and fields with one.
  // oxlint-disable-next-line typescript/no-misused-promises -- formidable waits for it, and ends the form with its error; its type does not say so
  form.onPart = async (part) => {
    // the parser is paused until this function is done
    while (requestTurn.isOver) await requestTurn.next(staged.key_id);
    if (failed) return;
    // formidable's own type lacks both
    const encoded: typeof part & { transferEncoding?: string; headers?: Record<string, string> } = part;
    // formidable reads neither filename* nor quotes within a name, and cuts a name at a backslash.
    const { name: field, file_name } = namesOfPart(encoded.headers?.["content-disposition"] ?? "");
    Object.assign(part, { name: field ?? part.name, originalFilename: file_name });
    part.mimetype = part.originalFilename === null ? null : (part.mimetype ?? "application/octet-stream");
    if (encoded.transferEncoding === "base64") removeLines(part);
    // The encoding is removed before the form gets bytes, and formidable would end the process for encoding names that
    // it does not know.
    encoded.transferEncoding = "utf-8";
    try {
      if (part.originalFilename !== null) check(partial.fields);
      await handlePart(form, part);
    } catch (error) {
      form.emit("error", error);
    }
  };
  form.on("error", () => {
    failed = true;
  });
  form.on("field", (field, value) => partial.fields.push([field, value]));
  form.on("fileBegin", (field) => {
    name = field;
  });
  return form;
}

/** Throws 422 unless the Content-Type is multipart/form-data with a boundary. */
function checkType(type: string): void {
  if (!/^multipart\/form-data\b/i.test(type)) throw unprocessable("the body must be multipart/form-data");
  // RFC 2046 allows 70 characters. Without a boundary, the parser would emit its error before there is a listener.
  if (!/boundary=(?:"[^"]{1,200}"|[^;]{1,200}(?:;|$))/i.test(type))
    throw unprocessable("the body's Content-Type must have a boundary of at most 200 characters");
}

/**
 * Reads a multipart body. The caller ends `staged`, which has its files. Throws what `check` throws, 422 if the body is
 * not a form, 413 over a limit, 503 if too many uploads are in progress, 507 if the disk is full, 400 if the body is
 * incomplete.
 */
export async function readMultipart(
  req: IncomingMessage,
  staged: RequestFiles,
  options: FormOptions = {},
): Promise<ReceivedForm> {
  checkType(req.headers["content-type"] ?? "");
  if (req.destroyed) throw incompleteBody();
  const bodyLimit = options.limit === undefined ? Number.POSITIVE_INFINITY : options.limit + formOverhead;
  const overLimit = () => tooLarge(`the body must have at most ${bodyLimit} bytes`);
  const announced = Number(req.headers["content-length"] ?? 0);
  if (announced > bodyLimit) throw overLimit();
  const partial: PartialForm = { files: [], fields: [], failure: undefined };
  const form = openForm(partial, staged, options);
  form.on("progress", (received) => {
    if (received > bodyLimit) form.emit("error", overLimit());
  });
  const broken = () => {
    if (!req.complete) form.emit("error", incompleteBody());
  };
  req.once("close", broken);
  try {
    await staged.receive(announced, async () => {
      acceptBody(req);
      await form.parse(req);
    });
    options.check?.(partial.fields);
  } catch (error) {
    drain(req); // the response may be a page that is sent like any other
    throw formError(partial.failure ?? error);
  } finally {
    req.off("close", broken);
  }
  return { fields: partial.fields, files: uploadsOf(partial.files) };
}

/** Groups the files by field name. */
function uploadsOf(files: readonly ReceivedFile[]): ReceivedForm["files"] {
  const byName = new Map<string, Upload[]>();
  for (const { name, file_name, staging } of files) {
    const staged = staging.staged();
    if (file_name === "" && staged.size === 0) continue; // a browser sends this if no file was chosen
    refuseEmpty(file_name, staged.size);
    const uploads = byName.get(name) ?? [];
    uploads.push(new Upload(file_name, staged));
    byName.set(name, uploads);
  }
  return byName;
}
