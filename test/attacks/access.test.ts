// Attempts to get access: forged and swapped credentials, keys in other places than the header, paths in every
// encoding, files of two types, pages of other origins, and timing. None may yield a byte, and no credential may be
// stored anywhere in clear.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { accessTokenPrefix, tokenHash } from "../../src/core/access/callers.ts";
import { ticketsOf } from "../../src/graph/tickets.ts";
import { assertRefused, mint, one, openTestServer } from "../support/app.ts";
import { isThorough } from "../support/proportion.ts";
import { answersIn, raw } from "../support/raw_http.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";

let now = Date.parse("2026-11-20T09:00:00.000Z");
const providerKey = "prv_attacks_0123456789abcdef";
const origin = "https://dashboard.example.com";
const server = await openTestServer({
  clock: () => now,
  environment: {
    TALLYLIGHT_CORS_ORIGINS: origin,
    TALLYLIGHT_RESTYLE_KEY: providerKey,
    TALLYLIGHT_RESTYLE_URL: "http://127.0.0.1:9",
  },
  outbound: { shortTimeout: 200, maxRetryAfter: 100, retryDelay: [1, 2] },
});
const { store, port } = server;
const seedData = seedDataOf(store);
const token = mint(store, { production_id: seedData.production });
const other = mint(store, { production_id: seedData.otherProduction });
const vendor = mint(store, {
  production_id: seedData.production,
  engagement_id: seedData.submitter,
  scopes: ["read", "submit:turnover"],
});
const credentials = [token, other, vendor];
const ticketOf = async (key: string) => {
  const { ticket } = await server.get<{ ticket: string }>(key, "/media-ticket");
  credentials.push(ticket);
  return ticket;
};
const mediaOf = (production: number) =>
  one<string>(
    store,
    "SELECT path FROM media m JOIN versions v ON v.id = m.version_id WHERE v.released = 1 AND m.production_id = ?",
    production,
  );

const keys = suite("keys and tickets");

keys("a key is accepted in the Authorization header only", async () => {
  for (const query of [
    `?key=${token}`,
    `?api_key=${token}`,
    `?access_token=${token}`,
    `?authorization=Bearer%20${token}`,
    `?t=${token}`,
  ])
    await assertRefused(await server.ask(undefined, `/api/v1/production${query}`), 401);
  for (const headers of [
    { cookie: `key=${token}` },
    { "x-api-key": token },
    { "proxy-authorization": `Bearer ${token}` },
    { authorization: `Basic ${btoa(`x:${token}`)}` },
    { authorization: token },
    { authorization: `Bearer ${token} ${token}` },
    { authorization: `Bearer ${token},Bearer ${other}` },
  ])
    await assertRefused(await server.ask(undefined, "/api/v1/production", { headers }), 401);
});

keys("a key with any difference is refused", async () => {
  for (const bad of [
    token.slice(0, -1),
    `${token}A`,
    token.toUpperCase(),
    token.replace("tl_", "tlo_"),
    token.replace("tl_", ""),
    tokenHash(token),
    `tl_${"A".repeat(43)}`,
    `${accessTokenPrefix}${"A".repeat(43)}`,
    "null",
    "undefined",
    "%",
    "'; --",
  ])
    await assertRefused(await server.ask(bad, "/api/v1/production"), 401);
});

keys("two Authorization headers never authenticate the second one", async () => {
  for (const [first, second] of [
    [token, `tl_${"x".repeat(43)}`],
    [other, token],
  ]) {
    const text = `GET /api/v1/production HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${first}\r\nAuthorization: Bearer ${second}\r\nConnection: close\r\n\r\n`;
    const [answer] = answersIn(await raw(port, [text]));
    const expected = await (await server.ask(first, "/api/v1/production")).text();
    assert.ok(answer?.status === 401 || answer?.status === 400 || answer?.body === expected);
  }
});

