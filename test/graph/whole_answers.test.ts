// Lists that a mirror reads: every medium, how many rows a list has, and which parameters were ignored.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { assertRefused, importedAt, mint, one, openTestServer } from "../support/app.ts";
import { caseOf, casesOf, sendCase } from "../support/cases.ts";
import { jpeg } from "../support/jpeg.ts";
import { followed, nextIn } from "../support/list_pages.ts";
import { type Operation, table } from "../support/operations.ts";
import { seedDataOf } from "../support/seed_data.ts";

type Row = Record<string, any>;

let now = Date.parse(importedAt) + 60_000;
const server = await openTestServer({ clock: () => now });
const { store } = server;
const seedData = seedDataOf(store);
const { production: production_id } = seedData;
const key = mint(store, { production_id, scopes });
const admin = mint(store, { production_id, scopes: [...scopes, "admin"] as unknown as typeof scopes });
const submitter = mint(store, { production_id, engagement_id: seedData.submitter, scopes });
const get = (path: string, token = key): Promise<Row[]> => server.get(token, path);
const headerOf = async (path: string, name: string, token = key, init: RequestInit = {}) =>
  (await server.ask(token, `/api/v1${path}`, init)).headers.get(name);

async function submit(more: Record<string, string> = {}, token = submitter): Promise<Response> {
  const body = new FormData();
  body.append("files", new Blob([jpeg(16, 16)], { type: "image/jpeg" }), "a.jpg");
  for (const [name, text] of Object.entries(more)) body.append(name, text);
  return server.ask(token, `/api/v1/turnovers/${seedData.delivery}/submissions`, { method: "POST", body });
}
const submitted = async (more: Record<string, string> = {}) => (await submit(more)).json() as Promise<Row>;

const media = suite("GET /media");

media("lists every medium of the production and no other, with every field", async () => {
  const rows = await get("/media");
  const ids = store.database.prepare("SELECT id FROM media WHERE production_id = ? ORDER BY id").pluck();
  assert.equal(
    rows.map(({ id }) => id),
    ids.all(production_id),
  );
  assert.ok(rows.length > 5);
  for (const row of rows) {
    const { node_id, delivery_id, work_item_id, kind, label, sha256, size, content_type, created_at, id } = row;
    const detail: Row = await server.get(key, `/media/${id}`);
    const { submission_id: _, created_by: __, ...same } = detail;
    assert.equal({ node_id, delivery_id, work_item_id, kind, label, sha256, size, content_type, created_at, id }, same);
    assert.is(row.version_id, one(store, "SELECT version_id FROM media WHERE id = ?", id));
    assert.equal(Object.keys(row), [
      ...["id", "kind", "label", "sha256", "size", "content_type", "node_id", "version_id", "delivery_id"],
      ...["work_item_id", "created_at", "updated_at"],
    ]);
  }
});

media("comes in pages, with fields and total, and answers 304", async () => {
  const all = await get("/media");
  const response = await server.ask(key, "/api/v1/media?limit=2&fields=id,sha256&total=1");
  assert.equal(
    await response.json(),
    all.slice(0, 2).map(({ id, sha256 }) => ({ id, sha256 })),
  );
  assert.is(response.headers.get("tallylight-total"), String(all.length));
  const [, next = ""] = /<([^>]+)>/.exec(response.headers.get("link") ?? "") ?? [];
  const { pathname, search } = new URL(next);
  const second = await server.ask(key, pathname + search);
  assert.equal(
    ((await second.json()) as Row[]).map(({ id }) => id),
    all.slice(2, 4).map(({ id }) => id),
  );
  assert.is(second.headers.get("tallylight-total"), String(all.length));
  const etag = (await headerOf("/media", "etag")) ?? "";
  const again = await server.ask(key, "/api/v1/media?total=true", { headers: { "if-none-match": etag } });
  assert.is(again.status, 304);
  assert.is(again.headers.get("tallylight-total"), String(all.length));
});

