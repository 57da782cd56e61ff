// Serves a data directory in its own process, for tests that kill it, and prints the address: DIR, or DIR replica. On SIGUSR2 it prints the bytes
// in use after a garbage collection.
import { startServer } from "../../src/server.ts";

const [data = "", kind = ""] = process.argv.slice(2);
const replica = kind === "replica";
const { url } = await startServer({ data, replica, host: "127.0.0.1", port: 0, log: () => {} });
process.stdout.write(`${url}\n`);

process.on("SIGUSR2", () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.stdout.write(`${heapUsed + external}\n`);
});
