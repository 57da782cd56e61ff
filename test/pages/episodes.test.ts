// The page of episodes: their order, what each has, the current one, and a series that a single production becomes; and
// where pages show the scenes of a delivery and the totals of episodes.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { one, openTestServer } from "../support/app.ts";
import { openAsAdmin } from "../support/pages.ts";

const server = await openTestServer();
const { store } = server;
const series = one<number>(store, "SELECT id FROM productions WHERE format = 'episodic'");
const single = one<number>(store, "SELECT id FROM productions WHERE format = 'single'");
const plain = (text: string) => text.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
const path = "/settings/episodes";
const codes = (production = series) =>
  store.database.prepare("SELECT code FROM episodes WHERE production_id = ? ORDER BY position").pluck().all(production);
const orderOfScenes = () =>
  store.database
    .prepare(
      "SELECT DISTINCT e.code FROM scenes s JOIN episodes e ON e.id = s.episode_id WHERE s.production_id = ? ORDER BY s.script_order",
    )
    .pluck()
    .all(series);

const test = suite("the page of episodes");

test("shows each with its scenes and pages, and moves them, the scenes too", async () => {
  const admin = await openAsAdmin(server, series);
  const page = plain(await admin.text(path));
  const before = codes();
  for (const code of before) {
    const count = one<number>(
      store,
      "SELECT count(*) FROM scenes s JOIN nodes n ON n.id = s.node_id JOIN episodes e ON e.id = s.episode_id WHERE s.production_id = ? AND e.code = ? AND n.status <> 'omitted'",
      series,
      code as string,
    );
    assert.match(page, new RegExp(`${code} [^|]*? ${count} scenes`));
  }
  const first = one<number>(store, "SELECT id FROM episodes WHERE production_id = ? ORDER BY position LIMIT 1", series);
  const moved = await admin.send(path, { action: "later", episode: String(first) });
  assert.is(moved.status, 303);
  assert.equal(codes(), [before[1], before[0], ...before.slice(2)]);
  assert.equal(orderOfScenes(), codes());
  assert.is((await admin.send(path, { action: "earlier", episode: String(first) })).status, 303);
  assert.equal([codes(), orderOfScenes()], [before, before]);
  assert.is((await admin.send(path, { action: "earlier", episode: "999999" })).status, 404);
});

test("makes another one current", async () => {
  const admin = await openAsAdmin(server, series);
  const last = one<number>(
    store,
    "SELECT id FROM episodes WHERE production_id = ? ORDER BY position DESC LIMIT 1",
    series,
  );
  assert.is((await admin.send(path, { action: "current", episode: String(last) })).status, 303);
  assert.is(one(store, "SELECT current_episode_id FROM productions WHERE id = ?", series), last);
});

test("makes a series of a single production, and says what is missing", async () => {
  const admin = await openAsAdmin(server, single);
  assert.match(plain(await admin.text(path)), /Make it a series/);
  assert.is((await admin.send(path, { action: "begin", code: "" })).status, 422);
  assert.is((await admin.send(path, { action: "begin", code: "101", season: "x" })).status, 422);
  const begun = await admin.send(path, { action: "begin", code: "101", season: "2" });
  assert.is(begun.status, 303);
  assert.match(begun.headers.get("location") ?? "", /saved=\d+/);
  assert.equal(codes(single), ["101"]);
  assert.is(one(store, "SELECT count(*) FROM scenes WHERE production_id = ? AND episode_id IS NULL", single), 0);
  assert.match(plain(await admin.text(path)), /101 101 \d+ scenes/);
});

test("stands beside the totals of episodes on the page of progress, and a delivery shows its scenes", async () => {
  const admin = await openAsAdmin(server, series);
  const progress = plain(await admin.text("/progress"));
  assert.match(progress, /By episode Episode Scenes Pages Shot Pages shot/);
  const delivery = one<number>(
    store,
    "SELECT d.id FROM deliveries d JOIN delivery_nodes about ON about.delivery_id = d.id JOIN scenes s ON s.node_id = about.node_id WHERE d.production_id = ? LIMIT 1",
    series,
  );
  const [label] = store.database
    .prepare(
      "SELECT e.code || '/' || s.number FROM delivery_nodes about JOIN scenes s ON s.node_id = about.node_id JOIN episodes e ON e.id = s.episode_id WHERE about.delivery_id = ?",
    )
    .pluck()
    .all(delivery) as string[];
  assert.ok(plain(await admin.text(`/deliveries/${delivery}`)).includes(`${label} `), label);
});

test.after(() => server.stop());

test.run();
