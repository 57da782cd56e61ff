// Readers that catch up with the event log share what is read.
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { eventTypes } from "../../src/core/store/event_types.ts";
import { recordEvent } from "../../src/core/store/events.ts";
import { CatchingUp } from "../../src/features/events/catching_up.ts";
import { lastEventId } from "../../src/features/events/log.ts";
import { demoFolder } from "../support/app.ts";

const store = openStore(join(await demoFolder(), "tallylight.db"));
const event = { type: "person.added", subject: { kind: "person", id: 1 }, data: { key: "x", fields: {} } } as const;
const begin = lastEventId(store);
const stored = 20_000;
store.writeSync(() => {
  for (let at = 0; at < stored; at++)
    recordEvent(store, { ...event, production_id: 1, actor: "test", activity_id: null }, "2026-01-01T00:00:00.000Z");
});

const sharing = suite("readers that catch up");

for (const [name, spread] of [
  ["the same position", 0],
  ["different positions", 37],
] as const)
  sharing(`from ${name} read each part of the log once, and what each gets is complete`, async () => {
    let reads = 0;
    const counted = {
      ...store,
      statement: <Row>(statement: string) => {
        if (statement === "list_events") reads++;
        return store.statement<Row>(statement);
      },
    };
    const readers = 200;
    const catchingUp = new CatchingUp(counted);
    const pages = await Promise.all(
      Array.from({ length: readers }, (_, at) =>
        catchingUp.page({ production_id: 1, after: begin + at * spread, types: ["key.minted"], limit: 200 }),
      ),
    );
    for (const { events, position, more } of pages) assert.equal([events, position, more], [[], begin + stored, false]);
    assert.ok(reads <= stored / 1_000 + 2 + (spread === 0 ? 0 : readers), `${reads} reads`);
    const { events } = await catchingUp.page({
      production_id: 1,
      after: begin + 5,
      types: ["person.added"],
      limit: 50,
    });
    assert.equal(
      events.map(({ id }) => id),
      Array.from({ length: 50 }, (_, at) => begin + 6 + at),
    );
  });

sharing("of which each wants other types begin in several turns of the event loop", async () => {
  const catchingUp = new CatchingUp(store);
  const types = [...eventTypes().keys()].filter((type) => type !== "person.added");
  const readers = 500;
  let ended = 0;
  const pages = Array.from({ length: readers }, async (_, at) => {
    const own = types.filter((_, bit) => (at + 1) & (1 << (bit % 10)));
    const page = await catchingUp.page({ production_id: 1, after: begin + stored - 900, types: own, limit: 200 });
    ended++;
    return page;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(ended < readers / 2, `${ended} of ${readers} in the first turn`);
  for (const { events, position } of await Promise.all(pages))
    assert.equal([events.length, position], [0, begin + stored]);
});

sharing.after(() => store.close());
sharing.run();
