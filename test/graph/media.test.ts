// GET /media/{id}, /media/{id}/content and the media route with its tickets.
import { createHash, createHmac } from "node:crypto";
import { readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { Bytes } from "../../src/core/answers.ts";
import type { RequestContext } from "../../src/core/http/request_context.ts";
import { sendBytes } from "../../src/core/http/send.ts";
import { openSecrets } from "../../src/graph/tickets.ts";
import { assertRefused, mint, one, openTestServer, revoke, temporaryFolder } from "../support/app.ts";
import { sampling } from "../support/sampling.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";

let now = Date.parse("2026-11-20T09:00:00.000Z");
const server = await openTestServer({ clock: () => now });
const { store } = server;
const seedData = seedDataOf(store);
const production_id = seedData.production;
const wide = mint(store, { production_id });
const vendor = mint(store, { production_id, engagement_id: seedData.sceneGrantee, scopes });
const foreign = mint(store, { production_id: seedData.otherProduction });

const still = one<string>(store, "SELECT path FROM media WHERE id = ?", seedData.releasedStill);
const sha256 = one<string>(store, "SELECT sha256 FROM media WHERE id = ?", seedData.releasedStill);
const size = one(store, "SELECT size FROM blobs WHERE sha256 = ?", sha256);
const ticketOf = async (token: string): Promise<string> => (await server.get(token, "/media-ticket")).ticket;

/** A ticket as Tallylight 1.0 signed it, for a key of either shape. */
function formerTicket(token: string): string {
  const { id, secret } = openSecrets(server.folder).ticket_keys[0] as { id: string; secret: string };
  const key_id = one(store, "SELECT id FROM api_keys WHERE prefix = ?", token.slice(0, 11));
  const text = `${id}.${production_id}.${key_id}.${(now + 15 * 60_000).toString(36)}`;
  const signature = createHmac("sha256", Buffer.from(secret, "base64url")).update(`tallylight media ticket ${text}`);
  return `${text}.${signature.digest("base64url")}`;
}

const content = (headers: Record<string, string> = {}, method = "GET") =>
  server.ask(wide, `/api/v1/media/${seedData.releasedStill}/content`, { headers, method });

/** The descriptors of this process at which a file is open: on Linux, and not on Deno, where the tests may not look. */
const openFiles = (file: string): string[] =>
  process.platform !== "linux" || "Deno" in globalThis
    ? []
    : readdirSync("/proc/self/fd").filter((descriptor) => {
        try {
          return readlinkSync(`/proc/self/fd/${descriptor}`) === file;
        } catch {
          return false; // it was closed meanwhile
        }
      });

const bytes = suite("GET /media/{id}/content");

bytes("sends the stored bytes with a strong ETag, a sniffed type and nosniff", async () => {
  const response = await content();
  const body = Buffer.from(await response.arrayBuffer());
  assert.is(createHash("sha256").update(body).digest("hex"), sha256);
  assert.is(response.headers.get("etag"), `"${sha256}"`);
  assert.is(response.headers.get("content-type"), "image/jpeg");
  assert.is(response.headers.get("x-content-type-options"), "nosniff");
  assert.match(response.headers.get("content-disposition") ?? "", /^inline;/);
});

bytes("sends only the headers for HEAD", async () => {
  const response = await content({}, "HEAD");
  assert.is(response.headers.get("content-length"), String(size));
  assert.is((await response.arrayBuffer()).byteLength, 0);
});

bytes(
  "serves ranges: closed, open, suffix, longer than the file; returns 416 if the range is unsatisfiable",
  async () => {
    const whole = Buffer.from(await (await content()).arrayBuffer());
    const expected: [string, number, number][] = [
      ["bytes=0-9", 0, 10],
      ["bytes=5-", 5, size],
      ["bytes=-7", size - 7, size],
      [`bytes=3-${size * 2}`, 3, size],
    ];
    for (const [range, from, to] of expected) {
      const response = await content({ range });
      assert.is(response.status, 206, range);
      assert.is(response.headers.get("content-range"), `bytes ${from}-${to - 1}/${size}`);
      assert.equal(Buffer.from(await response.arrayBuffer()), whole.subarray(from, to));
    }
    const beyond = await content({ range: `bytes=${size}-` });
    assert.is(beyond.headers.get("content-range"), `bytes */${size}`);
    await assertRefused(beyond, 416);
  },
);

bytes("ignores everything but a single byte range", async () => {
  for (const range of ["bytes=0-1,3-4", "bytes=9-3", "lines=1-2", "bytes=a-b", "bytes=-"])
    assert.is((await content({ range })).status, 200, range);
});

bytes("honours a range only if If-Range matches the strong ETag", async () => {
  assert.is((await content({ range: "bytes=0-1", "if-range": `"${sha256}"` })).status, 206);
  assert.is((await content({ range: "bytes=0-1", "if-range": `W/"${sha256}"` })).status, 200);
  assert.is((await content({ range: "bytes=0-1", "if-range": '"other"' })).status, 200);
});

bytes("returns 304 without a body if If-None-Match matches", async () => {
  const response = await content({ "if-none-match": `"x", W/"${sha256}"` });
  assert.is(response.status, 304);
  assert.is(await response.text(), "");
});

bytes("serves HTML and SVG as an attachment, whatever the file's name is", async () => {
  const submitter = mint(store, { production_id, engagement_id: seedData.submitter, scopes });
  const evil = {
    "x.html": "<script>alert(1)</script>",
    "x.svg": "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
    "x.jpg": "<html>",
  };
  for (const [name, text] of Object.entries(evil)) {
    const body = new FormData();
    body.append("files", new Blob([text], { type: "text/html" }), name);
    const sent = await server.ask(submitter, `/api/v1/turnovers/${seedData.delivery}/submissions`, {
      method: "POST",
      body,
    });
    const { media } = (await sent.json()) as { media: [{ id: number }] };
    const served = await server.ask(submitter, `/api/v1/media/${media[0].id}/content`);
    assert.is(served.headers.get("content-type"), "application/octet-stream", name);
    assert.match(served.headers.get("content-disposition") ?? "", /^attachment;/);
    assert.match(served.headers.get("content-security-policy") ?? "", /sandbox/);
    await served.arrayBuffer();
  }
});

bytes("returns 404 for media that the engagement does not reach", async () => {
  const unreleased = one(
    store,
    "SELECT m.id FROM media m JOIN versions v ON v.id = m.version_id WHERE v.released = 0 AND m.production_id = ?",
    production_id,
  );
  await assertRefused(await server.ask(vendor, `/api/v1/media/${unreleased}/content`), 404, "not found");
  assert.is((await server.ask(wide, `/api/v1/media/${unreleased}/content`)).status, 200);
});
bytes("leaves no file open, and does not end, if the client is gone before the first byte", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "still");
  writeFileSync(file, "four");
  const stored = new Bytes({ label: "Still", sha256, size: 4, content_type: "image/jpeg" }, { file });
  const ends: Promise<unknown>[] = [];
  const gone = createServer((req, res) => {
    const send = () => sendBytes({ req, res } as unknown as RequestContext, stored); // the parts that it needs
    const closed = new Promise((resolve) => res.once("close", resolve));
    req.socket.destroy();
    ends.push(closed.then(send).catch((error: Error) => error));
  });
  await new Promise<void>((resolve) => gone.listen(0, "127.0.0.1", resolve));
  const ask = () =>
    fetch(`http://127.0.0.1:${(gone.address() as AddressInfo).port}/`).then(
      () => assert.unreachable("the connection was closed"),
      () => undefined,
    );
  await ask();
  await Promise.all(ends);
  await until(() => openFiles(file).length === 0); // it is closed beside other work
  rmSync(file);
  await ask();
  assert.match(String((await Promise.all(ends)).at(-1)), /ENOENT/);
  gone.close();
  rmSync(folder, { recursive: true });
});

