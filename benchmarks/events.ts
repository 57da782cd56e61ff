// Benchmark of event streams: readers on sockets of their own process while assets are created. Prints the p99 time
// from the send of a write to its event at every reader, the server's CPU as a share of one core, and its memory for
// each reader. node --expose-gc benchmarks/events.ts [READERS] [EVENTS A SECOND] [SECONDS]; needs /proc.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openStore } from "../src/core/store/database.ts";
import { demoFolder, mint } from "../test/support/app.ts";
import { runtime } from "../test/support/runtime.ts";

const [readers = 500, rate = 10, seconds = 10] = process.argv.slice(2).map(Number);
const folder = await demoFolder();
const store = openStore(join(folder, "tallylight.db"));
const token = mint(store);
store.close();

const script = fileURLToPath(new URL("../test/support/server_process.ts", import.meta.url));
const env = {
  ...process.env,
  TALLYLIGHT_CONNECTIONS: String(readers + 100),
  TALLYLIGHT_EVENT_READERS: String(readers + 100),
};
const child: ChildProcess = spawn(process.execPath, ["--expose-gc", ...runtime, script, folder], {
  stdio: ["ignore", "pipe", "inherit"],
  env,
});
const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
const nextLine = async (): Promise<string> => (await lines.next()).value as string;
const url = new URL(await nextLine());

/** The bytes in use after a garbage collection, and the resident set. */
async function memory(): Promise<{ heap: number; resident: number }> {
  child.kill("SIGUSR2");
  const heap = Number(await nextLine());
  const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
  return { heap, resident: Number(kilobytes) * 1024 };
}
/** The CPU time of the server in milliseconds, at 100 ticks a second. */
function cpu(): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const times: number[] = [];
/** The times from the send of a write to its own answer, for comparison: a loaded machine delays both. */
const answers: number[] = [];
/** Opens a reader; resolves once its stream has begun. */
const open = (): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = createConnection(Number(url.port), url.hostname);
    socket.setNoDelay(true).on("error", reject);
    socket.write(
      `GET /api/v1/events HTTP/1.1\r\nhost: ${url.host}\r\nauthorization: Bearer ${token}\r\naccept: text/event-stream\r\n\r\n`,
    );
    socket.on("data", (chunk: Buffer) => {
      const now = performance.now();
      const text = chunk.toString("latin1");
      if (text.startsWith("HTTP/1.1")) {
        if (text.startsWith("HTTP/1.1 200")) resolve(socket);
        else reject(new Error(text));
      }
      for (const [, sent] of text.matchAll(/"label":"sent ([\d.]+)"/g)) times.push(now - Number(sent));
    });
  });

const create = (): Promise<Response> =>
  fetch(`${url.origin}/api/v1/assets`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ label: `sent ${performance.now()}` }),
  });

for (let at = 0; at < 20; at++) await (await create()).text();
const before = await memory();
const sockets: Socket[] = [];
while (sockets.length < readers)
  sockets.push(...(await Promise.all(Array.from({ length: Math.min(100, readers - sockets.length) }, open))));
await pause(1_000);
const open_ = await memory();

/** Writes at the rate; returns the server's CPU as a share of one core. */
async function load(): Promise<number> {
  const [cpuBefore, started] = [cpu(), performance.now()];
  for (let at = 0; at < rate * seconds; at++) {
    await pause(Math.max(0, started + (at * 1000) / rate - performance.now()));
    const sent = performance.now();
    void create().then((response) => {
      answers.push(performance.now() - sent);
      return response.text();
    });
  }
  await pause(500);
  return (cpu() - cpuBefore) / (performance.now() - started);
}

const share = await load();
const delivered = times.length;
const after = await memory();
const quantile = (values: number[], part: number): string =>
  (values.sort((a, b) => a - b)[Math.floor(values.length * part)] ?? Number.NaN).toFixed(1);
const of = (values: number[]): string => `median ${quantile(values, 0.5)} ms, p99 ${quantile(values, 0.99)} ms`;
const summary = `to the event: ${of(times)}; to the answer of the write: ${of(answers)}`;
for (const socket of sockets) socket.destroy();
await pause(1_000);
const idle = await load();

const kilobytes = (bytes: number): string => `${(bytes / readers / 1024).toFixed(1)} KB`;
console.log(
  `${readers} readers, ${rate} events a second for ${seconds} s: ${delivered} of ${readers * rate * seconds} deliveries`,
);
console.log(`time from the send of the write ${summary}`);
console.log(
  `CPU: ${(share * 100).toFixed(1)} % of a core, ${(idle * 100).toFixed(1)} % with the same writes and no reader`,
);
console.log(
  `memory for each reader: ${kilobytes(open_.heap - before.heap)} in use, ${kilobytes(open_.resident - before.resident)} resident`,
);
console.log(`growth during the load: ${((after.heap - open_.heap) / 1e6).toFixed(1)} MB in use`);
child.kill("SIGKILL");
rmSync(folder, { recursive: true });
process.exit(0);
