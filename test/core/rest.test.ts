// REST: paths, methods, queries, keys and conditional requests.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { raw } from "../support/raw_http.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";

let now = Date.parse("2026-11-20T09:00:00.000Z");
const server = await openTestServer({ clock: () => now });
const { store } = server;
const seedData = seedDataOf(store);
const token = mint(store, { production_id: seedData.production });
const ask = (path: string, init?: RequestInit) => server.ask(token, `/api/v1${path}`, init);

const paths = suite("paths and methods");

paths("returns 404 for an unknown path, 405 with Allow for another method on a known path", async () => {
  for (const path of [
    "/api/v1/nope",
    "/api/v2/production",
    "/nope",
    "/api/v1",
    "/api/v1/departments/a/b",
    "/api/v1/production%2f",
    "/API/V1/production",
  ])
    await assertRefused(await server.ask(token, path), 404, "not found");
  const response = await ask("/production", { method: "DELETE" });
  assert.is(response.headers.get("allow"), "GET, HEAD");
  await assertRefused(response, 405, "this path supports only GET, HEAD");
});

paths("returns the same headers for HEAD as for GET, without the body", async () => {
  const headers = { "accept-encoding": "identity" };
  const [get, head] = [await ask("/scenes", { headers }), await ask("/scenes", { method: "HEAD", headers })];
  assert.is(head.status, 200);
  assert.is(await head.text(), "");
  assert.is(head.headers.get("etag"), get.headers.get("etag"));
  assert.is(Number(head.headers.get("content-length")), (await get.arrayBuffer()).byteLength);
});