media("updated_since finds what was added or replaced since", async () => {
  now += 60_000;
  const since = new Date(now).toISOString();
  assert.equal(await get(`/media?updated_since=${since}`), []);
  const { media: sent } = await submitted();
  const [row, ...more] = await get(`/media?updated_since=${since}`);
  assert.equal(more, []);
  assert.is(row?.id, sent[0].id);
  assert.is(row?.updated_at, since);
  now += 60_000;
  const proxy = { filespace: "", path: "", bytes: Buffer.from(jpeg(16, 16)).toString("base64") };
  const storage = mint(store, { production_id: seedData.storageProduction });
  proxy.filespace = one(
    store,
    "SELECT filespace FROM storage_installs WHERE active AND production_id = ?",
    seedData.storageProduction,
  );
  proxy.path = one(
    store,
    "SELECT path FROM asset_files f JOIN storage_installs i ON i.id = f.install_id WHERE i.production_id = ? AND i.active AND state = 'present'",
    seedData.storageProduction,
  );
  const put = () =>
    server.ask(storage, "/api/v1/storage/media-proxy", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(proxy),
    });
  assert.is((await put()).status, 200);
  now += 60_000;
  const later = new Date(now).toISOString();
  proxy.bytes = Buffer.from(jpeg(32, 16)).toString("base64");
  assert.is((await put()).status, 200);
  const [replaced, ...others] = await get(`/media?updated_since=${later}`, storage);
  assert.equal(others, []);
  assert.is(replaced?.updated_at, later);
});

media("refuses a bound key, and one without read", async () => {
  await assertRefused(await server.ask(submitter, "/api/v1/media"), 403);
  await assertRefused(await server.ask(mint(store, { production_id, scopes: ["write"] }), "/api/v1/media"), 403);
});

const ignored = suite("Tallylight-Ignored");

ignored("names what an operation does not know, also on 304, on refusals, and from the cache", async () => {
  const path = "/people?limit=2&colour=red&colour=blue&n%C3%A4me=x";
  for (let time = 0; time < 3; time++) assert.is(await headerOf(path, "tallylight-ignored"), "colour, n%C3%A4me");
  const etag = (await headerOf(path, "etag")) ?? "";
  const again = await server.ask(key, `/api/v1${path}`, { headers: { "if-none-match": etag } });
  assert.is(again.status, 304);
  assert.is(again.headers.get("tallylight-ignored"), "colour, n%C3%A4me");
  assert.is(await headerOf("/people", "tallylight-ignored"), null);
  assert.is(await headerOf("/assets/999999?deep=1", "tallylight-ignored"), "deep");
  assert.is(await headerOf("/assets/x?deep=1", "tallylight-ignored"), "deep");
  assert.is(await headerOf("/people?x=1", "tallylight-ignored", submitter), "x");
  assert.is(await headerOf(`/media/${seedData.releasedStill}/content?size=160`, "tallylight-ignored"), "size");
  assert.is(await headerOf("/me?x=1", "tallylight-ignored"), "x");
  assert.is(await headerOf(`/assets/${seedData.asset}?node_id=5`, "tallylight-ignored"), "node_id");
});

ignored("names at most ten, each cut to 100 characters before it is encoded", async () => {
  const names = [...Array(12)].map((_, at) => `n${at}`);
  assert.is(await headerOf(`/people?${names.join("=&")}`, "tallylight-ignored"), names.slice(0, 10).join(", "));
  assert.is(
    await headerOf(`/people?${encodeURIComponent("é".repeat(101))}`, "tallylight-ignored"),
    "%C3%A9".repeat(100),
  );
  assert.is(
    await headerOf(`/people?${encodeURIComponent("😀".repeat(101))}`, "tallylight-ignored"),
    "%F0%9F%98%80".repeat(100),
  );
  assert.is(await headerOf("/people?a%0D%0Ab=1&%2C=2&%ff=3", "tallylight-ignored"), "a%0D%0Ab, %2C, %EF%BF%BD");
});

