// GET /api/v1/openapi.json: the description of this server at its public addresses, made once and kept. Public: knows no key.

import type { Addresses } from "../context.ts";
import { describe } from "../openapi.ts";
import { etagOf } from "../operations/answers.ts";
import { etagMatches } from "./conditions.ts";
import { checkMethod, type Exchange, sendJson } from "./exchange.ts";
import { mcpPaths } from "./mcp/paths.ts";
import { oauthPaths } from "./oauth/paths.ts";
import { basePath } from "./rest.ts";
import { authorizationServerPath, protectedResourcePath } from "./wellknown.ts";

const file = "/openapi.json";
export const contractPath = `${basePath}${file}`;

/** The description as JSON text, as a server known by these addresses gives it. */
export const contractText = (addresses: Addresses): string =>
  JSON.stringify(
    describe(addresses, {
      rest: basePath,
      mcp: mcpPaths[0],
      media: "/media",
      authorize: oauthPaths.authorize,
      token: oauthPaths.token,
      protectedResource: protectedResourcePath,
      authorizationServer: authorizationServerPath,
      health: "/healthz",
      description: file,
    }),
  );

export function openContractDoor(addresses: Addresses): (exchange: Exchange) => void {
  let kept: { text: string; etag: string } | undefined;
  return (exchange) => {
    const { req, res, request } = exchange;
    request.operation = "openapi";
    checkMethod(exchange, "GET", "HEAD");
    if (kept === undefined) {
      const text = contractText(addresses);
      kept = { text, etag: etagOf(text) };
    }
    const headers = { etag: kept.etag, "cache-control": "public, no-cache" };
    if (etagMatches(req.headers["if-none-match"], kept.etag)) res.writeHead(304, headers).end();
    else sendJson(exchange, 200, kept.text, headers);
  };
}
