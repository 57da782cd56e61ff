// GET /metrics: who may read it, and what it counts.
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { metricsTypes } from "../../src/features/metrics/request_metrics.ts";
import { assertRefused, mint, openTestServer } from "../support/app.ts";
import { pageAt, tableOf } from "../support/documentation.ts";
import { temporaryFolder } from "../support/folder.ts";
import { askMetrics, metricsToken, withMetrics } from "../support/metrics.ts";
import { until } from "../support/until.ts";

const server = await openTestServer({ environment: withMetrics });
const off = await openTestServer();
const token = mint(server.store);
const admin = mint(server.store, { scopes: ["admin"] });
const metrics = (headers: Record<string, string> = {}) => askMetrics(server, headers);
const bare = (headers: Record<string, string> = {}) => fetch(`${server.url}/metrics`, { headers });

/** The samples by name with their labels, such as `tallylight_requests_total{operation="x",status="200"}`. */
async function samples(): Promise<Map<string, number>> {
  const lines = (await (await metrics()).text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}

/** How much a sample grows while `work` runs. */
async function growth(name: string, work: () => Promise<unknown>): Promise<number> {
  const before = (await samples()).get(name) ?? 0;
  await work();
  return ((await samples()).get(name) ?? 0) - before;
}

const ask = async (key: string | undefined, path: string): Promise<void> => {
  // bytes are counted
  await (await server.ask(key, path, { headers: { "accept-encoding": "identity" } })).arrayBuffer();
};

const access = suite("GET /metrics: access");

access("is 404 like any other path if the setting is off", async () => {
  const [here, elsewhere] = await Promise.all(["/metrics", "/nothing"].map((path) => fetch(off.url + path)));
  assert.is((here as Response).status, 404);
  assert.is(await (here as Response).text(), await (elsewhere as Response).text());
});

access("the token of the file opens it", async () => {
  const response = await metrics();
  assert.is(response.status, 200);
  assert.is(response.headers.get("content-type"), metricsTypes.prometheus);
  assert.is(response.headers.get("cache-control"), "no-store");
  assert.is((await metrics({ authorization: `bearer ${metricsToken}` })).status, 200);
});

access("the token opens nothing else", async () => {
  for (const path of ["/api/v1/production", "/api/v1/me", "/api/v1/admin/audit", "/mcp"])
    await assertRefused(await server.ask(metricsToken, path, { method: path === "/mcp" ? "POST" : "GET" }), 401);
});

access("no address is enough, not even one of this machine: a proxy brings everybody from one", async () => {
  const { port } = server;
  for (const headers of [{}, { host: `localhost:${port}` }, { "x-forwarded-for": "127.0.0.1" }])
    await assertRefused(await bare(headers as Record<string, string>), 401);
  for (const wrong of [`${metricsToken}x`, metricsToken.slice(1), "tl_wrong"])
    await assertRefused(await metrics({ authorization: `Bearer ${wrong}` }), 401);
  await assertRefused(await metrics({ authorization: metricsToken }), 401);
});

access("without the setting no token opens it", async () => {
  const other = await openTestServer({ environment: { TALLYLIGHT_METRICS: "true" } });
  await assertRefused(await askMetrics(other), 401);
  const key = mint(other.store, { scopes: ["admin"] });
  assert.is((await askMetrics(other, { authorization: `Bearer ${key}` })).status, 200);
  await other.stop();
});

access("a token that is short, that others can read, or that is absent keeps the server from starting", async () => {
  const folder = temporaryFolder();
  const start = (TALLYLIGHT_METRICS_TOKEN_FILE: string) =>
    openTestServer({ environment: { TALLYLIGHT_METRICS: "true", TALLYLIGHT_METRICS_TOKEN_FILE } });
  const problemOf = (file: string) => start(file).then(() => "started", String);
  assert.match(await problemOf(join(folder, "none")), /none/);
  const short = join(folder, "short");
  writeFileSync(short, "0123456789", { mode: 0o600 });
  assert.match(await problemOf(short), /must have a secret of at least 32 characters/);
  const open = join(folder, "open");
  writeFileSync(open, metricsToken);
  chmodSync(open, 0o644);
  if (process.platform !== "win32") assert.match(await problemOf(open), /can be used by every user/);
});

access("a key needs the scope admin", async () => {
  await assertRefused(await metrics({ authorization: `Bearer ${token}` }), 403, "key does not have the `admin` scope");
  await assertRefused(await metrics({ authorization: "Bearer tl_wrong" }), 401);
  const headers = { authorization: `Bearer ${admin}`, "x-forwarded-for": "203.0.113.7" };
  assert.is((await metrics(headers)).status, 200);
  await assertRefused(await fetch(`${server.url}/metrics`, { method: "POST" }), 405);
});
access.run();

const counting = suite("GET /metrics: counts");

counting("requests by operation and status, and hits of the response cache", async () => {
  const name = 'tallylight_requests_total{operation="list_scenes",status="200"}';
  const thrice = async () => {
    for (let times = 0; times < 3; times++) await ask(token, "/api/v1/scenes");
  };
  assert.is(await growth(name, thrice), 3);
  assert.is(await growth('tallylight_cache_hits_total{operation="list_scenes"}', thrice), 3);
  assert.is(
    await growth('tallylight_requests_total{operation="none",status="404"}', () => ask(token, "/api/v1/nothing")),
    1,
  );
});

counting("bytes of responses, and refused keys but not missing ones", async () => {
  const length = (await (await server.ask(token, "/api/v1/people")).text()).length;
  const bytes = await growth('tallylight_response_bytes_total{operation="list_people"}', () =>
    ask(token, "/api/v1/people"),
  );
  assert.ok(bytes >= length && bytes < length * 1.2, `${bytes} of ${length}`);
  const refused = "tallylight_refused_keys_total";
  assert.is(await growth(refused, () => ask("tl_wrong", "/api/v1/people")), 1);
  assert.is(await growth(refused, () => ask(undefined, "/api/v1/people")), 0);
});

counting("what was written", async () => {
  const note = async () => {
    const [asset] = await server.get<{ node_id: number }[]>(token, "/assets");
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"text":"counted"}' };
    await (await server.ask(token, `/api/v1/assets/${asset?.node_id}/notes`, init)).text();
  };
  assert.is(await growth("tallylight_activity_total", note), 1);
  const now = await samples();
  assert.ok((now.get("tallylight_database_bytes") as number) > 100_000);
  assert.ok((now.get("tallylight_connections") as number) >= 1);
  assert.is(now.get("tallylight_uploads"), 0);
  assert.equal([now.get("tallylight_event_readers"), now.get("tallylight_webhook_lag_seconds")], [0, 0]);
  assert.is(now.has("tallylight_replica_age_seconds"), false);
});

