// Resumable uploads by hand: the rules of tus 1.0 and its extensions, and who may see an upload.
import { createHash, randomBytes } from "node:crypto";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { resumableOf } from "../../src/features/uploads/state.ts";
import { sweepUploads } from "../../src/features/uploads/sweep.ts";
import { assertRefused, mint, one, openTestServer, revoke } from "../support/app.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { arrived } from "../support/staged.ts";

let now = Date.parse("2026-11-20T09:00:00.000Z");
const ceiling = 1 << 20;
const server = await openTestServer({ environment: { TALLYLIGHT_UPLOAD_LIMIT: String(ceiling) }, clock: () => now });
const { store, folder } = server;
const { production: production_id, submitter } = seedDataOf(store);
const token = mint(store, { production_id, scopes: ["write"] });
const vendor = mint(store, { production_id, engagement_id: submitter, scopes: ["submit:turnover"] });
const collection = "/api/v1/uploads";
const version = { "tus-resumable": "1.0.0" };
const partHeaders = { "content-type": "application/offset+octet-stream" };
const staged = () => readdirSync(join(folder, "media", "staging"));

type Headers = Record<string, string>;
const send = (
  method: string,
  path: string,
  headers: Headers = {},
  body?: RequestInit["body"],
  key: string | undefined = token,
) => server.ask(key, path, { method, headers: { ...version, ...headers }, ...(body !== undefined && { body }) });
/** Creates an upload and returns its path. */
async function create(length: number, headers: Headers = {}, body?: RequestInit["body"], key = token): Promise<string> {
  const response = await send("POST", collection, { "upload-length": String(length), ...headers }, body, key);
  assert.is(response.status, 201, await response.text());
  return response.headers.get("location") as string;
}
const patch = (
  path: string,
  offset: number,
  body: NonNullable<RequestInit["body"]>,
  headers: Headers = {},
  key = token,
) => send("PATCH", path, { ...partHeaders, "upload-offset": String(offset), ...headers }, body, key);
const offsetOf = async (path: string, key = token): Promise<number> => {
  const response = await send("HEAD", path, {}, undefined, key);
  assert.is(response.status, 200);
  return Number(response.headers.get("upload-offset"));
};
const bytes = randomBytes(1000);
const checksum = (part: Uint8Array, algorithm = "sha1") =>
  `${algorithm} ${createHash(algorithm).update(part).digest("base64")}`;

const core = suite("tus core");

core("OPTIONS names the version, the extensions, the ceiling and the algorithms, without a key", async () => {
  for (const path of [collection, `${collection}/any`]) {
    const response = await server.ask(undefined, path, { method: "OPTIONS" });
    assert.is(response.status, 204);
    assert.is(response.headers.get("tus-resumable"), "1.0.0");
    assert.is(response.headers.get("tus-version"), "1.0.0");
    assert.is(response.headers.get("tus-extension"), "creation,creation-with-upload,termination,expiration,checksum");
    assert.is(response.headers.get("tus-max-size"), String(ceiling));
    assert.is(response.headers.get("tus-checksum-algorithm"), "sha1,sha256,sha512");
  }
});

core("a vendor whose engagement may submit nothing, or has ended, uploads nothing", async () => {
  const engagement_id = one(store, "SELECT max(id) + 1 FROM engagements");
  store.database.exec(
    `INSERT INTO engagements (id, production_id, vendor_id, title, created_at)
     SELECT ${engagement_id}, production_id, vendor_id, 'Upload', created_at FROM engagements WHERE id = ${submitter};
     INSERT INTO grants (production_id, engagement_id, verb, delivery_id, created_at)
     SELECT production_id, ${engagement_id}, 'submit', delivery_id, created_at FROM grants
     WHERE engagement_id = ${submitter} AND verb = 'submit' LIMIT 1`,
  );
  const key = mint(store, { production_id, engagement_id, scopes });
  const path = await create(bytes.length, {}, undefined, key);
  for (const change of [
    `UPDATE engagements SET ended_at = '2026-01-01' WHERE id = ${engagement_id}`,
    `UPDATE engagements SET ended_at = NULL WHERE id = ${engagement_id}; UPDATE grants SET revoked_at = '2026-01-01' WHERE engagement_id = ${engagement_id}`,
  ]) {
    store.database.exec(change);
    const before = staged();
    const refused = /^the key's engagement has no live submit grant/;
    await assertRefused(await send("POST", collection, { "upload-length": "4" }, undefined, key), 403, refused);
    await assertRefused(await patch(path, 0, bytes, {}, key), 403, refused);
    assert.equal(staged(), before);
  }
  assert.is((await send("DELETE", path, {}, undefined, key)).status, 204);
});

