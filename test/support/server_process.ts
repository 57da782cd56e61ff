// Serves a data directory in its own process, for tests that kill it, and prints the address: DIR, or DIR replica. On SIGUSR2 it prints the bytes
// in use after a garbage collection. With `delay` it prints, for each line on stdin, how long its event loop was blocked at most, in ms.
import { createInterface } from "node:readline";
import { startServer } from "../../src/server.ts";

const [data = "", kind = ""] = process.argv.slice(2);
const replica = kind === "replica";
const { url } = await startServer({ data, replica, host: "127.0.0.1", port: 0, log: () => {} });
process.stdout.write(`${url}\n`);

if (kind === "delay") {
  const { monitorEventLoopDelay } = await import("node:perf_hooks");
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  createInterface({ input: process.stdin }).on("line", () => {
    process.stdout.write(`${delay.max / 1e6}\n`);
    delay.reset();
  });
}

process.on("SIGUSR2", () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.stdout.write(`${heapUsed + external}\n`);
});
