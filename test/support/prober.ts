// Sends two small requests to a server every 20 ms, in its own process. For each line on stdin it prints the longest response
// time since the last line. Arguments: the server's address, a token, and a path below /api/v1.
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";

const [url = "", token = "", path = ""] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
/** When each request without a response was sent. */
const waiting = new Set<number>();
let longest = 0;
let failures = 0;

function ask(address: string): void {
  const sent = performance.now();
  waiting.add(sent);
  const done = (failed: boolean) => {
    if (!waiting.delete(sent)) return;
    longest = Math.max(longest, performance.now() - sent);
    if (failed) failures++;
  };
  const asked = request(url + address, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
    response.resume().on("end", () => done(response.statusCode !== 200));
  });
  asked.on("error", () => done(true));
  asked.end();
}

setInterval(() => {
  ask("/healthz");
  ask(`/api/v1${path}`);
}, 20);

for await (const _ of createInterface({ input: process.stdin })) {
  const now = performance.now();
  const gap = Math.max(longest, ...[...waiting].map((sent) => now - sent));
  process.stdout.write(`${JSON.stringify({ gap, failures })}\n`);
  longest = 0;
  failures = 0;
}
