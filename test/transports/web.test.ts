// The pages / and /docs: their content, who sees it, and that they load nothing from elsewhere.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store } = server;
const seedData = seedDataOf(store);
const title = one<string>(store, "SELECT title FROM productions WHERE id = ?", seedData.production);

const paste = (key: string, type = "application/x-www-form-urlencoded") =>
  server.ask(undefined, "/", {
    method: "POST",
    body: new URLSearchParams({ key }).toString(),
    headers: { "content-type": type },
  });

const front = suite("/");

front("says what this is and where docs, MCP and health are, without any production's title", async () => {
  const text = await (await server.ask(undefined, "/")).text();
  for (const part of ["/docs", "/api/v1/openapi.json", `${server.url}/mcp`, "/healthz"])
    assert.ok(text.includes(part), part);
  for (const known of store.database.prepare("SELECT title FROM productions").pluck().all() as string[])
    assert.not.ok(text.includes(known), known);
  assert.not.match(text, /<script/);
});

front("shows the production to the owner of a key of either shape", async () => {
  const vendor = { production_id: seedData.production, engagement_id: seedData.submitter, scopes: [] };
  for (const key of [mint(store, { production_id: seedData.production }), mint(store, vendor)]) {
    const response = await paste(` ${key} `);
    assert.is(response.status, 200);
    const text = await response.text();
    assert.ok(text.includes(title));
    assert.not.ok(text.includes(key));
  }
});

front("shows only an error for an unknown, revoked or missing key", async () => {
  const revoked = mint(store, { production_id: seedData.production });
  store.database.prepare("UPDATE api_keys SET revoked_at = created_at WHERE id = (SELECT max(id) FROM api_keys)").run();
  for (const key of ["tl_nonsense", revoked, "", "<script>alert(1)</script>"]) {
    const response = await paste(key);
    assert.is(response.status, 422);
    const text = await response.text();
    assert.match(text, /role="alert">(This API key is unknown, revoked or expired|Paste an API key first)/);
    assert.not.ok(text.includes(title));
    assert.not.match(text, /<script/);
  }
});

front("ignores a key in the address", async () => {
  const key = mint(store, { production_id: seedData.production });
  assert.not.ok((await (await server.ask(undefined, `/?key=${key}`)).text()).includes(title));
});

front("shows a label as text", async () => {
  const key = mint(store, { production_id: seedData.production, label: '<img src=x onerror="alert(1)">' });
  assert.match(await (await paste(key)).text(), /&lt;img src=x onerror=&quot;alert\(1\)&quot;&gt;/);
});

front("returns 415 for another form type, 413 for a large form, 405 for another method", async () => {
  await assertRefused(await paste("x", "text/plain"), 415);
  await assertRefused(await paste("x".repeat(5000)), 413);
  await assertRefused(await server.ask(undefined, "/", { method: "DELETE" }), 405);
});

const docs = suite("/docs");

for (const path of ["/", "/docs"])
  docs(`${path} loads from this server only, forbids frames, and is not stored`, async () => {
    const response = await server.ask(undefined, path);
    const policy = response.headers.get("content-security-policy") ?? "";
    assert.match(policy, /^default-src 'none';/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.not.match(policy, /unsafe|https?:|\*/);
    assert.is(response.headers.get("x-content-type-options"), "nosniff");
    assert.is(response.headers.get("referrer-policy"), "no-referrer");
    assert.is(response.headers.get("cache-control"), "no-store");
    const text = await response.text();
    for (const [, address] of text.matchAll(/(?:src|href)="([^"]*)"/g))
      assert.match(address as string, /^(?:\/|data:image)/);
  });

docs(
  "every file that a page names exists, is cached for ever, and is sent compressed to clients that accept gzip",
  async () => {
    const text = await (await server.ask(undefined, "/docs")).text();
    const files = [...text.matchAll(/"(\/docs\/[^"]+)"/g)].map(([, path]) => path as string);
    assert.is(files.length, 4);
    for (const path of files) {
      const plain = await server.ask(undefined, path, { headers: { "accept-encoding": "identity" } });
      assert.is(plain.status, 200, path);
      assert.match(plain.headers.get("cache-control") ?? "", /immutable/);
      assert.match(plain.headers.get("content-type") ?? "", path.endsWith(".css") ? /^text\/css/ : /^text\/javascript/);
      const small = await server.ask(undefined, path, { headers: { "accept-encoding": "gzip" } });
      assert.is(small.headers.get("content-encoding"), "gzip");
      assert.is(await small.text(), await plain.text());
    }
  },
);

docs("returns 404 for a file that no page names, in every form of the path", async () => {
  for (const path of [
    "/docs/",
    "/docs/index.html",
    "/docs/0000000000000000/page.css",
    "/docs/..%2fpackage.json",
    "/docs/x/package.json",
  ])
    await assertRefused(await server.ask(undefined, path), 404, "not found");
});

docs.after(() => server.stop());
front.run();
docs.run();
