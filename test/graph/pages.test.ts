// Lists in pages: what the pages say together, while rows are added, removed and moved; and what one page may cost.
import { deflateRawSync } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { cursorOf } from "../../src/core/listing.ts";
import { assertRefused, mint, one, openTestServer, revoke } from "../support/app.ts";
import { caseOf, casesOf } from "../support/cases.ts";
import { followed, nextIn } from "../support/list_pages.ts";
import { table } from "../support/operations.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer();
const { store, url } = server;
const { production: production_id, delivery, submitter: engagement_id, submitterKey } = seedDataOf(store);
const key = mint(store, { production_id, scopes });
const adminKey = mint(store, { production_id, scopes: ["admin"] as never });
const episodic = one(store, "SELECT production_id FROM episodes GROUP BY 1 HAVING count(*) > 1");
const keyOfEpisodes = mint(store, { production_id: episodic, scopes });
const versioned = one(
  store,
  "SELECT v.node_id FROM versions v WHERE v.production_id = ? GROUP BY 1 HAVING count(*) > 1",
  production_id,
);
for (const text of ["first", "second", "third"])
  assert.is(
    (
      await server.ask(key, `/api/v1/assets/${versioned}/notes`, {
        method: "POST",
        body: JSON.stringify({ text }),
        headers: { "content-type": "application/json" },
      })
    ).status,
    200,
  );
const vendor = mint(store, { ...submitterKey, scopes });

type Row = Record<string, any>;
async function pageAt(address: string, token = key): Promise<{ rows: Row[]; next: string | undefined }> {
  const response = await server.ask(token, address.replace(url, ""));
  const text = await response.text();
  assert.is(response.status, 200, text);
  return { rows: JSON.parse(text), next: nextIn(response) };
}
/** The rows of all pages; `between` runs after each page but the last. */
async function allOf(path: string, between: (page: number) => void = () => {}, token = key): Promise<Row[]> {
  const all: Row[] = [];
  let page = 0;
  const read = (address = `/api/v1${path}`) => pageAt(address, token);
  for await (const { rows, next } of followed(path, read, (found) => found.next)) {
    all.push(...rows);
    if (next !== undefined) between(++page);
  }
  return all;
}
const write = (sql: string, ...values: unknown[]) => store.writeSync(() => store.database.prepare(sql).run(...values));

const pages = suite("a list in pages");

for (const path of [
  "/scenes",
  "/assets",
  "/assets?released=1",
  "/people",
  "/departments",
  "/deliveries",
  "/approvals",
  "/script-changes?status=all",
  "/schedule",
  "/episodes",
  "/vendors",
  `/assets/${versioned}/notes`,
  `/assets/${versioned}/versions`,
])
  pages(`${path} is the whole list, in its order`, async () => {
    const token = path === "/episodes" ? keyOfEpisodes : key;
    const { rows, next } = await pageAt(`/api/v1${path}`, token);
    assert.is(next, undefined);
    assert.ok(rows.length > 1);
    const join = path.includes("?") ? "&" : "?";
    for (const limit of [1, 2, rows.length, 1_000_000])
      assert.equal(await allOf(`${path}${join}limit=${limit}`, undefined, token), rows, `${limit} a page`);
  });

write(
  "INSERT INTO storage_installs (production_id, filespace, active, created_at) VALUES (?, 'moved', 0, '2026-11-20T08:00:00.000Z')",
  production_id,
);
for (const src of ["a.mov", "b.mov"])
  write(
    `INSERT INTO storage_tasks (production_id, install_id, src, dst, status, created_at)
     SELECT production_id, id, ?, 'c.mov', 'pending', created_at FROM storage_installs WHERE filespace = 'moved'`,
    src,
  );
