// Many clients with a connection each: every one requests the document of a path once a second, the paths in turn. Runs
// with the lowest priority, because real clients are other machines. Run with the address, the key, the number of
// clients and the paths. Prints "ready" once all are connected. For each line on its input it prints the number of
// answers since the previous one.
import type { Agent } from "node:http";
import { setPriority } from "node:os";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { ask, single } from "./asking.ts";

setPriority(19);
const [url = "", key = "", clients = "1000", ...paths] = process.argv.slice(2);
const agents = Array.from({ length: Number(clients) }, single);
let answers = 0;
const addressOf = (at: number): string => url + paths[at % paths.length];

async function visit(agent: Agent, at: number): Promise<void> {
  await pause((at / agents.length) * 1000);
  for (;;) {
    const began = performance.now();
    await ask(agent, addressOf(at), key);
    answers++;
    await pause(Math.max(0, 1000 - (performance.now() - began)));
  }
}

for (const [at, agent] of agents.entries()) await ask(agent, addressOf(at), key); // opens the connections
const lines = createInterface({ input: process.stdin });
lines.on("close", () => process.exit(0)); // the benchmark ended
lines.on("line", () => {
  console.log(answers);
  answers = 0;
});
console.log("ready");
await Promise.all(agents.map(visit));
