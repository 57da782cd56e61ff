// Webhooks that have nothing to deliver rest: one that looks for events does not make another one look again.
import { rmSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { Feed } from "../../src/features/events/feed.ts";
import { Deliveries } from "../../src/features/webhooks/deliveries.ts";
import * as webhooks from "../../src/features/webhooks/webhooks.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { demoFolder } from "../support/app.ts";
import { openData } from "../support/template.ts";

test("after a commit each looks for events once, and once more if another commit came meanwhile", async () => {
  const { folder, store } = openData(await demoFolder());
  const clock = Date.now;
  const feed = new Feed(store, { clock, readersOfKey: 1 });
  const read = feed.stored.page.bind(feed.stored);
  let pages = 0;
  feed.stored.page = async (given) => {
    pages++;
    await turn(); // as from a long log: the other webhooks are looking meanwhile
    return read(given);
  };
  let commit = (): void => {};
  feed.onChange = (listener) => {
    commit = listener;
    return () => {};
  };
  const deliveries = new Deliveries(store, feed, { clock, config: { webhook_hosts: ["127.0.0.1"] } });
  const admin = localAdmin(store, new Date().toISOString());
  const count = 3;
  for (let at = 0; at < count; at++)
    webhooks.addWebhook(admin, { production_id: 1, url: "http://127.0.0.1:9/", types: ["person.removed"] });

  const started = performance.now();
  deliveries.start(1);
  commit();
  for (let turns = 0; turns < 500; turns++) await turn();
  const begun = 2 * count;
  const timers = count * Math.ceil((performance.now() - started) / 1000); // each also looks once a second
  assert.ok(pages >= begun && pages <= begun + timers, `${pages} pages were read`);

  await deliveries.end();
  feed.end();
  store.close();
  rmSync(folder, { recursive: true });
});
test.run();
