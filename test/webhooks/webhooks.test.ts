// Webhooks: deliveries in order and signed, retries, pauses, rotated secrets, replays, and what a restore does to them.
// Thorough: only --all runs it.
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { eventTypes } from "../../src/core/store/event_types.ts";
import { backUp } from "../../src/features/backup/backup.ts";
import { restoreBackup } from "../../src/features/backup/restore.ts";
import { cursorAt } from "../../src/features/events/cursors.ts";
import { trimLog } from "../../src/features/events/retention.ts";
import type { OutputOf } from "../../src/features/pages/visit.ts";
import { maxRefusals, retryDelay } from "../../src/features/webhooks/deliveries.ts";
import * as rows from "../../src/features/webhooks/operations.ts";
import * as webhooks from "../../src/features/webhooks/webhooks.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { one, openTestServer, temporaryFolder } from "../support/app.ts";
import { recordEvents } from "../support/event_log.ts";
import { openReceiver, type Receiver, type ReceiverOptions } from "../support/receiver.ts";
import { until } from "../support/until.ts";

const begun = Date.now();
let shift = 0;
/**
 * Time only passes when a test says so, so a try that is late on a busy machine would never be made again: none is
 * late.
 */
const clock = (): number => begun + shift;
const environment = { TALLYLIGHT_WEBHOOK_HOSTS: "127.0.0.0/8" };
const server = await openTestServer({ clock, webhookTimeout: 600_000, environment });
const { store } = server;
const production_id = 1;
const now = (): string => new Date(clock()).toISOString();
const admin = (of = store) => localAdmin(of, now());
/** The rows of a list of one webhook. */
const rowsOf = <R extends typeof rows.listWebhookDeliveries | typeof rows.listSetAsideEvents>(
  row: R,
  id: number,
  of = store,
): OutputOf<R> => {
  const reach = { production_id, engagement_id: null, now: now() };
  return JSON.parse(row.statement(of, { ...reach, id, limit: 200 }).text);
};
const record = (count: number, key = "v", of = store): void =>
  recordEvents(of, production_id, { count, key, now: now() });

interface Endpoint extends Receiver {
  webhook: number;
  secrets: string[];
  keys(): string[];
  row(): webhooks.WebhookRow;
  tries(): OutputOf<typeof rows.listWebhookDeliveries>;
}

/** Without the events of the health, which the jumps of this clock bring about at any moment. */
const others = [...eventTypes().keys()].filter((type) => type !== "health.changed");

/** A receiver and the webhook to it. */
async function open(given: Partial<ReceiverOptions> & { types?: string[] } = {}, of = store): Promise<Endpoint> {
  const secrets: string[] = [];
  const receiver = await openReceiver({ secrets: () => secrets, isShifted: of === store, ...given });
  const { types = others } = given;
  const { id, secret } = webhooks.addWebhook(admin(of), { production_id, url: receiver.url, types });
  secrets.push(secret);
  return {
    ...receiver,
    webhook: id,
    secrets,
    keys: () => receiver.delivered.map(({ event }) => event.data.key),
    row: () => webhooks.listWebhooks(admin(of), production_id).find((row) => row.id === id) as webhooks.WebhookRow,
    tries: () => rowsOf(rows.listWebhookDeliveries, id, of),
    async close() {
      webhooks.remove(admin(of), id);
      await receiver.close();
      assert.equal(receiver.invalid, [], "every delivery verifies");
    },
  };
}

const delivering = suite("deliveries");

delivering("come in order, once, with the event as the body and its cursor as the id", async () => {
  const endpoint = await open();
  record(50);
  await endpoint.until(50);
  await until(() => endpoint.tries().length === 50);
  assert.equal(
    endpoint.keys(),
    Array.from({ length: 50 }, (_, at) => `v${at}`),
  );
  for (const { id, event, headers } of endpoint.delivered) {
    assert.is(id, cursorAt(store, event.id));
    assert.is(headers["content-type"], "application/json");
  }
  const { outcome, status, reason, event_id } = endpoint.tries()[0] as ReturnType<Endpoint["tries"]>[number];
  assert.equal([outcome, status, reason, event_id], ["delivered", 204, null, endpoint.delivered.at(-1)?.event.id]);
  await endpoint.close();
});