for (const path of ["/admin/keys", "/admin/engagements", "/admin/storage/moves"])
  pages(`${path} is the whole list, in its order, and a cursor of another list is refused`, async () => {
    const withoutUse = (all: Row[]) => all.map(({ last_used_at: _, ...row }) => row);
    const { rows, next } = await pageAt(`/api/v1${path}`, adminKey);
    assert.is(next, undefined);
    assert.ok(rows.length > 1);
    for (const limit of [1, 2, rows.length, 1_000_000])
      assert.equal(withoutUse(await allOf(`${path}?limit=${limit}`, undefined, adminKey)), withoutUse(rows));
    for (const after of [cursorOf("people", { place: 1 }), cursorOf(path, { place: "1" }), "x"])
      await assertRefused(await server.ask(adminKey, `/api/v1${path}?after=${after}`), 422, /^after must be from/);
  });

for (const path of ["/activity", "/jobs", "/admin/audit"])
  pages(`${path} has a Link if it was cut, and only then`, async () => {
    for (let at = 0; at < 3; at++) {
      const made = await server.ask(key, "/api/v1/admin/keys", {
        method: "POST",
        body: JSON.stringify({ label: `key ${at}`, scopes: ["read"] }),
        headers: { "content-type": "application/json" },
      });
      assert.is(made.status, 200, await made.text());
    }
    const { rows, next } = await pageAt(`/api/v1${path}?limit=1000000`);
    assert.is(next, undefined);
    assert.ok(rows.length > 1);
    assert.equal(await allOf(`${path}?limit=${rows.length}`), rows);
    assert.equal(await allOf(`${path}?limit=1`), rows);
  });

pages("neither repeats nor skips a scene that stays, while scenes move, come and go", async () => {
  const { rows } = await pageAt("/api/v1/scenes");
  const ids = rows.map(({ node_id }) => node_id);
  const move = (node_id: number, order: number) =>
    write("UPDATE scenes SET script_order = ? WHERE node_id = ?", order, node_id);
  const sent = await allOf("/scenes?limit=2", (page) => {
    if (page === 1) move(ids.at(-1), -1); // from a later page to an earlier one
    if (page === 2) move(ids[0], 1_000_000); // from an earlier page to a later one
    if (page === 3) move(ids[5], -2);
  });
  assert.equal(
    sent.map(({ node_id }) => node_id).sort((a, b) => a - b),
    [...ids].sort((a, b) => a - b),
  );
});

pages(
  "/scenes?updated_since= can be followed to its end if every second scene or so of 2,000 has changed",
  async () => {
    const since = "2100-01-01T00:00:00.000Z";
    const made = { production_id, since, count: 2_000 };
    store.writeSync(() => {
      const { database } = store;
      const first = one<number>(store, "SELECT max(id) + 1 FROM nodes");
      // the bits of a product are scattered, and the same in each run
      database
        .prepare(
          `WITH RECURSIVE k (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM k WHERE at + 1 < :count)
         INSERT INTO nodes (id, production_id, kind, label, status, created_at, updated_at)
         SELECT :first + at, :production_id, 'scene', 'SCATTERED', 'planned', '2026', iif(at * 2654435761 >> 16 & 1, :since, '2026') FROM k`,
        )
        .run({ ...made, first });
      database
        .prepare(
          `INSERT INTO scenes (node_id, production_id, number, slugline, revision_color, elements, script_order)
         SELECT id, production_id, 'S' || id, 'SCATTERED', 'white', '{}', 10000 + (id * 7919) % 20011 FROM nodes WHERE id >= ?`,
        )
        .run(first);
    });
    const path = `/scenes?updated_since=${since}`;
    const whole: Row[] = await server.get(key, path);
    assert.ok(whole.length > 800 && whole.length < 1_200, String(whole.length));
    for (const limit of [50, 200]) assert.equal(await allOf(`${path}&limit=${limit}`), whole);
    write("DELETE FROM scenes WHERE slugline = 'SCATTERED'");
    write("DELETE FROM nodes WHERE label = 'SCATTERED'");
  },
);

