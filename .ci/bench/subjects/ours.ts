// This server with all features, logging to its standard error. Run with a data directory; with "cold" every call finds
// that the database changed since the previous one. Prints its address. At SIGUSR2 it prints the longest delay of its
// event loop since the previous time, in milliseconds.
import { monitorEventLoopDelay } from "node:perf_hooks";
import "../../../src/features.ts";
import { startServer } from "../../../src/core/server.ts";

const [data = "", ...words] = process.argv.slice(2);
const { url, app } = await startServer({ data, host: "127.0.0.1", port: 0 });
if (words.includes("cold")) {
  app.store.changedAt = () => Number.POSITIVE_INFINITY;
}
const delay = monitorEventLoopDelay({ resolution: 5 });
process.on("SIGUSR2", () => {
  delay.disable();
  console.log(delay.max / 1e6);
  delay.reset();
  delay.enable();
});
console.log(url);
