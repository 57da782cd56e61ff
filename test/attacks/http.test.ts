// Malformed HTTP, request smuggling, Host and Expect headers, slow bodies, encodings, too many requests. Every response
// is an error with a detail, and the next valid request is served.
// Thorough: only --all runs it.
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { removeUpload } from "../../src/features/uploads/receiving.ts";
import { resumableOf } from "../../src/features/uploads/state.ts";
import { assertRefused, mint, openTestServer } from "../support/app.ts";
import { jpeg } from "../support/jpeg.ts";
import { inProportion } from "../support/proportion.ts";
import { answersIn, raw } from "../support/raw_http.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";

const environment = { TALLYLIGHT_UPLOADS_AT_ONCE: "2", TALLYLIGHT_FAILED_KEYS: "50" };
const now = Date.now(); // time does not pass: a minute gives tries back
const server = await openTestServer({ environment, clock: () => now });
/** Waits for a body less than half a second. */
const hasty = await openTestServer({ environment, bodyTimeouts: { window: 300, min: 64 * 1024, complete: 400 } });
const { store, port } = server;
const seedData = seedDataOf(store);
const token = mint(store, { production_id: seedData.production });
const hastyToken = mint(hasty.store, { production_id: seedData.production });
const vendor = mint(store, {
  production_id: seedData.production,
  engagement_id: seedData.submitter,
  scopes: ["read", "submit:turnover"],
});
const node_id = store.database
  .prepare("SELECT id FROM nodes WHERE production_id = ? AND kind = 'costume'")
  .pluck()
  .get(seedData.production) as number;
const key = `Authorization: Bearer ${token}\r\n`;
const host = "Host: set.example\r\n";

const jsonIn = async (response: Response): Promise<any> => response.json();

async function answerTo(...parts: (string | Uint8Array)[]) {
  const [answer] = answersIn(await raw(port, parts));
  assert.ok(answer, "no answer");
  return answer as { status: number; head: string; body: string };
}

/** Checks the status and the detail, and that a valid request is served afterwards. Returns the detail. */
async function refused(status: number, ...parts: (string | Uint8Array)[]): Promise<string> {
  const answer = await answerTo(...parts);
  assert.is(answer.status, status, answer.head + answer.body);
  assert.match(answer.head, /x-content-type-options: nosniff/i);
  const { detail } = JSON.parse(answer.body);
  assert.type(detail, "string");
  await server.get(token, "/production");
  return detail;
}

const parser = suite("malformed requests");

parser("input that is not HTTP, malformed lines and unknown methods return 400", async () => {
  for (const text of [
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "GET\r\n\r\n",
    "GET / HTTP/9.9\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "HELO set\r\n\r\n",
    "GET /  x HTTP/1.1\r\n\r\n",
    `GET / HTTP/1.1\r\n${host}a b: c\r\n\r\n`,
    `GET / HTTP/1.1\r\n${host}: c\r\n\r\n`,
    `GET / HTTP/1.1\r\n${host}x: \u0000\r\n\r\n`,
    `GET / HTTP/1.1\r\n${host} folded: x\r\n\r\n`,
  ])
    await refused(400, text);
});

parser(
  "smuggling: two lengths, a length with chunks, invalid encodings and invalid chunks return 400 and close",
  async () => {
    const post = (headers: string, body: string) =>
      `POST /api/v1/assets HTTP/1.1\r\n${host}${key}Content-Type: application/json\r\n${headers}\r\n${body}`;
    const hidden = `GET /api/v1/production HTTP/1.1\r\n${host}${key}\r\n`;
    for (const [headers, body] of [
      ["Content-Length: 2\r\nContent-Length: 3\r\n", "{}x"],
      ["Content-Length: 2, 3\r\n", "{}"],
      ["Content-Length: +2\r\n", "{}"],
      ["Content-Length: 0x2\r\n", "{}"],
      ["Content-Length: -1\r\n", ""],
      ["Content-Length: 99999999999999999999\r\n", ""],
      ["Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", `0\r\n\r\n${hidden}`],
      ["Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", `0\r\n\r\n${hidden}`],
      ["Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"],
      ["Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"],
      ["Transfer-Encoding : chunked\r\n", "0\r\n\r\n"],
      ["Transfer-Encoding:\tchunked\r\nTransfer-Encoding: x\r\n", "0\r\n\r\n"],
      ["Transfer-Encoding: chunked\r\n", `zz\r\n{}\r\n0\r\n\r\n${hidden}`],
      ["Transfer-Encoding: chunked\r\n", `2;\n{}\r\n0\r\n\r\n${hidden}`],
      ["Transfer-Encoding: chunked\r\n", `ffffffffffffffffff\r\n{}\r\n0\r\n\r\n${hidden}`],
    ] as const) {
      const answers = answersIn(await raw(port, [post(headers, body)]));
      assert.is(answers.length, 1, `${headers}${JSON.stringify(answers)}`);
      assert.ok([400, 501].includes(answers[0]?.status as number), `${headers} ${answers[0]?.status}`);
      assert.type(JSON.parse(answers[0]?.body ?? "").detail, "string");
    }
  },
);

