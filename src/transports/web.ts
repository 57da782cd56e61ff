// The web pages: / and /docs, and the files that they load. They work without internet: their content security policy allows only
// this server.
import { HttpError, notFound } from "../errors.ts";
import { keyInfoOf } from "../operations/key_info.ts";
import { readBody, textOf } from "./http/body.ts";
import { checkMethod, type RequestContext, type Transport } from "./http/request_context.ts";
import { sendBody } from "./http/send.ts";
import { mcpPaths } from "./mcp/paths.ts";
import { openapiPath } from "./openapi.ts";
import { homePage, type KeyCheck } from "./web/home.ts";
import { referencePage } from "./web/reference.ts";
import { openStaticFiles, staticPath } from "./web/static_files.ts";

const formLimit = 4096;

const policy = (sources: string): string =>
  `default-src 'none'; ${sources}; img-src data:; base-uri 'none'; frame-ancestors 'none'`;

const pageHeaders = (contentSecurityPolicy: string): Record<string, string> => ({
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
});

const homePolicy = policy("style-src 'self'; form-action 'self'");
const referencePolicy = policy("script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'none'");

/** Checks the pasted key. It is sent in the body, because browsers and proxies store and log addresses. */
async function checkKey(ctx: RequestContext): Promise<KeyCheck> {
  const { app, req } = ctx;
  if (!/^application\/x-www-form-urlencoded\b/i.test(req.headers["content-type"] ?? ""))
    throw new HttpError(415, "content-type must be application/x-www-form-urlencoded");
  const key = new URLSearchParams(textOf(await readBody(ctx, formLimit))).get("key")?.trim() ?? "";
  if (key === "") return { error: "Paste an API key first." };
  const keyInfo = keyInfoOf(app, key);
  return keyInfo === undefined ? { error: "This API key is unknown, revoked or expired." } : { keyInfo };
}

export function openWebTransport(): Transport {
  const assets = openStaticFiles();

  async function home(ctx: RequestContext): Promise<void> {
    checkMethod(ctx, "GET", "HEAD", "POST");
    const check = ctx.req.method === "POST" ? await checkKey(ctx) : undefined;
    const status = check !== undefined && "error" in check ? 422 : 200;
    const { addresses } = ctx.app;
    const text = homePage(addresses, openapiPath, mcpPaths[0], assets.address("page.css"), check);
    sendBody(ctx, status, Buffer.from(text), pageHeaders(homePolicy));
  }

  function reference(ctx: RequestContext): void {
    checkMethod(ctx, "GET", "HEAD");
    const styles = ["swagger-ui.css", "reference.css"].map(assets.address);
    const scripts = ["swagger-ui-bundle.js", "reference.js"].map(assets.address);
    sendBody(ctx, 200, Buffer.from(referencePage(openapiPath, styles, scripts)), pageHeaders(referencePolicy));
  }

  function asset(ctx: RequestContext): void {
    const found = assets.at(ctx.path);
    if (found === undefined) throw notFound();
    checkMethod(ctx, "GET", "HEAD");
    const gzip = /\bgzip\b/.test(String(ctx.req.headers["accept-encoding"] ?? ""));
    sendBody(ctx, 200, gzip ? found.gzipped : found.body, {
      "content-type": found.type,
      ...(gzip && { "content-encoding": "gzip" }),
      vary: "accept-encoding",
      "cache-control": "public, max-age=31536000, immutable",
    });
  }

  return {
    async answer(ctx) {
      const { path } = ctx;
      ctx.operation = "pages";
      if (path === "/") await home(ctx);
      else if (path === staticPath.slice(0, -1)) reference(ctx);
      else asset(ctx);
    },
  };
}
