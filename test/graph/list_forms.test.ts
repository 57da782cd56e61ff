// The forms of lists: `fields`, `updated_since`, `include`, and the filters of the activity feed.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { assertRefused, importedAt, mint, one, openTestServer } from "../support/app.ts";
import { caseOf, casesOf, sendCase } from "../support/cases.ts";
import { type Operation, table } from "../support/operations.ts";
import { seedDataOf } from "../support/seed_data.ts";

type Row = Record<string, any>;

let now = Date.parse(importedAt);
const server = await openTestServer({ clock: () => now });
const { store } = server;
const seedData = seedDataOf(store);
const cases = casesOf(store, seedData);
const key = mint(store, { production_id: seedData.production, scopes });
const get = (path: string): Promise<Row[]> => server.get(key, path);
const tagOf = async (path: string) => (await server.ask(key, `/api/v1${path}`)).headers.get("etag");
const with_ = (path: string, more: string) => `${path}${path.includes("?") ? "&" : "?"}${more}`;

const fields = suite("fields=a,b");

const lists = table.filter(({ method, input }) => method === "GET" && "fields" in input.entries);

fields("is an input of every GET that answers a list of rows", () => {
  const others = table.filter(({ method, output, input }) => {
    return method === "GET" && output !== "bytes" && output.type === "array" && !("fields" in input.entries);
  });
  assert.equal(
    others.map(({ name }) => name),
    [],
  );
  assert.ok(lists.length > 15);
});

fields("stands beside `limit`, and `after` or `before`, of every list", () => {
  const whole = lists.filter(
    ({ input: { entries } }) => !("limit" in entries && ("after" in entries || "before" in entries)),
  );
  assert.equal(
    whole.map(({ name }) => name),
    [],
  );
});

for (const row of lists as Operation[])
  fields(`${row.name} answers only these fields, the rows and the pages as before`, async () => {
    const found = caseOf(cases, row.name);
    const production_id = found.production ?? seedData.production;
    const scoped = [...scopes, "admin"] as unknown as typeof scopes;
    const engagement_id = row.reach === "production" ? undefined : found.engagement;
    const token = mint(store, { production_id, scopes: scoped, ...(engagement_id !== undefined && { engagement_id }) });
    const ask = async (more: string) => sendCase(server, { ...found, path: with_(found.path, more) }, "GET", token);
    const whole = await sendCase(server, found, "GET", token);
    const rows = (await whole.json()) as Row[];
    const names = Object.keys(rows[0] ?? (row.output as any).item.entries);
    const chosen = [names[0], names.at(-1)] as string[];
    const some = await ask(`fields=${chosen.toReversed().join(",")}`);
    assert.equal(
      await some.json(),
      rows.map((one) => Object.fromEntries(chosen.filter((name) => name in one).map((name) => [name, one[name]]))),
    );
    if (rows.length > 0 && names.length > 2 && row.noStore !== true)
      assert.is.not(some.headers.get("etag"), whole.headers.get("etag"));
    assert.is(await (await ask(`fields=${chosen[0]}`)).text().then((text) => text[0]), "[");
    await assertRefused(await ask(`fields=${chosen[0]},nonsense`), 422, /^fields must be some of/);
    await assertRefused(await ask("fields="), 422, /^fields must be some of/);
  });

fields("goes on to the next page with the same fields", async () => {
  const first = await server.ask(key, "/api/v1/people?fields=id&limit=2");
  const [, next = ""] = /<([^>]+)>/.exec(first.headers.get("link") ?? "") ?? [];
  const { pathname, search } = new URL(next);
  const pages = [await first.json(), await (await server.ask(key, pathname + search)).json()].flat();
  assert.equal(
    pages,
    (await get("/people")).slice(0, 4).map(({ id }) => ({ id })),
  );
});

fields("has an ETag of its own, which is 304 until a field in it changes", async () => {
  const path = "/scenes?fields=node_id,number";
  const tag = (await tagOf(path)) as string;
  const before = await tagOf("/scenes");
  store.writeSync(() =>
    store.database.prepare("UPDATE scenes SET synopsis = 'Other.' WHERE node_id = ?").run(seedData.scene),
  );
  assert.is.not(await tagOf("/scenes"), before);
  const again = await server.ask(key, `/api/v1${path}`, { headers: { "if-none-match": tag } });
  assert.is(again.status, 304);
});

fields("each form of a list has an ETag of its own, and each is 304 for its own only", async () => {
  const forms = ["", "?fields=node_id", "?include=assets", "?fields=node_id,asset_ids&include=assets", "?limit=2"];
  const since = "?updated_since=2100-01-01T00:00:00Z";
  const paths = [...forms, since].map((form) => `/scenes${form}`);
  const tags = await Promise.all(paths.map(tagOf));
  assert.is(new Set(tags).size, paths.length, tags.join());
  for (const path of paths)
    for (const [at, tag] of tags.entries()) {
      const { status } = await server.ask(key, `/api/v1${path}`, { headers: { "if-none-match": tag as string } });
      assert.is(status, path === paths[at] ? 304 : 200, `${path} with the tag of ${paths[at]}`);
    }
});

