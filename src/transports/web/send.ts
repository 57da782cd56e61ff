// Sends pages, downloads and redirects, with the headers that every page has.
import { type FileHandle, open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { RequestContext } from "../http/request_context.ts";
import { disposition, sendBody } from "../http/send.ts";
import type { Download } from "./page.ts";

/** Pages load only from this server, run no script of their own text, and cannot be framed. */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const headers: Readonly<Record<string, string>> = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": policy,
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "same-origin", // with no-referrer, browsers send forms with `Origin: null`
  "cache-control": "no-store",
};

const withCookies = (ctx: RequestContext, cookies: readonly string[]): void => {
  if (cookies.length > 0) ctx.res.setHeader("set-cookie", cookies as string[]);
};

/** Sends a page. */
export function sendPage(
  ctx: RequestContext,
  status: number,
  text: string,
  cookies: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): void {
  withCookies(ctx, cookies);
  sendBody(ctx, status, Buffer.from(text), { ...more, ...headers });
}

/** Sends a file that the browser saves, and discards it afterwards, however the connection ends. */
export async function sendDownload(ctx: RequestContext, download: Download): Promise<void> {
  const { file, size, name, content_type } = download;
  let handle: FileHandle | undefined;
  try {
    handle = await open(file); // a stream that opens the file itself fails beyond every catch on Deno if the file is discarded first
    ctx.res.writeHead(200, {
      ...headers,
      "content-type": content_type,
      "content-disposition": disposition("attachment", name),
      "content-length": size,
      "x-content-type-options": "nosniff",
    });
    ctx.sent = size;
    await pipeline(handle.createReadStream({ autoClose: false }), ctx.res);
  } finally {
    await handle?.close();
    await download.discard();
  }
}

/** Redirects with GET, whatever the method of the request was. */
export function redirect(ctx: RequestContext, location: string, cookies: readonly string[] = []): void {
  withCookies(ctx, cookies);
  sendBody(ctx, 303, Buffer.alloc(0), { ...headers, location });
}

/** The text as a sentence: errors begin in lower case, because they also complete the sentences of programs. */
export const sentence = (text: string): string => {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
};
