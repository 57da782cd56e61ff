// Delivery: retries, back-off, the spool, and the agent's clock.
// Thorough: only --all runs it.
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { longestRetryAfter } from "../../src/agent/backoff.ts";
import { Clock } from "../../src/agent/clock.ts";
import { type Hint, Spool } from "../../src/agent/spool.ts";
import { readStatus } from "../../src/agent/status.ts";
import { pauseAfter, retryAfterOf } from "../../src/core/times.ts";
import { AgentHarness, openTestServer, put, until } from "../support/agent_harness.ts";
import { type Decision, openProxy } from "../support/faulty_proxy.ts";

const server = await openTestServer();
const proxy = await openProxy(server.url);
const harnesses: AgentHarness[] = [];
async function openHarness(...paths: string[]): Promise<AgentHarness> {
  const harness = await AgentHarness.open(server);
  harnesses.push(harness);
  for (const path of paths) put(harness.root, path);
  proxy.decide = () => "pass";
  proxy.times = [];
  return harness;
}
const viaProxy = (harness: AgentHarness) => ({ settings: harness.options({ url: proxy.url }).settings });
/** The proxy's decisions for the next requests with events, one each; every other request passes. */
const decideInTurn = (...decisions: Decision[]) => {
  proxy.decide = ({ body }) => (body.includes('"dedupe_key"') ? (decisions.shift() ?? "pass") : "pass");
};

const delivery = suite("delivery");

delivery(
  "retries after 429, 503, a frozen production, lost connections and lost responses, and reports each fact once",
  async () => {
    const harness = await openHarness("a", "b");
    const later = { "retry-after": "0" };
    const frozen = { status: 409, headers: later };
    decideInTurn("cut before", { status: 503 }, frozen, { status: 429, headers: later }, "cut after", {
      status: 502,
      body: "<html>",
    });
    const { accepted, duplicates } = await harness.once(viaProxy(harness));
    assert.equal([accepted, duplicates, harness.events().length], [0, 2, 2]);
    harness.assertInSync();
    assert.equal(
      harness.logged("server").map(({ state }) => state),
      ["away", "back"],
    );
    assert.match(String(harness.logged("server")[0]?.reason), /the connection failed/);
  },
);

delivery("waits for as long as Retry-After asks", async () => {
  const harness = await openHarness("a");
  decideInTurn({ status: 429, headers: { "retry-after": "1" } });
  await harness.once(viaProxy(harness));
  const [first = 0, second = 0] = proxy.times.slice(1);
  assert.ok(second - first >= 990, `${second - first} ms`);
});

delivery("splits a batch that is too large for a proxy, and assigns each refusal to its file", async () => {
  const harness = await openHarness(...Array.from({ length: 30 }, (_, n) => `f${n}${n % 10 === 7 ? "\\" : ""}`));
  proxy.decide = ({ body }) => (body.length > 2000 ? { status: 413 } : "pass");
  const { accepted, refused } = await harness.once(viaProxy(harness));
  assert.equal([accepted, refused], [27, 3]);
  assert.equal(
    harness
      .logged("refused")
      .map(({ path }) => path)
      .sort(),
    ["f17\\", "f27\\", "f7\\"],
  );
});

delivery("follows no redirect and accepts no response of another server", async () => {
  const harness = await openHarness("a");
  for (const [decision, sentence] of [
    [{ status: 307, headers: { location: "http://127.0.0.1:1/" } }, /redirects to http:\/\/127.0.0.1:1\/; give that/],
    [{ status: 200, body: "<html>sign in</html>" }, /does not answer as a Tallylight server does \(status 200\)/],
    [{ status: 200, body: '{"accepted":"all"}' }, /is not valid/],
  ] as [Decision, RegExp][]) {
    decideInTurn(decision);
    const outcome = await harness.once(viaProxy(harness)).catch((error: Error) => error.message);
    assert.match(String(outcome), sentence);
  }
  assert.equal(harness.events(), []);
});

delivery("sends a batch that a crash interrupted again before the later events", async () => {
  const harness = await openHarness("a", "b");
  decideInTurn("cut after", ...Array.from({ length: 99 }, (): Decision => ({ status: 503 })));
  await harness.once({ ...viaProxy(harness), patience: 100 }).catch(() => {});
  assert.is(harness.events().length, 2); // the server has stored them, but the agent has no response
  rmSync(join(harness.root, "a"));
  const { deleted, duplicates } = await harness.once();
  assert.equal([deleted, duplicates], [1, 2]);
  harness.assertInSync();
});

delivery("reports changes from a time without the server when it is back, also after a restart", async () => {
  const harness = await openHarness("a", "b", "c");
  let away = false;
  proxy.decide = () => (away ? "cut before" : "pass");
  await harness.running(async () => {
    await until(() => harness.logged("pass").length === 1);
    away = true;
    put(harness.root, "while away/d");
    await until(() => readStatus(harness.state).away !== null);
    rmSync(join(harness.root, "b"));
    renameSync(join(harness.root, "a"), join(harness.root, "e"));
    await until(() => readStatus(harness.state).spool > 0);
    away = false;
    await harness.untilInSync();
    await until(() => readStatus(harness.state).away === null);
    away = true;
    put(harness.root, "f");
    await until(() => readStatus(harness.state).away !== null);
  }, viaProxy(harness));
  assert.equal((await harness.once()).held, null);
  harness.assertInSync();
});

