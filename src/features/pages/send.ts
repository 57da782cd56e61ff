// Sends pages, downloads and redirects, with the headers that every page has.
import type { RequestContext } from "../../core/http/request_context.ts";
import { disposition, sendBody, sendCompressed, sendFilePart } from "../../core/http/send.ts";
import { turnFor } from "../../core/limits.ts";
import { sizeText, wordOf } from "./html_parts.ts";

/** Pages load only from this server, run no script of their own text, and cannot be framed. */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "media-src 'self'",
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
  if (cookies.length > 0) ctx.res.setHeader("set-cookie", [...cookies]);
};

/**
 * Whether a page may be compressed. It holds the proof of its forms beside text of its address, whose sizes together
 * would tell the proof to somebody who makes the browser ask for chosen addresses and listens (BREACH). Only pages of
 * this server can do that: the cookies are not sent from other sites, and a request that another origin began is
 * answered uncompressed.
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
  await turnFor(text, ctx.credentials.key_id);
  text.charCodeAt(0); // makes one string of the page's parts, which takes as long as coding it
  await turnFor(text, ctx.credentials.key_id);
  const body = Buffer.from(text);
  const all = { [sessionHeader]: "none", ...more, ...headers };
  if (mayCompress(ctx)) await sendCompressed(ctx, status, body, all);
  else sendBody(ctx, status, body, all);
}

/** Sends a file that the browser saves. */
export async function sendDownload(
  ctx: RequestContext,
  file: string,
  { name, type, size }: { name: string; type: string; size: number },
): Promise<void> {
  const sent = {
    ...headers,
    "content-type": type,
    "content-disposition": disposition("attachment", name),
    "content-length": size,
    "x-content-type-options": "nosniff",
  };
  await sendFilePart(ctx, file, { status: 200, headers: sent, start: 0, end: size - 1 });
}

/** Redirects with GET, whatever the method of the request was. */
export function redirect(ctx: RequestContext, location: string, cookies: readonly string[] = []): void {
  withCookies(ctx, cookies);
  sendBody(ctx, 303, Buffer.alloc(0), { ...headers, location });
}

/** What the pages call fields whose names say something else to people. */
const pageWords: Readonly<Record<string, string>> = {
  decided_by: "your name",
  int_ext: "INT./EXT.",
  engagement_id: "the vendor",
  general_call: "the crew call",
  day_number: "the number of the day",
  unit: "the unit of the day",
};

/** What the pages call a name of the API; what follows a dot is a part of the name of a file. */
const pageWord = (name: string): string =>
  name.startsWith(".") ? name : (pageWords[name] ?? wordOf(name.replace(/_ids?$/, "")));

/**
 * The text in the words of the pages: without revisions and names of fields, and with sizes that people read. Quoted
 * text stays, a command in curly quotes, and a name after a dot, which stands in a file.
 */
export const inPageWords = (text: string): string =>
  text
    .split(/(`[^`]*`|"[^"]*")/)
    .map((part, at) =>
      at % 2 === 1
        ? part.replace(/^`(.*)`$/s, "“$1”")
        : part
            .replace(", not pending", " already")
            .replace(/is at revision \S+, not \S+: /, "was changed meanwhile: ")
            .replace(/\.?\b[a-z]+(?:_[a-z]+)+\b/g, pageWord)
            .replace(/\b(\d{4,}) bytes\b/g, (_, bytes) => sizeText(Number(bytes))),
    )
    .join("");

/**
 * The text as a sentence in the words of the pages: errors begin in lower case, because they also complete the
 * sentences of programs. The name of a file stays.
 */
export const sentence = (written: string): string => {
  const text = inPageWords(written);
  const [before = ""] = text.split(":", 1);
  const isFile = before !== text && /\.\w+(?:, line \d.*)?$/s.test(before);
  const first = isFile ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
};
