// The addresses that a server tells its clients: the one it listens on, or one of this machine if it listens on all of
// them.
// Thorough: only --all runs it.
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadOnce } from "../../src/core/late_loading.ts";
import { type Interfaces, reachableAddress } from "../../src/core/reachable_address.ts";
import { openTestServer } from "../support/app.ts";
import { addressOf, answerOf, launch, type Running } from "../support/command.ts";
import { raw } from "../support/raw_http.ts";
import { scratch, smallDocument, writeDocument } from "../support/small_document.ts";
import { until } from "../support/until.ts";

type Info = NonNullable<Interfaces[string]>[number];
const info = (address: string, internal = false): Info =>
  ({ address, internal, family: address.includes(":") ? "IPv6" : "IPv4", netmask: "", mac: "", cidr: null }) as Info;
const loopback = { lo: [info("127.0.0.1", true), info("::1", true)] };
const machine = {
  ...loopback,
  usb0: [info("169.254.7.7"), info("fe80::7")],
  eth0: [info("fd00::20"), info("192.168.7.20")],
  wlan0: [info("10.0.0.9")],
};

const server = await openTestServer({ host: "0.0.0.0", interfaces: machine });
const here = `http://127.0.0.1:${server.port}`;
const data = join(scratch(), "data");
await answerOf("import", writeDocument(smallDocument()), "--data", data);

const choosing = suite("the address that represents all addresses");

choosing("is the first that other machines can connect to, IPv4 before IPv6, never loopback or link-local", () => {
  assert.equal(reachableAddress("0.0.0.0", machine), { address: "192.168.7.20", interface: "eth0" });
  assert.equal(reachableAddress("::", machine), { address: "192.168.7.20", interface: "eth0" });
  assert.equal(reachableAddress("::", { ...loopback, eth0: [info("fe80::1"), info("fd00::20")] }), {
    address: "fd00::20",
    interface: "eth0",
  });
});

choosing("is loopback if there is no other, or if only IPv4 is bound and there is no IPv4 address", () => {
  assert.equal(reachableAddress("0.0.0.0", loopback), { address: "127.0.0.1", interface: undefined });
  assert.equal(reachableAddress("::", loopback), { address: "::1", interface: undefined });
  assert.equal(reachableAddress("0.0.0.0", { eth0: [info("fd00::20")] }).address, "127.0.0.1");
});

choosing.run();

/** Every address that a server tells its clients, for the URL that it was requested at. */
async function toldAddresses(asked: string): Promise<string[]> {
  const json = async (path: string) => (await fetch(asked + path)).json() as Promise<any>;
  const challenge = async (path: string) => {
    const response = await fetch(asked + path, { method: path === "/mcp" ? "POST" : "GET" });
    await response.body?.cancel();
    return response.headers.get("www-authenticate")?.split('"')[1] as string;
  };
  const resource = await json("/.well-known/oauth-protected-resource");
  const server = await json("/.well-known/oauth-authorization-server");
  const description = await json("/api/v1/openapi.json");
  const paths: any[] = Object.values(description.paths);
  return [
    ...[resource.resource, ...resource.authorization_servers, resource.resource_documentation],
    ...Object.values(server).filter((value): value is string => /^https?:/.test(String(value))),
    ...[...description.servers, ...paths.flatMap(({ servers = [] }) => servers)].map(({ url }) => url),
    ...[await challenge("/api/v1/production"), await challenge("/mcp")],
  ];
}

const telling = suite("a server that listens on every address");

telling("tells every client the chosen address", async () => {
  assert.is(server.url, `http://192.168.7.20:${server.port}`);
  const told = await toldAddresses(here);
  assert.ok(told.length > 12, told.join("\n"));
  for (const address of told) assert.is(new URL(address).origin, server.url, address);
});

telling("never uses the Host header", async () => {
  for (const path of ["/.well-known/oauth-protected-resource", "/api/v1/production", "/api/v1/openapi.json"]) {
    const answer = await raw(server.port, [`GET ${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`]);
    assert.match(answer, server.url);
    assert.not.match(answer, "evil.example");
  }
});

telling("accepts forms from its own pages at that address", async () => {
  const send = (origin: string) =>
    fetch(`${here}/authorize`, { method: "POST", headers: { origin }, body: new URLSearchParams() });
  assert.is((await send(server.url)).status, 400); // the form has no request
  assert.is((await send("http://192.168.7.21")).status, 403);
});

telling.after(() => server.stop());
telling.run();

const logging = suite("the request log");

