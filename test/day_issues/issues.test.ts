// Issues of a call sheet: POST /days/{shoot_day_id}/issue, and the lists of what was kept.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runTimer } from "../../src/features/day_issues/retention.ts";
import { mint, one, openTestServer } from "../support/app.ts";
import { seedDataOf } from "../support/seed_data.ts";

type Json = any;
const server = await openTestServer();
const { store } = server;
const { feature, submitterKey } = seedDataOf(store);
const person_id = one<number>(store, "SELECT min(id) FROM people WHERE production_id = ?", feature);
const person = one<string>(store, "SELECT name FROM people WHERE id = ?", person_id);
const nobody = mint(store, { production_id: feature, scopes: ["read", "write", "edit", "admin"], label: "AD" });
const somebody = mint(store, { production_id: feature, scopes: ["read", "write"], person_id });
const day: Json = (await server.get(nobody, "/schedule")).at(-1);
const other: Json = (await server.get(nobody, "/schedule"))[0];

const post = (key: string, path: string, body?: object) =>
  server.ask(key, `/api/v1${path}`, {
    method: "POST",
    ...(body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });
const issue = async (key: string, id = day.id): Promise<Json> => {
  const response = await post(key, `/days/${id}/issue`);
  const answer = await response.json();
  assert.is(response.status, 200, JSON.stringify(answer));
  return answer;
};
const setLines = async (lines: object[]) => {
  const response = await post(nobody, "/admin/import", { schedule: [{ day_number: day.day_number, lines }] });
  assert.is(response.status, 200, await response.text());
};
const events = async (): Promise<Json[]> =>
  (await server.get(nobody, "/events?after=start&types=shoot_day.issued&limit=200")).events;

const test = suite("POST /days/{shoot_day_id}/issue");

test("keeps the day's bundle, numbered from 1 for each day, with the person of the key", async () => {
  const first = await issue(somebody);
  assert.equal(Object.keys(first), ["number", "issued_at", "issued_by"]);
  assert.equal([first.number, first.issued_by], [1, person]);
  assert.is((await issue(nobody, other.id)).number, 1);
  await setLines([{ label: "Base", text: "Yard" }]);
  const second = await issue(nobody);
  assert.equal([second.number, second.issued_by], [2, null]);
});

test("answers the last issue and keeps nothing if nothing changed", async () => {
  const [before, told] = [await server.get(nobody, `/days/${day.id}/issues`), (await events()).length];
  const again = await issue(somebody);
  assert.equal(again, before[0]);
  assert.equal(await server.get(nobody, `/days/${day.id}/issues`), before);
  assert.is((await events()).length, told);
});

test("is an event about the day, and an activity entry", async () => {
  const [event, , last] = await events();
  assert.equal(event.subject, { kind: "shoot_day", id: day.id });
  assert.equal([event.data.number, last.data.number], [1, 2]);
  const [entry]: Json[] = await server.get(nobody, "/activity?verb=shoot_day.issued");
  assert.is(entry.summary, `Issued the call sheet of day ${day.day_number}, issue 2`);
});

test("says the unit of the day, in words and in the event; null for the main unit", async () => {
  const second = { day_number: 1, unit: "Second Unit", date: "2027-03-01", status: "scheduled" };
  const response = await post(nobody, "/admin/import", { schedule: [second] });
  assert.is(response.status, 200, await response.text());
  const { id } = (await server.get<Json[]>(nobody, "/schedule")).find(({ unit }) => unit === "2nd Unit");
  await issue(nobody, id);
  const [first, ...later] = await events();
  assert.is(first.data.unit, null);
  assert.equal(later.at(-1).data, { number: 1, day_number: 1, unit: "2nd Unit" });
  const [entry]: Json[] = await server.get(nobody, "/activity?verb=shoot_day.issued");
  assert.is(entry.summary, "Issued the call sheet of 2nd Unit 1, issue 1");
});

test("lists issues newest first, in pages where asked, and returns one with its bundle", async () => {
  const issues: Json[] = await server.get(nobody, `/days/${day.id}/issues`);
  assert.equal(
    issues.map(({ number }) => number),
    [2, 1],
  );
  const page = await server.ask(nobody, `/api/v1/days/${day.id}/issues?limit=1&total=1`);
  assert.equal([page.headers.get("tallylight-total"), ((await page.json()) as Json[]).length], ["2", 1]);
  const [next] = /(?<=<)[^>]*/.exec(page.headers.get("link") ?? "") ?? [];
  assert.equal(
    await (
      await server.ask(nobody, new URL(next ?? "", "http://x").pathname + new URL(next ?? "", "http://x").search)
    ).json(),
    [issues[1]],
  );
  const [one, two] = await Promise.all(
    [1, 2].map((n): Promise<Json> => server.get(nobody, `/days/${day.id}/issues/${n}`)),
  );
  assert.equal(Object.keys(two), ["number", "issued_at", "issued_by", "bundle"]);
  assert.is(one.bundle.day.lines, undefined);
  assert.equal(two.bundle, await server.get(nobody, `/bundles/day/${day.id}`));
});

test("is 404 for a day or a number that does not exist, 403 without the scope and for a vendor", async () => {
  const status = async (key: string, path: string, method = "GET") =>
    (await server.ask(key, `/api/v1${path}`, { method })).status;
  for (const path of ["/days/999999/issues", "/days/999999/issues/1", `/days/${day.id}/issues/3`])
    assert.is(await status(nobody, path), 404, path);
  assert.is(await status(nobody, "/days/999999/issue", "POST"), 404);
  const reader = mint(store, { production_id: feature, scopes: ["read"] });
  assert.is(await status(reader, `/days/${day.id}/issue`, "POST"), 403);
  assert.is(await status(reader, `/days/${day.id}/issues`), 200);
  const vendor = mint(store, submitterKey);
  for (const path of [`/days/${day.id}/issues`, `/days/${day.id}/issues/1`]) assert.is(await status(vendor, path), 403);
  const elsewhere = one<number>(store, "SELECT id FROM shoot_days WHERE production_id <> ?", feature);
  assert.is(await status(nobody, `/days/${elsewhere}/issue`, "POST"), 404);
});

test("are there again when a removed day comes back, and are 404 meanwhile", async () => {
  const whole: Json = await server.get(nobody, "/admin/export");
  const without = { schedule: whole.schedule.filter(({ day_number }: Json) => day_number !== day.day_number) };
  assert.is((await post(nobody, "/admin/import?exact=1", without)).status, 200);
  assert.is((await server.ask(nobody, `/api/v1/days/${day.id}/issues`)).status, 404);
  const [set]: Json[] = await server.get(nobody, "/admin/history");
  assert.is((await post(nobody, `/admin/history/${set.id}/undo`)).status, 200);
  assert.is((await server.get<Json[]>(nobody, `/days/${day.id}/issues`)).length, 2);
});

test("are kept as long as change sets", async () => {
  const rows = () => store.database.prepare("SELECT number FROM day_issues WHERE shoot_day_id = ?").pluck().all(day.id);
  await runTimer(server.app);
  assert.equal(rows(), [1, 2]);
  store.database
    .prepare("UPDATE day_issues SET issued_at = '2020-01-01T00:00:00.000Z' WHERE shoot_day_id = ? AND number = 1")
    .run(day.id);
  await runTimer(server.app);
  assert.equal(rows(), [2]);
});

test.after(() => server.stop());
test.run();
