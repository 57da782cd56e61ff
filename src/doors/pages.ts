// The pages for people: / and /docs with the files that they load. Works without the internet: every page may load from this
// server alone. Holds no rule of its own.
import { notFound, Refusal } from "../errors.ts";
import { holderOf } from "../operations/holder.ts";
import { readBody, textOf } from "./body.ts";
import { contractPath } from "./contract.ts";
import { checkMethod, type Exchange, sendBody } from "./exchange.ts";
import { mcpPaths } from "./mcp/paths.ts";
import { assetsPath, openAssets } from "./pages/assets.ts";
import { frontPage, type Visit } from "./pages/front.ts";
import { referencePage } from "./pages/reference.ts";

const formLimit = 4096;

const policy = (sources: string): string =>
  `default-src 'none'; ${sources}; img-src data:; base-uri 'none'; frame-ancestors 'none'`;

const shielded = (contentSecurityPolicy: string): Record<string, string> => ({
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
});

const frontPolicy = policy("style-src 'self'; form-action 'self'");
const referencePolicy = policy("script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'none'");

/** What a pasted key opens. The key comes in a body, never in an address, which would be logged and remembered. */
async function visit(exchange: Exchange): Promise<Visit> {
  const { app, req } = exchange;
  if (!/^application\/x-www-form-urlencoded\b/i.test(req.headers["content-type"] ?? ""))
    throw new Refusal(415, "content-type must be application/x-www-form-urlencoded");
  const key = new URLSearchParams(textOf(await readBody(exchange, formLimit))).get("key")?.trim() ?? "";
  if (key === "") return { refused: "Paste an API key first." };
  const holder = holderOf(app, key);
  return holder === undefined ? { refused: "This key is unknown, revoked or expired." } : { holder };
}

/** Opens the door of the pages. */
export function openPagesDoor(): (exchange: Exchange) => Promise<void> {
  const assets = openAssets();

  async function front(exchange: Exchange): Promise<void> {
    checkMethod(exchange, "GET", "HEAD", "POST");
    const found = exchange.req.method === "POST" ? await visit(exchange) : undefined;
    const status = found !== undefined && "refused" in found ? 422 : 200;
    const { addresses } = exchange.app;
    const text = frontPage(addresses, contractPath, mcpPaths[0], assets.address("page.css"), found);
    sendBody(exchange, status, Buffer.from(text), shielded(frontPolicy));
  }

  function reference(exchange: Exchange): void {
    checkMethod(exchange, "GET", "HEAD");
    const styles = ["swagger-ui.css", "reference.css"].map(assets.address);
    const scripts = ["swagger-ui-bundle.js", "reference.js"].map(assets.address);
    sendBody(exchange, 200, Buffer.from(referencePage(contractPath, styles, scripts)), shielded(referencePolicy));
  }

  function asset(exchange: Exchange): void {
    const found = assets.at(exchange.path);
    if (found === undefined) throw notFound();
    checkMethod(exchange, "GET", "HEAD");
    const gzip = /\bgzip\b/.test(String(exchange.req.headers["accept-encoding"] ?? ""));
    sendBody(exchange, 200, gzip ? found.gzipped : found.body, {
      "content-type": found.type,
      ...(gzip && { "content-encoding": "gzip" }),
      vary: "accept-encoding",
      "cache-control": "public, max-age=31536000, immutable",
    });
  }

  return async (exchange) => {
    const { path, request } = exchange;
    request.operation = "pages";
    if (path === "/") await front(exchange);
    else if (path === assetsPath.slice(0, -1)) reference(exchange);
    else asset(exchange);
  };
}