fields("the last page has another ETag once the list goes on after it", async () => {
  const size = (await get("/people")).length;
  const path = `/people?limit=${size}`;
  const last = await server.ask(key, `/api/v1${path}`);
  assert.is(last.headers.get("link"), null);
  const person =
    "INSERT INTO people (production_id, name, role, is_hod, is_admin) SELECT production_id, 'Newest', 'Runner', 0, 0 FROM people WHERE id = ?";
  store.writeSync(() =>
    store.database
      .prepare(person)
      .run(one(store, "SELECT max(id) FROM people WHERE production_id = ?", seedData.production)),
  );
  const headers = { "if-none-match": last.headers.get("etag") as string };
  const again = await server.ask(key, `/api/v1${path}`, { headers });
  assert.equal([again.status, await again.json()], [200, await last.json()]);
  assert.match(again.headers.get("link") ?? "", /rel="next"/);
});

const changed = suite("updated_since=MOMENT");

for (const [path, kind] of [
  ["/scenes", "kind = 'scene'"],
  ["/assets", "kind <> 'scene'"],
] as const)
  changed(`${path} answers the rows that were changed at or after the time, in the same order`, async () => {
    const whole = await get(path);
    const times = store.database
      .prepare(`SELECT id, updated_at FROM nodes WHERE production_id = ? AND ${kind}`)
      .all(seedData.production) as { id: number; updated_at: string }[];
    const last = times
      .map(({ updated_at }) => updated_at)
      .sort()
      .at(-1) as string;
    assert.equal(await get(`${path}?updated_since=1990-01-01T00:00:00Z`), whole);
    const later = new Date(Date.parse(last) + 1).toISOString();
    assert.equal(await get(`${path}?updated_since=${later}`), []);
    const { id } = times[3] as { id: number };
    store.writeSync(() => store.database.prepare("UPDATE nodes SET updated_at = ? WHERE id = ?").run(later, id));
    assert.equal(
      (await get(`${path}?updated_since=${later}`)).map(({ node_id }) => node_id),
      [id],
    );
    assert.equal(
      (await get(`${path}?updated_since=${last}&limit=500`)).map(({ node_id }) => node_id).includes(id),
      true,
    );
    await assertRefused(await server.ask(key, `/api/v1${path}?updated_since=yesterday`), 422, /^updated_since must be/);
  });

changed("a scene that a document changes is among them", async () => {
  const [{ number, episode_code }] = (await get("/scenes")) as [Row];
  const admin = mint(store, { production_id: seedData.production, scopes: ["admin"] as unknown as typeof scopes });
  now += 3_600_000;
  const moment = new Date(now).toISOString();
  const answer = await server.ask(admin, "/api/v1/admin/import", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ scenes: [{ number, episode: episode_code, synopsis: "It changes." }] }),
  });
  assert.is(answer.status, 200, await answer.text());
  assert.equal(
    (await get(`/scenes?updated_since=${moment}`)).map(({ synopsis }) => synopsis),
    ["It changes."],
  );
});

const include = suite("/scenes?include=assets");

include("adds the ids of the assets that the scene's bundle has, and nothing else", async () => {
  const whole = await get("/scenes");
  const rows = await get("/scenes?include=assets");
  let seen = 0;
  for (const [at, { asset_ids, ...row }] of rows.entries()) {
    assert.equal(row, whole[at]);
    const { assets } = (await server.get(key, `/bundles/scene/${row.node_id}`)) as Row;
    assert.equal(
      asset_ids,
      assets.map(({ node_id }: Row) => node_id),
    );
    seen += asset_ids.length;
  }
  assert.ok(seen > 0);
  assert.is.not(await tagOf("/scenes?include=assets"), await tagOf("/scenes"));
  await assertRefused(await server.ask(key, "/api/v1/scenes?include=cast"), 422, /^include must be some of assets/);
});

const activity = suite("/activity?since=&until=&verb=");

activity("answers the entries from one time to before another, of one verb, in pages", async () => {
  const all = await get("/activity?limit=200");
  const times = [...new Set(all.map(({ created_at }) => created_at))].sort();
  const [since, until] = [times[Math.floor(times.length / 3)], times[Math.floor((times.length * 2) / 3)]] as [
    string,
    string,
  ];
  const expected = all.filter(({ created_at }) => created_at >= since && created_at < until);
  assert.ok(expected.length > 2 && expected.length < all.length);
  assert.equal(await get(`/activity?limit=200&since=${since}&until=${until}`), expected);
  assert.equal(
    await get(`/activity?limit=200&until=${since}`),
    all.filter(({ created_at }) => created_at < since),
  );
  const { verb } = expected[0] as Row;
  assert.equal(
    await get(`/activity?limit=200&verb=${verb}`),
    all.filter((entry) => entry.verb === verb),
  );
  await assertRefused(
    await server.ask(key, "/api/v1/activity?verb=nothing.of.this.name"),
    422,
    /^verb must be one of /,
  );
  const first = await server.ask(key, `/api/v1/activity?since=${since}&until=${until}&limit=2`);
  const [, next = ""] = /<([^>]+)>/.exec(first.headers.get("link") ?? "") ?? [];
  const { pathname, search } = new URL(next);
  const second = (await (await server.ask(key, pathname + search)).json()) as Row[];
  assert.equal([...((await first.json()) as Row[]), ...second], expected.slice(0, 4));
  const [, third] = all as [Row, Row];
  assert.equal(
    await get(`/activity?limit=200&until=${until}&before=${third.id}`),
    all.slice(2).filter(({ created_at }) => created_at < until),
  );
});

for (const one of [fields, changed, include]) one.run();
activity.after(() => server.stop());
activity.run();