logging("has the address of the client with log_addresses, behind a trusted proxy the forwarded one", async () => {
  const clients = async (environment: Record<string, string>) => {
    const logged = await openTestServer({ environment });
    const headers = { "x-forwarded-for": "10.9.9.9, fd00::7" };
    await (await fetch(`${logged.url}/healthz`, { headers })).body?.cancel();
    await logged.stop();
    const lines = logged.lines.join("").trim().split("\n");
    return lines.map((line) => JSON.parse(line).client as string | undefined);
  };
  assert.equal(await clients({}), [undefined]);
  assert.equal(await clients({ TALLYLIGHT_LOG_ADDRESSES: "true" }), ["127.0.0.1"]);
  assert.equal(await clients({ TALLYLIGHT_LOG_ADDRESSES: "true", TALLYLIGHT_TRUST_PROXY: "true" }), ["fd00::7"]);
});

logging.run();

telling(
  "tells another address when the machine loses the one that clients get, and keeps one that it still has",
  async () => {
    let looks = 0;
    const changing: Interfaces = {
      get lo() {
        looks++;
        return loopback.lo;
      },
    };
    const late = await openTestServer({ host: "0.0.0.0", interfaces: changing, interfacesEvery: 20 });
    const told = async () => new URL((await toldAddresses(`http://127.0.0.1:${late.port}`))[0] as string).hostname;
    const tells = async (address: string) => {
      await until(async () => (await told()) === address);
      for (const url of await toldAddresses(`http://127.0.0.1:${late.port}`)) assert.is(new URL(url).hostname, address);
    };
    await tells("127.0.0.1");
    changing.eth0 = [info("192.168.60.7")];
    await tells("192.168.60.7");
    changing.docker0 = [info("172.17.0.1")];
    Object.assign(changing, { eth0: undefined, eth1: [info("172.18.0.1"), info("192.168.60.7")] });
    const seen = looks;
    await until(() => looks > seen + 3);
    await tells("192.168.60.7");
    changing.eth1 = [];
    await tells("172.17.0.1");
    await late.stop();
  },
);

const command = suite("serve");

async function stop(running: Running): Promise<void> {
  running.signal("SIGTERM");
  assert.is(await running.ended, 0);
}

command("on 0.0.0.0 prints the chosen address and how to give another one", async () => {
  const running = launch(["serve", "--data", data, "--host", "0.0.0.0", "--port", "0"]);
  const url = await addressOf(running);
  const { hostname, port } = new URL(url);
  assert.is(hostname, reachableAddress("0.0.0.0").address);
  for (const address of await toldAddresses(`http://127.0.0.1:${port}`)) assert.is(new URL(address).origin, url);
  await until(() => running.err().includes("--public-url sets another"));
  assert.ok(running.err().includes(`clients get the address ${url}`), running.err());
  await stop(running);
});

command("with a public address, or on one address, chooses none", async () => {
  for (const [flags, told] of [
    [["--host", "0.0.0.0", "--public-url", "https://tally.example.lan"], "https://tally.example.lan"],
    [[], undefined],
  ] as const) {
    const running = launch(["serve", "--data", data, "--port", "0", ...flags]);
    const { port } = new URL(await addressOf(running));
    const listening = `http://127.0.0.1:${port}`;
    for (const address of await toldAddresses(listening)) assert.is(new URL(address).origin, told ?? listening);
    assert.not.match(running.err(), "clients get the address");
    await stop(running);
    assert.is(/the public address is (.*)/.exec(running.err())?.[1], told);
  }
});

command("demo with a public address prints it in the lines for clients", async () => {
  const flags = ["--host", "0.0.0.0", "--public-url", "https://tally.example.lan", "--port", "0"];
  const running = launch(["demo", "--data", join(scratch(), "demo"), ...flags]);
  const url = await addressOf(running);
  await stop(running);
  const [first, ...lines] = running.out().split("\n");
  assert.is(first, url);
  assert.is(lines.join("\n").match(/https:\/\/tally\.example\.lan\/(?:api\/v1|mcp)/g)?.length, 4);
  assert.not.match(lines.join("\n"), /http:\/\//);
});

command.run();

const loading = suite("what is loaded at its first use");

loading("is loaded once, and again after a failure", async () => {
  let tries = 0;
  const load = loadOnce(async () => {
    if (++tries === 1) throw new Error("too many open files");
    return tries;
  });
  const failed = await Promise.allSettled([load(), load()]);
  assert.equal(
    failed.map(({ status }) => status),
    ["rejected", "rejected"],
  );
  assert.equal(await Promise.all([load(), load()]), [2, 2]);
  assert.is(await load(), 2);
});

loading.run();
