// Serves a data directory in its own process, for tests that kill it, and prints the address: DIR, or DIR replica; on a
// port that follows. On SIGUSR2 it prints the bytes in use after a garbage collection. With `delay` it prints, for each
// line on stdin, the longest time of its event loop without a timer, and how much processor time the longest such turn
// used and, unless the line says "turn", how much a loop that is always the same, in ms.
import { createInterface } from "node:readline";
import "../../src/features.ts";
import { startServer } from "../../src/core/server.ts";

const [data = "", kind = "", port = "0"] = process.argv.slice(2);
const replica = kind === "replica";
const { url } = await startServer({
  data,
  replica,
  host: "127.0.0.1",
  port: Number(port),
  log: () => {},
});
process.stdout.write(`${url}\n`);

if (kind === "delay") {
  const cache = "../../bin/compile_cache.js"; // as the command does: the first page loads many modules
  (await import(cache)).enableCompileCache();
  const { monitorEventLoopDelay } = await import("node:perf_hooks");
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const usedNow = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1e3;
  };
  /** How much processor time a loop takes that only this machine's speed decides, in ms: the shortest of three. */
  const timeOfLoop = (): number => {
    const times = [1, 2, 3].map(() => {
      const before = usedNow();
      let text = "";
      for (let at = 0; at < 20_000; at++) text += JSON.stringify({ at, name: `row ${at}`, list: [at, at + 1] });
      if (JSON.parse(`[${text.replaceAll("}{", "},{")}]`).length !== 20_000) throw new Error("the loop is wrong");
      return usedNow() - before;
    });
    return Math.min(...times);
  };
  let former = usedNow();
  let longest = 0;
  setInterval(() => {
    const now = usedNow();
    longest = Math.max(longest, now - former);
    former = now;
  }, 1);
  createInterface({ input: process.stdin }).on("line", (asked) => {
    const used = Math.max(longest, usedNow() - former);
    const elapsed = delay.max / 1e6;
    process.stdout.write(`${elapsed} ${used}${asked === "turn" ? "" : ` ${timeOfLoop()}`}\n`);
    delay.reset();
    former = usedNow();
    longest = 0;
  });
}

process.on("SIGUSR2", () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.stdout.write(`${heapUsed + external}\n`);
});
