// The proxies of docs/network.md with the real programs and the configurations of the page. Uploads in parts, large
// bodies, refusals of uploads, events, compressed answers and the address of the client pass each, and a client without
// a key takes none of them from others. Skipped with a message where a program is not installed.
// Thorough: only --all runs it.
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { type ClientHttp2Stream, connect } from "node:http2";
import { request } from "node:https";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer, type TestServer, temporaryFolder } from "../support/app.ts";
import { ask, type ProxyAnswer, proxies, type RunningProxy, to } from "../support/proxies.ts";
import { arrived } from "../support/staged.ts";
import { until } from "../support/until.ts";

const uploadLimit = 5_000_000;

const open = (): Promise<TestServer> =>
  openTestServer({
    environment: {
      TALLYLIGHT_TRUST_PROXY: "true",
      TALLYLIGHT_LOG_ADDRESSES: "true",
      TALLYLIGHT_UPLOAD_LIMIT: `${uploadLimit}`,
    },
    addresses: { base_url: "https://tally.example.lan" },
  });

async function passesUploads(proxy: RunningProxy, folder: string, token: string): Promise<void> {
  const authorization = `Bearer ${token}`;
  const bytes = Buffer.alloc(3_000_000, "tally");
  const tus = { authorization, "tus-resumable": "1.0.0" };
  const created = await ask(proxy, "/api/v1/uploads", {
    method: "POST",
    headers: { ...tus, "upload-length": String(bytes.length) },
  });
  assert.is(created.status, 201, created.body);
  const location = String(created.headers.location);
  const path = location.startsWith("/") ? location : new URL(location).pathname;
  // The client leaves in the middle of a part: what has arrived stays.
  await new Promise<void>((resolve) => {
    const headers = { host: "localhost", "content-type": "application/offset+octet-stream", "upload-offset": "0" };
    const sent = request({
      ...to(proxy, path),
      method: "PATCH",
      headers: { ...tus, ...headers, "content-length": bytes.length },
    });
    sent.on("error", () => resolve());
    sent.on("close", () => resolve());
    sent.write(bytes.subarray(0, 2_000_000));
    arrived(folder, path, 1).then(() => sent.destroy(), resolve);
  });
  let offset = 0;
  await until(async () => {
    const { headers } = await ask(proxy, path, { method: "HEAD", headers: tus });
    offset = Number(headers["upload-offset"]);
    return offset > 0;
  });
  assert.ok(offset <= 2_000_000, `${offset}`);
  const rest = await ask(proxy, path, {
    method: "PATCH",
    headers: { ...tus, "content-type": "application/offset+octet-stream", "upload-offset": String(offset) },
    body: bytes.subarray(offset),
  });
  assert.equal([rest.status, rest.headers["upload-offset"]], [204, String(bytes.length)], rest.body);
}

/** An event arrives while the stream stays open. */
async function passesEvents(proxy: RunningProxy, token: string): Promise<void> {
  const headers = { host: "localhost", authorization: `Bearer ${token}`, accept: "text/event-stream" };
  let arrived = "";
  const stream = request({ ...to(proxy, "/api/v1/events?after=now"), headers }, (response) =>
    response.on("data", (part) => (arrived += part)),
  );
  stream.on("error", () => {});
  let opened = false;
  stream.on("response", () => {
    opened = true;
  });
  stream.end();
  await until(() => opened);
  const added = await ask(proxy, "/api/v1/assets", {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: Buffer.from('{"kind":"prop","label":"Through the proxy"}'),
  });
  assert.is(added.status, 200, added.body);
  await until(() => arrived.includes("asset.created"));
  stream.destroy();
}

const large = 300_000_000;
const part = Buffer.alloc(1 << 20, "x");
const beginning = Buffer.from(
  '--b\r\nContent-Disposition: form-data; name="file"; filename="still.bin"\r\nContent-Type: application/octet-stream\r\n\r\n',
);

/** Sends an upload of 300 MB as curl and browsers do, which read while they send, and stop at the answer. */
function sendLarge(proxy: RunningProxy, path: string, token: string): Promise<ProxyAnswer> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "multipart/form-data; boundary=b",
    "content-length": large,
  };
  return new Promise((resolve, reject) => {
    let answer: ProxyAnswer | undefined;
    const session = proxy.http2
      ? connect(`https://localhost:${proxy.port}`, { ca: proxy.ca, host: "127.0.0.1" })
      : undefined;
    const sent =
      session?.request({ ":method": "POST", ":path": path, ...headers }) ??
      request({ ...to(proxy, path), method: "POST", headers: { host: "localhost", ...headers } });
    const answered = (status: number, response: Readable, headers: ProxyAnswer["headers"] = {}): void => {
      answer = { status, headers, body: "" };
      const got = answer;
      response.on("data", (text) => (got.body += text)).on("error", () => {});
      response.on("end", () => {
        sent.destroy();
        session?.destroy();
        resolve(got);
      });
    };
    if (session !== undefined)
      // it is of the session
      sent.on("response", (head) => answered(Number(head[":status"]), sent as ClientHttp2Stream));
    else sent.on("response", (response) => answered(response.statusCode ?? 0, response));
    sent.on("error", (error) => void (answer ?? reject(error)));
    let left = large - beginning.length;
    const send = (): void => {
      while (left > 0 && answer === undefined) {
        const bytes = part.subarray(0, Math.min(left, part.length));
        left -= bytes.length;
        if (!sent.write(bytes)) return void sent.once("drain", send);
      }
      if (answer === undefined) sent.end();
    };
    sent.write(beginning);
    send();
  });
}

