// Measures a server beside its load, with a high priority if the system allows it: requests documents at random times
// on connections of its own, and /healthz without a pause on another. Run with the address, the key and the paths.
// Prints "ready". For each line on its input, a number of seconds, it prints the 99th percentile of the times of a
// document and the longest time between two answers of /healthz, in milliseconds, as JSON.
import { Agent } from "node:http";
import { setPriority } from "node:os";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { ask, single } from "./asking.ts";

/** The average time between two requests for a document, and the time after an answer of /healthz. In milliseconds. */
const meanPause = 5;
const healthPause = 2;

try {
  setPriority(-5);
} catch {
  // needs the rights of root
}

const [url = "", key = "", ...paths] = process.argv.slice(2);
const documents = new Agent({ keepAlive: true, maxSockets: 64 });
const health = single();

async function longestGap(end: number): Promise<number> {
  let gap = 0;
  for (let before = performance.now(); before < end; ) {
    await ask(health, `${url}/healthz`, key);
    const now = performance.now();
    gap = Math.max(gap, now - before);
    before = now;
    await pause(healthPause);
  }
  return gap;
}

/** A request is also sent while an earlier one waits, because other clients would not wait either. */
async function documentTimes(end: number): Promise<number[]> {
  const asked: Promise<number>[] = [];
  const time = async (): Promise<number> => {
    const began = performance.now();
    await ask(documents, url + paths[Math.floor(Math.random() * paths.length)], key);
    return performance.now() - began;
  };
  for (let at = performance.now(); at < end; at += -Math.log(Math.random()) * meanPause) {
    await pause(Math.max(0, at - performance.now()));
    asked.push(time());
  }
  return (await Promise.all(asked)).sort((a, b) => a - b);
}

console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const end = performance.now() + Number(line) * 1000;
  const [gap, times] = await Promise.all([longestGap(end), documentTimes(end)]);
  console.log(JSON.stringify({ p99: times[Math.floor(times.length * 0.99)], gap, answers: times.length }));
}
