// Lets web pages of configured origins call the server (CORS). By default no origin is allowed.
import type { IncomingMessage, ServerResponse } from "node:http";

const methods = "GET, HEAD, POST, PATCH, DELETE";
const headers = [
  "authorization, content-type, idempotency-key, if-none-match, if-range, last-event-id, mcp-protocol-version, range",
  "tus-resumable, upload-length, upload-offset, upload-metadata, upload-checksum, x-http-method-override",
].join(", ");
const exposed = [
  "etag, content-range, accept-ranges, content-disposition, retry-after, www-authenticate, idempotency-replayed, link, location",
  "tallylight-replica-age",
  "tus-resumable, tus-version, tus-extension, tus-max-size, tus-checksum-algorithm",
  "upload-offset, upload-length, upload-metadata, upload-expires",
].join(", ");

/**
 * Returns a function that adds the CORS headers of a configured origin to a response. The function responds to a preflight
 * request itself and then returns true. The origins are read for each request, because a running server may get others.
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