delivery("reports a file as deleted if it disappears while the batch that creates it is sent", async () => {
  const harness = await openHarness(...Array.from({ length: 2600 }, (_, n) => `roll ${Math.floor(n / 100)}/${n}`));
  let batches = 0;
  proxy.decide = async ({ body }): Promise<Decision> => {
    if (!body.includes('"dedupe_key"') || batches++ > 0) return "pass";
    rmSync(join(harness.root, "roll 0/0"));
    await new Promise((resolve) => setTimeout(resolve, 300)); // the hint becomes ready while the pass continues
    return "pass";
  };
  const { settings } = viaProxy(harness);
  await harness.running(() => harness.untilInSync(), { settings: { ...settings, files_per_second: 4000 } });
});

delivery("reports a file that is being written when it stops changing, and a few times before", async () => {
  const harness = await openHarness();
  let rests = 0; // on a busy machine
  await harness.running(async () => {
    await until(() => harness.logged("pass").length === 1);
    const end = performance.now() + 600;
    for (let size = 1, last = performance.now(); last < end; size++) {
      put(harness.root, "growing.mov", "x".repeat(size));
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (performance.now() - last > 40) rests++;
      last = performance.now();
    }
    await harness.untilInSync();
  });
  const events = harness.events().length;
  assert.ok(events <= 6 + rests, `${events} events of a file that rested ${rests} times`);
});

const parts = suite("the parts of delivery");

parts("the back-off doubles with jitter up to its maximum; Retry-After is seconds or a date", () => {
  const pace = { first: 1000, most: 60_000 };
  for (const [failures, most] of [
    [1, 1000],
    [2, 2000],
    [6, 32_000],
    [7, 60_000],
    [9999, 60_000],
  ] as const)
    for (let tries = 0; tries < 20; tries++) {
      const wait = pauseAfter(failures, pace, 0);
      assert.ok(wait >= most / 2 && wait <= most, `${failures}: ${wait}`);
    }
  assert.is(pauseAfter(1, pace, 5000), 5000);
  const now = Date.parse("2026-11-20T10:00:00Z");
  const cases = { "3": 3000, "Fri, 20 Nov 2026 10:00:07 GMT": 7000, "Fri, 20 Nov 2026 09:00:00 GMT": 0 };
  for (const [header, wait] of Object.entries(cases)) assert.is(retryAfterOf(header, now), wait, header);
  assert.equal(
    [null, "", "soon", "-1x", "999999999"].map((header) => retryAfterOf(header, now, longestRetryAfter)),
    [undefined, undefined, undefined, undefined, 3_600_000],
  );
});

parts("the clock never goes back, follows the server's time, and can be set after what the server did", () => {
  let now = Date.parse("2026-11-20T10:00:00.000Z");
  const clock = new Clock("2026-11-20T10:00:05.000Z", () => now);
  assert.is(clock.stamp(), "2026-11-20T10:00:05.000Z");
  now += 10_000;
  assert.is(clock.stamp(), "2026-11-20T10:00:10.000Z");
  clock.observe("Fri, 20 Nov 2026 10:00:10 GMT");
  assert.is(clock.stamp(), "2026-11-20T10:00:10.000Z");
  clock.observe("Fri, 20 Nov 2026 11:00:10 GMT");
  assert.is(clock.stamp(), "2026-11-20T11:00:10.500Z");
  clock.observe("Fri, 20 Nov 2026 09:00:10 GMT");
  assert.is(clock.stamp(), "2026-11-20T11:00:10.500Z");
  clock.pass("Fri, 20 Nov 2026 12:00:00 GMT");
  assert.is(clock.stamp(), "2026-11-20T12:00:01.000Z");
});

const hint = (path: string): Hint => ({ path, source: "audit_tail", named: true });

parts("the spool is bounded: it asks for a full pass for what does not fit", () => {
  let overflows = 0;
  const overflow = () => void overflows++;
  const spool = new Spool({ now: () => 0, settle: 0, patience: 0, overflow, most: 100 });
  for (let n = 0; n < 103; n++) spool.add(hint(`${n}`));
  spool.add(hint("5"));
  assert.equal([spool.size, overflows, spool.ready(1000).length], [100, 3, 100]);
  spool.done([hint("5")], 0);
  spool.add(hint("103"));
  assert.equal([spool.size, overflows], [100, 3]);
});

parts("a hint is ready when its path stops changing or after a maximum time; a hint added during a look stays", () => {
  let now = 0;
  const spool = new Spool({ now: () => now, settle: 10, patience: 100, overflow: assert.unreachable });
  const ready = () => spool.ready(10).map(({ path }) => path);
  spool.add(hint("a"));
  assert.equal([ready(), spool.wait], [[], 10]);
  now = 9;
  spool.add(hint("a"));
  now = 15;
  assert.equal([ready(), spool.wait], [[], 4]);
  for (; now < 100; now += 5) spool.add(hint("a"));
  assert.equal([ready(), spool.wait], [["a"], 0]);
  spool.done([hint("a")], now - 10);
  assert.equal([ready(), spool.size], [[], 1]);
  now += 10;
  spool.done([hint("a")], now);
  assert.equal([spool.size, spool.wait], [0, undefined]);
});
parts.after(async () => {
  for (const harness of harnesses) harness.remove();
  await proxy.close();
  await server.stop();
});
delivery.run();
parts.run();
