// The MCP project's conformance suite: its server scenarios against our dispatcher with the suite's fixtures, and its
// authorization scenarios against the sign-in. Scenarios that the specification excludes are in the .yml files, with
// reasons.
// Thorough: only --all runs it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer, temporaryFolder } from "../support/app.ts";
import { locationOf, openPage, sendForm } from "../support/consent_page.ts";
import { freePort } from "../support/free_port.ts";
import { packageFolder } from "../support/tools.ts";
import { until } from "../support/until.ts";
import { conformanceRegistry } from "./fixtures.ts";

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const node = "node"; // also if this file runs on Deno: the suite needs Node
const program = join(packageFolder("@modelcontextprotocol/conformance"), "dist/index.js");

const server = await openTestServer({ registry: conformanceRegistry });
const key = mint(server.store);

/** The suite sends no Authorization header: this proxy adds the key to every request. */
const proxy: Server = createServer((req, res) => {
  const headers = { ...req.headers, authorization: `Bearer ${key}` };
  const onward = request(server.url + req.url, { method: req.method as string, headers }, (answer) => {
    res.writeHead(answer.statusCode as number, answer.headers);
    answer.pipe(res);
  });
  req.pipe(onward);
});
proxy.listen(0, "127.0.0.1");
await once(proxy, "listening");
const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;

/** Runs the suite's command; `watch` gets its output while it runs. */
async function conformance(words: readonly string[], watch: (output: string, child: ChildProcess) => void = () => {}) {
  const folder = temporaryFolder(); // it writes its results into the current folder
  const child = spawn(node, [program, ...words], { cwd: folder, stdio: ["ignore", "pipe", "pipe"], timeout: 600_000 });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      watch(output, child);
    });
  const [status] = await once(child, "close");
  return { status, output };
}

const scenarios = suite("@modelcontextprotocol/conformance: server");

for (const [revision, choice, expected] of [
  ["2025-06-18", ["--suite", "all", "--spec-version", "2025-06-18"], 27],
  ["2025-11-25", ["--requirements", "2025-11-25"], 33],
] as const)
  scenarios(`every scenario of ${revision} passes except those that the specification excludes`, async () => {
    const baseline = path(`conformance-${revision}.yml`);
    const words = ["server", "--url", url, ...choice, "--expected-failures", baseline];
    const { status, output } = await conformance(words);
    assert.is(status, 0, output.slice(output.indexOf("=== SUMMARY ===")));
    const ran = output.match(/^[✓✗] [\w-]+: \d+ passed, \d+ failed/gmu) ?? [];
    assert.is(ran.length, expected, output);
  });

scenarios("DNS rebinding is refused and a page of this machine is accepted", async () => {
  const choice = ["--scenario", "dns-rebinding-protection", "--spec-version", "2025-06-18", "--force"];
  const { status, output } = await conformance(["server", "--url", url, ...choice]);
  assert.is(status, 0, output);
  assert.match(output, "Passed: 2/2");
});

scenarios.run();

const authorization = suite("@modelcontextprotocol/conformance: authorization");

authorization("metadata and the authorization code grant pass", async () => {
  const registration = await server.ask(undefined, "/register", {
    method: "POST",
    body: JSON.stringify({ client_name: "conformance", redirect_uris: ["http://127.0.0.1/callback"] }),
    headers: { "content-type": "application/json" },
  });
  const { client_id } = (await registration.json()) as { client_id: string };
  const port = await freePort();
  let person: Promise<unknown> | undefined;
  const words = ["authorization", "--url", server.url, "--client-id", client_id, "--resource", `${server.url}/mcp`];
  const { status, output } = await conformance([...words, "--port", String(port)], (sofar, child) => {
    const target = /^http:\S+\/authorize\?\S+$/m.exec(sofar)?.[0];
    if (target === undefined || !sofar.includes("Waiting up to")) return;
    person ??= openPage(target)
      .then((page) => sendForm(page, { api_key: key }))
      .then((answer) => {
        const isReceived = () =>
          fetch(locationOf(answer)).then(
            () => true,
            () => false, // the suite says that it waits a moment before it listens
          );
        return until(isReceived);
      })
      .catch(() => child.kill());
  });
  await person;
  assert.is(status, 0, output);
  assert.match(output, "authorization-code-grant");
  assert.not.match(output, /FAILURE|SKIPPED/);
});

authorization.after(async () => {
  proxy.close();
  proxy.closeAllConnections();
  await server.stop();
});
authorization.run();
