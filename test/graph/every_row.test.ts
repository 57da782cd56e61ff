// Every GET of the table with what a caller sends by mistake or a second time: unknown parameters, limits and cursors
// that are none, a key that was revoked, an engagement that has ended.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { cursorOf } from "../../src/core/listing.ts";
import { isStrict, type Operation } from "../../src/core/operation.ts";
import { assertRefused, importedAt, mint, one, openTestServer } from "../support/app.ts";
import { type Case, caseOf, casesOf, sendCase } from "../support/cases.ts";
import { table } from "../support/operations.ts";
import { seedDataOf } from "../support/seed_data.ts";

const server = await openTestServer({ clock: () => Date.parse(importedAt) });
const { store } = server;
const seedData = seedDataOf(store);
const cases = casesOf(store, seedData);
const reads = (table as readonly Operation[]).filter(({ method }) => method === "GET");
const with_ = (found: Case, more: string): Case => ({
  ...found,
  path: `${found.path}${found.path.includes("?") ? "&" : "?"}${more}`,
});
const all = [...scopes, "admin"] as unknown as typeof scopes;

// A change set for the rows of the history.
await server.ask(mint(store, { production_id: seedData.production, scopes: all }), "/api/v1/admin/import", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ production: { logline: "Another." } }),
});

// An issue for the row that reads one.
const { path: issuing } = caseOf(cases, "issue_day");
const issuer = mint(store, { production_id: seedData.production, scopes: all });
assert.is((await server.ask(issuer, `/api/v1${issuing}`, { method: "POST" })).status, 200);

const rows = suite("every GET of the table");
rows.after(() => server.stop());

for (const row of reads) {
  const names = Object.keys(row.input.entries);
  const found = caseOf(cases, row.name);
  const production_id = found.production ?? seedData.production;
  const engagement_id = row.reach === "bound" ? found.engagement : undefined;
  const keyOf = (label: string) =>
    mint(store, { production_id, scopes: all, label, ...(engagement_id !== undefined && { engagement_id }) });
  const token = keyOf(row.name);
  const ask = (more?: string, key = token) => sendCase(server, more ? with_(found, more) : found, "GET", key);
  const textOf = async (response: Response): Promise<string> => {
    assert.is(response.status, 200);
    return response.text();
  };

  rows(`${row.name} ignores an unknown parameter, or refuses it below /admin/`, async () => {
    if (isStrict(row)) await assertRefused(await ask("unknown=1"), 422, /^the query must not have "unknown"/);
    else if (row.noStore === true || row.name === "get_production_document")
      assert.is((await ask("unknown=1")).status, 200);
    else assert.is(await textOf(await ask("unknown=1")), await textOf(await ask()));
  });

  if (names.includes("limit"))
    rows(`${row.name} refuses a limit that is none, and takes the greatest for one above it`, async () => {
      for (const limit of ["0", "-1", "1.5", "x", "", "1e3"]) {
        const response = await ask(`limit=${limit}`);
        if (limit === "") await response.text();
        else await assertRefused(response, 422, /^limit must be/);
      }
      assert.is((await ask("limit=9007199254740991")).status, 200);
      assert.is((await ask("limit=0&limit=1")).status, 200, "the last of several counts");
    });

  if (names.includes("after"))
    rows(`${row.name} refuses a cursor of another list and what is no cursor`, async () => {
      const foreign = cursorOf(row.name === "list_people" ? "list_jobs" : "list_people", { place: 1 });
      const own = cursorOf(row.name, { place: "'; DROP TABLE nodes" });
      for (const after of [foreign, "x", "-", "%00", foreign.slice(1)])
        await assertRefused(await ask(`after=${after}`), 422, /^after must/);
      assert.ok([200, 422].includes((await ask(`after=${own}`)).status));
    });

  rows(`${row.name} is 401 for a key that was revoked, also if it was answered before`, async () => {
    const label = `ends ${row.name}`;
    const key = keyOf(label);
    for (let at = 0; at < 2; at++) assert.is((await ask(undefined, key)).status, 200);
    store.writeSync(() =>
      store.database.prepare("UPDATE api_keys SET revoked_at = ? WHERE label = ?").run(importedAt, label),
    );
    await assertRefused(await ask(undefined, key), 401);
  });

  const bound = found.engagement;
  if (row.reach !== "production" && bound !== undefined && row.name !== "get_me")
    rows(`${row.name} is the same for an engagement that has ended as for one without grants`, async () => {
      const make =
        "INSERT INTO engagements (production_id, vendor_id, title, created_at) SELECT production_id, vendor_id, 'None', created_at FROM engagements WHERE id = ? RETURNING id";
      const none = store.writeSync(() => one(store, make, bound));
      const [key, bare] = [bound, none].map((engagement_id) =>
        mint(store, { production_id, engagement_id, scopes: all }),
      );
      assert.is((await ask(undefined, key)).status, 200);
      const end = (ended_at: string | null) =>
        store.writeSync(() =>
          store.database.prepare("UPDATE engagements SET ended_at = ? WHERE id = ?").run(ended_at, bound),
        );
      const before = one<string | null>(store, "SELECT ended_at FROM engagements WHERE id = ?", bound);
      end(importedAt);
      const [ended, expected] = [await ask(undefined, key), await ask(undefined, bare)];
      assert.equal([ended.status, await ended.text()], [expected.status, await expected.text()]);
      end(before);
      assert.is((await ask(undefined, key)).status, 200);
    });
}

rows.run();