ignored(
  "is on writes, streams and the other routes of the API, and a query below /admin/ is 422 as before",
  async () => {
    const body = JSON.stringify({ text: "Seen." });
    const post = { method: "POST", headers: { "content-type": "application/json" }, body };
    assert.is(await headerOf(`/assets/${seedData.asset}/notes?draft=1`, "tallylight-ignored", key, post), "draft");
    const abort = new AbortController();
    const stream = await server.ask(key, "/api/v1/events?since=1", {
      headers: { accept: "text/event-stream" },
      signal: abort.signal,
    });
    assert.is(stream.headers.get("tallylight-ignored"), "since");
    abort.abort();
    await stream.body?.cancel().catch(() => {});
    assert.is(await headerOf("/uploads?x=1", "tallylight-ignored", key, { method: "POST" }), "x");
    assert.is(await headerOf("/openapi.json?x=1", "tallylight-ignored"), "x");
    const ping = { ...post, body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' };
    for (const path of ["/mcp?tools=all&tool=a", "/mcp?tools=all&tool=a"])
      assert.is(await headerOf(path, "tallylight-ignored", key, ping), "tool");
    const refused = await server.ask(admin, "/api/v1/admin/keys?colour=red");
    await assertRefused(refused, 422, /^the query must not have "colour"/);
    assert.is(refused.headers.get("tallylight-ignored"), null);
  },
);

const total = suite("total");
const lists = table.filter(
  ({ method, output, input }) =>
    method === "GET" &&
    output !== "bytes" &&
    output.type === "array" &&
    "limit" in input.entries &&
    "after" in input.entries,
);

for (const row of lists as Operation[])
  total(`${row.name} says how many rows all its pages have`, async () => {
    const cases = casesOf(store, seedData);
    const found = caseOf(cases, row.name);
    const engagement_id = row.reach === "production" ? undefined : found.engagement;
    const token = mint(store, {
      production_id: found.production ?? production_id,
      scopes: [...scopes, "admin"] as unknown as typeof scopes,
      ...(engagement_id !== undefined && { engagement_id }),
    });
    const path = found.path.replace(/([?&])limit=\d+&?/, "$1");
    const ask = (more: string) =>
      sendCase(server, { ...found, path: `${path}${path.includes("?") ? "&" : "?"}${more}` }, "GET", token);
    let count = 0;
    const totals = new Set<string | null>();
    const page = (next?: string) => (next === undefined ? ask("limit=2&total=1") : server.ask(token, next));
    for await (const response of followed(row.name, page, nextIn)) {
      totals.add(response.headers.get("tallylight-total"));
      count += ((await response.json()) as Row[]).length;
    }
    assert.equal([...totals], [String(count)]);
    assert.is((await ask("total=0")).headers.get("tallylight-total"), null);
    assert.is((await ask("limit=500")).headers.get("tallylight-total"), null);
    await assertRefused(await ask("total=yes"), 422, "total must be one of 1, true, 0, false");
  });

total("is that of a whole list, and of what filters find", async () => {
  const all = await get("/assets");
  assert.is(await headerOf("/assets?total=true", "tallylight-total"), String(all.length));
  assert.is(await headerOf("/assets?total=1&fields=label", "tallylight-total"), String(all.length));
  const active = await get("/assets?status=active");
  assert.ok(active.length > 0 && active.length < all.length);
  assert.is(await headerOf("/assets?status=active&limit=1&total=1", "tallylight-total"), String(active.length));
});

total("is a text of its own over MCP", async () => {
  const call = async (path: string) => {
    const params = { name: "list_assets", arguments: { limit: 1, total: true, fields: "label" } };
    const response = await server.ask(key, path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    const { result } = (await response.json()) as Row;
    return result.content.map(({ text }: Row) => text).slice(1);
  };
  const all = await get("/assets");
  for (const path of ["/mcp?tools=all", "/mcp?tools=assistant", "/mcp"]) {
    const [next, counted, ...more] = await call(path);
    assert.match(next, /^The list goes on/);
    assert.equal([counted, ...more], [`All pages have ${all.length} rows.`]);
  }
});

const turnovers = suite("GET /turnovers?status=&due_before=");

turnovers("finds the deliveries of the engagement with these statuses, and those due before a date", async () => {
  const all = await get("/turnovers", submitter);
  assert.ok(all.length > 0);
  for (const { status } of all)
    assert.equal(
      await get(`/turnovers?status=${status}`, submitter),
      all.filter((row) => row.status === status),
    );
  for (const { due } of all.filter(({ due }) => /^\d{4}-\d\d-\d\d$/.test(due))) {
    assert.equal(
      await get(`/turnovers?due_before=${due}`, submitter),
      all.filter((row) => row.due < due),
    );
  }
  assert.equal(
    await get("/turnovers?due_before=9999-01-01", submitter),
    all.filter(({ due }) => due !== undefined),
  );
  await assertRefused(await server.ask(submitter, "/api/v1/turnovers?status=late"), 422, /^status must be some of/);
  await assertRefused(
    await server.ask(submitter, "/api/v1/turnovers?due_before=soon"),
    422,
    /^due_before must be a date/,
  );
});

const answers = suite("answers, decided_at and decided_by");

answers("a submission names an earlier one of the same delivery and engagement, by form and by JSON", async () => {
  const first = await submitted();
  assert.equal([first.answers, first.decided_at, first.decided_by], [null, null, null]);
  const second = await submitted({ answers: String(first.id) });
  assert.is(second.answers, first.id);
  const rows = await get(`/turnovers/${seedData.delivery}/submissions`, submitter);
  assert.is(rows.find(({ id }) => id === second.id)?.answers, first.id);
  assert.is((await get("/submissions")).find(({ id }) => id === second.id)?.answers, first.id);
  for (const { sha256, size, content_type, label, kind, id } of second.media)
    assert.equal(
      { sha256, size, content_type, label, kind, id },
      (({ sha256, size, content_type, label, kind, id }) => ({ sha256, size, content_type, label, kind, id }))(
        await server.get<Row>(submitter, `/media/${id}`),
      ),
    );
});

answers("any other id is one and the same 422, and nothing is stored", async () => {
  const count = () => one(store, "SELECT count(*) FROM submissions");
  const before = count();
  const elsewhere = one(store, "SELECT id FROM submissions WHERE delivery_id <> ? LIMIT 1", seedData.delivery);
  const sentence = "answers must be the id of an earlier submission of this engagement on this delivery";
  for (const id of [elsewhere, 999_999]) await assertRefused(await submit({ answers: String(id) }), 422, sentence);
  await assertRefused(await submit({ answers: "x" }), 422, /^answers must be a positive integer/);
  assert.is(count(), before);
});

answers("the decision is stamped with its time and the person of the key", async () => {
  const decide = async (token: string, id: number, decision: string) => {
    const response = await server.ask(token, `/api/v1/submissions/${id}/decide`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ decision }),
    });
    return response.json() as Promise<Row>;
  };
  const { id } = await submitted();
  const person = one(store, "SELECT id FROM people WHERE production_id = ? AND active LIMIT 1", production_id);
  const name = one<string>(store, "SELECT name FROM people WHERE id = ?", person);
  now += 1000;
  const decided = await decide(mint(store, { production_id, person_id: person }), id, "returned");
  assert.equal([decided.decided_at, decided.decided_by], [new Date(now).toISOString(), name]);
  const [row] = (await get(`/turnovers/${seedData.delivery}/submissions`, submitter)).filter((one) => one.id === id);
  assert.is(row?.decided_by, name);
  now += 1000;
  const again = await decide(key, id, "accepted");
  assert.equal([again.decided_at, again.decided_by], [new Date(now).toISOString(), null]);
});

