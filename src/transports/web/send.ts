// Sends pages, downloads and redirects, with the headers that every page has.
import { type FileHandle, open } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { RequestContext } from "../http/request_context.ts";
import { disposition, sendBody, sendCompressed } from "../http/send.ts";
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

/** Names the session of a page for the service worker, which shows a session only its own copies. */
export const sessionHeader = "tallylight-session";

const withCookies = (ctx: RequestContext, cookies: readonly string[]): void => {
  if (cookies.length > 0) ctx.res.setHeader("set-cookie", cookies as string[]);
};

/**
 * Whether a page may be compressed. It holds the proof of its forms beside text of its address, whose sizes together would tell
 * the proof to somebody who makes the browser ask for chosen addresses and listens (BREACH). Only pages of this server can do
 * that: the cookies are not sent from other sites, and a request that another origin began is answered uncompressed.
 */
const mayCompress = ({ req }: RequestContext): boolean =>
  !/^(?:cross|same)-site$/.test(req.headers["sec-fetch-site"] ?? "");

/** Sends a page. */
export async function sendPage(
  ctx: RequestContext,
  status: number,
  text: string,
  cookies: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  withCookies(ctx, cookies);
  const body = Buffer.from(text);
  const all = { [sessionHeader]: "none", ...more, ...headers };
  if (mayCompress(ctx)) await sendCompressed(ctx, status, body, all);
  else sendBody(ctx, status, body, all);
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