delivering("begin with the event after the webhook was added, and have only its types", async () => {
  record(3, "before");
  const endpoint = await open({ types: ["person.removed"] });
  record(3, "other");
  recordEvents(store, production_id, { type: "person.removed", key: "wanted" });
  recordEvents(store, 2, { type: "person.removed", key: "foreign" });
  record(3, "other");
  recordEvents(store, production_id, { type: "person.removed", key: "last" });
  await endpoint.until(2);
  assert.equal(endpoint.keys(), ["wanted0", "last0"]);
  await endpoint.close();
});

delivering("of types that are added while an event is on its way are not passed over", async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const endpoint = await open({ types: ["person.removed"], answer: (res) => void held.then(() => res.end()) });
  recordEvents(store, production_id, { type: "person.removed", key: "first" });
  await endpoint.until(1);
  webhooks.set(admin(), endpoint.webhook, { types: ["person.removed", "vendor.added"] });
  record(1, "added");
  recordEvents(store, production_id, { type: "person.removed", key: "last" });
  release();
  await until(() => endpoint.keys().at(-1) === "last0");
  assert.ok(endpoint.keys().includes("added0"), endpoint.keys().join(", "));
  await endpoint.close();
});

delivering("of types that are added later come, although the server had passed over the log before", async () => {
  const endpoint = await open({ types: ["person.removed"] });
  record(3, "passed");
  recordEvents(store, production_id, { type: "person.removed", key: "first" });
  await endpoint.until(1);
  record(3, "passed");
  webhooks.set(admin(), endpoint.webhook, { types: ["vendor.added"] });
  record(1, "wanted");
  await until(() => endpoint.keys().at(-1) === "wanted0");
  await endpoint.close();
});

delivering("of one webhook go on while another receiver hangs", async () => {
  const impatient = await openTestServer({ webhookTimeout: 500, environment });
  const of = impatient.store;
  const [hanging, working] = [await open({ answer: () => {} }, of), await open({}, of)];
  record(5, "v", of);
  await until(() => new Set(working.keys()).size === 5);
  assert.equal([...new Set(hanging.keys())], ["v0"]);
  await until(() => hanging.tries().length > 0);
  const first = hanging.tries().at(-1);
  assert.equal([first?.status, first?.reason], [null, "the receiver did not answer in time"]);
  await Promise.all([hanging.close(), working.close()]);
  await impatient.stop();
});

delivering("wait during a pause and follow after it", async () => {
  const [other, endpoint] = [await open(), await open()];
  webhooks.pause(admin(), endpoint.webhook); // in the turn in which it was added: no delivery is under way
  record(3);
  await other.until(3);
  assert.is(endpoint.delivered.length, 0);
  webhooks.resume(admin(), endpoint.webhook);
  await endpoint.until(3);
  await Promise.all([endpoint.close(), other.close()]);
});

delivering("are repeated by a replay", async () => {
  const { position } = { position: one<number>(store, "SELECT max(id) FROM events") };
  const endpoint = await open();
  record(3);
  await endpoint.until(3);
  await until(() => endpoint.row().cursor === cursorAt(store, position + 3));
  webhooks.replay(admin(), endpoint.webhook, cursorAt(store, position + 1));
  await endpoint.until(5);
  assert.equal(endpoint.keys(), ["v0", "v1", "v2", "v1", "v2"]);
  await endpoint.close();
});