const submissions = suite("GET /submissions");

submissions("needs read, and is not for bound keys", async () => {
  const reading = mint(store, { production_id, scopes: ["read"] });
  assert.ok((await get("/submissions", reading)).length > 0);
  await assertRefused(await server.ask(mint(store, { production_id, scopes: ["write"] }), "/api/v1/submissions"), 403);
  await assertRefused(await server.ask(submitter, "/api/v1/submissions"), 403);
});

const scripts = suite("GET /scenes?include=script");

scripts("adds what /scenes/{node_id}/script answers, or null where that has no elements", async () => {
  const rows = await get("/scenes?include=script");
  assert.equal(
    rows.map(({ script: _, ...row }) => row),
    await get("/scenes"),
  );
  for (const { node_id, script } of rows) {
    const alone: Row = await server.get(key, `/scenes/${node_id}/script`);
    assert.equal(script, alone.elements.length === 0 ? null : alone);
  }
  const [, second] = rows;
  assert.equal(await get("/scenes?include=script&fields=script&limit=2"), [
    { script: rows[0]?.script },
    { script: second?.script },
  ]);
  assert.equal(Object.keys((await get("/scenes?fields=script"))[0] ?? {}), []);
});

media.run();
ignored.run();
total.run();
turnovers.run();
answers.run();
submissions.run();
scripts.after(() => server.stop());
scripts.run();
