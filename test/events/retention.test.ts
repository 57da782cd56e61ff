// Old events are removed by their time, in small steps, and the floor says how far.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { HttpError } from "../../src/core/errors.ts";
import { cursorAt, positionOf } from "../../src/features/events/cursors.ts";
import { readPart } from "../../src/features/events/log.ts";
import { defaultRetention, trimLog, trimTables } from "../../src/features/events/retention.ts";
import { one } from "../support/app.ts";
import { recordEvents } from "../support/event_log.ts";
import { imported, smallDocument, writeDocument } from "../support/small_document.ts";

const { store } = await imported(writeDocument(smallDocument()));
const day = 24 * 60 * 60 * 1000;
const start = Date.parse("2026-11-20T08:00:00.000Z");
const at = (days: number): string => new Date(start + days * day).toISOString();
const record = (count: number, days: number): void => recordEvents(store, 1, { count, now: at(days) });
const trim = (days: number, retention = defaultRetention): number =>
  store.writeSync(() => trimLog(store, at(days), retention));
const stored = () => one<number>(store, "SELECT count(*) FROM events");
const statusOf = (position: number): number => {
  try {
    positionOf(store, 1, cursorAt(store, position));
    return 200;
  } catch (error) {
    return (error as HttpError).status;
  }
};

const test = suite("the retention of events");

test("removes what is older than 30 days, at most 1,000 events a step", () => {
  record(1_500, 0);
  record(10, 31);
  assert.equal([trim(29), trim(31), trim(31), trim(31)], [0, 1_000, 500, 0]);
  assert.is(stored(), 10);
});

test("a cursor is 410 if events after it were removed, and not before", () => {
  assert.equal([0, 1_499, 1_500, 1_501].map(statusOf), [410, 410, 200, 200]);
  const page = readPart(
    store,
    { production_id: 1, after: positionOf(store, 1, "start"), types: undefined, limit: 200 },
    1_510,
  );
  assert.is(page.events.length, 10);
});

test("keeps only so many events", () => {
  record(100, 31);
  assert.is(trim(31, { ...defaultRetention, maxEvents: 30 }), 80);
  assert.is(stored(), 30);
});

test("an event that a wrong clock dated ahead does not keep the others from going", () => {
  record(1, 400);
  record(5, 31);
  assert.is(trim(62), 35);
  assert.is(stored(), 1, "it goes when its own time has come");
});

test("an emptied log gives no id twice, and its position is that of the last event", () => {
  trim(431);
  assert.is(stored(), 0);
  assert.equal([positionOf(store, 1, "start"), positionOf(store, 1, "now")], [1_616, 1_616]);
  record(1, 120);
  assert.is(one(store, "SELECT id FROM events"), 1_617);
});

test("a cursor of another production is not touched", () => {
  assert.is(positionOf(store, 2, cursorAt(store, 0)), 0);
});

test.after(() => store.close());
const tables = suite("the setting retention");

tables(
  "removes the oldest rows of each limited table, 1,000 a step, never the newest row, and nothing that is not limited",
  () => {
    const database = store.database;
    store.writeSync(() => {
      database.exec("DELETE FROM activity; DELETE FROM audit");
      const activity = database.prepare(
        "INSERT INTO activity (production_id, verb, summary, actor, created_at) VALUES (1, 'x', 'x', 'x', ?)",
      );
      const audit = database.prepare(
        "INSERT INTO audit (created_at, actor, action, detail) VALUES (?, 'x', 'x', '{}')",
      );
      activity.run(at(1_000)); // of a clock that was wrong
      for (let row = 0; row < 1_500; row++) for (const insert of [activity, audit]) insert.run(at(0));
      for (let row = 0; row < 3; row++) activity.run(at(31));
    });
    const step = (days: number) =>
      store.writeSync(() => trimTables(store, at(days), { days: { activity: 30 } }, () => {}));
    const left = () => one<number>(store, "SELECT count(*) FROM activity");
    assert.equal([step(29), left()], [false, 1_504]);
    assert.equal([step(31), left(), step(31), left()], [true, 504, false, 4]);
    const last = one<number>(store, "SELECT max(id) FROM activity");
    assert.equal([step(500), left(), one<number>(store, "SELECT max(id) FROM activity")], [false, 2, last]);
    assert.is(one<number>(store, "SELECT count(*) FROM audit"), 1_500);
  },
);

tables.run();
test.run();
