// A server in a process of its own, for tests that kill it: serves the directory it is given and says where. Asked by SIGUSR2,
// it says how many bytes it holds after a collection.
import { startServer } from "../../src/server.ts";

const { url } = await startServer({ data: process.argv[2] as string, host: "127.0.0.1", port: 0, log: () => {} });
process.stdout.write(`${url}\n`);

process.on("SIGUSR2", () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.stdout.write(`${heapUsed + external}\n`);
});
