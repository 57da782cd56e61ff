// Measures what the metrics cost on the warm path: a document that is polled and answered from the response cache.
// `node benchmarks/metrics.ts` prints the ratio of requests per second without and with the metrics, taken in turns,
// and the ratio of the time of counting one request to the time of one request.

import { cpus } from "node:os";
import { join } from "node:path";
import { load } from "../.ci/bench/load.ts";
import { median } from "../.ci/bench/median.ts";
import { startSubject } from "../.ci/bench/subject.ts";
import { openStore } from "../src/core/store/database.ts";
import { Metrics } from "../src/features/metrics/request_metrics.ts";
import { demoFolder, mint } from "../test/support/app.ts";

const rounds = Number(process.env.ROUNDS ?? 7);
const seconds = 2;

/** Starts a server in its own process, with or without the metrics. */
async function start(on: boolean) {
  const data = await demoFolder();
  const store = openStore(join(data, "tallylight.db"));
  const headers = { authorization: `Bearer ${mint(store)}` };
  store.close();
  process.env.TALLYLIGHT_METRICS = String(on); // the subject inherits it
  return { subject: await startSubject("node", "ours", [data], join(data, "log")), headers };
}

const servers = [await start(false), await start(true)];
const rates: [number[], number[]] = [[], []];
for (let round = 0; round < rounds; round++)
  for (const [at, { subject, headers }] of servers.entries()) {
    const { rate } = await load({ url: subject.url, paths: ["/api/v1/production"], headers, connections: 16, seconds });
    (rates[at] as number[]).push(rate);
  }
for (const { subject } of servers) await subject.stop();
const [without, withMetrics] = rates.map(median) as [number, number];
console.log(
  `requests per second without / with metrics: ${(without / withMetrics).toFixed(3)} (${rounds} rounds in turns, ${cpus().length} cores)`,
);

const metrics = new Metrics();
const count = 5_000_000;
const started = performance.now();
for (let at = 0; at < count; at++)
  metrics.request({
    operation: "get_production",
    status: 200,
    milliseconds: 0.04,
    bytes: 400,
    cached: true,
    refused: false,
  });
const nanoseconds = ((performance.now() - started) * 1e6) / count;
console.log(`counting one request / one request: ${((nanoseconds / (1e9 / without)) * 100).toFixed(2)} %`);
