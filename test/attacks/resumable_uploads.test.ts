// Hostile clients of resumable uploads: races on one upload, limits of what a key may hold, slow bodies, a full disk,
// and what a crash or a restored backup leaves behind.
// Thorough: only --all runs it.
import { createHash, randomBytes } from "node:crypto";
import { readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { assertRefused, demoFolder, mint, one, openTestServer, type TestServer } from "../support/app.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { arrived } from "../support/staged.ts";
import { until } from "../support/until.ts";

const server = await openTestServer({
  environment: { TALLYLIGHT_UPLOADS_AT_ONCE: "3" },
  bodyTimeouts: { window: 600_000, min: 1000, complete: 600_000 }, // none is too slow, however slow the machine is
});
const { store, folder } = server;
const { production: production_id, submitter: engagement_id, delivery } = seedDataOf(store);
const token = mint(store, { production_id, engagement_id, scopes });
const staging = join(folder, "media", "staging");
const part = { "tus-resumable": "1.0.0", "content-type": "application/offset+octet-stream" };

const create = async (length: number, on: TestServer = server, key = token): Promise<string> => {
  const headers = { "tus-resumable": "1.0.0", "upload-length": String(length) };
  const response = await on.ask(key, "/api/v1/uploads", { method: "POST", headers });
  assert.is(response.status, 201);
  return response.headers.get("location") as string;
};
const patch = (path: string, offset: number, body: Uint8Array) =>
  server.ask(token, path, {
    method: "PATCH",
    headers: { ...part, "upload-offset": String(offset) },
    body: body as Uint8Array<ArrayBuffer>,
  });
const offsetOf = async (path: string, on = server, key = token): Promise<number> => {
  const response = await on.ask(key, path, { method: "HEAD", headers: { "tus-resumable": "1.0.0" } });
  return Number(response.headers.get("upload-offset"));
};
/** Opens a PATCH that announces `length` bytes and sends `bytes` of them. */
function hang(path: string, length: number, bytes: Uint8Array, on = server, key = token) {
  const socket = connect(on.port, "127.0.0.1");
  let answer = "";
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    answer += chunk;
  });
  socket.write(
    `PATCH ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nTus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n` +
      `Content-Type: application/offset+octet-stream\r\nContent-Length: ${length}\r\n\r\n`,
  );
  socket.write(bytes);
  const closed = new Promise<string>((resolve) => void socket.on("close", () => resolve(answer)));
  return { socket, closed };
}
const submit = (path: string) =>
  server.ask(token, `/api/v1/turnovers/${delivery}/submissions`, {
    method: "POST",
    body: JSON.stringify({ upload_ids: [path.split("/").at(-1)] }),
    headers: { "content-type": "application/json" },
  });
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

const test = suite("attacks on resumable uploads");

test("of many parts at one offset, the bytes of one are stored, whole and in place", async () => {
  const bodies = Array.from({ length: 12 }, () => randomBytes(200_000));
  const path = await create(200_000);
  await Promise.allSettled(bodies.map((body) => patch(path, 0, body)));
  for (let offset = await offsetOf(path); offset < 200_000; offset = await offsetOf(path)) {
    assert.is(offset, 0, "a part that was interrupted before its first byte");
    await patch(path, 0, bodies[0] as Buffer);
  }
  const { media } = (await (await submit(path)).json()) as { media: { id: number }[] };
  const content = await server.ask(token, `/api/v1/media/${media[0]?.id}/content`);
  const stored = sha256(Buffer.from(await content.arrayBuffer()));
  assert.ok(
    bodies.some((body) => sha256(body) === stored),
    "the bytes are those of one part",
  );
  assert.is(one<string>(store, "SELECT sha256 FROM media WHERE id = ?", media[0]?.id), stored);
});

test("a finished or used upload takes no further byte, and the stored bytes stay as they are", async () => {
  const bytes = randomBytes(5000);
  const path = await create(5000);
  assert.is((await patch(path, 0, bytes)).status, 204);
  await assertRefused(await patch(path, 5000, Buffer.from("x")), 413);
  await assertRefused(await patch(path, 0, Buffer.alloc(5000)), 409);
  const { media } = (await (await submit(path)).json()) as { media: { id: number }[] };
  for (const offset of [0, 5000]) await assertRefused(await patch(path, offset, Buffer.from("x")), 404);
  const content = await server.ask(token, `/api/v1/media/${media[0]?.id}/content`);
  assert.is(sha256(Buffer.from(await content.arrayBuffer())), sha256(bytes));
});

