// Describes what the responses of all operations share: headers, errors with their `{detail}` body, and files.
import { file, type Json } from "./schemas.ts";

export const headerRef = (name: string): Json => ({ $ref: `#/components/headers/${name}` });
const withHeaders = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, headerRef(name)]));
const responseRef = (name: string) => ({ $ref: `#/components/responses/${name}` });

/** The header of every response of a replica. */
export const replicaAge = "Tallylight-Replica-Age";

interface ErrorResponse {
  name: string;
  description: string;
  headers?: readonly string[];
}

const errorResponses: Readonly<Record<number, ErrorResponse>> = {
  400: { name: "BadRequest", description: "The request is incomplete or malformed." },
  401: {
    name: "Unauthorized",
    description: "The Authorization header is missing or malformed, or the key is unknown, revoked or expired.",
    headers: ["WWW-Authenticate"],
  },
  403: {
    name: "Forbidden",
    description:
      "The key lacks the scope, or is bound to an engagement that does not reach this endpoint, or may not do this here.",
  },
  404: {
    name: "NotFound",
    description: "The object does not exist or is outside the key's reach; both cases have the same response.",
  },
  405: { name: "MethodNotAllowed", description: "The path does not support this method.", headers: ["Allow"] },
  408: { name: "TooSlow", description: "The body did not arrive in time." },
  409: {
    name: "Conflict",
    description:
      "The current state does not allow this; nothing was changed. A frozen production answers every change with it.",
  },
  410: {
    name: "Gone",
    description:
      "The cursor is too old, or from before the database was restored: read the lists again and continue with after=now.",
  },
  412: {
    name: "PreconditionFailed",
    description: "The version of the protocol is not supported; Tus-Version names the supported one.",
  },
  413: {
    name: "TooLarge",
    description: "The body or a part of it exceeds the limit that the detail names.",
  },
  415: { name: "UnsupportedType", description: "The body's content type is not supported here." },
  416: {
    name: "RangeNotSatisfiable",
    description: "The range is outside the file.",
    headers: ["Content-Range"],
  },
  422: {
    name: "Unprocessable",
    description: "The input is invalid; the detail names the field. Nothing was stored.",
  },
  429: {
    name: "TooMany",
    description: "Too many requests or too many wrong keys; try again after Retry-After.",
    headers: ["Retry-After"],
  },
  460: { name: "ChecksumMismatch", description: "The part does not have its checksum; it was dropped." },
  500: { name: "InternalError", description: "An internal error of the server; the detail does not say more." },
  502: { name: "BadGateway", description: "The provider that this operation uses returned an error." },
  503: {
    name: "Unavailable",
    description:
      "Temporarily unavailable, or not configured on this server. A read-only replica answers every write with it, and every request but GET /healthz while its copy of the primary is older than `max_staleness`; the detail then names the primary.",
    headers: ["Retry-After"],
  },
  507: { name: "DiskFull", description: "The server's disk is full; nothing was stored." },
};

const anyOther = "AnyOther";
const problem = { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } };

/** Returns references to the errors with `statuses` and to the default error. Throws an Error for an unknown status. */
export function errorResponsesOf(statuses: Iterable<number>): Json {
  const described = [...new Set(statuses)].sort().map((status) => {
    const error = errorResponses[status];
    if (error === undefined) throw new Error(`the OpenAPI description has no text for status ${status}`);
    return [String(status), responseRef(error.name)] as const;
  });
  return { ...Object.fromEntries(described), default: responseRef(anyOther) };
}

/** components.responses */
export const errorResponseComponents = (): Record<string, Json> =>
  Object.fromEntries([
    ...Object.values(errorResponses).map(({ name, description, headers = [] }) => [
      name,
      {
        description,
        headers: withHeaders([...headers, replicaAge]),
        content: problem,
      },
    ]),
    [
      anyOther,
      { description: "Any other error; it has the same body.", headers: withHeaders([replicaAge]), content: problem },
    ],
  ]);

const header = (description: string, example: string | number, type = "string") => ({
  description,
  schema: { type, examples: [example] },
});

/** components.headers. A header that is marked required is in every response that references it. */
export const headers: Json = {
  ETag: {
    required: true,
    ...header(
      "A strong hash of the response, including quotes; for If-None-Match.",
      '"5d41402abc4b2a76b9719d911017c592"',
    ),
  },
  "WWW-Authenticate": {
    required: true,
    ...header("The address of the protected-resource metadata (RFC 9728).", 'Bearer resource_metadata="…"'),
  },
  Allow: { required: true, ...header("The methods that the path supports.", "GET, HEAD") },
  "Accept-Ranges": { required: true, ...header("Byte ranges are supported.", "bytes") },
  "Content-Range": {
    required: true,
    ...header("The range of these bytes, and the size of the file.", "bytes 0-1023/146515"),
  },
  "Content-Disposition": {
    required: true,
    ...header("Inline for types that browsers display, otherwise attachment; with the file's label.", "attachment"),
  },
  "Idempotency-Replayed": header(
    "Present if this is the stored response to an earlier request with the same Idempotency-Key.",
    "true",
  ),
  Link: header(
    "Present if the list goes on: the address of the next page (RFC 8288).",
    '<https://…/api/v1/people?limit=50&after=…>; rel="next"',
  ),
  "Retry-After": header("Seconds to wait.", 1, "integer"),
  [replicaAge]: header(
    "Only from a read-only replica: the age of its copy of the primary in whole seconds. Absent if the age is not known.",
    3,
    "integer",
  ),
};

/** components.parameters: request headers. */
export const parameters: Json = {
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description:
      "The ETag of an earlier response, a list of ETags, or `*`. If one matches, the response is 304, without a body.",
    schema: { type: "string" },
  },
  Range: {
    name: "Range",
    in: "header",
    description: "One byte range, such as `bytes=0-1023`, to resume a download or to seek.",
    schema: { type: "string" },
  },
  IfRange: {
    name: "If-Range",
    in: "header",
    description: "The ETag that the range belongs to. If the file has changed, the response is the whole file.",
    schema: { type: "string" },
  },
  LastEventId: {
    name: "Last-Event-ID",
    in: "header",
    description:
      "With `Accept: text/event-stream`: the id of the last event that the client has got. It wins over `after`.",
    schema: { type: "string" },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "A unique name that you choose for this request, such as a UUID. If you send the same request with it again within 24 hours, you get the first response, and nothing is done twice.",
    schema: { type: "string", pattern: "^[\\x20-\\x7e]{1,255}$" },
  },
};

/** The response if If-None-Match matches. */
export const notModified = {
  description: "Nothing has changed since this ETag; no body.",
  headers: { ETag: headerRef("ETag") },
};

const binary = { "*/*": { schema: file } };
const fileHeaders = ["ETag", "Accept-Ranges", "Content-Disposition"];

/** The responses of an operation that returns a file. */
export const fileResponses: Json = {
  "200": {
    description: "The bytes. The content type is detected from them.",
    headers: withHeaders(fileHeaders),
    content: binary,
  },
  "206": {
    description: "The range that was requested.",
    headers: withHeaders([...fileHeaders, "Content-Range"]),
    content: binary,
  },
  "304": notModified,
};