counting("readers of events that wait, and the lag of a webhook that cannot be reached", async () => {
  const waiting = new AbortController();
  const reading = server.ask(token, "/api/v1/events?wait=55", { signal: waiting.signal }).catch(() => undefined);
  server.store.writeSync(() =>
    server.store.database
      .prepare(
        "INSERT INTO webhooks (production_id, url, types, secret, position, next_try_at, created_at) VALUES (1, 'http://127.0.0.1:9/x', NULL, 's', 0, '2099-01-01', '2026-01-01')",
      )
      .run(),
  );
  await until(async () => (await samples()).get("tallylight_event_readers") === 1);
  assert.ok(((await samples()).get("tallylight_webhook_lag_seconds") as number) > 0);
  waiting.abort();
  await reading;
  server.store.writeSync(() => server.store.database.exec("DELETE FROM webhooks"));
});

counting("buckets are cumulative, and the last one is the count", async () => {
  await ask(token, "/api/v1/scenes");
  const all = await samples();
  const buckets = [...all].filter(([name]) =>
    name.startsWith('tallylight_request_seconds_bucket{operation="list_scenes"'),
  );
  const values = buckets.map(([, value]) => value);
  assert.is(buckets.length, 13);
  assert.equal(
    values,
    [...values].sort((a, b) => a - b),
  );
  assert.is(values.at(-1), all.get('tallylight_request_seconds_count{operation="list_scenes"}'));
  assert.ok((all.get('tallylight_request_seconds_sum{operation="list_scenes"}') as number) > 0);
});

