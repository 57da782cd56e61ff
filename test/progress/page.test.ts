// /progress: the page says what the answer of the same name says, and the day's page counts what the answer counts for
// it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer } from "../support/app.ts";
import { openAsAdmin, unescaped } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store, get } = server;
const { feature } = seedDataOf(store);
const token = mint(store, { production_id: feature });
const admin = await openAsAdmin(server, feature);
const wordsOf = (markup: string): string => unescaped(markup.replace(/<[^>]*>/g, " ")).replace(/\s+/g, " ");

const test = suite("the page /progress");

test("says the verdict, the sums, what is late and what has no day", async () => {
  const { late, shot, total, without_day } = await get(token, "/progress");
  const words = wordsOf(await admin.text("/progress"));
  for (const text of [
    "2 4/8 pages behind",
    `${shot.scenes} of ${total.scenes}`,
    `Late ${late.length}`,
    ...late.map(({ title }: { title: string }) => title),
    `Without a day ${without_day.scenes} scenes`,
    "nothing of them is marked as shot",
  ])
    assert.ok(words.includes(text), `${text}: ${words}`);
});

test("has a row for each shoot day in its table", async () => {
  const { days } = await get(token, "/progress");
  const [, rows = ""] = /<tbody>([\s\S]*?)<\/tbody>/.exec(await admin.text("/progress")) ?? [];
  assert.is(rows.split("<tr>").length - 1, days.length);
});

test("counts for a day what the page of the day counts before the call, and says when that is over", async () => {
  const { days } = await get(token, "/progress?on=2020-01-01");
  const today = (await get(token, "/progress")).on;
  let counted = 0;
  for (const { shoot_day_id, date, not_ready } of days.slice(-6)) {
    const [, title, count = "0"] =
      /(Before the call|Not ready) <span class="count">(\d+)</.exec(await admin.text(`/days/${shoot_day_id}`)) ?? [];
    assert.is(Number(count), not_ready, `day ${shoot_day_id}`);
    if (title === undefined) continue;
    assert.is(title, date < today ? "Not ready" : "Before the call", `day ${shoot_day_id}`);
    counted++;
  }
  assert.ok(counted > 0);
});

test("leaves the year out of the plot where all days have the same", async () => {
  const labels = async () =>
    [...(await admin.text("/progress")).matchAll(/y="97\.5%"[^>]*>([^<]*)</g)].map(([, text = ""]) => text);
  const year = async (text: string, from: number) =>
    store.writeSync(() =>
      store.database
        .prepare("UPDATE shoot_days SET date = ? || substr(date, 5) WHERE production_id = ? AND day_number >= ?")
        .run(text, feature, from),
    );
  await year("2019", 0);
  assert.equal(
    (await labels()).filter((label) => label.includes("2019")),
    [],
  );
  await year("2026", 20);
  assert.match((await labels())[0] ?? "", / 2019$/);
  await year("2026", 0);
});

test("has of a day to come the scenes that the board has, also of one that goes on another day", async () => {
  const run = (sql: string) => store.writeSync(() => store.database.prepare(sql).run(feature));
  const { days } = await get(token, "/progress");
  const split = days.filter(({ planned }: { planned: { scenes: number } }) => planned.scenes === 0);
  assert.ok(split.length > 0, "a day of which every scene is on a later day as well");
  run("UPDATE shoot_days SET date = '2099' || substr(date, 5) WHERE production_id = ? AND day_number > 22");
  const sumsIn = (page: string) =>
    [...page.matchAll(/href="\/days\/(\d+)"[\s\S]*?>(\d+ sc[^<]*)<\/span>/g)].map(([, id, sum]) => `${id}: ${sum}`);
  const board = sumsIn(await admin.text("/schedule?from=all"));
  const [, ahead = ""] = (await admin.text("/progress")).split("<h2>Ahead");
  const shown = sumsIn(ahead);
  assert.is(shown.length, 8);
  assert.equal(
    shown.filter((sum) => !board.includes(sum)),
    [],
  );
});

test("says that there is no script, and no schedule", async () => {
  const run = (sql: string) => store.writeSync(() => store.database.prepare(sql).run(feature));
  const { shot } = await get(token, "/progress");
  run("UPDATE shoot_days SET date = '2036' || substr(date, 5) WHERE production_id = ?");
  const words = wordsOf(await admin.text("/progress"));
  assert.ok(shot.scenes > 0 && words.includes("Nothing of the days so far is marked as shot"), words);
  for (const table of ["strips", "day_calls", "day_banners", "shoot_days"])
    run(`DELETE FROM ${table} WHERE production_id = ?`);
  assert.match(await admin.text("/progress"), /There is no schedule yet/);
  run("UPDATE nodes SET status = 'omitted' WHERE production_id = ? AND kind = 'scene'");
  assert.match(await admin.text("/progress"), /There is no script yet/);
});

test.after(() => server.stop());
test.run();