delivering("are signed with both secrets for 24 hours after a rotation, and then with the new one", async () => {
  const endpoint = await open();
  const [former = ""] = endpoint.secrets;
  const { secret } = webhooks.rotate(admin(), endpoint.webhook);
  record(1);
  await endpoint.until(1);
  endpoint.secrets[0] = secret;
  record(1);
  await endpoint.until(2);
  assert.equal(
    endpoint.delivered.map(({ headers }) => String(headers["webhook-signature"]).split(" ").length),
    [2, 2],
  );
  shift += 24 * 60 * 60 * 1000;
  endpoint.secrets[0] = former;
  record(1);
  await endpoint.until(3);
  assert.is(endpoint.invalid[0], "no matching signature");
  shift = 0;
  endpoint.invalid.length = 0;
  await endpoint.close();
});

const failing = suite("failed deliveries");

/** Lets time pass. A commit of another production makes the server look at the clock at once. */
function pass(milliseconds: number): void {
  shift += milliseconds;
  recordEvents(store, 2, { key: "another production's" });
}

/** As if an event had been tried so often, and its next try were due. */
const skipTries = ({ webhook }: Endpoint, { tries, refusals }: { tries: number; refusals: number }): void =>
  void store.writeSync(() =>
    store.database
      .prepare("UPDATE webhooks SET tries = ?, refusals = ?, next_try_at = NULL WHERE id = ?")
      .run(tries, refusals, webhook),
  );

/** The schedule of the documentation, in seconds: of the failed tries 1 to 4, of a day, and of what follows. */
const scheduled = (tries: number): number => [5, 15, 30, 60][tries - 1] ?? (tries <= 4 + 1440 ? 60 : 600);

failing(
  "are retried after 5, 15, 30, 60 s, every minute for a day and every ten minutes, and never given up",
  async () => {
    for (let tries = 1; tries <= 3000; tries++) assert.is(retryDelay(tries), scheduled(tries) * 1000, `${tries}`);
    const answers: (number | "cut")[] = [500, 503, 404, 401, 403, 302, 429, 408, "cut", 502];
    let accept = false;
    let made = 0;
    const endpoint = await open({
      answer: (res) => {
        const answer = accept ? 200 : (answers[made++ % answers.length] as number | "cut");
        if (answer === "cut") res.destroy();
        else res.writeHead(answer).end();
      },
    });
    record(2);
    const check = async (tries: number): Promise<void> => {
      await until(() => endpoint.row().tries === tries);
      const { next_try_at, backlog, oldest_event_age, set_aside, status } = endpoint.row();
      assert.is(Date.parse(next_try_at as string) - clock(), scheduled(tries) * 1000, `after try ${tries}`);
      assert.equal([backlog, oldest_event_age, set_aside, status], [2, Math.floor(shift / 1000), 0, "active"]);
    };
    for (let tries = 1; tries <= 14; tries++) {
      await check(tries);
      pass(scheduled(tries) * 1000);
    }
    await check(15);
    for (const tries of [1442, 1443, 1444, 5000]) {
      skipTries(endpoint, { tries, refusals: 0 });
      pass(0);
      await check(tries + 1);
    }
    assert.not.ok(endpoint.tries().some(({ outcome }) => outcome === "dead"));
    accept = true;
    pass(600_000);
    await until(() => endpoint.row().backlog === 0);
    assert.equal([endpoint.row().oldest_event_age, endpoint.row().tries], [null, 0]);
    assert.equal(endpoint.keys().slice(-2), ["v0", "v1"]);
    shift = 0;
    await endpoint.close();
  },
);

