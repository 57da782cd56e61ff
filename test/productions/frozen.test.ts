// Every row of the table while the productions are frozen: reads answer as before, and every change is 409, but for keys.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { localAdmin } from "../../src/core/admin.ts";
import { scopes } from "../../src/core/inputs.ts";
import type { Operation } from "../../src/core/operation.ts";
import { countAssetFiles } from "../../src/core/store/revisions.ts";
import { setFrozen } from "../../src/features/productions/lifecycle.ts";
import { importedAt, mint, openTestServer } from "../support/app.ts";
import { casesOf, sendCase } from "../support/cases.ts";
import { table } from "../support/operations.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer({ clock: () => Date.parse(importedAt) });
const { store } = server;
const seedData = seedDataOf(store);
const cases = casesOf(store, seedData);
const all = [...scopes, "admin"] as unknown as typeof scopes;
// A change set to undo.
await server.ask(mint(store, { production_id: seedData.production, scopes: all }), "/api/v1/admin/import", {
  ...{ method: "POST", headers: { "content-type": "application/json" } },
  body: JSON.stringify({ production: { logline: "Another." } }),
});
const rows = (table as readonly Operation[]).map((row) => {
  const found = (cases[row.name] as () => ReturnType<(typeof cases)[string]>)();
  const production_id = found.production ?? seedData.production;
  const engagement_id = row.reach === "production" ? undefined : found.engagement;
  const bound = engagement_id === undefined ? {} : { engagement_id };
  return { row, found, token: mint(store, { production_id, scopes: all, label: row.name, ...bound }) };
});
const snapshot = () => {
  const list = store.database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE name IN ('nodes', 'notes', 'versions', 'media', 'submissions', 'people', 'grants', 'engagements', 'approval_steps', 'storage_events', 'asset_files', 'change_sets', 'script_drafts')",
    )
    .pluck()
    .all() as string[];
  return list.map((name) => [name, store.database.prepare(`SELECT * FROM ${name}`).raw().all()]);
};
for (const production_id of [1, 2]) setFrozen(localAdmin(store, importedAt), production_id, true);
const before = snapshot();

const test = suite("every row of a frozen production");
test.after(() => server.stop());

for (const { row, found, token } of rows) {
  const isChange = row.method !== "GET" && row.scope !== "read" && row.while_frozen !== true;
  test(`${row.name} ${isChange ? "is 409" : "answers"}`, async () => {
    const response = await sendCase(server, found, row.method, token);
    const text = await response.text();
    const isFrozen = text === '{"detail":"the production is frozen: it can be read and not changed"}';
    assert.equal([isFrozen, response.status === 409], [isChange, isChange], `${response.status} ${text.slice(0, 200)}`);
  });
}

test("events of files are refused by their count if the production was frozen after the check", () => {
  const count = () => store.writeSync(() => countAssetFiles(store, { production_id: 1 }));
  assert.throws(count, /the production is frozen/);
});

test("nothing was changed", () => assert.equal(snapshot(), before));

test.run();