core("stores parts, and HEAD says how far they are", async () => {
  const path = await create(bytes.length, { "upload-metadata": "filename Y29tcC5leHI=,flag" });
  assert.match(path, /^\/api\/v1\/uploads\/[\w-]{22}$/);
  const first = await patch(path, 0, bytes.subarray(0, 400));
  assert.is(first.status, 204);
  assert.is(first.headers.get("upload-offset"), "400");
  const head = await send("HEAD", path);
  assert.is(head.headers.get("upload-offset"), "400");
  assert.is(head.headers.get("upload-length"), "1000");
  assert.is(head.headers.get("upload-metadata"), "filename Y29tcC5leHI=,flag");
  assert.is(head.headers.get("cache-control"), "no-store");
  assert.is((await patch(path, 400, bytes.subarray(400))).headers.get("upload-offset"), "1000");
});

core("another offset is 409, and changes nothing", async () => {
  const path = await create(1000, partHeaders, bytes.subarray(0, 400));
  for (const offset of [0, 399, 401, 1000])
    await assertRefused(await patch(path, offset, bytes.subarray(400)), 409, "Upload-Offset must be 400");
  assert.is(await offsetOf(path), 400);
});

core("another version is 412, and names the supported one; the key is checked first", async () => {
  const path = await create(10);
  for (const sent of ["0.2.2", "1.0", ""]) {
    const response = await server.ask(token, path, { method: "HEAD", headers: { "tus-resumable": sent } });
    assert.is(response.status, 412);
    assert.is(response.headers.get("tus-version"), "1.0.0");
    assert.is(response.headers.get("tus-resumable"), "1.0.0");
  }
  await assertRefused(await server.ask(token, collection, { method: "POST" }), 412, "Tus-Resumable must be 1.0.0");
  await assertRefused(await server.ask(undefined, collection, { method: "POST" }), 401);
});

core("another content type of a part is 415", async () => {
  const path = await create(10);
  for (const type of ["application/octet-stream", "multipart/form-data; boundary=b", ""])
    await assertRefused(await patch(path, 0, "x", { "content-type": type }), 415);
  await assertRefused(await send("POST", collection, { "upload-length": "1", "content-type": "text/plain" }, "x"), 415);
});

core("a malformed or missing offset is 400", async () => {
  const path = await create(10);
  await assertRefused(await send("PATCH", path, partHeaders, "x"), 400, "Upload-Offset is required");
  for (const sent of ["-1", "1.5", "x", "9".repeat(17)])
    await assertRefused(
      await patch(path, 0, "x", { "upload-offset": sent }),
      400,
      "Upload-Offset must be a number of bytes",
    );
});

core("more bytes than the upload has are 413, and none is stored", async () => {
  const path = await create(10);
  await assertRefused(await patch(path, 0, "x".repeat(11)), 413, "the upload has only 10 bytes left");
  const chunked = new ReadableStream({
    start(controller) {
      for (let at = 0; at < 11; at++) controller.enqueue(new TextEncoder().encode("x"));
      controller.close();
    },
  });
  const response = await server.ask(token, path, {
    method: "PATCH",
    headers: { ...version, ...partHeaders, "upload-offset": "0" },
    body: chunked,
    duplex: "half",
  } as RequestInit);
  await assertRefused(response, 413, /at most 10 bytes/);
  assert.ok((await offsetOf(path)) <= 10);
});

core("a method that a path does not have is 405, and X-HTTP-Method-Override names another one", async () => {
  const path = await create(10);
  await assertRefused(await send("GET", path), 405, "this path supports only HEAD, PATCH, DELETE, OPTIONS");
  await assertRefused(await send("GET", collection), 405, "this path supports only POST, OPTIONS");
  const headers = { ...partHeaders, "upload-offset": "0", "x-http-method-override": "PATCH" };
  const authorization = `Bearer ${token}`;
  const init = { method: "POST", body: "12345", headers: { authorization, ...version, ...headers } };
  assert.is((await fetch(server.url + path, init)).status, 204);
  assert.is(await offsetOf(path), 5);
});