failing(
  "have a backlog of the webhook's own types and production, bounded, and of what a pause holds back",
  async () => {
    const endpoint = await open({ types: ["person.removed"] });
    webhooks.pause(admin(), endpoint.webhook);
    record(3, "other");
    recordEvents(store, production_id, { type: "person.removed", key: "own", count: 2, now: now() });
    recordEvents(store, 2, { type: "person.removed", key: "foreign" });
    shift = 90_500;
    assert.equal([endpoint.row().backlog, endpoint.row().oldest_event_age], [2, 90]);
    recordEvents(store, production_id, { type: "person.removed", key: "many", count: 5100, now: now() });
    assert.equal([endpoint.row().backlog, endpoint.row().oldest_event_age], [4997, 90]);
    // later tests trim the log
    store.writeSync(() => store.database.prepare("DELETE FROM events WHERE data LIKE '%many%'").run());
    shift = -3_600_000;
    assert.is(endpoint.row().oldest_event_age, 0, "a clock that was set back makes no negative age");
    shift = 0;
    await endpoint.close();
  },
);

failing("with a 4xx that is about the receiver are not counted as refusals of the event", async () => {
  for (const status of [401, 403, 404, 405, 407, 408, 421, 423, 425, 426, 429, 451, 500, 503, 301]) {
    const endpoint = await open({ answer: (res) => void res.writeHead(status).end() });
    record(1);
    await until(() => endpoint.row().tries === 1);
    skipTries(endpoint, { tries: 9, refusals: 9 });
    pass(0);
    await until(() => endpoint.row().tries === 10);
    assert.is(endpoint.row().set_aside, 0, `${status}`);
    await endpoint.close();
  }
  shift = 0;
});

failing("with a 4xx ten times set the event aside, those behind it follow, and a replay delivers it", async () => {
  const refused = new Set(["bad0", "bad1"]);
  const endpoint = await open({
    answer: (res, { event }) => void res.writeHead(refused.has(event.data.key) ? 422 : 200).end(),
  });
  record(2, "bad");
  record(2, "good");
  for (let bad = 0; bad < 2; bad++) {
    await until(() => endpoint.row().tries === 1 && endpoint.row().set_aside === bad);
    assert.is(Date.parse(endpoint.row().next_try_at as string) - clock(), 5_000, "as after every failure");
    skipTries(endpoint, { tries: 9, refusals: maxRefusals - 1 });
  }
  await until(() => endpoint.keys().at(-1) === "good1");
  assert.equal(endpoint.keys(), ["bad0", "bad0", "bad1", "bad1", "good0", "good1"]);
  await until(() => endpoint.tries().length === 6);
  const aside = () => rowsOf(rows.listSetAsideEvents, endpoint.webhook);
  assert.equal(
    aside().map(({ tries, status, type }) => [tries, status, type]),
    [
      [10, 422, "vendor.added"],
      [10, 422, "vendor.added"],
    ],
  );
  refused.delete("bad1");
  webhooks.replayAside(admin(), endpoint.webhook);
  await until(() => endpoint.row().set_aside === 1);
  assert.equal(
    aside().map(({ tries, event_id }) => [tries, event_id]),
    [[11, endpoint.delivered[0]?.event.id]],
  );
  record(1, "next");
  await until(() => endpoint.keys().at(-1) === "next0");
  assert.equal(endpoint.keys().slice(6), ["bad0", "bad1", "next0"]);
  refused.clear();
  webhooks.replayAside(admin(), endpoint.webhook);
  await until(() => endpoint.row().set_aside === 0);
  shift = 0;
  await endpoint.close();
});

failing("of what is set aside end a replay while the receiver does not answer", async () => {
  let status = 422;
  const endpoint = await open({ answer: (res) => void res.writeHead(status).end() });
  record(1, "lost");
  await until(() => endpoint.row().tries === 1);
  skipTries(endpoint, { tries: 9, refusals: 9 });
  await until(() => endpoint.row().set_aside === 1);
  status = 500;
  const before = endpoint.keys().length;
  webhooks.replayAside(admin(), endpoint.webhook);
  await until(() => endpoint.tries().length === before + 1);
  record(1, "behind");
  await until(() => endpoint.keys().at(-1) === "behind0");
  assert.is(endpoint.keys().length, before + 2);
  store.writeSync(() => trimLog(store, new Date(clock() + 40 * 24 * 60 * 60 * 1000).toISOString()));
  assert.equal(rowsOf(rows.listSetAsideEvents, endpoint.webhook), [], "it leaves with the log");
  shift = 0;
  await endpoint.close();
});

