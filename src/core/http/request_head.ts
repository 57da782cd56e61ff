// Reads the head of a request: checks it, and lets web pages of configured origins call the server (CORS; none by
// default). Says which addresses are loopback, or every one of the machine, and which clients send a body only once the
// server has asked for it, with 100 Continue (RFC 9110 section 10.1.1).
import type { IncomingMessage, ServerResponse } from "node:http";
import { HttpError } from "../errors.ts";

/** The root of the REST API. */
export const basePath = "/api/v1";
/** The root of the media route, which takes a ticket. */
export const mediaPath = "/media/";

/** In bytes, of all headers together. */
export const headerLimit = 16 * 1024;
const maxHeaders = 200;

/**
 * Returns the error of a request's head, if it has one: 400 for a Host header that is missing, repeated or malformed
 * (RFC 9112 section 3.2), 431 for headers over the limit, which not every runtime's parser checks in total. No code
 * trusts the Host header.
 */
export function headProblem({ headers, rawHeaders, httpVersionMinor }: IncomingMessage): HttpError | undefined {
  let hosts = 0;
  let size = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    size += name.length + (rawHeaders[at + 1]?.length ?? 0) + 4;
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  if (size > headerLimit || rawHeaders.length > 2 * maxHeaders)
    return new HttpError(431, `a request must have at most ${maxHeaders} headers of ${headerLimit} bytes in total`);
  if (hosts > 1) return new HttpError(400, "the request has more than one Host header");
  if (hosts === 0 && httpVersionMinor === 1) return new HttpError(400, "the request has no Host header");
  return /^[\w.~!$&'()*+,;=%:[\]-]{0,300}$/.test(headers.host ?? "")
    ? undefined
    : new HttpError(400, "the Host header is not a valid host");
}

/** Returns path and query of a request target in origin-form or absolute-form (RFC 9112 section 3.2). */
export function targetOf(url: string): { path: string; query: string } {
  const from = url.startsWith("/") ? 0 : /^https?:\/\/[^/?#]*/i.exec(url)?.[0].length;
  if (from === undefined) return { path: url, query: "" };
  const target = url.slice(from);
  const mark = target.indexOf("?");
  return mark === -1
    ? { path: target || "/", query: "" }
    : { path: target.slice(0, mark) || "/", query: target.slice(mark + 1) };
}

/** Whether a host name, as written in a URL, in a Host header or as an address to listen on, is loopback. */
export const isLoopback = (hostname: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/.test(hostname);

/** Whether an address is 0.0.0.0 or ::, on which a server listens on every address. No client can connect to them. */
export const isUnspecified = (bound: string): boolean => bound === "0.0.0.0" || bound === "::";

const methods = "GET, HEAD, POST, PATCH, DELETE";
const headers = [
  "authorization, content-type, idempotency-key, if-none-match, if-range, last-event-id, mcp-protocol-version, range",
  "tus-resumable, upload-length, upload-offset, upload-metadata, upload-checksum, x-http-method-override",
].join(", ");
const exposed = [
  "etag, content-range, accept-ranges, content-disposition, retry-after, www-authenticate, idempotency-replayed, link, location, tallylight-request",
  "tallylight-ignored, tallylight-total",
  "tallylight-replica-age",
  "tus-resumable, tus-version, tus-extension, tus-max-size, tus-checksum-algorithm",
  "upload-offset, upload-length, upload-metadata, upload-expires",
].join(", ");

/**
 * Returns a function that adds the CORS headers of a configured origin to a response. The function responds to a
 * preflight request itself and then returns true. The origins are read for each request, because a running server may
 * get others. docs/network.md, "Web pages from other origins".
 */
export function openCors(config: {
  cors_origins: readonly string[];
}): (req: IncomingMessage, res: ServerResponse) => boolean {
  return (req, res) => {
    if (config.cors_origins.length === 0) return false;
    const { origin } = req.headers;
    res.setHeader("vary", "origin");
    if (origin === undefined || !config.cors_origins.includes(origin)) return false;
    res.setHeader("access-control-allow-origin", origin);
    res.setHeader("access-control-expose-headers", exposed);
    if (req.method !== "OPTIONS" || req.headers["access-control-request-method"] === undefined) return false;
    res.setHeader("access-control-allow-methods", methods);
    res.setHeader("access-control-allow-headers", headers);
    res.writeHead(204, { "access-control-max-age": "600" }).end();
    return true;
  };
}

const awaitingContinue = new WeakMap<IncomingMessage, ServerResponse>();
const asked = new WeakSet<IncomingMessage>();

/**
 * Records that the client waits for 100 Continue. The server sends it only when it reads the body, so no refused body
 * is sent.
 */
export const deferContinue = (req: IncomingMessage, res: ServerResponse): void => void awaitingContinue.set(req, res);

/** Sends 100 Continue if the client waits for it. */
export function sendContinue(req: IncomingMessage): void {
  const res = awaitingContinue.get(req);
  if (res === undefined || asked.has(req)) return;
  asked.add(req);
  res.writeContinue();
}

/** Whether the client may or may not send its body, because it waits to be asked for it. */
export const mayLackBody = (req: IncomingMessage): boolean =>
  !req.complete && req.headers.expect !== undefined && !asked.has(req);