bytes.run();

const route = suite("GET /media/<path>?t=<ticket>");

route("a ticket gives access to the paths of its production without a header", async () => {
  const response = await fetch(`${server.url}/media/${still}?t=${await ticketOf(wide)}`);
  assert.is(response.status, 200);
  assert.is(Number(response.headers.get("content-length")), size);
  await response.arrayBuffer();
});

route("returns 401 for a missing, malformed or expired ticket, also with a bearer header", async () => {
  const ticket = await ticketOf(wide);
  for (const query of ["", "?t=", "?t=nonsense", `?t=${ticket}x`, `?t=${ticket.slice(1)}`, `?t=${wide}`])
    await assertRefused(await server.ask(wide, `/media/${still}${query}`), 401);
  now += 15 * 60_000 + 1;
  await assertRefused(await fetch(`${server.url}/media/${still}?t=${ticket}`), 401, /expired/);
});

route("a revoked key ends its tickets on the next request", async () => {
  const token = mint(store, { production_id });
  const ticket = await ticketOf(token);
  assert.is((await fetch(`${server.url}/media/${still}?t=${ticket}`, { method: "HEAD" })).status, 200);
  store.writeSync(() =>
    store.database.prepare("UPDATE api_keys SET revoked_at = created_at WHERE prefix = ?").run(token.slice(0, 11)),
  );
  await assertRefused(await fetch(`${server.url}/media/${still}?t=${ticket}`), 401);
});

