// The script of docs/network.md that serves many productions behind one proxy: it runs, and every name leads to its own
// show.
// Thorough: only --all runs it.
import { spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { demoFolder, mint } from "../support/app.ts";
import { launcher } from "../support/command.ts";
import { pageAt } from "../support/documentation.ts";
import { temporaryFolder } from "../support/folder.ts";
import { freePort } from "../support/free_port.ts";
import { serverRuntime } from "../support/runtime.ts";
import { until } from "../support/until.ts";

const guide = suite("many productions behind one proxy");
const [, script = ""] = /^```bash\n(.*?)^```$/ms.exec(pageAt("docs/network.md").text) ?? [];

/**
 * Runs the script on a folder with two shows. Returns the ports by name from the proxy's configuration that it prints.
 */
async function runScript(shows: string) {
  const bin = join(temporaryFolder());
  writeFileSync(
    join(bin, "npx"),
    `#!/bin/sh\nshift\nexec ${[process.execPath, ...serverRuntime, launcher].join(" ")} "$@"\n`,
  ); // npx of a checkout
  chmodSync(join(bin, "npx"), 0o755);
  writeFileSync(join(bin, "serve-shows"), script);
  const first = await freePort(2);
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const child = spawn("bash", [join(bin, "serve-shows"), shows, String(first)], { env, detached: true });
  let out = "";
  child.stdout.on("data", (text) => {
    out += text;
  });
  const blocks = () => [...out.matchAll(/^(\S+) \{\n {4}tls internal\n {4}reverse_proxy 127\.0\.0\.1:(\d+)\n\}$/gm)];
  await until(() => blocks().length >= 2);
  const ports = new Map(blocks().map(([, name, port]) => [name as string, Number(port)]));
  for (const port of ports.values())
    await until(() =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  return { ports, stop: () => void process.kill(-(child.pid as number), "SIGTERM") };
}

/** A proxy that does what the configuration says: one port for each name. */
async function openProxy(ports: ReadonlyMap<string, number>) {
  const proxy = createServer((req, res) => {
    const port = ports.get(req.headers.host ?? "") ?? 0;
    const headers = { ...req.headers, "x-forwarded-for": "192.0.2.1" };
    const onward = request({ host: "127.0.0.1", port, path: req.url, method: req.method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  const statusOf = (host: string, key: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { host, authorization: `Bearer ${key}` };
      const asked = request(
        { host: "127.0.0.1", port, path: "/api/v1/production", headers, agent: false },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      );
      asked.on("error", reject).end();
    });
  return { statusOf, close: () => proxy.close() };
}

guide("the script serves each directory under its own name, and a key works at its own show only", async () => {
  const shows = temporaryFolder();
  for (const name of ["broken", "kept"]) mkdirSync(join(shows, name)); // no data: their servers refuse
  const keys: string[] = [];
  for (const name of ["harbor", "lantern"]) {
    mkdirSync(join(shows, name));
    cpSync(await demoFolder(), join(shows, name), { recursive: true });
    const store = openStore(join(shows, name, "tallylight.db"));
    keys.push(mint(store));
    store.close();
  }
  const { ports, stop } = await runScript(shows);
  const proxy = await openProxy(ports);
  try {
    const names = [...ports.keys()];
    assert.equal(names, ["harbor.example.lan", "lantern.example.lan"]);
    for (const [at, name] of names.entries())
      for (const [of, key] of keys.entries())
        assert.is(await proxy.statusOf(name, key), at === of ? 200 : 401, `key ${of} at ${name}`);
  } finally {
    proxy.close();
    stop();
  }
});

guide.run();