/** What `promtool check metrics` says about a metric, by its rules for names and texts. */
function lint(name: string, type: string, help: string, labels: readonly string[]): string[] {
  const words = name.split("_");
  const rules: readonly [broken: boolean, sentence: string][] = [
    [help === "", "no help text"],
    [(type === "counter") !== name.endsWith("_total"), "counters, and no others, end in _total"],
    [type !== "histogram" && /_(bucket|count|sum)$/.test(name), "only histograms end in _bucket, _count and _sum"],
    [type !== "histogram" && labels.includes("le"), "only histograms have the label le"],
    [labels.includes("quantile"), "only summaries have the label quantile"],
    [words.some((word) => ["counter", "gauge", "histogram", "summary"].includes(word)), "a name has no type"],
    [/:/.test(name), "only rules have colons"],
    [[name, ...labels].some((one) => /[A-Z]/.test(one)), "names are in snake_case"],
    [/_(s|ms|us|ns|sec|b|kb|mb|gb|tb|pb|m|h|d)(_|$)/.test(name), "units are not abbreviated"],
    [
      /(milli|micro|nano|kilo|mega|giga)(second|byte)s?|minutes|hours|days|percent|bits/.test(name),
      "units are base units",
    ],
    [/bytes|seconds/.test(name) && !/_(bytes|seconds)(_total)?$/.test(name), "the unit is the last word"],
  ];
  return rules.filter(([broken]) => broken).map(([, sentence]) => `${name}: ${sentence}`);
}

counting("promtool accepts the names: its rules find nothing, and they find what breaks them", async () => {
  const text = await (await metrics()).text();
  const of = (word: string) =>
    new Map([...text.matchAll(new RegExp(`^# ${word} (\\S+) (.+)$`, "gm"))].map(([, name, value]) => [name, value]));
  const [types, helps] = [of("TYPE"), of("HELP")];
  assert.ok(types.size > 15);
  const labelsOf = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:_bucket)?\\{(.*)\\}`, "gm"))].flatMap(([, labels = ""]) =>
      [...labels.matchAll(/(\w+)="/g)].map(([, label = ""]) => label),
    );
  const problems = [...types].flatMap(([name = "", type = ""]) =>
    lint(name, type, helps.get(name) ?? "", labelsOf(name)),
  );
  assert.equal(problems, []);
  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  for (const line of samples) {
    const name = /^\w+/.exec(line)?.[0] ?? "";
    assert.ok(types.has(name) || types.get(name.replace(/_(bucket|count|sum)$/, "")) === "histogram", line);
  }
  assert.is(lint("requests", "counter", "", ["le"]).length, 3);
  assert.is(lint("lag_ms_gauge", "gauge", "x", []).length, 2);
});

counting("is well-formed OpenMetrics, and docs/reference.md has every metric", async () => {
  const response = await metrics({ accept: "application/openmetrics-text;version=1.0.0,text/plain;q=0.5" });
  assert.is(response.headers.get("content-type"), metricsTypes.openMetrics);
  const text = await response.text();
  assert.ok(text.endsWith("\n# EOF\n"));
  for (const [, name = "", unit = ""] of text.matchAll(/^# UNIT (\S+) (\S+)$/gm))
    assert.ok(name.endsWith(`_${unit}`), name);
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type]));
  const sample =
    /^([a-z_]+?)(?:_total|_bucket|_count|_sum)?(?:\{(?:[a-z]+="[^"\\\n]*",?)+\})? \d+(?:\.\d+)?(?:e[+-]?\d+)?$/;
  for (const line of text.split("\n").filter((line) => line !== "" && !line.startsWith("#")))
    assert.ok(types.has(sample.exec(line)?.[1] ?? ""), line);
  const named = [...types].map(([name, type]) => `\`${name}${type === "counter" ? "_total" : ""}\``);
  const documented = tableOf(pageAt("docs/reference.md"), "Metrics").rows;
  const here = documented.filter(([, text = ""]) => !/only (?:on a replica|with the setting)/.test(text));
  assert.equal(here.map(([cell]) => cell).sort(), named.sort());
});
counting.after(async () => {
  await server.stop();
  await off.stop();
});
counting.run();