pages("neither repeats nor skips a shoot day that stays, while days are renumbered", async () => {
  const { rows } = await pageAt("/api/v1/schedule");
  const ids = rows.map(({ id }) => id);
  assert.ok(ids.length > 3);
  const renumber = (id: number, day: number) =>
    write("UPDATE shoot_days SET day_number = ? WHERE production_id = ? AND id = ?", day, production_id, id);
  const sent = await allOf("/schedule?limit=1", (page) => {
    if (page === 1) renumber(ids.at(-1), 0); // from a later page to an earlier one
    if (page === 2) renumber(ids[0], 10_000); // from an earlier page to a later one
  });
  assert.equal(
    sent.map(({ id }) => id).sort((a, b) => a - b),
    [...ids].sort((a, b) => a - b),
  );
});

pages("neither repeats nor skips an asset that stays, while others are added and removed", async () => {
  const { rows } = await pageAt("/api/v1/assets");
  const removed = write(
    "INSERT INTO nodes (id, production_id, kind, label, status, created_at, updated_at) SELECT max(id) + 1000, ?, 'prop', 'gone', 'planned', '2026', '2026' FROM nodes",
    production_id,
  ).lastInsertRowid;
  const sent = await allOf("/assets?limit=3", (page) => {
    if (page === 1) write("UPDATE nodes SET label = label || ' 2' WHERE id = ?", rows[1]?.node_id);
    if (page === 2) write("DELETE FROM nodes WHERE id = ?", removed);
  });
  assert.equal(
    sent.map(({ node_id }) => node_id),
    rows.map(({ node_id }) => node_id),
  );
});

pages("refuses a cursor of another list, or one that is none, and sends the same Link with 304", async () => {
  const { next = "" } = await pageAt("/api/v1/people?limit=1");
  const after = new URL(next, url).searchParams.get("after") ?? "";
  const refused = async (path: string) =>
    assertRefused(await server.ask(key, `/api/v1${path}`), 422, /^after must be from /);
  await refused(`/deliveries?after=${after}`);
  await refused("/people?after=x");
  for (const place of ["1.x", "1.2.3", "01.2", -1, 7])
    await refused(`/scenes?after=${cursorOf("list_scenes", { place })}`);
  await refused(`/scenes?after=${deflateRawSync(Buffer.alloc(8_000_000)).toString("base64url")}`);
  const audit = cursorOf("list_audit", { place: "x" });
  const admin = mint(store, { production_id, scopes: ["admin"] });
  await assertRefused(await server.ask(admin, `/api/v1/admin/audit?after=${audit}`), 422, /^after must be from /);
  await refused(`/people?after=${cursorOf("list_people", { place: "x" })}`);
  await refused(`/activity?after=${cursorOf("list_activity", { place: 1 })}`);
  const first = await server.ask(key, "/api/v1/people?limit=1");
  for (let asked = 0; asked < 2; asked++) {
    const again = await server.ask(key, "/api/v1/people?limit=1", {
      headers: { "if-none-match": first.headers.get("etag") ?? "" },
    });
    assert.equal([again.status, again.headers.get("link")], [304, first.headers.get("link")]);
  }
});

const cases = casesOf(store, seedDataOf(store));
const timed = new Set(["last_used_at", "updated_at"]);
const everyScope = mintFor(undefined);
function mintFor(bound: number | undefined): string {
  return mint(store, { production_id, scopes: [...scopes, "admin"] as never, ...(bound && { engagement_id: bound }) });
}