paths("returns 404 or 400 for a path that a URL parser would normalise", async () => {
  for (const target of [
    "/api/v1/scenes/../production",
    "/api/v1/./production",
    "/api/v1/x/%2e%2e/production",
    "/api/v1\\production",
  ]) {
    const answer = await raw(server.port, [
      `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
    ]);
    assert.match(answer, /^HTTP\/1\.1 40[04] /, target);
    assert.match(answer, /\{"detail":"[^"]+"\}$/);
  }
});

paths("returns 422 if an id is not a positive integer up to 2^53-1", async () => {
  for (const id of ["0", "-1", "1.5", "x", "9007199254740992", "1e3", "%20", "0x1", "null"])
    await assertRefused(await ask(`/assets/${id}`), 422, /^node_id must be a positive integer/);
  await assertRefused(await ask("/assets/9007199254740991"), 404);
  await assertRefused(await ask("/assets/%ff"), 422, /percent-encoding/);
});
paths.run();

const queries = suite("queries");

queries("returns 422 with the allowed values for an unknown enum value", async () => {
  await assertRefused(await ask("/assets?status=gone"), 422, "status must be one of planned, active, blocked, done");
  await assertRefused(
    await ask("/approvals?status=open"),
    422,
    /^status must be one of pending, approved, changes_requested, rejected$/,
  );
  await assertRefused(await ask("/assets?released=yes"), 422, "released must be one of 1, true, 0, false");
});

queries("ignores unknown parameters and takes the last of a repeated one", async () => {
  const all = await server.get(token, "/assets");
  assert.equal(await server.get(token, "/assets?colour=red&__proto__=1"), all);
  const done = all.filter(({ status }: { status: string }) => status === "done");
  assert.equal(await server.get(token, "/assets?status=active&status=done"), done);
});

queries("caps limit at 200 and returns 422 if it is below 1 or not an integer", async () => {
  assert.is(
    (await server.get(token, "/activity?limit=100000")).length,
    Math.min(200, one(store, "SELECT count(*) FROM activity WHERE production_id = ?", seedData.production)),
  );
  assert.is((await server.get(token, "/activity?limit=3")).length, 3);
  for (const limit of ["0", "-1", "1.5", "x", "", "NaN", "1e2"])
    await assertRefused(await ask(`/activity?limit=${limit}`), 422, "limit must be an integer of at least 1");
});

queries("lists activity newest first, 50 entries by default", async () => {
  const entries = await server.get(token, "/activity");
  const timestamps = entries.map(({ created_at }: { created_at: string }) => created_at);
  assert.equal(timestamps, [...timestamps].sort().reverse());
  assert.is(
    entries.length,
    Math.min(50, one(store, "SELECT count(*) FROM activity WHERE production_id = ?", seedData.production)),
  );
});
queries.run();

const keys = suite("keys");

keys("ignores the case of the scheme but not of the key", async () => {
  const as = (authorization: string) => fetch(`${server.url}/api/v1/production`, { headers: { authorization } });
  for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"])
    assert.is((await as(`${scheme} ${token}`)).status, 200);
  await assertRefused(await as(`Bearer ${token.toUpperCase()}`), 401);
  for (const value of [
    "",
    "Bearer",
    "Bearer ",
    `Basic ${token}`,
    token,
    `Bearer ${token} x`,
    `Bearer ${token},${token}`,
  ])
    await assertRefused(await as(value), 401);
});

keys("ignores a key in the query string", async () => {
  await assertRefused(
    await server.ask(undefined, `/api/v1/production?access_token=${token}&key=${token}`),
    401,
    /missing/,
  );
});

keys("refuses a revoked or expired key on the next call, also if the response is cached", async () => {
  const brief = mint(store, { production_id: seedData.production, expires_at: new Date(now + 1000).toISOString() });
  assert.is((await server.ask(brief, "/api/v1/production")).status, 200);
  assert.is((await server.ask(brief, "/api/v1/production")).status, 200);
  now += 1000;
  await assertRefused(await server.ask(brief, "/api/v1/production"), 401);
  const revoked = mint(store, { production_id: seedData.production });
  assert.is((await server.ask(revoked, "/api/v1/production")).status, 200);
  store.writeSync(() =>
    store.database.prepare("UPDATE api_keys SET revoked_at = created_at WHERE prefix = ?").run(revoked.slice(0, 11)),
  );
  await assertRefused(await server.ask(revoked, "/api/v1/production"), 401);
});

keys("records when a key was last used, at most once a minute", async () => {
  const used = mint(store, { production_id: seedData.production });
  const lastUsed = () =>
    one<string | null>(store, "SELECT last_used_at FROM api_keys WHERE prefix = ?", used.slice(0, 11));
  const call = async () => void (await (await server.ask(used, "/api/v1/people")).arrayBuffer());
  const time = () => new Date(now).toISOString();
  const first = time();
  await call();
  await until(() => lastUsed() === first);
  now += 30_000;
  for (let at = 0; at < 3; at++) await call();
  assert.is(lastUsed(), first);
  now += 31_000;
  await call();
  await until(() => lastUsed() === time());
});
keys.run();

const conditions = suite("conditional requests");

conditions("return 304 with the tag and no body for every form of If-None-Match that names the tag", async () => {
  const path = `/bundles/scene/${seedData.scene}`;
  const first = await ask(path);
  const { etag } = (await first.json()) as { etag: string };
  assert.is(first.headers.get("etag"), etag);
  for (const sent of [etag, `W/${etag}`, etag.replaceAll('"', ""), `"a", ${etag}`, `W/"a" , W/${etag}`, "*"]) {
    const response = await ask(path, { headers: { "if-none-match": sent } });
    assert.is(response.status, 304, sent);
    assert.is(response.headers.get("etag"), etag);
    assert.is(await response.text(), "");
  }
  for (const sent of [
    '"a"',
    `"${etag}x"`,
    "",
    '""',
    '"-gzip"',
    `"${etag.slice(1, -1)}-br"`,
    `"${etag.slice(1, -1)}-gzip-gzip"`,
  ])
    assert.is((await ask(path, { headers: { "if-none-match": sent } })).status, 200, sent);
});

conditions("leave out what a proxy that compresses adds to a tag, of documents of every size", async () => {
  const sizes: number[] = [];
  for (const path of ["/people", "/production", `/bundles/scene/${seedData.scene}`]) {
    const first = await ask(path);
    const etag = first.headers.get("etag") ?? "";
    sizes.push((await first.text()).length);
    for (const suffix of ["-gzip", ";gzip"]) {
      const added = `${etag.slice(0, -1)}${suffix}"`;
      for (const sent of [added, `W/${added}`, added.replaceAll('"', ""), `"a", W/${added}`]) {
        const response = await ask(path, { headers: { "if-none-match": sent } });
        assert.is(response.status, 304, `${path} ${sent}`);
        assert.is(response.headers.get("etag"), etag);
      }
    }
  }
  assert.ok(Math.min(...sizes) < 1024 && Math.max(...sizes) > 1024, String(sizes));
});

conditions("work for every other document; its ETag changes with its content", async () => {
  const before = (await ask("/assets")).headers.get("etag") ?? "";
  assert.is((await ask("/assets", { headers: { "if-none-match": before } })).status, 304);
  store.writeSync(() =>
    store.database.prepare("UPDATE nodes SET label = label || '!' WHERE id = ?").run(seedData.asset),
  );
  const after = await ask("/assets", { headers: { "if-none-match": before } });
  assert.is(after.status, 200);
  assert.is.not(after.headers.get("etag"), before);
});

conditions("do not apply to a ticket: it has no ETag and is not stored, because it differs at every call", async () => {
  const response = await ask("/media-ticket");
  assert.is(response.headers.get("etag"), null);
  assert.is(response.headers.get("cache-control"), "no-store");
});
conditions.run();

const parser = suite("requests that the HTTP parser refuses");

parser("get {detail} if the connection still accepts a response", async () => {
  const broken: [string, RegExp][] = [
    ["GET / HTTP/1.1\r\nbroken header\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["NONSENSE\r\n\r\n", /^HTTP\/1\.1 400 /],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, /^HTTP\/1\.1 431 /],
    [
      "POST /api/v1/assets HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      /^HTTP\/1\.1 400 /,
    ],
  ];
  for (const [text, expected] of broken) {
    const answer = await raw(server.port, [text]);
    if ("Deno" in globalThis && answer === "") continue; // Deno's parser closes the connection without a response
    assert.match(answer, expected, text.slice(0, 40));
    if (!("Deno" in globalThis)) assert.match(answer, /\{"detail":"[^"]+"\}$/);
  }
});

parser.after(() => server.stop());
parser.run();