core("what arrived before the connection broke stays", async () => {
  const path = await create(1000);
  const socket = connect(server.port, "127.0.0.1");
  socket.write(
    `PATCH ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n` +
      "Content-Type: application/offset+octet-stream\r\nContent-Length: 1000\r\n\r\n",
  );
  socket.write(bytes.subarray(0, 600));
  await arrived(folder, path, 600);
  socket.destroy();
  assert.is(await offsetOf(path), 600);
  assert.is((await patch(path, 600, bytes.subarray(600))).status, 204);
});

core("a client that asks again ends its own part that still arrives on a dead connection", async () => {
  const path = await create(1000);
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(
    `PATCH ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n` +
      "Content-Type: application/offset+octet-stream\r\nContent-Length: 1000\r\n\r\n",
  );
  socket.write(bytes.subarray(0, 300));
  await arrived(folder, path, 300);
  assert.is(await offsetOf(path), 300);
  assert.is((await patch(path, 300, bytes.subarray(300))).headers.get("upload-offset"), "1000");
  socket.destroy();
});

core.run();

const creation = suite("tus creation");

creation("without a length, with another one, and with what is not supported it is 400", async () => {
  await assertRefused(await send("POST", collection), 400, "Upload-Length is required");
  for (const length of ["-1", "x", "1e3"])
    await assertRefused(
      await send("POST", collection, { "upload-length": length }),
      400,
      "Upload-Length must be a number of bytes",
    );
  await assertRefused(
    await send("POST", collection, { "upload-defer-length": "1" }),
    400,
    /^Upload-Defer-Length is not supported/,
  );
  const partial = { "upload-length": "1", "upload-concat": "partial" };
  await assertRefused(await send("POST", collection, partial), 400, /^Upload-Concat is not supported/);
});

creation("a file above the ceiling is 413", async () => {
  const refused = await send("POST", collection, { "upload-length": String(ceiling + 1) });
  await assertRefused(refused, 413, `a file must have at most ${ceiling.toLocaleString("en")} bytes`);
});

creation("malformed metadata is 400", async () => {
  for (const metadata of ["filename ???", "a b c", ",", "filename YQ==,filename YQ==", "k YQ"])
    await assertRefused(
      await send("POST", collection, { "upload-length": "1", "upload-metadata": metadata }),
      400,
      /^Upload-Metadata/,
    );
});

creation("takes the first part with the request, or the whole file", async () => {
  const path = await create(1000, partHeaders, bytes.subarray(0, 999));
  assert.is(await offsetOf(path), 999);
  const whole = await create(1000, partHeaders, bytes);
  assert.is(await offsetOf(whole), 1000);
  const created = staged().length;
  await assertRefused(await send("POST", collection, { "upload-length": "1", ...partHeaders }, "xx"), 413);
  assert.is(staged().length, created, "a refused upload leaves no file");
});

