// Pages of lists that have become long: each page shows a bounded number of rows, and all of them together show every
// row once.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, one, openTestServer } from "../support/app.ts";
import { followed } from "../support/list_pages.ts";
import { openAsAdmin } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const test = suite("pages of long lists");
const server = await openTestServer();
const { store } = server;
const { feature } = seedDataOf(store);
const admin = await openAsAdmin(server, feature);
mint(store, { production_id: feature });
store.writeSync(() =>
  store.database.exec(
    `INSERT OR IGNORE INTO storage_installs (production_id, filespace, active, created_at) VALUES (${feature}, 'long', 0, '2026-11-20T08:00:00.000Z')`,
  ),
);

/** Adds copies of a row of the production; `own` gives the columns that differ, by the number n. */
function copy(table: string, count: number, own: Record<string, string>): void {
  const { database } = store;
  const columns = database.prepare(`SELECT name FROM pragma_table_info('${table}') WHERE name <> 'id'`).pluck().all();
  const values = (columns as string[]).map((name) => own[name] ?? name);
  const first = `SELECT * FROM ${table} WHERE production_id = ${feature} ORDER BY id LIMIT 1`;
  const numbers = `WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < ${count}) SELECT n FROM n`;
  store.writeSync(() =>
    database.exec(`INSERT INTO ${table} (${columns}) SELECT ${values} FROM (${first}), (${numbers})`),
  );
}
copy("api_keys", 450, {
  token_sha256: "lower(hex(randomblob(32)))",
  label: "'Long ' || n",
  prefix: "'tl_' || n",
  revoked_at: "iif(n % 2, NULL, created_at)",
});
copy("engagements", 120, { title: "'Long ' || n" });
copy("script_changes", 250, {
  status: "'pending'",
  decided_at: "NULL",
  decided_by: "NULL",
  superseded_by: "NULL",
  note: "NULL",
  summary: "'Long ' || n",
  draft_id: "NULL",
  fields: "'{}'",
  kind: "'changed'",
});
store.writeSync(() =>
  store.database.exec(
    `INSERT INTO storage_tasks (production_id, install_id, src, dst, status, created_at)
     SELECT ${feature}, (SELECT min(id) FROM storage_installs WHERE production_id = ${feature}), 'Long ' || value, 'b', 'pending', '2026-11-20T08:00:00.000Z'
     FROM json_each('${JSON.stringify(Array.from({ length: 450 }, (_, at) => at + 1))}')`,
  ),
);

for (const [path, most, count] of [
  ["/settings/keys", 200, 450],
  ["/settings/vendors", 50, 120],
  ["/settings/storage", 200, 450],
  ["/settings/script-changes", 50, 250],
] as const)
  test(`${path} shows at most ${most} rows, and every row on one of its pages`, async () => {
    const seen: string[] = [];
    const nextOn = (page: string) => /<a href="[^"?]*(\?[^"]+)"(?: rel="next"|>More)/.exec(page)?.[1];
    const read = (link = "") => admin.text(path + link.replaceAll("&amp;", "&"));
    for await (const page of followed(path, read, nextOn)) {
      const rows = [...page.matchAll(/>(?:End )?(Long \d+)</g)].map(([, name]) => name as string);
      const own = [...new Set(rows)];
      assert.ok(own.length <= most, `${own.length} rows`);
      seen.push(...own);
    }
    assert.is(new Set(seen).size, count);
    assert.is(seen.length, count, "no row is on two pages");
  });

test.after(() => server.stop());
test("the specification of a delivery comes in parts, and all of it at once only up to 10,000 items", async () => {
  const delivery = one(store, "SELECT id FROM deliveries WHERE production_id = ? ORDER BY id", feature);
  const itemsOf = async (count: number, query = "") => {
    const spec = JSON.stringify(Array.from({ length: count }, (_, at) => ({ item: `Long ${at}` })));
    store.writeSync(() => store.database.prepare("UPDATE deliveries SET spec = ? WHERE id = ?").run(spec, delivery));
    const text = await admin.text(`/deliveries/${delivery}${query}`);
    return [text.match(/<dd>Long \d+<\/dd>/g)?.length, text.includes("Show all")];
  };
  assert.equal(await itemsOf(120), [120, false]);
  assert.equal(await itemsOf(300), [100, true]);
  assert.equal(await itemsOf(300, "?item=all"), [300, false]);
  assert.equal(await itemsOf(10_001, "?item=all"), [100, false]);
});

test("the links to other parts do not repeat what tells of a form that was just sent", async () => {
  for (const told of ["saved=1", "arrived=1", "decided=1"]) {
    const page = await admin.text(`/settings/storage?other=1&${told}`);
    const links = [...page.matchAll(/<p class="pager">[\s\S]*?<\/p>/g)].join("").match(/href="[^"]*"/g) ?? [];
    assert.equal(links, [
      'href="/settings/storage?other=1&amp;from=101"',
      'href="/settings/storage?other=1&amp;from=all"',
    ]);
  }
});

test.run();
