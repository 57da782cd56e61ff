// GET /api/v1/openapi.json: public, conditional, and identical to the command's output.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { release } from "../../src/core/program.ts";
import { assertRefused, openTestServer } from "../support/app.ts";

const url = "https://api.example.com";
const addresses = { base_url: url, mcp_url: url, media_url: url, auth_url: url };
const server = await openTestServer({ addresses });
const path = "/api/v1/openapi.json";

const documentAt = async (at: string) => (await (await server.ask(undefined, at)).json()) as Record<string, any>;

const openapi = suite("GET /api/v1/openapi.json");

openapi("needs no key and ignores an invalid one", async () => {
  for (const token of [undefined, "tl_nonsense"]) {
    const response = await server.ask(token, path);
    assert.is(response.status, 200);
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/);
    assert.is(((await response.json()) as { openapi: string }).openapi, "3.1.0");
  }
});

openapi("has the version of the API, and the release that answers", async () => {
  const { info } = await documentAt(path);
  assert.is(info.version, "1.0.0");
  assert.is(info["x-release"], release);
});

openapi("contains the public addresses", async () => {
  const document = await documentAt(path);
  assert.is(document.servers[0].url, `${url}/api/v1`);
  assert.is(document.paths["/mcp"].servers[0].url, url);
  const { authorizationUrl } = document.components.securitySchemes.oauth.flows.authorizationCode;
  const metadata = await documentAt("/.well-known/oauth-authorization-server");
  assert.is(authorizationUrl, metadata.authorization_endpoint);
});

openapi("returns the same headers for HEAD, without the body", async () => {
  const headers = { "accept-encoding": "identity" };
  const get = await server.ask(undefined, path, { headers });
  const head = await server.ask(undefined, path, { method: "HEAD", headers });
  assert.is(head.headers.get("etag"), get.headers.get("etag"));
  assert.is(Number(head.headers.get("content-length")), (await get.arrayBuffer()).byteLength);
  assert.is(await head.text(), "");
});

openapi("returns 304 if the ETag matches", async () => {
  const etag = (await server.ask(undefined, path)).headers.get("etag") as string;
  const again = await server.ask(undefined, path, { headers: { "if-none-match": etag } });
  assert.is(again.status, 304);
  assert.is(again.headers.get("etag"), etag);
  assert.is(await again.text(), "");
});

openapi("returns 405 for another method", async () => {
  const response = await server.ask(undefined, path, { method: "POST", body: "{}" });
  assert.is(response.headers.get("allow"), "GET, HEAD");
  await assertRefused(response, 405);
});

openapi("is byte for byte what `tallylight openapi` prints", async () => {
  const command = fileURLToPath(new URL("../../bin/tallylight.js", import.meta.url));
  const printed = spawnSync("node", [command, "openapi", "--public-url", url], { encoding: "utf8" });
  assert.is(printed.status, 0, printed.stderr);
  assert.is(printed.stdout, await (await server.ask(undefined, path)).text());
});

openapi.after(() => server.stop());
openapi.run();
