// What comes back beside an operation's own document: the headers, and every refusal with its `{detail}` body. Knows no row.
import { file, type Json } from "./schemas.ts";

export const headerRef = (name: string): Json => ({ $ref: `#/components/headers/${name}` });
const responseRef = (name: string) => ({ $ref: `#/components/responses/${name}` });

interface Refused {
  name: string;
  description: string;
  headers?: readonly string[];
}

const refusals: Readonly<Record<number, Refused>> = {
  400: { name: "BadRequest", description: "The request did not arrive whole, or is not well-formed." },
  401: {
    name: "Unauthorized",
    description: "The Authorization header is missing or malformed, or the key is unknown, revoked or expired.",
    headers: ["WWW-Authenticate"],
  },
  403: {
    name: "Forbidden",
    description:
      "The key lacks the scope, is bound to an engagement that does not reach this endpoint, or may not do this here.",
  },
  404: { name: "NotFound", description: "No such object, or none within the key's reach: the two are one answer." },
  405: { name: "MethodNotAllowed", description: "The path takes other methods.", headers: ["Allow"] },
  408: { name: "TooSlow", description: "The body did not arrive in time." },
  409: { name: "Conflict", description: "The present state does not allow it; nothing was changed." },
  413: {
    name: "TooLarge",
    description: "The body, or a part of it, is larger than the limit that the sentence names.",
  },
  415: { name: "UnsupportedType", description: "The body's content type is not the one that is taken here." },
  416: {
    name: "RangeNotSatisfiable",
    description: "The range lies outside the file.",
    headers: ["Content-Range"],
  },
  422: {
    name: "Unprocessable",
    description: "A named check failed; the sentence names the field. Nothing was stored.",
  },
  429: {
    name: "TooMany",
    description: "Too many requests or too many wrong keys; try again after the pause.",
    headers: ["Retry-After"],
  },
  500: { name: "InternalError", description: "A fault of the server; nothing of it is told but that." },
  502: { name: "BadGateway", description: "The provider behind this operation refused or failed." },
  503: { name: "Unavailable", description: "Not available at present, or not set up here.", headers: ["Retry-After"] },
  507: { name: "DiskFull", description: "The server's disk is full; nothing was stored." },
};

const anyOther = "AnyOther";
const problem = { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } };

/** The refusals of an operation by status, and the one that stands for every other status. Throws for an undescribed one. */
export function refusalsOf(statuses: Iterable<number>): Json {
  const described = [...new Set(statuses)].sort().map((status) => {
    const refused = refusals[status];
    if (refused === undefined) throw new Error(`the contract has no words for status ${status}`);
    return [String(status), responseRef(refused.name)] as const;
  });
  return { ...Object.fromEntries(described), default: responseRef(anyOther) };
}

/** components.responses */
export const refusalResponses = (): Record<string, Json> =>
  Object.fromEntries([
    ...Object.values(refusals).map(({ name, description, headers = [] }) => [
      name,
      {
        description,
        ...(headers.length > 0 && {
          headers: Object.fromEntries(headers.map((header) => [header, headerRef(header)])),
        }),
        content: problem,
      },
    ]),
    [anyOther, { description: "Whatever else goes wrong has the same shape.", content: problem }],
  ]);

const header = (description: string, example: string | number, type = "string") => ({
  description,
  schema: { type, examples: [example] },
});

/** components.headers; those marked required are always there where an answer names them. */
export const headers: Json = {
  ETag: {
    required: true,
    ...header("A strong hash of the answer, quotes included; for If-None-Match.", '"5d41402abc4b2a76b9719d911017c592"'),
  },
  "WWW-Authenticate": {
    required: true,
    ...header("Where to learn how to sign in (RFC 9728).", 'Bearer resource_metadata="…"'),
  },
  Allow: { required: true, ...header("The methods that the path takes.", "GET, HEAD") },
  "Accept-Ranges": { required: true, ...header("Ranges of bytes are served.", "bytes") },
  "Content-Range": { required: true, ...header("Which bytes these are, of how many.", "bytes 0-1023/146515") },
  "Content-Disposition": {
    required: true,
    ...header("Inline for what browsers show, else an attachment; with the file's label.", "attachment"),
  },
  "Idempotency-Replayed": header(
    "There where this is the answer to a former request with the same Idempotency-Key.",
    "true",
  ),
  "Retry-After": header("Seconds to wait.", 1, "integer"),
};

/** components.parameters: request headers. */
export const parameters: Json = {
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description:
      "The ETag of a former answer, a list of them, or `*`. Where it still holds the answer is 304, without a body.",
    schema: { type: "string" },
  },
  Range: {
    name: "Range",
    in: "header",
    description: "One range of bytes, such as `bytes=0-1023`, to resume a download or to seek.",
    schema: { type: "string" },
  },
  IfRange: {
    name: "If-Range",
    in: "header",
    description: "The ETag that the range belongs to; where the file is another by now, the whole of it comes.",
    schema: { type: "string" },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "A name of your own for this request, such as a UUID. The same request sent again under it within a day gets the first answer, and nothing is done twice.",
    schema: { type: "string", pattern: "^[\\x20-\\x7e]{1,255}$" },
  },
};

/** An answer that nothing changed since the ETag that was sent. */
export const notModified = {
  description: "Nothing changed since that ETag; no body.",
  headers: { ETag: headerRef("ETag") },
};

const binary = { "*/*": { schema: file } };
const fileHeaders = ["ETag", "Accept-Ranges", "Content-Disposition"];
const withHeaders = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, headerRef(name)]));

/** The answers that carry a file: whole, or a part of it. */
export const fileAnswers: Json = {
  "200": {
    description: "The bytes, under the content type that they were recognised by.",
    headers: withHeaders(fileHeaders),
    content: binary,
  },
  "206": {
    description: "The part that Range asked for.",
    headers: withHeaders([...fileHeaders, "Content-Range"]),
    content: binary,
  },
  "304": notModified,
};
