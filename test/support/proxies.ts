// The four proxies of docs/network.md, from the blocks of the page: Caddy with its own authority, nginx, HAProxy and
// Apache.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import * as assert from "uvu/assert";
import { pageAt } from "./documentation.ts";
import { temporaryFolder } from "./folder.ts";
import { freePort } from "./free_port.ts";
import { until } from "./until.ts";

const page = pageAt("docs/network.md").text;
const path = `${process.env.PATH}:/usr/sbin:/sbin`;
const runs = (program: string, flag: string): boolean =>
  spawnSync(program, [flag], { stdio: "ignore", env: { ...process.env, PATH: path } }).status === 0;
const isRoot = process.getuid?.() === 0;

/** The block of the page that begins with a line. */
function blockAfter(line: string): string {
  const block = page.split(/```\w*\n/).find((one) => one.startsWith(line));
  if (block === undefined) throw new Error(`docs/network.md has no ${line}`);
  return block;
}

export interface RunningProxy {
  port: number;
  /** What a client has to trust. */
  ca: string;
  /** Whether its refusals need HTTP/2: it ends a connection of HTTP/1.1 on which the rest of a body still comes. */
  http2?: boolean;
  /** Where Caddy serves its certificate. */
  certificatePort?: number;
  stop(): Promise<void>;
}

export interface ProxyAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** Where a request to a proxy goes. The name leads to this machine. */
export const to = ({ port, ca }: Pick<RunningProxy, "port" | "ca">, path: string) => ({
  host: "127.0.0.1",
  servername: "localhost",
  port,
  ca,
  path,
  agent: false as const,
});

/** Sends a request to a proxy; `trusts` is whether the client trusts its authority. */
export function ask(
  { port, ca }: Pick<RunningProxy, "port" | "ca">,
  path: string,
  { method = "GET", headers = {}, body = Buffer.alloc(0), trusts = true } = {},
): Promise<ProxyAnswer> {
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

const isHealthy = async (proxy: Pick<RunningProxy, "port" | "ca">): Promise<boolean> =>
  (await ask(proxy, "/healthz")).body.startsWith('{"ok":true');

/** Starts a program that stays in the foreground. Returns what stops it. */
async function startProgram(
  program: string,
  args: string[],
  env: Record<string, string>,
  isUp: () => Promise<boolean>,
): Promise<() => Promise<void>> {
  const child: ChildProcess = spawn(program, args, {
    env: { ...process.env, PATH: path, ...env },
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

async function startCaddy(server: number): Promise<RunningProxy> {
  const folder = temporaryFolder();
  const [port, http, certificatePort] = [await freePort(), await freePort(), await freePort()];
  const pki = join(folder, "caddy/pki/authorities/local");
  const config = blockAfter("# /etc/caddy/Caddyfile")
    .replace("http://tally.example.lan:8080", `http://localhost:${certificatePort}`)
    .replace("tally.example.lan", "localhost")
    .replace("127.0.0.1:8787", `127.0.0.1:${server}`)
    .replace("/var/lib/caddy/.local/share/caddy/pki/authorities/local", pki);
  const settings = `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${http}\n\thttps_port ${port}\n}\n`;
  writeFileSync(join(folder, "Caddyfile"), settings + config);
  const proxy = { port, ca: "", certificatePort, http2: true };
  const args = ["run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")];
  const env = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder };
  const stop = await startProgram("caddy", args, env, async () => {
    if (!existsSync(join(pki, "root.crt"))) return false;
    proxy.ca = readFileSync(join(pki, "root.crt"), "utf8");
    return isHealthy(proxy);
  });
  return { ...proxy, stop };
}

/** A folder with a certificate and its key as tally.pem and tally.key. */
function certificateFolder(): string {
  const folder = temporaryFolder();
  const made = spawnSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
    ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
    ...["-keyout", join(folder, "tally.key"), "-out", join(folder, "tally.pem")],
  ]);
  assert.is(made.status, 0, String(made.stderr));
  return folder;
}

