// Describes what the responses of all operations share: headers, errors with their `{detail}` body, and files.
import { file, type Json } from "../../core/input_schemas.ts";

export const headerRef = (name: string): Json => ({ $ref: `#/components/headers/${name}` });
const responseRef = (name: string) => ({ $ref: `#/components/responses/${name}` });

/** The header that names the parameters of a query that an operation does not know. */
export const ignored = "Tallylight-Ignored";

/** The header of every response of a replica. */
const replicaAge = "Tallylight-Replica-Age";

/** A response with headers of components.headers, and with those that are described here. */
export const response = (description: string, headers: readonly string[], content?: Json, own?: Json): Json => ({
  description,
  headers: { ...own, ...Object.fromEntries([...headers, replicaAge].map((name) => [name, headerRef(name)])) },
  ...(content && { content }),
});

/** The status, the name, the header if there is one, and the description of each error. */
const errors = `
400 BadRequest: The request is incomplete or malformed.
401 Unauthorized WWW-Authenticate: The Authorization header is missing or malformed, or the key is unknown, revoked or expired, or its person has left.
403 Forbidden: The key lacks the scope, or is bound to an engagement that does not reach this endpoint, or may not do this here.
404 NotFound: The object does not exist or is outside the key's reach; both cases have the same response.
405 MethodNotAllowed Allow: The path does not support this method.
408 TooSlow: The body did not arrive in time.
409 Conflict: The current state does not allow this; nothing was changed. A frozen production answers every change with it.
410 Gone: The cursor is too old, or from before the database was restored: read the lists again and continue with after=now.
412 PreconditionFailed: The version of the protocol is not supported; Tus-Version names the supported one.
413 TooLarge: The body or a part of it exceeds the limit that the detail names.
415 UnsupportedType: The body's content type is not supported here.
416 RangeNotSatisfiable Content-Range: The range is outside the file.
422 Unprocessable: The input is invalid; the detail names the field. Nothing was stored.
429 TooMany Retry-After: Too many requests or too many wrong keys; try again after Retry-After.
460 ChecksumMismatch: The part does not have its checksum; it was dropped.
500 InternalError: An internal error of the server; the detail does not say more.
502 BadGateway: The provider that this operation uses returned an error.
503 Unavailable Retry-After: Temporarily unavailable, or not configured on this server. A read-only replica answers every write with it, and every request but GET /healthz while its copy of the primary is older than \`max_staleness\`; the detail then names the primary.
507 DiskFull: The server's disk is full; nothing was stored.
any AnyOther: Any other error; it has the same body.`;

const problem = { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } };
const errorNames = new Map<string, string>();
/** components.responses */
export const errorComponents: Record<string, Json> = {};
for (const [, status = "", name = "", header, description = ""] of errors.matchAll(
  /^(\w+) (\w+)(?: ([\w-]+))?: (.+)$/gm,
)) {
  errorNames.set(status, name);
  errorComponents[name] = response(description, header === undefined ? [] : [header], problem);
}

/**
 * Returns references to the errors with `statuses`, to that of a replica and to the default error. Throws an Error for
 * an unknown status.
 */
export function errorResponsesOf(statuses: Iterable<number>): Json {
  const described = [...new Set([...statuses, 503])].map((status) => {
    const name = errorNames.get(String(status));
    if (name === undefined) throw new Error(`the OpenAPI description has no text for status ${status}`);
    return [String(status), responseRef(name)] as const;
  });
  return { ...Object.fromEntries(described), default: responseRef("AnyOther") };
}

const sometimes = (description: string, example: string | number, type = "string") => ({
  description,
  schema: { type, examples: [example] },
});
/** A header that is in every response that references it. */
const always = (description: string, example: string) => ({ required: true, ...sometimes(description, example) });

/** components.headers */
export const headers: Json = {
  ETag: always(
    "A strong hash of the response, including quotes; for If-None-Match.",
    '"5d41402abc4b2a76b9719d911017c592"',
  ),
  "WWW-Authenticate": always(
    "The address of the protected-resource metadata (RFC 9728).",
    'Bearer resource_metadata="…"',
  ),
  Allow: always("The methods that the path supports.", "GET, HEAD"),
  "Accept-Ranges": always("Byte ranges are supported.", "bytes"),
  "Content-Range": always("The range of these bytes, and the size of the file.", "bytes 0-1023/146515"),
  "Content-Disposition": always(
    "Inline for types that browsers display, otherwise attachment; with the file's label.",
    "attachment",
  ),
  "Idempotency-Replayed": sometimes(
    "Present if this is the stored response to an earlier request with the same Idempotency-Key.",
    "true",
  ),
  Link: sometimes(
    "Present if the list goes on: the address of the next page (RFC 8288).",
    '<https://…/api/v1/people?limit=50&after=…>; rel="next"',
  ),
  "Tallylight-Total": sometimes("Present with `total`: how many rows all pages of the list have.", 2000, "integer"),
  [ignored]: sometimes(
    "Present if the query has parameters that the operation does not know: their names, percent-encoded, at most ten.",
    "colour, sort",
  ),
  "Retry-After": sometimes("Seconds to wait.", 1, "integer"),
  [replicaAge]: sometimes(
    "Only from a read-only replica: the age of its copy of the primary in whole seconds. Absent if the age is not known.",
    3,
    "integer",
  ),
};

const text = { type: "string" };

/** A parameter. One in a path is required. */
export const parameterOf = (
  place: "header" | "path" | "query",
  name: string,
  description: string,
  schema: Json = text,
  required = place === "path",
): Json => ({ name, in: place, ...(required && { required }), description, schema });

/** components.parameters: request headers. */
export const parameters: Json = {
  IfNoneMatch: parameterOf(
    "header",
    "If-None-Match",
    "The ETag of an earlier response, a list of ETags, or `*`. If one matches, the response is 304, without a body.",
  ),
  Range: parameterOf("header", "Range", "One byte range, such as `bytes=0-1023`, to resume a download or to seek."),
  IfRange: parameterOf(
    "header",
    "If-Range",
    "The ETag that the range belongs to. If the file has changed, the response is the whole file.",
  ),
  LastEventId: parameterOf(
    "header",
    "Last-Event-ID",
    "With `Accept: text/event-stream`: the id of the last event that the client has got. It wins over `after`.",
  ),
  IdempotencyKey: parameterOf(
    "header",
    "Idempotency-Key",
    "A unique name that you choose for this request, such as a UUID. If you send the same request with it again within 24 hours, you get the first response, and nothing is done twice.",
    { type: "string", pattern: "^[\\x20-\\x7e]{1,255}$" },
  ),
};

export const parameterRefs = (names: readonly string[]): Json[] =>
  names.map((name) => ({ $ref: `#/components/parameters/${name}` }));

/** The response if If-None-Match matches. */
export const notModified = response("Nothing has changed since this ETag; no body.", ["ETag"]);

const binary = { "*/*": { schema: file } };
const fileHeaders = ["ETag", "Accept-Ranges", "Content-Disposition"];

/** The responses of an operation that returns a file. */
export const fileResponses: Json = {
  "200": response("The bytes. The content type is detected from them.", fileHeaders, binary),
  "206": response("The range that was requested.", [...fileHeaders, "Content-Range"], binary),
  "304": notModified,
};