failing(
  "are set aside no longer once a replay from a cursor delivers them, and a 410 to a replay pauses the webhook",
  async () => {
    let status = 422;
    const endpoint = await open({ answer: (res) => void res.writeHead(status).end() });
    for (let count = 1; count <= 2; count++) {
      record(1, `late${count}`);
      await until(() => endpoint.row().tries === 1);
      skipTries(endpoint, { tries: 9, refusals: 9 });
      await until(() => endpoint.row().set_aside === count);
    }
    status = 410;
    webhooks.replayAside(admin(), endpoint.webhook);
    await until(() => endpoint.row().status === "paused");
    assert.is(endpoint.row().set_aside, 2);
    status = 200;
    webhooks.resume(admin(), endpoint.webhook);
    const last = endpoint.delivered.at(-1)?.event.id as number;
    webhooks.replay(admin(), endpoint.webhook, cursorAt(store, last));
    await until(() => endpoint.row().set_aside === 1);
    webhooks.replay(admin(), endpoint.webhook, cursorAt(store, last - 1));
    await until(() => endpoint.row().set_aside === 0);
    shift = 0;
    await endpoint.close();
  },
);

failing("wait as long as Retry-After says, at least as the schedule says, and at most ten minutes", async () => {
  const cases = [
    ["120", 120],
    ["1", 5],
    ["86400", 600],
    ["-7", 5],
    ["soon", 5],
  ] as const;
  for (const [after, seconds] of cases) {
    const endpoint = await open({ answer: (res) => void res.writeHead(503, { "retry-after": after }).end() });
    record(1);
    await until(() => endpoint.row().tries === 1);
    assert.is(Date.parse(endpoint.row().next_try_at as string) - clock(), seconds * 1000, after);
    await endpoint.close();
  }
});

failing("with 410 pause the webhook, and the event is delivered after it is resumed", async () => {
  let gone = true;
  const endpoint = await open({ answer: (res) => void res.writeHead(gone ? 410 : 200).end() });
  record(2);
  await until(() => endpoint.row().status === "paused");
  assert.match(endpoint.row().pause_reason ?? "", /410/);
  assert.is(endpoint.delivered.length, 1);
  gone = false;
  webhooks.resume(admin(), endpoint.webhook);
  await endpoint.until(3);
  assert.equal(endpoint.keys(), ["v0", "v0", "v1"]);
  await endpoint.close();
});

failing("with 410 from an address that was replaced meanwhile do not pause the webhook", async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const former = await open({ answer: (res) => void held.then(() => res.writeHead(410).end()) });
  const next = await openReceiver({ secrets: () => former.secrets, isShifted: true });
  record(2);
  await former.until(1);
  webhooks.set(admin(), former.webhook, { url: next.url });
  release();
  await until(() => next.delivered.length === 2);
  assert.is(former.row().status, "active");
  assert.is(former.delivered.length, 1);
  await former.close();
  await next.close();
});

failing("are those that redirect, too: the other address gets nothing", async () => {
  const other = await openReceiver({ secrets: () => [] });
  const endpoint = await open({ answer: (res) => void res.writeHead(307, { location: other.url }).end() });
  record(1);
  await until(() => endpoint.tries().length === 1);
  assert.equal(
    [endpoint.tries()[0]?.status, endpoint.tries()[0]?.reason],
    [307, "the receiver redirects, which is not followed"],
  );
  assert.is(other.delivered.length, 0);
  await Promise.all([endpoint.close(), other.close()]);
});

