// Sends two small requests to a server every 20 ms, in its own process. For each line on stdin it prints the longest
// response time of the requests that it sent since the last line, once all of them have ended. Arguments: the server's
// address, a token, and a path below /api/v1.
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";

const [url = "", token = "", path = ""] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** The requests that are sent between two lines. */
const openPeriod = () => ({ gap: 0, failures: 0, waiting: 0, settled: () => {} });
let period = openPeriod();

function ask(address: string): void {
  const own = period;
  const sent = performance.now();
  own.waiting++;
  let hasEnded = false;
  const done = (failed: boolean) => {
    if (hasEnded) return;
    hasEnded = true;
    own.gap = Math.max(own.gap, performance.now() - sent);
    if (failed) own.failures++;
    if (--own.waiting === 0) own.settled();
  };
  const headers = { authorization: `Bearer ${token}` };
  const asked = request(url + address, { agent, headers, timeout: 60_000 }, (response) => {
    response.resume().once("close", () => done(!response.complete || response.statusCode !== 200));
  });
  asked.once("timeout", () => asked.destroy());
  asked.on("error", () => done(true));
  asked.end();
}

setInterval(() => {
  ask("/healthz");
  ask(`/api/v1${path}`);
}, 20);

for await (const _ of createInterface({ input: process.stdin })) {
  const ended = period;
  period = openPeriod();
  if (ended.waiting > 0) await new Promise<void>((resolve) => (ended.settled = resolve));
  process.stdout.write(`${JSON.stringify({ gap: ended.gap, failures: ended.failures })}\n`);
}