parser("a missing, repeated or invalid Host header returns 400", async () => {
  const get = "GET /api/v1/people HTTP/1.1\r\nConnection: close\r\n"; // its response is not cached yet
  assert.match(await refused(400, `${get}${key}\r\n`), "no Host");
  assert.match(await refused(400, `${get}${host}${host}\r\n`), "more than one Host");
  for (const odd of ["a b", "a/b", "<x>", 'a"b', "x".repeat(301)])
    await refused(400, `${get}Host: ${odd}\r\n${key}\r\n`);
  assert.is((await answerTo(`${get}Host: anything.example:99\r\n${key}\r\n`)).status, 200);
  assert.is((await answerTo(`GET /api/v1/production HTTP/1.0\r\n${key}\r\n`)).status, 200);
});

parser("headers over 16 KiB return 431, CONNECT 405, an expectation other than 100-continue 417", async () => {
  await refused(431, `GET / HTTP/1.1\r\n${host}x: ${"y".repeat(20_000)}\r\n\r\n`);
  await refused(431, `GET / HTTP/1.1\r\n${host}Connection: close\r\n${"a: b\r\n".repeat(5000)}\r\n`);
  await refused(405, `CONNECT 127.0.0.1:22 HTTP/1.1\r\n${host}\r\n`);
  await refused(
    417,
    `POST /api/v1/assets HTTP/1.1\r\n${host}${key}Expect: 200-maybe\r\nContent-Length: 2\r\nConnection: close\r\n\r\n`,
  );
  await refused(
    401,
    `GET /api/v1/production HTTP/1.1\r\n${host}Upgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n`,
  );
});

parser("100 Continue is sent only if the key is valid", async () => {
  const post = (headers: string) =>
    `POST /api/v1/assets HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 13\r\nConnection: close\r\nExpect: 100-continue\r\n${headers}\r\n`;
  assert.equal(
    answersIn(await raw(port, [post("")], 500)).map(({ status }) => status),
    [401],
  );
  assert.equal(
    answersIn(await raw(port, [post(key), '{"label":"x"}'])).map(({ status }) => status),
    [100, 200],
  );
});

parser("a body that was asked for and is refused before its end is read, and the connection goes on", async () => {
  const post = `POST /api/v1/assets HTTP/1.1\r\n${host}${key}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n`;
  const chunk = `100000\r\n${"x".repeat(1 << 20)}\r\n`;
  const get = `GET /healthz HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;
  assert.equal(
    answersIn(await raw(port, [post, chunk, chunk, "0\r\n\r\n", get])).map(({ status }) => status),
    [100, 413, 200],
  );
});

parser("pipelined requests are answered in order, also after a refused one", async () => {
  const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\n${host}${key}${more}\r\n`;
  const text =
    get("/api/v1/production") + get("/api/v1/nope") + get("/api/v1/scenes") + get("/healthz", "Connection: close\r\n");
  assert.equal(
    answersIn(await raw(port, [text])).map(({ status }) => status),
    [200, 404, 200, 200],
  );
});

const bodies = suite("bodies");

bodies("an encoded body returns 415 after the key is checked", async () => {
  for (const encoding of ["gzip", "br", "deflate", "identity, gzip", "x"]) {
    const init = {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json", "content-encoding": encoding },
    };
    await assertRefused(await server.ask(token, "/api/v1/assets", init), 415, /Content-Encoding/);
    await assertRefused(await server.ask(undefined, "/api/v1/assets", init), 401);
    await assertRefused(await server.ask(token, "/mcp", init), 415);
  }
});

