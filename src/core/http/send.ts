// Sends the responses that all transports share: JSON documents, errors and stored bytes. Evaluates the headers of
// content negotiation, conditional and range requests (RFC 9110 sections 12 to 14). docs/api.md, "Reading" and "Media".
import { createReadStream, openSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Bytes, Pieces } from "../answers.ts";
import { HttpError, httpErrorOf, mediaAbsent } from "../errors.ts";
import { inlineTypes } from "../store/media_types.ts";
import { minute } from "../times.ts";
import { nameRequest, type RequestContext } from "./request_context.ts";
import { mayLackBody } from "./request_head.ts";

/** A connection without traffic for this time is closed, unless it is waiting for a response. In milliseconds. */
export const idleTimeout = minute;
/** The value of the Keep-Alive header, which tells a client how long an idle connection stays open. */
export const keepAlive = `timeout=${idleTimeout / 1000}`;

/** The Keep-Alive header if the connection stays open after the response. */
const keepAliveHeader = ({ shouldKeepAlive }: ServerResponse) => (shouldKeepAlive ? { "keep-alive": keepAlive } : {});

const jsonHeaders = { "content-type": "application/json", "x-content-type-options": "nosniff" } as const;

/** Sends JSON text. */
export const sendJson = (
  ctx: RequestContext,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void => sendBody(ctx, status, Buffer.from(text), headers);

/** Sends bytes, as JSON unless `headers` contain another content type. */
export function sendBody(
  ctx: RequestContext,
  status: number,
  body: Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  ctx.sent = body.length;
  ctx.res.writeHead(status, { ...jsonHeaders, ...keepAliveHeader(ctx.res), ...headers, "content-length": body.length });
  ctx.res.end(body);
}

/** The Vary header of a response that may be compressed, with what it varies by already. */
export const varyOf = (res: ServerResponse): string => {
  const given = res.getHeader("vary");
  return given === undefined ? "accept-encoding" : `${given}, accept-encoding`;
};

/** Sends bytes as sendBody does, compressed if the client accepts that. With `coded`, they are compressed once. */
export async function sendCompressed(
  ctx: RequestContext,
  status: number,
  body: Buffer,
  headers: Readonly<Record<string, string>> = {},
  coded?: Coded,
): Promise<void> {
  if (body.length < minCompressed) return sendBody(ctx, status, body, headers);
  const coding = codingOf(ctx.req.headers["accept-encoding"]);
  const varying = { ...headers, vary: varyOf(ctx.res) };
  if (coding === undefined) return sendBody(ctx, status, body, varying);
  const { encoded } = await import("./compression.ts");
  sendBody(ctx, status, await encoded(body, coding, coded), { ...varying, "content-encoding": coding });
}

/** Sends an error as `{detail}`. Does not read the rest of the request's body: the server does. */
export function sendProblem(ctx: RequestContext, error: unknown): void {
  const { res, req, app } = ctx;
  const problem = httpErrorOf(error);
  if (problem.status >= 500) ctx.error = error;
  if (res.headersSent) {
    res.destroy();
    return;
  }
  if (ctx.request_name !== "") nameRequest(ctx);
  const headers: Record<string, string> = { "cache-control": "no-store", ...problem.headers };
  if (problem.status === 401) {
    const metadata = `${app.addresses.mcp_url}/.well-known/oauth-protected-resource`;
    headers["www-authenticate"] = `Bearer resource_metadata="${metadata}${ctx.resource ?? ""}"`;
  }
  // A client that waits for 100 Continue may or may not send its body, so the next bytes on this connection may be
  // either.
  if (mayLackBody(req)) headers.connection = "close";
  sendJson(ctx, problem.status, JSON.stringify({ detail: problem.message, problems: problem.problems }), headers);
}

/** The value of a Content-Disposition header with a file name (RFC 6266, RFC 8187). */
export function disposition(kind: string, label: string): string {
  const plain = label.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(label).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/**
 * Sends a document while it is made. Its size is not known before its end: a connection that breaks earlier ends
 * without the last chunk.
 */
export async function sendPieces(ctx: RequestContext, { pieces, file_name }: Pieces): Promise<void> {
  const { req, res } = ctx;
  const named = { "content-disposition": disposition("attachment", file_name), "cache-control": "no-store" };
  res.writeHead(200, { ...jsonHeaders, ...named, ...keepAliveHeader(res) });
  if (req.method === "HEAD") {
    res.end();
    return;
  }
  ctx.sent = 0;
  const counted = async function* () {
    for await (const piece of pieces) {
      const bytes = Buffer.from(piece);
      ctx.sent = (ctx.sent ?? 0) + bytes.length;
      yield bytes;
    }
  };
  await pipeline(counted, res);
}

function sendUnsatisfiableRange({ res }: RequestContext, size: number): void {
  const text = JSON.stringify({ detail: `range must be within the ${size} bytes of this file` });
  const headers = { "content-range": `bytes */${size}`, "content-length": Buffer.byteLength(text) };
  res.writeHead(416, { ...jsonHeaders, ...headers }).end(text);
}

/** Sends a stored file, a range of it, or 304 (RFC 9110 sections 13 and 14). Sends only the headers for HEAD. */
export async function sendBytes(ctx: RequestContext, bytes: Bytes): Promise<void> {
  const { req, res, app } = ctx;
  const etag = `"${bytes.sha256}"`;
  const inline = inlineTypes.has(bytes.content_type);
  const headers: Record<string, string | number> = {
    "content-type": bytes.content_type,
    "content-disposition": disposition(inline ? "inline" : "attachment", bytes.label),
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    "cache-control": "private, no-cache",
    "accept-ranges": "bytes",
    etag,
    ...keepAliveHeader(res),
  };
  if (etagMatches(req.headers["if-none-match"], etag)) {
    res.writeHead(304, headers).end();
    return;
  }
  const requested = req.method === "GET" ? req.headers.range : undefined; // RFC 9110 section 14.2: only for GET
  const range = rangeOf(requested, req.headers["if-range"]?.toString(), etag, bytes.size);
  if (range === "unsatisfiable") return sendUnsatisfiableRange(ctx, bytes.size);
  const { start, end } = range ?? { start: 0, end: bytes.size - 1 };
  if (range !== undefined) headers["content-range"] = `bytes ${start}-${end}/${bytes.size}`;
  headers["content-length"] = end - start + 1;
  if (bytes.body === undefined && bytes.file === undefined && app.blobs.sizeOf(bytes.sha256) !== bytes.size) {
    if (app.copy !== undefined)
      throw new HttpError(503, "the bytes of this medium have not been copied to this replica yet", {
        "retry-after": "1",
      });
    throw mediaAbsent();
  }
  const status = range === undefined ? 200 : 206;
  if (req.method === "HEAD" || bytes.size === 0) {
    res.writeHead(status, headers).end();
    return;
  }
  if (bytes.body === undefined)
    return sendFilePart(ctx, bytes.file ?? app.blobs.fileOf(bytes.sha256), { status, headers, start, end });
  ctx.sent = end - start + 1;
  res.writeHead(status, headers).end(bytes.body.subarray(start, end + 1));
}

/** A status, headers, and the place in a file of what is sent, both inclusive. */
interface FilePart {
  status: number;
  headers: Readonly<Record<string, string | number>>;
  start: number;
  end: number;
}

/**
 * Sends a part of a file. The file is opened first: a stream that opens it by itself, to a client that is gone, is left
 * open, and ends the process if it cannot be opened.
 */
export async function sendFilePart(
  ctx: RequestContext,
  file: string,
  { status, headers, start, end }: FilePart,
): Promise<void> {
  const stream = createReadStream(file, { fd: openSync(file, "r"), start, end, highWaterMark: 1 << 18 });
  try {
    ctx.res.writeHead(status, headers);
    ctx.sent = end - start + 1;
    await pipeline(stream, ctx.res);
  } finally {
    stream.destroy(); // which closes the file
  }
}

const codings = ["br", "gzip"] as const; // the preferred one first
/** A content coding of the server. */
export type Coding = (typeof codings)[number];
/** The compressed forms of a body. */
export type Coded = Partial<Record<Coding, Buffer>>;

/** A shorter body is not compressed. In bytes. */
export const minCompressed = 1024;

/** The content coding of a response to a request with this Accept-Encoding header; undefined for none. */
export function codingOf(acceptEncoding: string | undefined): Coding | undefined {
  if (acceptEncoding === undefined || acceptEncoding === "identity") return undefined;
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get("*") ?? 0;
  const [best] = codings.toSorted((a, b) => weightOf(b) - weightOf(a));
  return best !== undefined && weightOf(best) > 0 && weightOf(best) >= (weights.get("identity") ?? 0)
    ? best
    : undefined;
}

/**
 * The text of an ETag, without its quotes, its mark as a weak one, and what a proxy that compresses adds to it: Apache
 * `-gzip`, others `;gzip`.
 */
export const tagText = (tag: string): string =>
  tag
    .trim()
    .replace(/^W\//i, "")
    .replace(/^"(.*)"$/, "$1")
    .replace(/[-;]gzip$/, "");

/**
 * Whether an If-None-Match header matches `etag`. The header may be a list, `*` or weak tags, and quotes may be
 * missing.
 */
export function etagMatches(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag) return true;
  const text = tagText(etag);
  return ifNoneMatch.split(",").some((part) => part.trim() === "*" || tagText(part) === text);
}

/** A part of a file. Positions are in bytes from 0. */
interface ByteRange {
  start: number;
  /** Inclusive. */
  end: number;
}

/**
 * Returns the range of `size` bytes to send. Returns undefined, so that the whole file is sent, if there is no Range
 * header, if it is not a single byte range, or if If-Range is not this ETag (the comparison is strong, so a date never
 * matches).
 */
function rangeOf(
  range: string | undefined,
  ifRange: string | undefined,
  etag: string,
  size: number,
): ByteRange | "unsatisfiable" | undefined {
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const [matched, from, to] = /^bytes=\s*(\d{0,16})-(\d{0,16})\s*$/i.exec(range) ?? [];
  if (matched === undefined || from === undefined || to === undefined || (from === "" && to === "")) return undefined;
  if (from === "") {
    const length = Math.min(Number(to), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size - 1 };
  }
  const start = Number(from);
  const end = to === "" ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== "" && Number(to) < start) return undefined;
  return start >= size ? "unsatisfiable" : { start, end };
}