pages("of every list of the program, the pages together are the whole, for whoever may read it", async () => {
  let several = 0;
  for (const row of table) {
    if (row.method !== "GET" || !("after" in row.input.entries) || !("limit" in row.input.entries)) continue;
    const found = caseOf(cases, row.name);
    if (found.production !== undefined && found.production !== production_id) continue;
    const token = row.reach === "bound" ? mintFor(found.engagement ?? engagement_id) : everyScope;
    const path = found.path.replace(/([?&])limit=\d+&?/, "$1").replace(/[?&]$/, "");
    const join = path.includes("?") ? "&" : "?";
    const plain = (rows: Row[]) =>
      rows.map((one) => JSON.stringify(one, (name, value) => (timed.has(name) ? undefined : value)));
    const { rows } = await pageAt(`/api/v1${path}${join}limit=1000`, token);
    if (!Array.isArray(rows)) continue; // an object with a list, such as the answer of a search
    const limit = Math.max(1, Math.ceil(rows.length / 3));
    assert.equal(plain(await allOf(`${path}${join}limit=${limit}`, undefined, token)), plain(rows), row.name);
    if (rows.length > 1) several++;
  }
  assert.ok(several >= 15, `${several} lists of more than one row`);
});

pages("every list refuses a cursor whose place has not the form of its places", () => {
  const reach = { production_id, engagement_id: null, now: new Date().toISOString() };
  let lists = 0;
  for (const row of table) {
    if (!("statement" in row) || !("after" in row.input.entries)) continue;
    const list = row as unknown as { statement: (of: typeof store, parameters: object) => unknown };
    const read = [{ place: "x" }, { place: 1 }, { place: "x", tie: 1 }, { place: 1, tie: 1 }].filter((place) => {
      try {
        return list.statement(store, { ...reach, limit: 1, after: cursorOf(row.name, place) });
      } catch (error) {
        assert.match((error as Error).message, /^after must be from /, row.name);
        return false;
      }
    });
    assert.ok(read.length <= 1, `${row.name} reads ${JSON.stringify(read)}`);
    lists++;
  }
  assert.ok(lists >= 20, `${lists} lists`);
});

pages("a cursor of a key that was revoked is 401, also where its page was answered before", async () => {
  const ended = mint(store, { production_id, scopes, label: "Pages until now" });
  const { next = "" } = await pageAt("/api/v1/people?limit=1", ended);
  const second = next.replace(url, "");
  const { rows } = await pageAt(second, ended);
  revoke(store, "Pages until now");
  await assertRefused(await server.ask(ended, second), 401);
  assert.equal((await pageAt(second)).rows, rows); // the cursor of a list is not the key's
});

pages("of submissions ends after half a mebibyte, and all pages are the whole, for the vendor too", async () => {
  const before = one(store, "SELECT count(*) FROM submissions WHERE delivery_id = ?", delivery);
  const label = "x".repeat(250);
  const sha256 = one<string>(store, "SELECT sha256 FROM blobs LIMIT 1");
  const made = 12;
  store.writeSync(() => {
    const { database } = store;
    const submit = database.prepare(
      "INSERT INTO submissions (production_id, delivery_id, engagement_id, status, title, created_at) VALUES (?, ?, ?, 'submitted', ?, ?)",
    );
    const attach = database.prepare(
      "INSERT INTO media (production_id, path, kind, label, sha256, delivery_id, work_item_id) VALUES (?, ?, 'submission', ?, ?, ?, ?)",
    );
    for (let at = 0; at < made; at++) {
      const { lastInsertRowid: id } = submit.run(
        production_id,
        delivery,
        engagement_id,
        `take ${at}`,
        at % 2 ? "2026-01-01T00:00:00.000Z" : null,
      );
      for (let file = 0; file < 500; file++) attach.run(production_id, `${id}/${file}`, label, sha256, delivery, id);
    }
  });
  for (const token of [key, vendor]) {
    const path = `/turnovers/${delivery}/submissions`;
    const { rows, next } = await pageAt(`/api/v1${path}`, token);
    assert.ok(next !== undefined && JSON.stringify(rows).length < 800_000);
    const all = await allOf(path, undefined, token);
    assert.is(new Set(all.map(({ id }) => id)).size, before + made);
    assert.is(all.length, before + made);
  }
});

pages.after(() => server.stop());
pages.run();