bodies("deeply nested JSON returns 422, and -32700 over MCP, at any depth", async () => {
  for (const depth of [65, 1000, 400_000]) {
    const body = `{"label":"x","more":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    const init = { method: "POST", body, headers: { "content-type": "application/json" } };
    await assertRefused(
      await server.ask(token, "/api/v1/assets", init),
      422,
      "the body is nested more than 64 levels deep",
    );
    assert.is((await jsonIn(await server.ask(token, "/mcp", init))).error.code, -32700);
  }
});

bodies("__proto__ and constructor in JSON have no effect", async () => {
  const body =
    '{"__proto__":{"status":"done","released":true},"constructor":{"prototype":{"kind":"scene"}},"label":"plain"}';
  const response = await fetch(`${server.url}/api/v1/assets`, {
    method: "POST",
    body,
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
  });
  const made = await jsonIn(response);
  assert.is(response.status, 200);
  assert.is(made.status, "planned");
  assert.is(({} as Record<string, unknown>).status, undefined);
  assert.is(({} as Record<string, unknown>).kind, undefined);
});

bodies("a slow body returns 408 and does not affect other requests", async () => {
  const head = `POST /api/v1/assets HTTP/1.1\r\n${host}${key}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
  const waiting = Array.from({ length: 20 }, () => connect(port, "127.0.0.1"));
  for (const socket of waiting) socket.write(head);
  await server.get(token, "/production"); // the server waits for those bodies much longer than this test may take
  for (const socket of waiting) {
    assert.is(socket.bytesRead, 0);
    socket.destroy();
  }
  const slow = Array.from({ length: 20 }, () => raw(hasty.port, [head.replace(token, hastyToken)], 30_000));
  for (const text of await Promise.all(slow))
    assert.match(answersIn(text)[0]?.body ?? "", "did not arrive within 0.4 s");
});

bodies("a slow upload returns 408 and stores nothing; uploads over the limit return 503 with Retry-After", async () => {
  const head = `POST /api/v1/assets/${node_id}/versions HTTP/1.1\r\n${host}${key}Content-Type: multipart/form-data; boundary=X\r\nContent-Length: 10000000\r\n\r\n--X\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`;
  const form = new FormData();
  form.append("file", new Blob([jpeg(8, 8)]), "a.jpg");
  const upload = (on = server, as = token) =>
    on.ask(as, `/api/v1/assets/${node_id}/versions`, { method: "POST", body: form });
  const waiting = Array.from({ length: 2 }, () => connect(port, "127.0.0.1"));
  for (const socket of waiting) socket.write(head);
  const { uploads } = server.app.blobs;
  await until(() => uploads.running() === 2);
  const over = await upload();
  assert.equal([over.status, over.headers.get("retry-after")], [503, "5"]);
  for (const socket of waiting) socket.destroy();
  await until(() => uploads.running() === 0);
  assert.is((await upload()).status, 200);
  const slow = [head, Buffer.alloc(2000)].map((part) =>
    typeof part === "string" ? part.replace(token, hastyToken) : part,
  );
  const answers = await Promise.all(Array.from({ length: 2 }, () => raw(hasty.port, slow)));
  assert.equal(
    answers.map((text) => answersIn(text)[0]?.status),
    [408, 408],
  );
  // on a busy machine this body may be too slow for the server too
  await until(async () => (await upload(hasty, hastyToken)).status === 200);
});

bodies("a slow part of a resumable upload returns 408, with a checksum too", async () => {
  const head = `POST /api/v1/uploads HTTP/1.1\r\n${host}Authorization: Bearer ${hastyToken}\r\nTus-Resumable: 1.0.0\r\nUpload-Length: 10000000\r\nContent-Type: application/offset+octet-stream\r\nContent-Length: 10000000\r\n`;
  for (const checksum of ["", `Upload-Checksum: sha1 ${Buffer.alloc(20).toString("base64")}\r\n`]) {
    const text = await raw(hasty.port, [`${head}${checksum}\r\n`, Buffer.alloc(2000)], 10_000);
    assert.is(answersIn(text)[0]?.status, 408, checksum);
  }
  for (const name of readdirSync(`${hasty.folder}/media/staging`))
    await removeUpload(resumableOf(hasty.app), { id: name.replace("resumable-", "") }); // what has arrived of it stays
});

const forms = suite("multipart");
const post = (text: string | Uint8Array) =>
  server.ask(vendor, `/api/v1/turnovers/${seedData.delivery}/submissions`, {
    method: "POST",
    body: text as string,
    headers: { "content-type": "multipart/form-data; boundary=XX" },
  });
const part = (headers: string, body: string) => `--XX\r\n${headers}\r\n\r\n${body}\r\n`;
const file = part('Content-Disposition: form-data; name="files"; filename="a.txt"', "hello");
const end = "--XX--\r\n";

forms("10,000 parts, as files, as fields and without a name, return 413", async () => {
  for (const headers of [
    'Content-Disposition: form-data; name="files"; filename="a"',
    'Content-Disposition: form-data; name="f"',
    "Content-Disposition: form-data",
  ])
    await assertRefused(await post(part(headers, "x").repeat(10_000) + end), 413, /a form must have at most/);
});

forms("the headers of a part are limited, and checking them takes linear time", async () => {
  for (const header of [
    (scale: number) => `x: ${"y".repeat(scale * 4_000_000)}`,
    (scale: number) => `Content-Disposition: form-data; name="files"; ${'filename="'.repeat(scale * 40_000)}`,
    (scale: number) => "x: y\r\n".repeat(scale * 50_000).trim(),
  ])
    await inProportion(header(1).slice(0, 60), async (scale) => {
      await assertRefused(await post(part(header(scale), "x") + end), 413, /a part's headers/);
    });
});

forms("transfer encodings neither end the process nor change the bytes", async () => {
  for (const encoding of ["7bit", "8bit", "binary"]) {
    const title = part(
      `Content-Disposition: form-data; name="title"\r\nContent-Transfer-Encoding: ${encoding}`,
      "a title",
    );
    const response = await post(title + file + end);
    assert.is((await jsonIn(response)).title, "a title");
  }
  await assertRefused(await post(part("Content-Transfer-Encoding: zip", "x") + file + end), 422);
});

forms("base64 is decoded, also in lines", async () => {
  const text = "base64 in lines of 76 characters, as mail has them. ".repeat(10);
  const lines = Buffer.from(text).toString("base64").replace(/.{76}/g, "$&\r\n");
  const title = part('Content-Disposition: form-data; name="note"\r\nContent-Transfer-Encoding: base64', lines);
  assert.is((await jsonIn(await post(title + file + end))).note, text);
});

forms("what follows the last boundary is read and ignored, and the connection serves the next request", async () => {
  const body = file + end + "x".repeat(300_000);
  const head = `POST /api/v1/turnovers/${seedData.delivery}/submissions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${vendor}\r\n`;
  const sent = `${head}Content-Type: multipart/form-data; boundary=XX\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const last = `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
  const answers = answersIn(await raw(server.port, [sent + sent + last]));
  assert.equal(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
});

forms("bytes full of possible boundary beginnings are stored unchanged and in linear time", async () => {
  const boundary = "XXYZ";
  const beginnings = Array.from({ length: 7 }, (_, length) => Buffer.from("\r\n--XXY".slice(0, length + 1)));
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n`;
  await inProportion("beginnings of boundaries", async (scale) => {
    const bytes = Buffer.concat(
      Array.from(
        { length: scale * 300_000 },
        (_, at) => beginnings[(at * 7919 + (at >> 3)) % beginnings.length] as Buffer,
      ),
    );
    const response = await server.ask(vendor, `/api/v1/turnovers/${seedData.delivery}/submissions`, {
      method: "POST",
      body: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
      headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    });
    const { media } = await jsonIn(response);
    assert.is(response.status, 200);
    const back = await (await server.ask(vendor, `/api/v1/media/${media[0].id}/content`)).arrayBuffer();
    assert.is(Buffer.compare(Buffer.from(back), bytes), 0);
  });
});

forms("refused requests leave no staged bytes", async () => {
  for (const { folder } of [server, hasty]) await until(() => readdirSync(`${folder}/media/staging`).length === 0);
});

const failed = suite("wrong keys");

failed("return 429 above a rate, while a valid key from the same address is accepted", async () => {
  let waits = 0;
  for (let count = 0; count < 80; count++) {
    const response = await server.ask(`tl_${"x".repeat(43)}`, "/api/v1/production");
    if (response.status === 429) {
      assert.match(response.headers.get("retry-after") ?? "", /^\d+$/);
      waits++;
      await assertRefused(response, 429, /try again in/);
    } else await assertRefused(response, 401);
  }
  assert.ok(waits >= 30, `${waits}`);
  await server.get(token, "/production");
  await assertRefused(await server.ask(undefined, "/api/v1/production"), 401);
});

failed.after(async () => {
  await server.stop();
  await hasty.stop();
});
for (const tests of [parser, bodies, forms, failed]) tests.run();
