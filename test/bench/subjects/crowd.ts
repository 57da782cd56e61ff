// Many clients with a connection each: every one requests a document once a second. Another one asks /healthz without a pause.
// Run with the address, the path, the key, the number of clients and the seconds. Prints "ready", and at the end the 99th percentile
// of the times of an answer and the longest time between two answers of /healthz, in milliseconds, as JSON.
import { Agent, get } from "node:http";

const [url = "", path = "", key = "", clients = "1000", seconds = "5"] = process.argv.slice(2);
const times: number[] = [];
let gap = 0;

/** Sends one request on the connection of an agent; resolves when the answer is complete. */
const ask = (agent: Agent, address: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const asked = get(address, { agent, headers: { authorization: `Bearer ${key}` } }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${address} answered ${answer.statusCode}`));
      answer.resume().once("end", resolve);
    });
    asked.once("error", reject);
  });

const single = () => new Agent({ keepAlive: true, maxSockets: 1 });
const agents = Array.from({ length: Number(clients) }, single);
for (const agent of agents) await ask(agent, url + path); // opens the connections
console.log("ready");

const end = performance.now() + Number(seconds) * 1000;
const watch = async () => {
  const agent = single();
  for (let before = performance.now(); before < end; ) {
    await ask(agent, `${url}/healthz`);
    const now = performance.now();
    gap = Math.max(gap, now - before);
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
const visit = async (agent: Agent, at: number) => {
  await new Promise((resolve) => setTimeout(resolve, (at / agents.length) * 1000));
  while (performance.now() < end) {
    const began = performance.now();
    await ask(agent, url + path);
    times.push(performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 1000 - (performance.now() - began))));
  }
};
await Promise.all([watch(), ...agents.map(visit)]);
times.sort((a, b) => a - b);
console.log(JSON.stringify({ p99: times[Math.floor(times.length * 0.99)], gap, answers: times.length }));
process.exit(0);
