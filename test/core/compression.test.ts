// Compressed responses: the same bytes once decoded, the same tag, never stale, and never where they must not be.
import { get, type IncomingHttpHeaders } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type Coding, codingOf } from "../../src/core/http/send.ts";
import { mint, openTestServer } from "../support/app.ts";
import { openAsAdmin } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

interface Received {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  /** The body without its content coding. */
  text: string;
}

const decoders = { br: brotliDecompressSync, gzip: gunzipSync };

const server = await openTestServer();
const { store } = server;
const { production, releasedStill } = seedDataOf(store);
const key = mint(store, { production_id: production });

/** Sends a GET and does not decode the body, as fetch would. */
const receive = (path: string, headers: Record<string, string>): Promise<Received> =>
  new Promise((resolve, reject) => {
    get(server.url + path, { headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part) => parts.push(part));
      response.on("error", reject);
      response.on("end", () => {
        const bytes = Buffer.concat(parts);
        const coding = response.headers["content-encoding"] as Coding | undefined;
        const text = String(coding === undefined || bytes.length === 0 ? bytes : decoders[coding](bytes));
        resolve({ status: response.statusCode, headers: response.headers, bytes, text });
      });
    }).on("error", reject);
  });

const ask = (path: string, accepted: string | undefined, more: Record<string, string> = {}) =>
  receive(path, {
    authorization: `Bearer ${key}`,
    ...(accepted !== undefined && { "accept-encoding": accepted }),
    ...more,
  });

const compression = suite("a compressed response");

compression("follows the weights of Accept-Encoding", () => {
  const cases: [string | undefined, Coding | undefined][] = [
    [undefined, undefined],
    ["", undefined],
    ["identity", undefined],
    ["deflate, zstd", undefined],
    ["gzip", "gzip"],
    ["GZIP", "gzip"],
    ["br", "br"],
    ["gzip, deflate, br", "br"],
    ["gzip;q=1.0, br;q=0.5", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["gzip;q=0", undefined],
    ["*", "br"],
    ["*;q=0", undefined],
    ["br;q=0, *", "gzip"],
    ["identity;q=1, gzip;q=0.5", undefined],
    ["gzip;q=x", undefined],
  ];
  for (const [header, coding] of cases) assert.is(codingOf(header), coding, String(header));
});

compression("is the same document with the same tag, from the cache too, and is smaller", async () => {
  const plain = await ask("/api/v1/assets", undefined);
  assert.is(plain.headers["content-encoding"], undefined);
  assert.is(plain.headers.vary, "accept-encoding");
  for (const coding of ["gzip", "br", "gzip", "br"]) {
    const got = await ask("/api/v1/assets", coding);
    assert.is(got.headers["content-encoding"], coding);
    assert.is(got.headers["content-length"], String(got.bytes.length));
    assert.ok(got.bytes.length < plain.bytes.length / 2);
    assert.is(got.text, plain.text);
    assert.is(got.headers.etag, plain.headers.etag);
    const again = await ask("/api/v1/assets", coding, { "if-none-match": String(got.headers.etag) });
    assert.is(again.status, 304);
    assert.equal([again.headers.vary, again.headers["content-encoding"]], ["accept-encoding", undefined]);
  }
});

compression("is never older than the last write", async () => {
  for (let at = 0; at < 3; at++) {
    for (const coding of ["gzip", "br"]) await ask("/api/v1/assets", coding);
    const label = `A thing ${at}`;
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const made = await fetch(`${server.url}/api/v1/assets`, {
      method: "POST",
      headers,
      body: JSON.stringify({ label }),
    });
    assert.is(made.status, 200);
    for (const coding of ["br", "gzip"]) assert.match((await ask("/api/v1/assets", coding)).text, label);
  }
});

compression("is not sent for short documents, media, ranges, event streams and errors", async () => {
  const short = await ask("/api/v1/production", "gzip");
  assert.ok(short.bytes.length < 1024);
  assert.equal([short.headers["content-encoding"], short.headers.vary], [undefined, undefined]);
  const media = await ask(`/api/v1/media/${releasedStill}/content`, "gzip", { range: "bytes=0-9" });
  assert.equal([media.status, media.bytes.length, media.headers["content-encoding"]], [206, 10, undefined]);
  assert.is((await ask("/api/v1/nothing", "gzip")).headers["content-encoding"], undefined);
  const stream = await new Promise<IncomingHttpHeaders>((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, accept: "text/event-stream", "accept-encoding": "gzip" };
    const request = get(`${server.url}/api/v1/events`, { headers }, (response) => {
      resolve(response.headers);
      request.destroy();
    }).on("error", reject);
  });
  assert.equal([stream["content-type"], stream["content-encoding"]], ["text/event-stream", undefined]);
});

compression(
  "is sent for pages, their files and the description, but not to a page that another site asked for",
  async () => {
    const admin = await openAsAdmin(server, production);
    const headers = { cookie: admin.cookies(), accept: "text/html", "accept-encoding": "gzip" };
    const plain = await receive("/people", { ...headers, "accept-encoding": "identity" });
    const page = await receive("/people", headers);
    assert.is(page.headers["content-encoding"], "gzip");
    const bare = (text: string) => text.replace(/data-(?:clock|cursor)="[^"]*"/g, "");
    assert.is(bare(page.text), bare(plain.text));
    for (const site of ["cross-site", "same-site"])
      assert.is(
        (await receive("/people", { ...headers, "sec-fetch-site": site })).headers["content-encoding"],
        undefined,
      );
    const [, script = ""] = /<script src="([^"]+)"/.exec(page.text) ?? [];
    for (const path of [script, "/worker.js", "/docs", "/api/v1/openapi.json"])
      assert.is((await receive(path, headers)).headers["content-encoding"], "gzip", path);
  },
);

compression.after(() => server.stop());
compression.run();