test("a key brings no more parts at once than forms, and its share is free again afterwards", async () => {
  const paths = [await create(5000), await create(5000), await create(5000), await create(5000)];
  const hanging = paths.slice(0, 3).map((path) => hang(path, 5000, randomBytes(2000)));
  for (const path of paths.slice(0, 3)) await arrived(folder, path, 2000);
  const refused = await patch(paths[3] as string, 0, randomBytes(5000));
  assert.is(refused.headers.get("retry-after"), "5");
  await assertRefused(refused, 503, /^this key has 3 uploads in progress/);
  for (const { socket } of hanging) socket.destroy();
  for (const path of paths) await offsetOf(path); // answers once the former part has ended
  assert.is((await patch(paths[3] as string, 0, randomBytes(5000))).status, 204);
});

test("a part that arrives too slowly is 408, and what arrived stays", async () => {
  const hasty = await openTestServer({ bodyTimeouts: { window: 1500, min: 1000, complete: 2000 } });
  const key = mint(hasty.store, { production_id, engagement_id, scopes });
  // On a busy machine the time may be over before anything arrived, which shows nothing.
  await until(async () => {
    const path = await create(100_000, hasty, key);
    const { closed } = hang(path, 100_000, randomBytes(5000), hasty, key);
    assert.match(await closed, /^HTTP\/1\.1 408 /);
    return (await offsetOf(path, hasty, key)) === 5000;
  });
  await hasty.stop();
});

test("removing an upload while a part arrives leaves nothing", async () => {
  const path = await create(100_000);
  const { socket } = hang(path, 100_000, randomBytes(5000));
  await arrived(folder, path, 5000);
  const headers = { "tus-resumable": "1.0.0" };
  assert.is((await server.ask(token, path, { method: "DELETE", headers })).status, 204);
  socket.destroy();
  assert.not.ok(readdirSync(staging).includes(`resumable-${path.split("/").at(-1)}`));
});

test("an upload that would not leave the disk reserve free is 507 before its first byte", async () => {
  const full = await openTestServer({ environment: { TALLYLIGHT_DISK_RESERVE: String(2 ** 46) } });
  const key = mint(full.store, { production_id, scopes: ["write"] });
  const headers = { "tus-resumable": "1.0.0", "upload-length": "10" };
  await assertRefused(await full.ask(key, "/api/v1/uploads", { method: "POST", headers }), 507);
  assert.equal(readdirSync(join(full.folder, "media", "staging")), []);
  await full.stop();
});

test("a start keeps unfinished uploads, also old ones, and removes files without a row and rows without a file", async () => {
  const data = await demoFolder();
  const first = await openTestServer({ data });
  const key = mint(first.store, { production_id, scopes: ["write"] });
  const paths = [await create(10, first, key), await create(10, first, key)];
  const headers = { ...part, "upload-offset": "0" };
  for (const path of paths) await first.ask(key, path, { method: "PATCH", headers, body: "12345" });
  const [kept, lost] = paths.map((path) => join(data, "media/staging", `resumable-${path.split("/").at(-1)}`)) as [
    string,
    string,
  ];
  await first.close();
  const long = new Date(Date.now() - 80_000_000);
  utimesSync(kept, long, long);
  rmSync(lost); // as in a restored backup, which has no staged files
  writeFileSync(join(data, "media/staging/resumable-AAAAAAAAAAAAAAAAAAAAAA"), "no row");
  const second = await openTestServer({ data });
  assert.equal(readdirSync(join(data, "media/staging")), [kept.split("/").at(-1)]);
  const ask = (path: string) => second.ask(key, path, { method: "HEAD", headers: { "tus-resumable": "1.0.0" } });
  assert.is((await ask(paths[0] as string)).headers.get("upload-offset"), "5");
  assert.is((await ask(paths[1] as string)).status, 404);
  assert.is(one(second.store, "SELECT count(*) FROM uploads"), 1);
  await second.stop();
});

test.after(() => server.stop());
test.run();
