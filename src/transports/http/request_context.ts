// One request and its answer as every door sees them, and the answers that all doors share: documents, problems, files.
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { App } from "../../context.ts";
import { HttpError, httpErrorOf } from "../../errors.ts";
import type { Bytes } from "../../operations/answers.ts";
import type { Request } from "../../pipeline.ts";
import { inlineTypes } from "../../store/sniff.ts";
import { mcpPaths } from "../mcp/paths.ts";
import { etagMatches, rangeOf } from "./conditional.ts";

export interface RequestContext {
  app: App;
  req: IncomingMessage;
  res: ServerResponse;
  /** The request target's path, as it came: not decoded, not normalised. */
  path: string;
  /** The request target's query without its question mark. */
  query: string;
  request: Request & { operation?: string; error?: unknown };
  /** Body bytes sent, for the log. */
  sent: number;
  /** The request's body, where it was read already. */
  body?: Buffer;
}

const jsonHeaders = { "content-type": "application/json", "x-content-type-options": "nosniff" } as const;

/** Sends JSON text. */
export const sendJson = (
  ctx: RequestContext,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void => sendBody(ctx, status, Buffer.from(text), headers);

/** Sends JSON text that is bytes already; `headers` may name another content type. */
export function sendBody(
  ctx: RequestContext,
  status: number,
  body: Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  ctx.sent = body.length;
  ctx.res.writeHead(status, { ...jsonHeaders, ...headers, "content-length": body.length });
  ctx.res.end(body);
}

/** Sends a problem as `{detail}`. A body that was not read to its end is the server's to drain. */
export function sendProblem(ctx: RequestContext, error: unknown): void {
  const { res, req, app, request } = ctx;
  const refusal: HttpError = httpErrorOf(error);
  if (refusal.status >= 500) request.error = error;
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const headers: Record<string, string> = { "cache-control": "no-store", ...refusal.headers };
  if (refusal.status === 401)
    headers["www-authenticate"] =
      `Bearer resource_metadata="${app.addresses.mcp_url}/.well-known/oauth-protected-resource${ctx.path === mcpPaths[1] ? mcpPaths[1] : ""}"`;
  // Who waits for 100 Continue may send its body or not: only a new connection is sure to begin with a request.
  if (!req.complete && req.headers.expect !== undefined) headers.connection = "close";
  sendJson(ctx, refusal.status, JSON.stringify({ detail: refusal.message }), headers);
}

/** Throws 405 for a method that the path does not take. */
export function checkMethod({ req }: RequestContext, ...methods: readonly string[]): void {
  if (methods.includes(req.method ?? "")) return;
  const allow = methods.join(", ");
  throw new HttpError(405, `this path takes ${allow}`, { allow });
}

/** Whether the request announces a body (RFC 9112 section 6). */
export const hasBody = (req: IncomingMessage): boolean =>
  req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0;

/** The name of a file in a Content-Disposition header (RFC 6266, RFC 8187). */
function disposition(kind: string, label: string): string {
  const plain = label.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(label).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Sends stored bytes: whole, a range, or 304 (RFC 9110 sections 13 and 14). HEAD sends the headers alone. */
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
  };
  if (etagMatches(req.headers["if-none-match"], etag)) {
    res.writeHead(304, headers).end();
    return;
  }
  const asked = req.method === "GET" ? req.headers.range : undefined; // RFC 9110 section 14.2: for GET alone
  const range = rangeOf(asked, req.headers["if-range"] as string | undefined, etag, bytes.size);
  if (range === "unsatisfiable") {
    const text = JSON.stringify({ detail: `range must lie within the ${bytes.size} bytes of this file` });
    res
      .writeHead(416, {
        ...jsonHeaders,
        "content-range": `bytes */${bytes.size}`,
        "content-length": Buffer.byteLength(text),
      })
      .end(text);
    return;
  }
  const { start, end } = range ?? { start: 0, end: bytes.size - 1 };
  if (range !== undefined) headers["content-range"] = `bytes ${start}-${end}/${bytes.size}`;
  headers["content-length"] = end - start + 1;
  if (app.blobs.sizeOf(bytes.sha256) !== bytes.size) throw new Error(`the bytes of ${bytes.sha256} are missing`);
  res.writeHead(range === undefined ? 200 : 206, headers);
  if (req.method === "HEAD" || bytes.size === 0) {
    res.end();
    return;
  }
  ctx.sent = end - start + 1;
  await pipeline(app.blobs.stream(bytes.sha256, start, end), res);
}