keys("a ticket gives access to its own production's media route and nothing else", async () => {
  const [mine, theirs] = [await ticketOf(token), await ticketOf(other)];
  const [here, there] = [mediaOf(seedData.production), mediaOf(seedData.otherProduction)];
  const fetched = (path: string, ticket: string) => fetch(`${server.url}/media/${path}?t=${ticket}`);
  assert.is((await fetched(here, mine)).status, 200);
  await assertRefused(await fetched(there, mine), 404);
  await assertRefused(await fetched(here, theirs), 404);
  const [mineParts, theirParts] = [mine.split("."), theirs.split(".")];
  for (let at = 0; at < 5; at++) {
    const swapped = mineParts.map((part, place) => (place === at ? theirParts[at] : part)).join(".");
    if (swapped !== mine) await assertRefused(await fetched(here, swapped), 401);
  }
  for (const odd of [
    "",
    ".",
    "....",
    `${mine}.`,
    `.${mine}`,
    mine.toUpperCase(),
    `${mine}%00`,
    `${mine}&t=x`,
    token,
    "[object Object]",
  ])
    await assertRefused(await fetched(here, odd), 401);
  await assertRefused(await server.ask(mine, "/api/v1/production"), 401);
  await assertRefused(await server.ask(token, `/media/${here}`), 401);
});

keys("an expired ticket and one of a revoked key return 401 on the next request", async () => {
  const passing = mint(store, { production_id: seedData.production });
  const ticket = await ticketOf(passing);
  const ask = () => fetch(`${server.url}/media/${mediaOf(seedData.production)}?t=${ticket}`);
  now += ticketsOf(server.app).lifetime;
  await assertRefused(await ask(), 401, /expired/);
  now -= 1;
  assert.is((await ask()).status, 200);
  store.writeSync(() =>
    store.database
      .prepare("UPDATE api_keys SET revoked_at = '2026-11-20T09:00:00.000Z' WHERE token_sha256 = ?")
      .run(tokenHash(passing)),
  );
  await assertRefused(await ask(), 401);
  await assertRefused(await server.ask(passing, "/api/v1/production"), 401);
});

const measured = isThorough ? keys : keys.skip;
measured("known and unknown keys take the same time", async () => {
  // Compares the time of a refusal in alternating rounds: a revoked key is found in the database, an unknown one is
  // not.
  const { authenticate } = await import("../../src/core/access/callers.ts");
  const revoked = mint(store, { production_id: seedData.production });
  store.writeSync(() =>
    store.database
      .prepare("UPDATE api_keys SET revoked_at = '2026-11-20' WHERE token_sha256 = ?")
      .run(tokenHash(revoked)),
  );
  const unknown = `tl_${"Q".repeat(43)}`;
  const timestamp = new Date(now).toISOString();
  const time = (candidate: string): number => {
    const started = performance.now();
    for (let count = 0; count < 200; count++)
      try {
        authenticate(store, `Bearer ${candidate}`, timestamp);
      } catch {
        // both throw 401
      }
    return performance.now() - started;
  };
  const median = (times: number[]): number => times.sort((a, b) => a - b)[times.length >> 1] as number;
  for (let attempt = 1; ; attempt++) {
    const [known, unfound]: [number[], number[]] = [[], []];
    for (let round = 0; round < 60; round++) {
      known.push(time(revoked));
      unfound.push(time(unknown));
    }
    const ratio = median(known) / median(unfound);
    if (ratio > 0.8 && ratio < 1.25) return;
    if (attempt === 3) assert.unreachable(`a revoked key takes ${ratio.toFixed(2)} times what an unknown one does`);
  }
});

const paths = suite("paths, ids and files");

paths("no encoding of a path reaches a file outside the media route", async () => {
  const ticket = await ticketOf(token);
  const up = [
    "../",
    "..%2f",
    "%2e%2e/",
    "%2e%2e%2f",
    "..%5c",
    "..\\",
    "%252e%252e%252f",
    "..%c0%af",
    "%c0%ae%c0%ae/",
    "..%ef%bc%8f",
    "....//",
    "..;/",
    ".%00./",
    "//",
    "/./",
  ];
  for (const step of up)
    for (const target of ["tallylight.db", "secrets.json", "etc/passwd"]) {
      const path = `/media/${step.repeat(4)}${target}`;
      const [answer] = answersIn(
        await raw(port, [`GET ${path}?t=${ticket} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`]),
      );
      assert.ok([400, 404].includes(answer?.status as number), `${path}: ${answer?.status}`);
      assert.type(JSON.parse(answer?.body ?? "").detail, "string");
    }
});