/** Writes the configuration of a program that has a certificate in the folder, and starts it. */
async function startWith(
  folder: string,
  { port, config, program, args }: { port: number; config: string; program: string; args: readonly string[] },
): Promise<RunningProxy> {
  const file = join(folder, "config");
  const ca = readFileSync(join(folder, "tally.pem"), "utf8");
  writeFileSync(file, config);
  return { port, ca, stop: await startProgram(program, [...args, file], {}, () => isHealthy({ port, ca })) };
}

/** The name and the addresses of a block, for a test. */
const adapted = (block: string, server: number, folder: string, of: string): string =>
  block
    .replaceAll("tally.example.lan", "localhost")
    .replaceAll(`${of}/tally`, `${folder}/tally`)
    .replaceAll("127.0.0.1:8787", `127.0.0.1:${server}`);

async function startNginx(server: number): Promise<RunningProxy> {
  const [folder, port] = [certificateFolder(), await freePort()];
  const block = blockAfter("# /etc/nginx/conf.d/tallylight.conf");
  const site = adapted(block, server, folder, "/etc/nginx").replace("listen 443 ssl", `listen 127.0.0.1:${port} ssl`);
  mkdirSync(join(folder, "temp"));
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (one) => `${one}_temp_path ${folder}/temp/${one};`,
  );
  const config = `${isRoot ? "user root;\n" : ""}daemon off;\npid ${folder}/pid;\nerror_log stderr;\nworker_processes auto;
${blockAfter("# /etc/nginx/nginx.conf")}http {\naccess_log off;\n${temp.join("\n")}\n${site}}\n`;
  return startWith(folder, { port, config, program: "nginx", args: ["-p", folder, "-c"] });
}

async function startHaproxy(server: number): Promise<RunningProxy> {
  const [folder, port] = [certificateFolder(), await freePort()];
  const config = adapted(blockAfter("# /etc/haproxy/haproxy.cfg"), server, folder, "/etc/haproxy").replace(
    "bind :443",
    `bind 127.0.0.1:${port}`,
  );
  const pem = ["tally.pem", "tally.key"].map((file) => readFileSync(join(folder, file), "utf8"));
  writeFileSync(join(folder, "tally.pem"), pem.join(""));
  return startWith(folder, { port, config, program: "haproxy", args: ["-db", "-f"] });
}

/**
 * What Debian's Apache has loaded after `a2enmod ssl proxy_http`, as far as this needs it, and a compression of small
 * answers.
 */
const apacheModules = [
  "mpm_event",
  "authz_core",
  "reqtimeout",
  "filter",
  "deflate",
  "socache_shmcb",
  "ssl",
  "proxy",
  "proxy_http",
];

async function startApache(server: number): Promise<RunningProxy> {
  const [folder, port] = [certificateFolder(), await freePort()];
  const block = blockAfter("# /etc/apache2/sites-available/tallylight.conf");
  const config = `ServerRoot ${folder}
${apacheModules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
${isRoot ? "User www-data\nGroup www-data\n" : ""}ServerName localhost
PidFile ${folder}/pid
DefaultRuntimeDir ${folder}
ErrorLog "|/bin/cat"
Listen 127.0.0.1:${port}
RequestReadTimeout header=20-40,minrate=500 body=20,minrate=500
AddOutputFilterByType DEFLATE application/json
${adapted(block, server, folder, "/etc/apache2").replace("*:443", `127.0.0.1:${port}`)}`;
  return startWith(folder, { port, config, program: "apache2", args: ["-DFOREGROUND", "-f"] });
}

const hasOpenssl = runs("openssl", "version");

/** Each proxy, with what starts it before a server's port on 127.0.0.1; undefined if it is not installed. */
export const proxies: readonly [name: string, start: ((server: number) => Promise<RunningProxy>) | undefined][] = [
  ["caddy", runs("caddy", "version") ? startCaddy : undefined],
  ["nginx", hasOpenssl && runs("nginx", "-v") ? startNginx : undefined],
  ["haproxy", hasOpenssl && runs("haproxy", "-v") ? startHaproxy : undefined],
  ["apache2", hasOpenssl && runs("apache2", "-v") ? startApache : undefined],
];
