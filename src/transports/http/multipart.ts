// Multipart bodies: fields as text, files streamed to the staging folder while they are hashed.
import type { IncomingMessage } from "node:http";
import type { Writable } from "node:stream";
import formidable, { errors, multipart } from "formidable";
import { HttpError, httpErrorOf, maxFiles, tooLarge, tooManyFiles, unprocessable } from "../../errors.ts";
import { Upload } from "../../inputs.ts";
import type { Blobs, Staging } from "../../store/blobs.ts";
import { welcomeBody } from "./body.ts";
import { limitParts } from "./multipart_limits.ts";
import { handlePart } from "./multipart_parser.ts";

const maxFields = 100;
const maxFieldsSize = 1 << 20;
/** Boundaries, headers and fields of a form whose body is bounded. */
const formOverhead = 1 << 16;

/** What a form held: every text field as it came, and the files of each name. */
export interface Form {
  fields: [name: string, text: string][];
  files: Map<string, Upload[]>;
}

function formError(error: unknown): HttpError {
  const code = (error as { code?: unknown }).code;
  if (error instanceof HttpError) return error;
  if (code === errors.maxFieldsExceeded || code === errors.maxFieldsSizeExceeded)
    return tooLarge(`a form must have at most ${maxFields} fields of ${maxFieldsSize} bytes together`);
  if (code === errors.maxFilesExceeded) return tooManyFiles();
  if (code === errors.aborted) return new HttpError(400, "the body did not arrive whole");
  if (
    code === errors.malformedMultipart ||
    code === errors.missingMultipartBoundary ||
    code === errors.missingContentType ||
    code === errors.unknownTransferEncoding
  )
    return unprocessable("the body is not a well-formed multipart/form-data body");
  return httpErrorOf(error);
}

/** Ends a file that will not be kept; answers once its handle is closed, so that it can be removed for good. */
const closed = (staging: Staging): Promise<void> =>
  new Promise((resolve) => {
    if (staging.closed) return resolve();
    staging.once("close", resolve);
    staging.destroy();
  });

interface ReceivedFile {
  name: string;
  file_name: string | null;
  staging: Staging;
}

/** What comes of a form as it is read. `failure` is the staging's own reason, which says more than the parser's. */
interface Receiving {
  files: ReceivedFile[];
  fields: Form["fields"];
  failure: unknown;
}

function openForm(receiving: Receiving, stage: () => Staging) {
  let name = "";
  let failed = false;
  const form = formidable({
    maxFields,
    maxFieldsSize,
    maxFiles,
    maxFileSize: Number.MAX_SAFE_INTEGER, // the staging has the ceiling
    maxTotalFileSize: Number.MAX_SAFE_INTEGER,
    minFileSize: 0,
    allowEmptyFiles: true,
    enabledPlugins: [multipart, limitParts],
    fileWriteStreamHandler: (file): Writable => {
      const { originalFilename: file_name } = file as unknown as { originalFilename: string | null };
      const staging = stage();
      staging.on("error", (error) => {
        receiving.failure ??= error;
      });
      receiving.files.push({ name, file_name, staging });
      return staging;
    },
  });
  // A file is what has a file name: clients send files without a content type, and fields with one.
  form.onPart = async (part) => {
    if (failed) return;
    part.mimetype = part.originalFilename === null ? null : (part.mimetype ?? "application/octet-stream");
    // Undone already; what is left is UTF-8, and other names of encodings would end the process.
    (part as { transferEncoding?: string }).transferEncoding = "utf-8";
    try {
      await handlePart(form, part);
    } catch (error) {
      form.emit("error", error);
    }
  };
  form.on("error", () => {
    failed = true;
  });
  form.on("field", (field, value) => receiving.fields.push([field, value]));
  form.on("fileBegin", (field) => {
    name = field;
  });
  return form;
}

/** Throws 422 unless the Content-Type is that of a form. */
function checkType(type: string): void {
  if (!/^multipart\/form-data\b/i.test(type)) throw unprocessable("the body must be multipart/form-data");
  // RFC 2046 allows 70 characters. Without one the parser would fail where nobody listens yet.
  if (!/boundary=(?:"[^"]{1,200}"|[^;]{1,200}(?:;|$))/i.test(type))
    throw unprocessable("the body's Content-Type names no boundary of at most 200 characters");
}

/**
 * Reads a multipart body. `keep` is told of every staged file, also where the form is refused later, so that the caller can
 * discard it. `key_id` is the key whose share of the uploads it takes. `limit` bounds each file and, with the form's own bytes beside it, the whole body; without one each file has the
 * configured ceiling. Throws 422 for what is no such form, 413 over a limit, 503 beside too many others, 507 on a full disk,
 * 400 where it broke off.
 */
export async function readMultipart(
  req: IncomingMessage,
  blobs: Blobs,
  key_id: number,
  keep: (file: Staging) => void,
  limit?: number,
): Promise<Form> {
  checkType(req.headers["content-type"] ?? "");
  if (req.destroyed) throw new HttpError(400, "the body did not arrive whole");
  const whole = limit === undefined ? Number.POSITIVE_INFINITY : limit + formOverhead;
  const tooMuch = () => tooLarge(`the body must have at most ${whole} bytes`);
  const announced = Number(req.headers["content-length"] ?? 0);
  if (announced > whole) throw tooMuch();
  const receiving: Receiving = { files: [], fields: [], failure: undefined };
  const form = openForm(receiving, () => {
    const staging = blobs.stage(limit);
    keep(staging);
    return staging;
  });
  form.on("progress", (received) => {
    if (received > whole) form.emit("error", tooMuch());
  });
  const broken = () => {
    if (!req.complete) form.emit("error", new HttpError(400, "the body did not arrive whole"));
  };
  const ended = blobs.uploads.begin(key_id, announced);
  req.once("close", broken);
  try {
    welcomeBody(req);
    await form.parse(req);
  } catch (error) {
    await Promise.all(receiving.files.map(({ staging }) => closed(staging)));
    throw formError(receiving.failure ?? error);
  } finally {
    ended();
    req.off("close", broken);
  }
  return { fields: receiving.fields, files: uploadsOf(receiving.files) };
}

/** The files under the names of their fields. */
function uploadsOf(files: readonly ReceivedFile[]): Form["files"] {
  const byName = new Map<string, Upload[]>();
  for (const { name, file_name, staging } of files) {
    const staged = staging.staged();
    if (file_name === "" && staged.size === 0) continue; // a browser's form in which no file was chosen
    const uploads = byName.get(name) ?? [];
    uploads.push(new Upload(file_name, staged));
    byName.set(name, uploads);
  }
  return byName;
}