paths("invalid percent-encoding and ids out of range return 404 or 422 with a detail", async () => {
  for (const id of [
    "0",
    "-1",
    "1.5",
    "1e3",
    "9007199254740992",
    "9".repeat(400),
    "%",
    "%zz",
    "%ff",
    "%00",
    "1%00",
    "١",
    "0x1",
    "1;drop",
    "NaN",
    "__proto__",
  ]) {
    const text = `GET /api/v1/assets/${encodeURI(id).replaceAll("%25", "%")} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`;
    const [answer] = answersIn(await raw(port, [text]));
    assert.ok([404, 422].includes(answer?.status as number), `${id}: ${answer?.status}`);
    assert.type(JSON.parse(answer?.body ?? "").detail, "string");
  }
});

paths("serves files of two types as a sandboxed attachment, or as the image type that they begin with", async () => {
  const page = "<script>alert(1)</script>";
  const polyglots: [name: string, bytes: string, inline: boolean][] = [
    ["a.svg", `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`, false],
    ["a.html", `<!doctype html>${page}`, false],
    ["a.png", page, false],
    ["a.xml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml">${page}</html>`, false],
    ["a.pdf", `%PDF-1.7 ${page}`, false],
    ["gif.html", `GIF89a/*${page}*/`, true],
    ["a\r\nSet-Cookie: x=1.txt", "plain", false],
    ['a"; filename="b.html', page, false],
  ];
  for (const [name, bytes, inline] of polyglots) {
    const form = new FormData();
    form.append("files", new Blob([bytes], { type: "text/html" }), name);
    const made = (await (
      await server.ask(vendor, `/api/v1/turnovers/${seedData.delivery}/submissions`, { method: "POST", body: form })
    ).json()) as { media: { id: number }[] };
    const response = await server.ask(vendor, `/api/v1/media/${made.media[0]?.id}/content`);
    const kind = response.headers.get("content-disposition") ?? "";
    assert.is(kind.startsWith("inline"), inline, `${name}: ${kind}`);
    assert.not.match(response.headers.get("content-type") ?? "", /html|svg|xml|script/);
    assert.is(response.headers.get("x-content-type-options"), "nosniff");
    assert.match(response.headers.get("content-security-policy") ?? "", /sandbox/);
    assert.is(response.headers.get("set-cookie"), null);
    assert.is(await response.text(), bytes);
  }
});

const origins = suite("pages of other origins");

origins("only a configured origin may read, and its preflight returns 204", async () => {
  const preflight = (from: string) =>
    fetch(`${server.url}/api/v1/production`, {
      method: "OPTIONS",
      headers: {
        origin: from,
        "access-control-request-method": "GET",
        "access-control-request-headers": "authorization",
      },
    });
  const allowed = await preflight(origin);
  assert.is(allowed.status, 204);
  assert.is(allowed.headers.get("access-control-allow-origin"), origin);
  assert.match(allowed.headers.get("access-control-allow-headers") ?? "", "authorization");
  await assertRefused(await preflight("https://evil.example.com"), 405);
  for (let read = 0; read < 3; read++) {
    const from = async (page: string) =>
      (await server.ask(token, "/api/v1/production", { headers: { origin: page } })).headers;
    assert.is((await from(origin)).get("access-control-allow-origin"), origin);
    for (const page of [
      "https://evil.example.com",
      "null",
      `${origin}.evil.com`,
      `${origin}:444`,
      origin.toUpperCase(),
    ])
      assert.is((await from(page)).get("access-control-allow-origin"), null);
    assert.is((await from(origin)).get("vary"), "origin");
    assert.is((await from(origin)).get("access-control-allow-credentials"), null);
  }
});

origins("a configured origin may read what was ignored and how many rows a list has", async () => {
  const asked = ["/api/v1/people?limit=1&total=1&colour=red", "/api/v1/nothing?colour=red"];
  for (const [at, path] of asked.entries()) {
    const { headers } = await server.ask(token, path, { headers: { origin } });
    const exposed = (headers.get("access-control-expose-headers") ?? "").split(", ");
    for (const name of ["tallylight-ignored", "tallylight-total", "tallylight-request"])
      assert.ok(exposed.includes(name), `${path} ${name}`);
    if (at === 0) assert.equal([headers.has("tallylight-ignored"), headers.has("tallylight-total")], [true, true]);
  }
});

origins("no other origin may read by default", async () => {
  const closed = await openTestServer({ environment: {} });
  const response = await closed.ask(mint(closed.store), "/api/v1/production", { headers: { origin } });
  assert.is(response.status, 200);
  assert.is(response.headers.get("access-control-allow-origin"), null);
  await closed.stop();
});

const rates = suite("the rate limit of keys");

rates(
  "returns 429 with Retry-After on every transport, does not affect another key, and ends after a minute",
  async () => {
    let timestamp = Date.parse("2026-11-20T09:00:00.000Z");
    const limited = await openTestServer({ clock: () => timestamp, environment: { TALLYLIGHT_RATE_LIMIT: "10" } });
    const [greedy, modest] = [mint(limited.store), mint(limited.store)];
    for (let count = 0; count < 10; count++) await limited.get(greedy, "/production");
    const refused = await limited.ask(greedy, "/api/v1/production");
    assert.is(refused.headers.get("retry-after"), "6");
    await assertRefused(refused, 429, /10 requests a minute/);
    await assertRefused(
      await limited.ask(greedy, "/mcp", {
        method: "POST",
        body: "{}",
        headers: { "content-type": "application/json" },
      }),
      429,
    );
    await limited.get(modest, "/production");
    timestamp += 6_000;
    await limited.get(greedy, "/production");
    timestamp -= 3_600_000;
    await assertRefused(await limited.ask(greedy, "/api/v1/production"), 429);
    timestamp += 3_600_000 + 60_000;
    for (let count = 0; count < 10; count++) await limited.get(greedy, "/production");
    await limited.stop();
  },
);

const storedData = suite("stored data");

storedData("no key, token, ticket or provider key is in the log, the database, its WAL or any other file", async () => {
  const linesLogged = () => server.lines.join("").split("\n").length;
  const before = linesLogged();
  await server.ask(token, "/api/v1/percep/session-token", {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json" },
  });
  await server.ask(undefined, `/${token}/${vendor}?key=${token}`);
  await server.ask(undefined, `/media/${token}?t=${credentials.at(-1)}`);
  await server.ask(token, `/api/v1/assets?department=${token}`);
  await until(() => linesLogged() >= before + 4);
  const files = readdirSync(server.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^[0-9a-f]{64}$|\.lock$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  assert.ok(files.some((file) => file.endsWith("-wal")) && server.lines.length > 0);
  const places: [string, Buffer][] = [
    ...files.map((file): [string, Buffer] => [file, readFileSync(file)]),
    ["the log", Buffer.from(server.lines.join(""))],
  ];
  for (const [place, bytes] of places)
    for (const secret of [...credentials, providerKey])
      assert.is(bytes.includes(secret), false, `${place} holds ${secret.slice(0, 6)}…`);
  // Proves that the search works: the stored key prefixes and the log's fields are found.
  assert.ok(places.some(([, bytes]) => bytes.includes(token.slice(0, 11))));
  assert.match(
    server.lines.join(""),
    /"request":"[0-9a-f]{16}","key":\d+,"method":"GET","operation":"get_production","status":200,"ms":[\d.]+,"bytes":\d+/,
  );
});

storedData.after(() => server.stop());
for (const tests of [keys, paths, origins, rates, storedData]) tests.run();
