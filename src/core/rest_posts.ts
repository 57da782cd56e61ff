// Runs the POST requests of the REST API: reads the fields of the operation from the body, stages the files in it, and
// gives a repeated request the answer of the first.
import { attemptOf } from "./attempts.ts";
import { jsonBody } from "./body_limits.ts";
import type { Context } from "./context.ts";
import { errorOf, unprocessable } from "./errors.ts";
import { decodeBase64, jsonObjectOf, readBody, readBodyAs } from "./http/body.ts";
import { fieldsOf, takesSeveral } from "./http/coercion.ts";
import { nameIgnoredFields } from "./http/ignored_parameters.ts";
import type { ReceivedForm } from "./http/multipart.ts";
import type { RequestContext } from "./http/request_context.ts";
import { RequestFiles, uploadField, uploadIdsField } from "./http/request_files.ts";
import { type Upload, upload, validate } from "./inputs.ts";
import { parseJson } from "./json.ts";
import { requestTurn } from "./limits.ts";
import type { Operation } from "./operation.ts";
import { perform } from "./pipeline.ts";
import type { OperationResult } from "./rest.ts";

/** A POST while its body is read. */
interface Post {
  ctx: RequestContext;
  operation: Operation;
  /** The fields of the path. */
  path: object;
  staged: RequestFiles;
}

/** The names of fields that a body of the operation may have. */
const fieldNames = ({ input, item_files }: Operation): string[] => [
  ...Object.keys(input.entries),
  uploadIdsField,
  ...(item_files === undefined ? [] : ["files"]),
];

/** The field of the files that a body names as resumable uploads; none if the operation takes no such files. */
async function namedFiles(operation: Operation, fields: Readonly<Record<string, unknown>>, staged: RequestFiles) {
  const field = uploadField(operation);
  if (field === undefined) return {};
  const files = await staged.findNamed(field.max, fields);
  return { [field.name]: field.max === 1 ? files[0] : files };
}

/** The list of a form whose items name its files, which is JSON. */
async function numberedInForm(staged: RequestFiles, field: string, { fields, files }: ReceivedForm) {
  const [, text] = fields.findLast(([name]) => name === field) ?? [];
  if (text === undefined) throw unprocessable(`${field} is required, as JSON text`);
  let items: unknown;
  try {
    items = parseJson(text);
  } catch (error) {
    throw unprocessable(`${field} must be JSON text: ${errorOf(error).message}`);
  }
  return staged.numbered(field, items, files.get("files"));
}

/** Reads the fields of a multipart body. */
async function readForm({ ctx, operation, staged }: Post) {
  const { input, body_limit, item_files } = operation;
  const { readMultipart } = await import("./http/multipart.ts");
  const limit = item_files === undefined ? body_limit : ctx.app.config.upload_limit;
  const form = await readMultipart(ctx.req, staged, { limit });
  const names = [...form.fields.map(([name]) => name), ...form.files.keys()];
  nameIgnoredFields(ctx, names, fieldNames(operation));
  const files: Record<string, Upload | Upload[]> = {};
  for (const [name, uploads] of form.files) {
    const schema = input.entries[name];
    const [file] = uploads;
    if (schema === undefined || file === undefined) continue;
    if (uploads.length > 1 && !takesSeveral(schema))
      throw unprocessable(
        `${name} must be one file, not ${uploads.length}: the form has ${uploads.length} parts ${name}`,
      );
    files[name] = takesSeveral(schema) ? uploads : file;
  }
  const filled = form.fields.filter(([, text]) => text !== ""); // a browser also sends the fields that are empty
  const upload_ids = filled.flatMap(([name, text]) => (name === uploadIdsField ? [text] : []));
  const named = upload_ids.length > 0 ? await namedFiles(operation, { upload_ids }, staged) : {};
  const twice = Object.keys(named).find((name) => name in files);
  if (twice !== undefined) throw unprocessable(`${uploadIdsField} must not be given together with ${twice}`);
  const fields = { ...fieldsOf(input, filled), ...files, ...named };
  return item_files === undefined ? fields : { ...fields, ...(await numberedInForm(staged, item_files, form)) };
}

/** Reads the fields of a JSON body. A file in it is base64; or the body names resumable uploads. */
async function readJson({ ctx, operation, staged }: Post) {
  const { input, body_limit, whole_body } = operation;
  const fields = await readBodyAs(ctx, body_limit ?? jsonBody, jsonObjectOf);
  if (whole_body !== undefined) return { [whole_body]: fields };
  nameIgnoredFields(ctx, Object.keys(fields), fieldNames(operation));
  if (operation.item_files !== undefined)
    return { ...fields, ...(await staged.numbered(operation.item_files, fields[operation.item_files])) };
  if (operation.files_in_json === "upload_ids") return { ...fields, ...(await namedFiles(operation, fields, staged)) };
  for (const [name, schema] of Object.entries(input.entries))
    if (schema === upload && typeof fields[name] === "string") {
      const bytes = decodeBase64(fields[name], name);
      fields[name] = await staged.stage(null, [bytes], bytes.length);
    }
  return fields;
}

/** Reads the operation's input from the body, without the fields of the path. */
async function readInput(post: Post): Promise<object> {
  const { ctx, operation, path, staged } = post;
  const { req } = ctx;
  const { body, input } = operation;
  // The body is a list as text/csv: it is taken as a file, and its kind is in the query.
  if (operation.whole_body !== undefined && /^text\/csv\b/i.test(req.headers["content-type"] ?? "")) {
    const bytes = await readBody(ctx, operation.body_limit ?? jsonBody);
    return { files: [await staged.stage("body.csv", [bytes], bytes.length)] };
  }
  const isForm = /^multipart\//i.test(req.headers["content-type"] ?? "");
  if (body === "multipart" || (body === "json or multipart" && isForm)) return readForm(post);
  if (body !== "none" && Object.keys(input.entries).some((name) => !(name in path))) return readJson(post);
  await readBody(ctx, jsonBody);
  return {};
}

/** The fields of a POST that its query gives. */
function queryFields({ query }: RequestContext, { query: names, input }: Operation): object {
  if (names === undefined) return {};
  return fieldsOf(
    input,
    [...new URLSearchParams(query)].filter(([name]) => names.includes(name)),
  );
}

/**
 * Runs a POST whose path is authorized. `replayed`: its result is the stored answer of an earlier attempt. Staged files
 * that the operation did not store are discarded.
 */
export async function runPost(
  ctx: RequestContext,
  context: Context,
  operation: Operation,
  path: object,
): Promise<{ result: OperationResult; replayed: boolean }> {
  const attempt = await attemptOf(context, operation, ctx.req.headers["idempotency-key"]?.toString());
  const staged = new RequestFiles(ctx.app, ctx.credentials.key_id);
  try {
    const read = await readInput({ ctx, operation, path, staged });
    const given = { ...read, ...queryFields(ctx, operation), ...path };
    while (requestTurn.isOver) await requestTurn.next(context.caller.key_id);
    const result = await perform(context, operation, validate(operation.input, given), attempt);
    return { result, replayed: attempt?.replayed === true };
  } finally {
    attempt?.end();
    await staged.end();
  }
}
