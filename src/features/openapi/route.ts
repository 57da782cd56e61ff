// GET /api/v1/openapi.json: the OpenAPI description with this server's public addresses. It is public, and generated
// once.
import { etagOf } from "../../core/answers.ts";
import type { Addresses, App } from "../../core/context.ts";
import { nameIgnored } from "../../core/http/ignored_parameters.ts";
import { checkMethod, type Transport } from "../../core/http/request_context.ts";
import { type Coded, etagMatches, sendCompressed, varyOf } from "../../core/http/send.ts";
import { openapiDocument } from "./description.ts";

/** Returns the description as JSON text, as a server with these public addresses serves it. */
export const openapiText = async (addresses: Addresses): Promise<string> =>
  JSON.stringify(await openapiDocument(addresses));

export function openTransport({ app: { addresses } }: { app: App }): Transport {
  let generated: { body: Buffer; etag: string; url: string; coded: Coded } | undefined;
  return {
    async answer(ctx) {
      const { req, res } = ctx;
      ctx.operation = "openapi";
      nameIgnored(ctx);
      checkMethod(ctx, ["GET", "HEAD"]);
      if (generated?.url !== addresses.base_url) {
        const text = await openapiText(addresses);
        generated = { body: Buffer.from(text), etag: etagOf(text), url: addresses.base_url, coded: {} };
      }
      const headers = { etag: generated.etag, "cache-control": "public, no-cache" };
      if (etagMatches(req.headers["if-none-match"], generated.etag)) {
        res.writeHead(304, { ...headers, vary: varyOf(res) }).end();
        return;
      }
      return sendCompressed(ctx, 200, generated.body, headers, generated.coded);
    },
  };
}
