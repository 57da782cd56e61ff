// The clock of the machine jumps: it is logged, shown and counted, and nothing is deleted because of it.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SettledClock, settledClockOf } from "../../src/features/clock/settled_clock.ts";
import { trimLog } from "../../src/features/events/retention.ts";
import { resumableOf } from "../../src/features/uploads/state.ts";
import { sweepUploads } from "../../src/features/uploads/sweep.ts";
import { demoFolder, mint, one, openTestServer, temporaryFolder } from "../support/app.ts";
import { askMetrics, withMetrics } from "../support/metrics.ts";
import { signIn } from "../support/pages.ts";

const test = suite("the clock");
const [minute, day] = [60_000, 86_400_000];
const start = Date.parse("2026-11-20T12:00:00.000Z");

/** A clock and a running time that the test sets. */
function openTime(folder = temporaryFolder()) {
  const time = { clock: start, running: 0 };
  const said: string[] = [];
  const open = () =>
    new SettledClock(folder, {
      clock: () => time.clock,
      running: () => time.running,
      writes: true,
      notice: (sentence) => void said.push(sentence),
    });
  const pass = (milliseconds: number): void => {
    time.clock += milliseconds;
    time.running += milliseconds;
  };
  return { time, said, open, pass };
}

test("time that passes is no jump, and small corrections are not", () => {
  const { time, said, open, pass } = openTime();
  const settled = open();
  for (let hour = 0; hour < 48; hour++) {
    pass(60 * minute);
    time.clock += (hour % 2 === 0 ? 4 : -4) * minute;
    assert.ok(Math.abs(settled.now() - time.clock) <= 8 * minute, `${settled.now()}`);
    assert.ok(settled.now() <= time.clock);
  }
  assert.equal(said, []);
  assert.equal([settled.state().jumps, settled.state().last], [0, undefined]);
  settled.close();
});

test("a jump is said once, forward and back and forth again; the settled clock follows none and is never ahead", () => {
  const { time, said, open, pass } = openTime();
  const settled = open();
  pass(minute);
  time.clock += 365 * day;
  assert.is(settled.now(), start + minute);
  assert.match(said[0] ?? "", /the clock went forward by 365 days while the server ran, to 2027-11-20T12:01/);
  pass(10 * minute);
  assert.ok(settled.now() <= start + 21 * minute + 1);
  assert.is(said.length, 1);
  assert.ok(settled.state().lead > 360 * 86_400);
  time.clock -= 365 * day;
  assert.is(settled.now(), time.clock);
  time.clock -= 10 * minute;
  assert.is(settled.now(), time.clock);
  time.clock += 10 * minute;
  settled.now();
  assert.is(settled.state().jumps, 4);
  assert.is(said.length, 4);
  pass(30 * minute);
  assert.is(settled.now(), time.clock);
  assert.is(settled.state().lead, 0);
  settled.close();
});

test("between two runs, days without the server are no jump, a year is one, and the next run knows it", () => {
  const { time, said, open } = openTime();
  open().close();
  time.clock += 3 * day;
  let settled = open();
  assert.is(settled.now(), time.clock);
  settled.close();
  time.clock += 365 * day;
  settled = open();
  assert.match(said[0] ?? "", /forward by 365 days since this directory was last served/);
  assert.is(settled.now(), start + 3 * day);
  settled.close();
  settled = open();
  assert.is(said.length, 1);
  assert.is(settled.now(), start + 3 * day, "a restart does not trust the clock");
  settled.close();
  time.clock -= 365 * day;
  settled = open();
  assert.match(said[1] ?? "", /back by 365 days/);
  assert.is(settled.now(), time.clock);
  settled.close();
});

test("what the settled clock is behind, it makes up for at double speed", () => {
  const { time, open, pass } = openTime();
  open().close();
  time.clock += 30 * day;
  const settled = open();
  for (let hours = 0; hours < 29 * 24; hours++) pass(60 * minute) ?? settled.now();
  assert.ok(settled.now() < time.clock, "not yet");
  for (let hours = 0; hours < 2 * 24; hours++) pass(60 * minute) ?? settled.now();
  assert.is(settled.now(), time.clock);
  settled.close();
});

test("a clock that is a year ahead deletes no upload, no event and no stored answer, and Health and the metrics show it", async () => {
  const data = await demoFolder();
  const time = { clock: start, running: 0 };
  const said: string[] = [];
  const options = {
    data,
    clock: () => time.clock,
    running: () => time.running,
    notice: (sentence: string) => void said.push(sentence),
    environment: withMetrics,
  };
  const server = await openTestServer(options);
  const { app, store } = server;
  const token = mint(store, { scopes: ["read", "write", "admin"] });
  const headers = { "tus-resumable": "1.0.0", "upload-length": "5" };
  const created = await server.ask(token, "/api/v1/uploads", { method: "POST", headers });
  assert.is(created.status, 201);
  const upload = created.headers.get("location")?.split("/").at(-1) as string;
  const note = (text: string) =>
    server.ask(token, "/api/v1/assets", {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": "the-same" },
      body: JSON.stringify({ kind: "prop", label: text }),
    });
  assert.is((await note("Once")).status, 200);
  const events = one<number>(store, "SELECT count(*) FROM events");
  assert.ok(events > 0);
  time.clock += 365 * day;
  assert.is(await app.store.write(() => sweepUploads(resumableOf(app))), 0);
  store.writeSync(() => trimLog(store, new Date(settledClockOf(app).now()).toISOString()));
  assert.is(one<number>(store, "SELECT count(*) FROM events"), events);
  assert.is(one<number>(store, "SELECT count(*) FROM uploads"), 1);
  assert.is((await server.ask(token, `/api/v1/uploads/${upload}`, { method: "HEAD", headers })).status, 200);
  assert.is((await note("Once")).status, 200);
  assert.is(one<number>(store, "SELECT count(*) FROM nodes WHERE label = 'Once'"), 1);
  assert.match(said.at(-1) ?? "", /forward by 365 days/);
  const metrics = await (await askMetrics(server)).text();
  assert.match(metrics, /^tallylight_clock_jumps_total 1$/m);
  assert.match(metrics, /^tallylight_clock_lead_seconds 31536000$/m);
  const browser = await signIn(server, token);
  assert.match(await browser.text("/settings/health"), /the clock went forward by 365 days/);
  // Running time counts: a day later, by the time that the server ran, the upload goes.
  time.clock += day + minute;
  time.running += day + minute;
  await app.store.write(() => sweepUploads(resumableOf(app)));
  assert.is(one<number>(store, "SELECT count(*) FROM uploads"), 0);
  await server.stop();
});

test.run();
