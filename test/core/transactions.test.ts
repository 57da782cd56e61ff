// store.write: waits for another process without blocking, in order, and for a limited time.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
const file = join(folder, "tallylight.db");
const store = openStore(file);
store.neverBlock();
const writer = new Database(file);
const insert = (name: string) => store.database.prepare("INSERT INTO blobs VALUES (?, 1, 'x/y', 'now')").run(name);
const sha256 = (digit: number): string => String(digit).padStart(64, "0");
const count = () => store.database.prepare("SELECT count(*) FROM blobs").pluck().get();

const writing = suite("store.write");
writing.before.each(() => {
  writer.exec("DELETE FROM blobs");
});
writing.after(() => {
  store.close();
  writer.close();
  rmSync(folder, { recursive: true });
});

writing("waits for another process's transaction without blocking the event loop", async () => {
  writer.exec("BEGIN IMMEDIATE");
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 5);
  const written = store.write(() => insert(sha256(1)), { timeout: 600_000 });
  while (ticks < 20) await pause(5);
  assert.is(count(), 0);
  writer.exec("COMMIT");
  await written;
  clearInterval(ticking);
  assert.is(count(), 1);
});

writing("lets other work run between the long transactions of one turn, in their order", async () => {
  const order: number[] = [];
  let turn = 0;
  const turns = new Set<number>();
  let counting = true;
  const count = (): void => {
    turn++;
    if (counting) setImmediate(count);
  };
  count();
  const spin = (at: number) => () => {
    order.push(at);
    turns.add(turn);
    for (const until = performance.now() + 12; performance.now() < until; );
  };
  await Promise.all(Array.from({ length: 12 }, (_, at) => store.write(spin(at))));
  counting = false;
  assert.equal(order, [...Array(12).keys()]);
  assert.ok(turns.size > 6, `12 transactions in ${turns.size} turns`);
});

writing(
  "lets two turns pass after a long transaction, in which connections are accepted and requests are read",
  async () => {
    const turns: number[] = [];
    let turn = 0;
    let counting = true;
    const count = (): void => {
      turn++;
      if (counting) setImmediate(count);
    };
    count();
    const long = () => {
      turns.push(turn);
      for (const until = performance.now() + 12; performance.now() < until; );
    };
    await Promise.all(Array.from({ length: 6 }, () => store.write(long)));
    counting = false;
    const passed = turns.slice(1).map((turn, at) => turn - (turns[at] as number));
    // Deno accepts and reads while a timer runs, however few turns that takes
    const least = "Deno" in globalThis ? 1 : 3;
    assert.ok(
      passed.every((count) => count >= least),
      `${passed} turns between 6 transactions`,
    );
  },
);

writing("runs waiting writes in the order in which they were called", async () => {
  writer.exec("BEGIN IMMEDIATE");
  const order: number[] = [];
  const written = Array.from({ length: 10 }, (_, at) => store.write(() => order.push(at), { timeout: 600_000 }));
  await pause(50); // some of them have tried and wait for the next try
  writer.exec("COMMIT");
  await Promise.all(written);
  assert.equal(order, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

writing("throws SQLITE_BUSY after `patience`, and later writes still run", async () => {
  writer.exec("BEGIN IMMEDIATE");
  const refused = store
    .write(() => insert(sha256(1)), { timeout: 60 })
    .then(
      () => "written",
      (error) => error.code,
    );
  const patient = store.write(() => insert(sha256(2)), { timeout: 600_000 });
  assert.is(await refused, "SQLITE_BUSY");
  writer.exec("COMMIT");
  await patient;
  assert.is(count(), 1);
});

writing("stores nothing if its work throws", async () => {
  const failed = store.write(() => {
    insert(sha256(1));
    throw new Error("no");
  });
  assert.is(await failed.catch((error: Error) => error.message), "no");
  assert.is(count(), 0);
});

writing("refuses asynchronous work, because a transaction must not wait", async () => {
  const failed = store.write(async () => insert(sha256(1)));
  assert.match(String(await failed.catch((error: Error) => error.message)), /must not wait/);
  assert.is(count(), 0);
});

writing("writeSync throws if it would block, and joins an open transaction", async () => {
  assert.throws(() => store.writeSync(() => insert(sha256(1))), /would block/);
  await store.write(() => store.writeSync(() => insert(sha256(1))));
  assert.is(count(), 1);
});

writing("durable: false applies to one transaction only", async () => {
  await store.write(() => insert(sha256(1)), { durable: false });
  assert.is(store.database.pragma("synchronous", { simple: true }), 2);
});

writing("listeners hear whether a transaction changed a row", async () => {
  const heard: boolean[] = [];
  store.afterTransaction((wrote) => heard.push(wrote));
  await store.write(() => insert(sha256(1)));
  await store.write(() => store.database.prepare("DELETE FROM blobs WHERE sha256 = 'no'").run());
  const refuse = () => {
    insert(sha256(2));
    throw new Error("no");
  };
  assert.is(await store.write(refuse).catch((error: Error) => error.message), "no");
  assert.equal(heard, [true, false, false]);
});

writing.run();
