// The configurations of docs/network.md with the real programs: Caddy with its own authority, and nginx. Uploads in parts, large bodies, events and the
// address of the client pass both. Skipped with a message where a program is not installed.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer, type TestServer, temporaryFolder } from "../support/app.ts";
import { pageAt } from "../support/documentation.ts";
import { freePort } from "../support/free_port.ts";
import { arrived } from "../support/staged.ts";
import { until } from "../support/until.ts";

const page = pageAt("docs/network.md").text;
const runs = (program: string, flag: string): boolean => spawnSync(program, [flag], { stdio: "ignore" }).status === 0;
const hasCaddy = runs("caddy", "version");
const hasNginx = runs("nginx", "-v") && runs("openssl", "version");

/** The block of the page that begins with a line. */
function blockAfter(line: string): string {
  const block = page.split(/```\w*\n/).find((one) => one.startsWith(line));
  if (block === undefined) throw new Error(`docs/network.md has no ${line}`);
  return block;
}

interface Proxy {
  port: number;
  /** What a client has to trust. */
  ca: string;
  stop(): Promise<void>;
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Where a request to a proxy goes. The name leads to this machine. */
const to = ({ port, ca }: Pick<Proxy, "port" | "ca">, path: string) => ({
  host: "127.0.0.1",
  servername: "localhost",
  port,
  ca,
  path,
  agent: false as const,
});

/** Sends a request to a proxy; `trusts` is whether the client trusts its authority. */
function ask(
  { port, ca }: Proxy,
  path: string,
  { method = "GET", headers = {}, body = Buffer.alloc(0), trusts = true } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { ...to({ port, ca }, path), method, headers: { host: "localhost", ...headers } };
    const sent = request(trusts ? options : { ...options, ca: undefined }, (response) => {
      text(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        reject,
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

async function startProgram(
  program: string,
  args: string[],
  env: Record<string, string>,
  isUp: () => Promise<boolean>,
) {
  const child: ChildProcess = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (part) => (log += part));
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${log}`);
    return isUp().catch(() => false);
  });
  return async () => {
    child.kill("SIGTERM");
    await ended;
  };
}

const isHealthy = async (proxy: Proxy): Promise<boolean> =>
  (await ask(proxy, "/healthz")).body.startsWith('{"ok":true');

async function startCaddy(server: TestServer): Promise<Proxy & { certificatePort: number; folder: string }> {
  const folder = temporaryFolder();
  const [port, http, certificatePort] = [await freePort(), await freePort(), await freePort()];
  const pki = join(folder, "caddy/pki/authorities/local");
  const config = blockAfter("# /etc/caddy/Caddyfile")
    .replace("http://tally.example.lan:8080", `http://localhost:${certificatePort}`)
    .replace("tally.example.lan", "localhost")
    .replace("127.0.0.1:8787", `127.0.0.1:${server.port}`)
    .replace("/var/lib/caddy/.local/share/caddy/pki/authorities/local", pki);
  const settings = `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${http}\n\thttps_port ${port}\n}\n`;
  writeFileSync(join(folder, "Caddyfile"), settings + config);
  const proxy = { port, ca: "", certificatePort, folder };
  const args = ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")];
  const env = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder };
  const stop = await startProgram("caddy", args, env, async () => {
    if (!existsSync(join(pki, "root.crt"))) return false;
    proxy.ca = readFileSync(join(pki, "root.crt"), "utf8");
    return isHealthy({ ...proxy, stop: async () => {} });
  });
  return { ...proxy, stop };
}

async function startNginx(server: TestServer): Promise<Proxy> {
  const [folder, port] = [temporaryFolder(), await freePort()];
  const made = spawnSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
    ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
    ...["-keyout", join(folder, "tally.key"), "-out", join(folder, "tally.pem")],
  ]);
  assert.is(made.status, 0, String(made.stderr));
  const site = blockAfter("# /etc/nginx/conf.d/tallylight.conf")
    .replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`)
    .replace("tally.example.lan", "localhost")
    .replaceAll("/etc/nginx/", `${folder}/`)
    .replace("127.0.0.1:8787", `127.0.0.1:${server.port}`);
  mkdirSync(join(folder, "temp"));
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (one) => `${one}_temp_path ${folder}/temp/${one};`,
  );
  const user = process.getuid?.() === 0 ? "user root;\n" : "";
  const config = `${user}daemon off;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temp.join("\n")}\n${site}}\n`;
  writeFileSync(join(folder, "nginx.conf"), config);
  const proxy = { port, ca: readFileSync(join(folder, "tally.pem"), "utf8") };
  const stop = await startProgram("nginx", ["-p", folder, "-c", join(folder, "nginx.conf")], {}, () =>
    isHealthy({ ...proxy, stop: async () => {} }),
  );
  return { ...proxy, stop };
}

const open = (): Promise<TestServer> =>
  openTestServer({
    environment: { TALLYLIGHT_TRUST_PROXY: "true", TALLYLIGHT_LOG_ADDRESSES: "true" },
    addresses: { base_url: "https://tally.example.lan" },
  });

async function passesUploads(proxy: Proxy, folder: string, token: string): Promise<void> {
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
async function passesEvents(proxy: Proxy, token: string): Promise<void> {
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

async function passes(proxy: Proxy, server: TestServer): Promise<void> {
  const token = mint(server.store, { scopes: ["read", "write", "admin"] });
  assert.match(await ask(proxy, "/healthz", { trusts: false }).then(() => "trusted", String), /certificate|issuer/i);
  await passesUploads(proxy, server.folder, token);
  await passesEvents(proxy, token);
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
}

const caddy = suite(`Caddy with tls internal${hasCaddy ? "" : ": skipped, caddy is not installed"}`);
(hasCaddy ? caddy : caddy.skip)("serves with its own authority, which clients can get and trust", async () => {
  const server = await open();
  const proxy = await startCaddy(server);
  await passes(proxy, server);
  for (const path of ["/", "/root.crt", "/root.key", "/../../x"]) {
    const answer = await fetch(`http://localhost:${proxy.certificatePort}${path}`);
    assert.is(answer.headers.get("content-type"), "application/x-x509-ca-cert");
    assert.is(await answer.text(), proxy.ca, `${path}: the certificate, never the key`);
  }
  await proxy.stop();
  await server.stop();
  rmSync(proxy.folder, { recursive: true });
});
caddy.run();

const nginx = suite(`nginx${hasNginx ? "" : ": skipped, nginx or openssl is not installed"}`);
(hasNginx ? nginx : nginx.skip)(
  "passes uploads in parts, large bodies, events and the address of the client",
  async () => {
    const server = await open();
    const proxy = await startNginx(server);
    await passes(proxy, server);
    await proxy.stop();
    await server.stop();
  },
);
nginx.run();
