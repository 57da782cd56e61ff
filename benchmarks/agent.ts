// Benchmarks of the storage agent: files per second of a pass compared with `find -printf`, the first run against a
// real server, memory, and the time from a save to the row on the server. FILES=1000000 uses a million files.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { median } from "../.ci/bench/median.ts";
import { Ignore } from "../src/agent/ignore.ts";
import { Journal } from "../src/agent/journal/journal.ts";
import { runPass } from "../src/agent/pass.ts";
import { readState } from "../src/agent/state.ts";
import { throttleOf } from "../src/agent/throttle.ts";
import { openStore } from "../src/core/store/database.ts";
import {
  agentKey,
  demoFolder,
  install,
  launcher,
  one,
  presentFiles,
  put,
  serverProgram,
  temporaryFolder,
  until,
} from "../test/support/agent_harness.ts";
import { runtime } from "../test/support/runtime.ts";

const count = Number(process.env.FILES ?? 100_000);
const rounds = 5;

const root = temporaryFolder();
for (let n = 0; n < count; n++) {
  const folder = join(root, `camera ${Math.floor(n / 10_000)}`, `roll ${Math.floor(n / 500)}`);
  if (n % 500 === 0) mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `A${String(n).padStart(7, "0")}_C001.dat`), "");
}

/** Files per second of find, and of a pass with an empty and with a full journal. */
const find = (): number => {
  const started = performance.now();
  execFileSync("find", [root, "-type", "f", "-printf", "%P %s %T@\\n"], { stdio: ["ignore", "ignore", "inherit"] });
  return count / ((performance.now() - started) / 1000);
};
async function walk(state: string, filespace: string): Promise<number> {
  const database = readState(state, filespace);
  const journal = new Journal(database);
  const started = performance.now();
  const throttle = await throttleOf(root, 0);
  const signal = new AbortController().signal;
  const ignore = new Ignore([]);
  const { files } = await runPass({ root, ignore, throttle, signal, journal }, { folder: "", async changed() {} });
  database.close();
  if (files !== count) throw new Error(`${files} files`);
  return count / ((performance.now() - started) / 1000);
}
async function compare(what: string, state: string, filespace: string): Promise<void> {
  const [found, walked]: [number[], number[]] = [[], []];
  for (let round = -1; round < rounds; round++) {
    const [a, b] = [find(), await walk(state, filespace)];
    if (round >= 0) {
      found.push(a);
      walked.push(b);
    }
  }
  const ratios = walked.map((rate, round) => rate / (found[round] as number));
  const spread = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
  console.log(
    `${what}: ${median(ratios).toFixed(2)} of find -printf (${spread}), ${Math.round(median(walked))} files per second`,
  );
}

const data = await demoFolder();
const store = openStore(join(data, "tallylight.db"));
const filespace = "bench";
const install_id = install(store, filespace);
const key = agentKey(store);
const state = temporaryFolder();

async function startServer(): Promise<{ url: string; stop(): void }> {
  const child = spawn(process.execPath, [...runtime, serverProgram, data], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const url of createInterface({ input: child.stdout as NodeJS.ReadableStream }))
    return { url, stop: () => void child.kill("SIGKILL") };
  throw new Error("the server did not start");
}

/** Runs the agent in its own process; returns seconds and the peak resident memory in MiB (Linux). */
function runAgent(
  url: string,
  ...more: string[]
): { ended: Promise<{ seconds: number; memory: number }>; stop(): void } {
  const words = ["agent", "--url", url, "--key", key, "--filespace", filespace, "--root", root, "--state", state];
  const started = performance.now();
  const child = spawn(process.execPath, [...runtime, launcher, ...words, ...more], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let memory = 0;
  let output = "";
  child.stderr.on("data", (text) => {
    output = (output + text).slice(-2000);
  });
  const timer = setInterval(() => {
    try {
      const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
      memory = Math.max(memory, Number(peak ?? 0) / 1024);
    } catch {
      // no such file on this system, or the process has ended
    }
  }, 50);
  const ended = new Promise<{ seconds: number; memory: number }>((resolve, reject) => {
    child.once("exit", (status) => {
      clearInterval(timer);
      if (status !== 0) reject(new Error(output));
      else resolve({ seconds: (performance.now() - started) / 1000, memory });
    });
  });
  return { ended, stop: () => void process.kill(child.pid as number, "SIGTERM") };
}

console.log(`${count} files, ${"Deno" in globalThis ? "Deno" : `Node ${process.versions.node}`}`);
await compare("a pass with an empty journal", join(state, "none"), filespace);
const server = await startServer();
const first = await runAgent(server.url, "--once").ended;
const rate = Math.round(count / first.seconds);
console.log(
  `first run, delivered: ${first.seconds.toFixed(1)} s, ${rate} files per second, ${first.memory.toFixed(0)} MiB at most`,
);
if (presentFiles(store, install_id).length !== count) throw new Error("not everything arrived");
const second = await runAgent(server.url, "--once").ended;
console.log(`a run without changes: ${second.seconds.toFixed(1)} s, ${second.memory.toFixed(0)} MiB at most`);
await compare("a pass with a full journal", state, filespace);

const agent = runAgent(server.url);
const times: number[] = [];
for (let save = -1; save < 20; save++) {
  const path = `camera 0/roll 0/saved ${save}.prproj`;
  const started = performance.now();
  put(root, path);
  const isThere = () =>
    one(store, "SELECT count(*) FROM asset_files WHERE install_id = ? AND path = ?", install_id, path) > 0;
  await until(isThere, 2);
  if (save >= 0) times.push(performance.now() - started);
}
console.log(
  `from a save to the row: ${Math.round(median(times))} ms, ${Math.round(Math.max(...times))} ms at most, of 20`,
);
agent.stop();
await agent.ended;
server.stop();
store.close();
for (const folder of [root, data, state]) rmSync(folder, { recursive: true, force: true });