route("returns 404 for a path of another production", async () => {
  await assertRefused(await fetch(`${server.url}/media/${still}?t=${await ticketOf(foreign)}`), 404, "not found");
});

route("returns 403 if a bound key asks for a ticket, whatever its scopes are", async () => {
  await assertRefused(await server.ask(vendor, "/api/v1/media-ticket"), 403, /bound to an engagement/);
});

route("a ticket that 1.0 signed is valid until it expires or the key ends", async () => {
  const token = mint(store, { production_id, label: "of 1.0" });
  const ticket = formerTicket(token);
  const statusNow = async () => (await fetch(`${server.url}/media/${still}?t=${ticket}`, { method: "HEAD" })).status;
  assert.is(await statusNow(), 200);
  revoke(store, "of 1.0");
  assert.is(await statusNow(), 401);
});

route("a vendor's ticket from 1.0 reaches what its key reaches", async () => {
  const ticket = formerTicket(vendor);
  const rows = store.database.prepare("SELECT id, path FROM media WHERE production_id = ?").all(production_id) as {
    id: number;
    path: string;
  }[];
  let reached = 0;
  for (const { id, path } of rows) {
    const byId = (await server.ask(vendor, `/api/v1/media/${id}`)).status;
    assert.is((await fetch(`${server.url}/media/${path}?t=${ticket}`, { method: "HEAD" })).status, byId, path);
    if (byId === 200) reached++;
  }
  assert.ok(reached > 0 && reached < rows.length);
});

/** The status of a raw request. fetch would normalise the target. */
function statusOf(target: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, "127.0.0.1", () =>
      socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
    );
    let text = "";
    socket.on("data", (chunk) => (text += chunk));
    socket.on("close", () => resolve(Number(text.split(" ", 2)[1])));
    socket.on("error", reject);
  });
}

route("returns 404 for every encoding of ..", async () => {
  const ticket = await ticketOf(wide);
  const dots = ["..", "%2e%2e", "%2E.", ".%2e", "%252e%252e", "..%2f..", "%c0%ae%c0%ae", "..;", "....//", "%00"];
  for (const dot of dots)
    for (const target of [
      `/media/${dot}/tallylight.db`,
      `/media/${dot}/${dot}/etc/passwd`,
      `/media/${still}/${dot}`,
      `/media//${dot}/${still}`,
      `/media/x/${dot}/${still}`,
    ])
      assert.is(await statusOf(`${target}?t=${ticket}`), 404, target);
});

route("returns 401 for every changed ticket", async () => {
  const ticket = await ticketOf(wide);
  const mutation = fc.oneof(
    fc.tuple(fc.constant("flip"), fc.nat({ max: ticket.length - 1 }), fc.integer({ min: 33, max: 126 })),
    fc.tuple(fc.constant("cut"), fc.nat({ max: ticket.length - 1 }), fc.constant(0)),
    fc.tuple(fc.constant("insert"), fc.nat({ max: ticket.length }), fc.integer({ min: 33, max: 126 })),
  );
  await fc.assert(
    fc.asyncProperty(mutation, async ([kind, at, code]) => {
      const put = String.fromCharCode(code);
      const forged =
        kind === "cut" ? ticket.slice(0, at) : ticket.slice(0, at) + put + ticket.slice(kind === "flip" ? at + 1 : at);
      if (forged === ticket) return;
      const response = await fetch(`${server.url}/media/${still}?t=${encodeURIComponent(forged)}`);
      await assertRefused(response, 401);
    }),
    sampling(400),
  );
});

route("returns 405 with Allow for another method", async () => {
  const response = await fetch(`${server.url}/media/${still}`, { method: "POST" });
  assert.is(response.headers.get("allow"), "GET, HEAD");
  await assertRefused(response, 405);
});

route.after(() => server.stop());
route.run();