failing("keep only the status and the time of the answer", async () => {
  const endpoint = await open({
    answer: (res) => void res.writeHead(500, { "x-note": "secret-text" }).end("secret-text"),
  });
  record(1);
  await until(() => endpoint.tries().length === 1);
  assert.not.match(JSON.stringify(store.database.prepare("SELECT * FROM webhook_deliveries").all()), /secret-text/);
  await endpoint.close();
});

failing("to a receiver that is not there are refused connections", async () => {
  const endpoint = await open();
  const { url } = endpoint;
  await endpoint.close();
  const { id } = webhooks.addWebhook(admin(), { production_id, url });
  record(1);
  await until(() => rowsOf(rows.listWebhookDeliveries, id).length === 1);
  assert.is(rowsOf(rows.listWebhookDeliveries, id)[0]?.reason, "the receiver refused the connection");
  webhooks.remove(admin(), id);
});

failing("to this server itself are refused when it connects", async () => {
  const { id } = webhooks.addWebhook(admin(), { production_id, url: `${server.url}/api/v1/assets` });
  record(1);
  await until(() => rowsOf(rows.listWebhookDeliveries, id).length === 1);
  assert.is(rowsOf(rows.listWebhookDeliveries, id)[0]?.reason, "127.0.0.1 is this server itself");
  webhooks.remove(admin(), id);
});

failing("of events that were removed from the log are recorded, and the oldest kept event follows", async () => {
  const endpoint = await open();
  webhooks.pause(admin(), endpoint.webhook);
  record(5, "gone");
  record(1, "kept");
  store.writeSync(() => trimLog(store, now(), { maxAge: 1e12, maxEvents: 1 }));
  webhooks.resume(admin(), endpoint.webhook);
  await endpoint.until(1);
  assert.equal(endpoint.keys(), ["kept0"]);
  assert.is(endpoint.tries().at(-1)?.outcome, "skipped");
  await endpoint.close();
});

const testing = suite("a test message");

testing("is signed and sent once, also while the webhook is paused", async () => {
  const endpoint = await open();
  webhooks.pause(admin(), endpoint.webhook);
  const rules = { hosts: ["127.0.0.1"], ownPort: undefined };
  const { delivered, status } = await webhooks.test(admin(), endpoint.webhook, { rules, clock });
  assert.equal([delivered, status], [true, 204]);
  record(1);
  webhooks.resume(admin(), endpoint.webhook);
  await endpoint.until(2);
  const [tested, real] = endpoint.delivered.map(({ event }) => event);
  assert.equal([tested?.type, tested?.production_id], ["webhook.test", production_id]);
  assert.equal(Object.keys(tested ?? {}), Object.keys(real ?? {}), "a receiver finds every field of an event");
  await endpoint.close();
});

const restored = suite("webhooks in a restored database");

restored("are paused, because the former database may still deliver", async () => {
  const endpoint = await open();
  const file = join(temporaryFolder(), "tally.tar");
  await backUp(server.folder, file, { now: clock() });
  const folder = temporaryFolder();
  await restoreBackup(file, folder);
  const copy = await openTestServer({ data: folder, environment: { TALLYLIGHT_WEBHOOK_HOSTS: "127.0.0.1" } });
  const of = localAdmin(copy.store, now());
  const [row] = webhooks.listWebhooks(of, production_id);
  assert.equal([row?.status, row?.pause_reason], ["paused", "the database was restored"]);
  const other = await openReceiver({ secrets: () => [] });
  webhooks.addWebhook(of, { production_id, url: other.url });
  recordEvents(copy.store, production_id, { key: "restored" });
  await other.until(1);
  assert.is(endpoint.delivered.length, 0);
  webhooks.resume(of, endpoint.webhook);
  await endpoint.until(1);
  assert.equal(endpoint.keys(), ["restored0"]);
  await copy.stop();
  await Promise.all([endpoint.close(), other.close()]);
});
restored.after(() => server.stop());

delivering.run();
failing.run();
testing.run();
restored.run();
