// The clock of the machine jumps: it is logged, shown and counted, and nothing is deleted because of it.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SettledClock, settledClockOf } from "../../src/features/clock/settled_clock.ts";
import { inspectData } from "../../src/features/doctor/inspection.ts";
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
  assert.equal([settled.state().jumps, settled.state().problem], [0, undefined]);
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

const problemOf = (settled: SettledClock): string | undefined => settled.state().problem;

test("no alarm stays of sleep, of ten days off, or of a jump there and back", () => {
  const { time, open, pass } = openTime();
  let settled = open();
  for (let night = 0; night < 500; night++) {
    for (let hour = 0; hour < 16; hour++) pass(60 * minute) ?? settled.now();
    time.clock += 8 * 60 * minute; // the process does not run
    assert.is(problemOf(settled), undefined, `night ${night}`);
  }
  for (const days of [10, 364]) {
    settled.close();
    time.clock += days * day;
    settled = open();
    assert.is(problemOf(settled), undefined, `${days} days off`);
    pass(minute);
    assert.is(problemOf(settled), undefined);
  }
  for (const days of [1, 30, 300, 400, 3_000])
    for (const restarts of [false, true]) {
      time.clock += days * day;
      assert.is(problemOf(settled) !== undefined, days > 365, `${days} days forward`);
      for (let hour = 0; hour < 48; hour++) pass(60 * minute) ?? settled.now();
      if (restarts) settled.close();
      time.clock -= days * day;
      if (restarts) settled = open();
      assert.is(problemOf(settled), undefined, `${days} days there and back`);
      pass(minute);
    }
  settled.close();
});

test("the alarm ends as soon as the clock is not before the newest time without an alarm, and at most a year after it", () => {
  for (const [by, said] of [
    [-400 * day, /which is before 20/],
    [-day, /which is before 20/],
    [366 * day, /more than a year after 20/],
  ] as const) {
    const { time, open, pass } = openTime();
    let settled = open();
    pass(60 * minute);
    assert.is(problemOf(settled), undefined);
    const right = time.clock;
    time.clock += by;
    for (let hour = 0; hour < 12; hour++) {
      assert.match(problemOf(settled) ?? "", said);
      pass(60 * minute);
    }
    settled.close();
    settled = open();
    assert.match(problemOf(settled) ?? "", said, "the next run knows it");
    time.clock = right - 6 * minute;
    assert.match(problemOf(settled) ?? "", /which is before/);
    time.clock = right;
    assert.is(problemOf(settled), undefined);
    time.clock = right + 364 * day;
    assert.is(problemOf(settled), undefined, "it need not be exact");
    time.clock = right + 12 * 60 * minute;
    assert.is(problemOf(settled), undefined);
    settled.close();
  }
});

test("doctor says what the server says, whatever times a wrong clock gave to rows", async () => {
  const data = await demoFolder();
  const time = { clock: start, running: 0 };
  const server = await openTestServer({ data, clock: () => time.clock, running: () => time.running });
  const clockOf = async (now: number) =>
    (await inspectData(data, { deep: false, now })).find(({ check }) => check === "clock");
  assert.is((await clockOf(start))?.ok, true);
  settledClockOf(server.app);
  time.clock += 400 * day;
  mint(server.store); // its row has a time that the clock shows for the first time in 400 days
  await server.close();
  assert.match((await clockOf(time.clock))?.items[0] ?? "", /more than a year after/);
  assert.is((await clockOf(start + day))?.ok, true);
  assert.match((await clockOf(start - day))?.items[0] ?? "", /which is before/);
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
  assert.not.match(await browser.text("/settings/health"), /the clock shows/);
  time.clock += day;
  assert.match(
    await browser.text("/settings/health"),
    /the clock shows 2027-[^,]*, which is more than a year after 2026-11-20T/,
  );
  time.clock -= day;
  // Running time counts: a day later, by the time that the server ran, the upload goes.
  time.clock += day + minute;
  time.running += day + minute;
  await app.store.write(() => sweepUploads(resumableOf(app)));
  assert.is(one<number>(store, "SELECT count(*) FROM uploads"), 0);
  await server.stop();
});

test.run();
