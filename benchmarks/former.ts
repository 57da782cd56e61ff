// This version beside former ones, in turns in one run: the time to the first answer, the memory at rest, and what
// warm reads, a bundle, a bundle after a write and a call of MCP take of the server's processor, each as a ratio to
// the oldest.
// `node benchmarks/former.ts CHECKOUT…`: the checkouts of former versions, the oldest first, each with its packages.
// RUNTIME=deno takes Deno; ROUNDS=9. Every server has a copy of the same demo, which the oldest version made. Needs
// Linux.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { processorTimeOf } from "../.ci/bench/subject.ts";
import { programOf } from "../test/support/tools.ts";

const here = fileURLToPath(new URL("..", import.meta.url));
const checkouts = [...process.argv.slice(2), here];
const rounds = Number(process.env.ROUNDS ?? 9);
const requests = Number(process.env.REQUESTS ?? 400);
const launcher = "bin/tallylight.js";
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

const [program, ...flags] =
  process.env.RUNTIME === "deno" ? [programOf("deno") ?? "deno", "run", "-A", "--quiet"] : [process.execPath];

interface Server {
  url: string;
  started: number;
  processor: () => number;
  memory: () => number;
  stop: () => Promise<void>;
}

async function start(checkout: string, data: string): Promise<Server> {
  const began = performance.now();
  const child = spawn(program as string, [...flags, launcher, "serve", "--data", data, "--port", "0"], {
    cwd: checkout,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "exit");
  const printed = once(child.stdout as Readable, "data");
  const [text] = await Promise.race([
    printed,
    ended.then(() => Promise.reject(new Error(`${checkout} did not start`))),
  ]);
  const url = /https?:\/\/[\d.]+:\d+/.exec(String(text))?.[0] ?? "";
  await (await fetch(`${url}/healthz`)).text();
  const status = () => readFileSync(`/proc/${child.pid}/status`, "utf8");
  return {
    url,
    started: performance.now() - began,
    processor: () => processorTimeOf(child.pid),
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(status())?.[1]),
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
function ask(url: string, method: string, headers: Record<string, string>, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, async (answer) => {
      let text = "";
      for await (const piece of answer.setEncoding("utf8")) text += piece;
      if (answer.statusCode === 200) resolve(text);
      else reject(new Error(`${method} ${url}: ${answer.statusCode} ${text.slice(0, 200)}`));
    });
    sent.on("error", reject).end(body);
  });
}

const folder = mkdtempSync(join(tmpdir(), "tallylight-former-"));
const oldest = checkouts[0] as string;
const run = (...argv: string[]) =>
  execFileSync(process.execPath, [launcher, ...argv], {
    cwd: oldest,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
const made = join(folder, "made");
run("import", join(oldest, "fixtures/the-silver-button.json"), "--data", made);
const minted = JSON.parse(run("keys", "mint", "--production", "1", "--label", "Figures", "--data", made, "--json"));
const headers = { authorization: `Bearer ${minted.token ?? minted.key?.token}` };
const copies = checkouts.map((_, at) => {
  const copy = join(folder, `copy-${at}`);
  cpSync(made, copy, { recursive: true });
  return copy;
});
// the first start upgrades the copy
for (const [at, checkout] of checkouts.entries()) await (await start(checkout, copies[at] as string)).stop();

const figures = new Map<string, number[][]>();
const note = (row: string, at: number, figure: number): void => {
  const all = figures.get(row) ?? checkouts.map(() => []);
  figures.set(row, all);
  all[at]?.push(figure);
};

const servers: Server[] = [];
for (let round = 0; round < rounds; round++)
  for (const [at, checkout] of checkouts.entries()) {
    const server = await start(checkout, copies[at] as string);
    note("start to the first answer", at, server.started);
    note("processor time of the start", at, server.processor());
    note("memory at rest", at, server.memory());
    if (round === rounds - 1) servers[at] = server;
    else await server.stop();
  }

const listed = JSON.parse(await ask(`${servers[0]?.url}/api/v1/scenes`, "GET", headers));
const scene = listed[1].node_id as number; // safe: every scene of a list has its id
const call = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "get_scene_bundle", arguments: { id: scene } },
};
const json = { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" };
const read = (path: string) => (url: string) => ask(url + path, "GET", headers);
const bundle = read(`/api/v1/bundles/scene/${scene}`);
const cases: Record<string, (url: string) => Promise<unknown>> = {
  "/production": read("/api/v1/production"),
  "/scenes": read("/api/v1/scenes"),
  "/assets": read("/api/v1/assets"),
  "/schedule": read("/api/v1/schedule"),
  "a scene bundle": bundle,
  "MCP get_scene_bundle": (url) => ask(`${url}/mcp`, "POST", json, JSON.stringify(call)),
};
for (const [name, one] of Object.entries(cases)) {
  for (let round = -1; round < rounds; round++)
    for (const [at, { url, processor }] of round % 2 === 0 ? servers.entries() : [...servers.entries()].toReversed()) {
      const before = processor();
      for (let count = 0; count < requests; count++) await one(url);
      if (round >= 0) note(name, at, (processor() - before) / requests);
    }
}
for (const [at, server] of servers.entries()) note("memory after all requests", at, server.memory());
for (const server of servers) await server.stop();

for (const [row, all] of figures) {
  const ratios = all.slice(1).map((each) => median(each.map((figure, round) => figure / (all[0]?.[round] as number))));
  console.log(`${row}: ${ratios.map((ratio) => ratio.toFixed(2)).join(", ")}`);
}