async function passesRefusals(proxy: RunningProxy, { store }: TestServer, token: string): Promise<void> {
  const asset = store.database
    .prepare("SELECT id FROM nodes WHERE kind <> 'scene' AND production_id = 1")
    .pluck()
    .get();
  const path = `/api/v1/assets/${asset}/versions`;
  const reader = mint(store, { scopes: ["read"] });
  const refused = await sendLarge(proxy, path, reader);
  assert.equal([refused.status, JSON.parse(refused.body).detail], [403, "key does not have the `write` scope"]);
  const large = await sendLarge(proxy, path, token);
  assert.is(large.status, 413, large.body);
  assert.match(JSON.parse(large.body).detail, /at most/);
}

/** A proxy that compresses changes ETags: what it gave is what a client sends back. */
async function passesTags(proxy: RunningProxy, token: string): Promise<void> {
  const authorization = `Bearer ${token}`;
  for (const path of ["/api/v1/production", "/api/v1/assets"]) {
    const headers = { authorization, "accept-encoding": "gzip" };
    const { headers: first } = await ask(proxy, path, { headers });
    const again = await ask(proxy, path, { headers: { ...headers, "if-none-match": String(first.etag) } });
    assert.is(again.status, 304, `${path} ${first.etag}`);
  }
}

async function passes(proxy: RunningProxy, server: TestServer): Promise<void> {
  const token = mint(server.store, { scopes: ["read", "write", "admin"] });
  assert.match(await ask(proxy, "/healthz", { trusts: false }).then(() => "trusted", String), /certificate|issuer/i);
  await passesUploads(proxy, server.folder, token);
  await passesEvents(proxy, token);
  await passesRefusals(proxy, server, token);
  await passesTags(proxy, token);
  // Larger than a proxy's usual limit: the answer is the server's own.
  const large = await ask(proxy, "/api/v1/admin/import?dry_run=true", {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: Buffer.from(JSON.stringify({ $comment: "x".repeat(2_000_000) })),
  });
  assert.not.match(large.body, /<html/i);
  assert.match(large.body, /^\{/);
  const forged = { "x-forwarded-for": "203.0.113.9" };
  await ask(proxy, "/api/v1/people", { headers: { ...forged, authorization: `Bearer ${token}` } });
  await until(() => server.lines.join("").includes('"operation":"list_people"'));
  const line =
    server.lines
      .join("")
      .split("\n")
      .find((one) => one.includes('"operation":"list_people"')) ?? "";
  assert.is(JSON.parse(line).client, "127.0.0.1", "the address is the one that the proxy saw");
  for (const path of ["/", "/metrics"]) {
    const { status, body } = await ask(proxy, path, { headers: { host: "127.0.0.1" } });
    assert.not.ok(
      status === 200 && /tallylight_|type="file"/.test(body),
      `${path} opens nothing for an address of this machine`,
    );
  }
}

const attackers = 1_900;
const asked = 120;
const everyMilliseconds = 50;

/**
 * Starts a client without a key, which takes as many connections as it gets. Resolves once the server refuses some of
 * them, or, if the machine is so slow that a proxy ends the first before the last ones come, once all were opened.
 */
async function attack({ port, ca }: RunningProxy, server: TestServer): Promise<ChildProcess> {
  const file = join(temporaryFolder(), "ca.pem");
  writeFileSync(file, ca);
  const program = fileURLToPath(new URL("../support/slow_requests.ts", import.meta.url));
  const child = spawn(process.execPath, [program, String(port), file, String(attackers)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let opened = false;
  child.stdout.on("data", () => {
    opened = true;
  });
  await until(() => opened || server.lines.join("").includes('"status":503')).catch((error) => {
    child.kill();
    throw error;
  });
  return child;
}

/** Twenty requests of a valid key a second, each over a new connection. */
async function answersDuring(proxy: RunningProxy, server: TestServer): Promise<void> {
  const headers = { authorization: `Bearer ${mint(server.store)}` };
  const attacker = await attack(proxy, server);
  const answers: Promise<string>[] = [];
  for (let at = 0; at < asked; at++) {
    answers.push(ask(proxy, "/api/v1/me", { headers }).then(({ status }) => String(status), String));
    await new Promise((resolve) => setTimeout(resolve, everyMilliseconds));
  }
  const given = await Promise.all(answers).finally(() => attacker.kill());
  assert.equal(
    given.filter((status) => status !== "200"),
    [],
  );
}

/** Runs `work` with a server behind a proxy, and ends both whatever happens. */
async function behind(
  start: (server: number) => Promise<RunningProxy>,
  work: (proxy: RunningProxy, server: TestServer) => Promise<void>,
): Promise<void> {
  const server = await open();
  const proxy = await start(server.port);
  try {
    await work(proxy, server);
  } finally {
    await proxy.stop();
    await server.stop();
  }
}

for (const [name, start] of proxies) {
  const test = suite(`${name}${start === undefined ? ": skipped, it or openssl is not installed" : ""}`);
  if (start === undefined) test.skip("passes everything, and takes no key's requests", () => {});
  else {
    test("passes uploads in parts, refusals, large bodies, events and the address of the client", () =>
      behind(start, async (proxy, server) => {
        await passes(proxy, server);
        for (const path of proxy.certificatePort === undefined ? [] : ["/", "/root.crt", "/root.key", "/../../x"]) {
          const answer = await fetch(`http://localhost:${proxy.certificatePort}${path}`);
          assert.is(answer.headers.get("content-type"), "application/x-x509-ca-cert");
          assert.is(await answer.text(), proxy.ca, `${path}: the certificate, never the key`);
        }
      }));
    test(`answers each request of a key while a client without one takes ${attackers} connections`, () =>
      behind(start, answersDuring));
  }
  test.run();
}