creation("a key may have 2,000 unused uploads", async () => {
  const key = mint(store, { production_id, scopes: ["write"], label: "many" });
  const path = await create(1, {}, undefined, key);
  const id = path.split("/").at(-1);
  store.writeSync(() =>
    store.database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1999)
      INSERT INTO uploads (id, key_id, length, received, metadata, created_at, expires_at)
      SELECT 'made-' || i, key_id, 0, 0, '', created_at, expires_at FROM uploads, n WHERE id = '${id}'`),
  );
  const created = staged().length;
  await assertRefused(
    await send("POST", collection, { "upload-length": "1" }, undefined, key),
    503,
    /^this key has 2000 unused uploads/,
  );
  assert.is(staged().length, created);
  store.writeSync(() => store.database.exec("DELETE FROM uploads WHERE id LIKE 'made-%'"));
});

creation.run();

const extensions = suite("tus termination, expiration and checksum");

extensions("a removed upload is 404, and its bytes are gone", async () => {
  const path = await create(1000, partHeaders, bytes.subarray(0, 10));
  const id = path.split("/").at(-1) as string;
  assert.ok(staged().some((name) => name.endsWith(id)));
  assert.is((await send("DELETE", path)).status, 204);
  assert.not.ok(staged().some((name) => name.endsWith(id)));
  for (const refused of [await send("HEAD", path), await patch(path, 10, "x"), await send("DELETE", path)])
    assert.is(refused.status, 404);
});

extensions("an upload is kept 24 hours after its last bytes", async () => {
  const path = await create(1000);
  const expires = async () => Date.parse((await send("HEAD", path)).headers.get("upload-expires") as string);
  assert.is(await expires(), now + 86_400_000);
  now += 80_000_000;
  await patch(path, 0, bytes.subarray(0, 10));
  assert.is(await expires(), now + 86_400_000);
  now += 86_399_000;
  assert.is(await offsetOf(path), 10);
  now += 1_000;
  assert.is((await send("HEAD", path)).status, 404);
  await assertRefused(await patch(path, 10, "x"), 404, "not found");
  await server.app.store.write(() => sweepUploads(resumableOf(server.app)));
  const id = path.split("/").at(-1) as string;
  assert.not.ok(staged().some((name) => name.endsWith(id)));
  assert.is(one(store, "SELECT count(*) FROM uploads WHERE id = ?", id), 0);
});

extensions("a part with its checksum is stored; with another one it is dropped with 460", async () => {
  for (const algorithm of ["sha1", "sha256", "sha512"]) {
    const path = await create(1000);
    const [part, rest] = [bytes.subarray(0, 500), bytes.subarray(500)];
    assert.is((await patch(path, 0, part, { "upload-checksum": checksum(part, algorithm) })).status, 204);
    await assertRefused(await patch(path, 500, rest, { "upload-checksum": checksum(part, algorithm) }), 460);
    assert.is(await offsetOf(path), 500);
    assert.is((await patch(path, 500, rest, { "upload-checksum": checksum(rest, algorithm) })).status, 204);
  }
});

extensions("a malformed checksum or an unknown algorithm is 400, before anything is created", async () => {
  const path = await create(10);
  for (const sent of ["md5 YQ==", "sha1", "sha1 YQ==", "sha1 ????", `${checksum(bytes)} x`]) {
    await assertRefused(await patch(path, 0, "x", { "upload-checksum": sent }), 400, /Upload-Checksum/);
    const created = staged().length;
    await assertRefused(await send("POST", collection, { "upload-length": "1", "upload-checksum": sent }), 400);
    assert.is(staged().length, created);
  }
});

extensions("a part with a checksum whose connection breaks is dropped as a whole", async () => {
  const path = await create(1000);
  const socket = connect(server.port, "127.0.0.1");
  socket.write(
    `PATCH ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n` +
      `Upload-Checksum: ${checksum(bytes)}\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: 1000\r\n\r\n`,
  );
  socket.write(bytes.subarray(0, 600));
  await arrived(folder, path, 600);
  socket.destroy();
  assert.is(await offsetOf(path), 0);
});

extensions.run();

const access = suite("access to resumable uploads");

access("an upload of another key, of the same engagement or not, is 404", async () => {
  const path = await create(10, {}, undefined, vendor);
  assert.is(await offsetOf(path, vendor), 0);
  const sibling = mint(store, { production_id, engagement_id: submitter, scopes });
  for (const other of [token, sibling])
    for (const response of [
      await send("HEAD", path, {}, undefined, other),
      await patch(path, 0, "x", {}, other),
      await send("DELETE", path, {}, undefined, other),
    ])
      assert.is(response.status, 404);
  assert.is(await offsetOf(path, vendor), 0);
});

access("a key with neither write nor submit:turnover is 403", async () => {
  const reader = mint(store, { production_id, scopes: ["read", "read:money"] });
  const refused = await send("POST", collection, { "upload-length": "1" }, undefined, reader);
  await assertRefused(refused, 403, "key has neither the `write` nor the `submit:turnover` scope");
});

access("a revoked key is 401 with the next part", async () => {
  const key = mint(store, { production_id, scopes: ["write"], label: "uploader" });
  const path = await create(10, {}, undefined, key);
  revoke(store, "uploader");
  await assertRefused(await patch(path, 0, "x", {}, key), 401);
});

access("an id that is no id is 404", async () => {
  for (const id of ["..%2f..%2fsecrets.json", "..", "x/y", "%00", "a".repeat(500), "'--"])
    assert.is((await send("HEAD", `${collection}/${id}`)).status, 404);
});

access.after(() => server.stop());
access.run();
