// Checks a request's head (headers and request target) before the request is handled.
import type { IncomingMessage } from "node:http";
import { HttpError } from "../errors.ts";

/** In bytes, of all headers together. */
export const headerLimit = 16 * 1024;
const maxHeaders = 200;

/**
 * Returns the error of a request's head, if it has one: 400 for a Host header that is missing, repeated or malformed (RFC 9112
 * section 3.2), 431 for headers over the limit, which not every runtime's parser checks in total. No code trusts the Host header.
 */
export function headProblem({ headers, rawHeaders, httpVersionMinor }: IncomingMessage): HttpError | undefined {
  let hosts = 0;
  let size = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    size += name.length + (rawHeaders[at + 1] as string).length + 4;
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
