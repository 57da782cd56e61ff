// This version beside former ones, in turns in one run: the time to the first answer, the memory at rest, and what
// warm reads, a bundle and a call of MCP take of the server's processor, each as a ratio to the oldest.
// `node benchmarks/former.ts CHECKOUT…`: the checkouts of former versions, the oldest first, each with its packages.
// RUNTIME=deno takes Deno; ROUNDS=9 REQUESTS=400. Every server has a copy of the same demo, which the oldest version
// made. Needs Linux.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { authorization, log } from "../.ci/bench/cases.ts";
import { median } from "../.ci/bench/median.ts";
import { cleanUp, copyOf, scratch } from "../.ci/bench/seed_data.ts";
import { commandOf, type Subject, startSubject } from "../.ci/bench/subject.ts";

const checkouts = [...process.argv.slice(2), fileURLToPath(new URL("..", import.meta.url))];
const runtime = process.env.RUNTIME === "deno" ? "deno" : "node";
const rounds = Number(process.env.ROUNDS ?? 9);
const requests = Number(process.env.REQUESTS ?? 400);

async function ask(url: string, init: RequestInit): Promise<string> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  // a call of MCP that is refused is answered with 200
  if (answer.status !== 200 || text.startsWith('{"jsonrpc":"2.0","id":1,"error"'))
    throw new Error(`${url}: ${answer.status} ${text.slice(0, 200)}`);
  return text;
}

async function start(checkout: string, data: string): Promise<Subject> {
  const server = await startSubject(runtime, "launcher", ["serve", "--data", data, "--port", "0"], log, checkout);
  await ask(`${server.url}/healthz`, {});
  return server;
}

const oldest = checkouts[0] as string; // this one at least
const run = (...argv: string[]): string => {
  const [command, words] = commandOf("node", "launcher", argv, oldest);
  return execFileSync(command, words, { cwd: oldest, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
};
const made = join(scratch, "made");
run("import", join(oldest, "fixtures/the-silver-button.json"), "--data", made);
const { token } = JSON.parse(run("keys", "mint", "--production", "1", "--label", "Figures", "--data", made, "--json"));
const headers = authorization(token);
const programs = checkouts.map((checkout) => ({ checkout, copy: copyOf(made) }));
// the first start upgrades the copy
for (const { checkout, copy } of programs) await (await start(checkout, copy)).stop();

const figures = new Map<string, number[][]>();
const note = (row: string, at: number, figure: number): void => {
  const all = figures.get(row) ?? checkouts.map(() => []);
  figures.set(row, all);
  all[at]?.push(figure);
};

const servers: Subject[] = [];
for (let round = 0; round < rounds; round++)
  for (const [at, { checkout, copy }] of programs.entries()) {
    const began = performance.now();
    const server = await start(checkout, copy);
    note("start to the first answer", at, performance.now() - began);
    note("processor time of the start", at, server.processorTime());
    note("memory at rest", at, server.memory());
    if (round === rounds - 1) servers[at] = server;
    else await server.stop();
  }

const listed = JSON.parse(await ask(`${servers[0]?.url}/api/v1/scenes`, { headers }));
const scene = listed[1].node_id as number; // safe: every scene of a list has its id
const call = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "get_scene_bundle", arguments: { node_id: scene } },
};
const json = { ...headers, "content-type": "application/json", accept: "application/json, text/event-stream" };
const post = { method: "POST", headers: json, body: JSON.stringify(call) };
const read = (path: string) => (url: string) => ask(url + path, { headers });
const cases: Record<string, (url: string) => Promise<unknown>> = {
  "/production": read("/api/v1/production"),
  "/scenes": read("/api/v1/scenes"),
  "/assets": read("/api/v1/assets"),
  "/schedule": read("/api/v1/schedule"),
  "a scene bundle": read(`/api/v1/bundles/scene/${scene}`),
  "MCP get_scene_bundle": (url) => ask(`${url}/mcp`, post),
};
for (const [name, one] of Object.entries(cases)) {
  for (let round = -1; round < rounds; round++)
    for (const [at, { url, processorTime }] of round % 2 === 0
      ? servers.entries()
      : [...servers.entries()].toReversed()) {
      const before = processorTime();
      for (let count = 0; count < requests; count++) await one(url);
      if (round >= 0) note(name, at, (processorTime() - before) / requests);
    }
}
for (const [at, server] of servers.entries()) note("memory after all requests", at, server.memory());
for (const server of servers) await server.stop();
cleanUp();

for (const [row, all] of figures) {
  const ratios = all.slice(1).map((each) => median(each.map((figure, round) => figure / (all[0]?.[round] as number))));
  console.log(`${row}: ${ratios.map((ratio) => ratio.toFixed(2)).join(", ")}`);
}
