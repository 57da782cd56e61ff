// An id is never given twice, whoever removed the row that had it: every table keeps its highest id, and every insert
// asks for it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { demoFolder, mint, openTestServer } from "../support/app.ts";
import { answerOf, root } from "../support/command.ts";
import { openAsAdmin } from "../support/pages.ts";
import { seedDataOf } from "../support/seed_data.ts";

const test = suite("ids");

/** Tables whose ids are those of other rows, or whose rows are never removed. */
const others = [
  "engagement_use",
  "epochs",
  "event_floors",
  "frozen_productions",
  "invitations",
  "media_typing",
  "page_marks",
  "scenes",
  "search_changes",
];

const tablesWithIds = (folder: string): string[] => {
  const store = openStore(join(folder, "tallylight.db"));
  const tables = store.database
    .prepare(
      `SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c ON c.pk = 1 AND c.type = 'INTEGER'
       WHERE m.type = 'table' AND m.name NOT LIKE 'search%' AND m.name NOT LIKE 'migrations' AND m.sql NOT LIKE '%AUTOINCREMENT%'
         AND m.sql NOT LIKE '%WITHOUT ROWID%' ORDER BY 1`,
    )
    .pluck()
    .all() as string[];
  store.close();
  return tables.filter((table) => !others.includes(table));
};

test("every table with ids keeps the highest one when its row is removed, also those of later migrations", async () => {
  const folder = await demoFolder();
  const tables = tablesWithIds(folder);
  const store = openStore(join(folder, "tallylight.db"));
  const triggers = store.database
    .prepare(
      "SELECT tbl_name FROM sqlite_schema WHERE type = 'trigger' AND name = 'keep_last_id_' || tbl_name ORDER BY 1",
    )
    .pluck()
    .all();
  store.close();
  const without = tables.filter((table) => !triggers.includes(table));
  assert.equal(without, [], "the migration of each makes a trigger keep_last_id_TABLE, as 0028_ids_once.sql does");
  assert.equal(triggers, tables);
  assert.ok(["activity", "storage_events", "sessions"].every((table) => tables.includes(table)));
});

test("every statement that inserts into such a table gives the id itself", async () => {
  const tables = tablesWithIds(await demoFolder());
  const texts = readdirSync(join(root, "sql"))
    .filter((name) => name.endsWith(".sql"))
    .map((name) => readFileSync(join(root, "sql", name), "utf8"));
  const inserts = texts.flatMap((text) => [...text.matchAll(/INSERT INTO (\w+)\s*\((\w+)/g)]);
  const without = inserts.filter(([, table = "", first]) => tables.includes(table) && first !== "id");
  assert.equal(
    without.map(([text]) => text),
    [],
    "each begins with the id, one more than max(id) and that of last_ids, as in sql/activity.sql",
  );
  // those of documents are made from the table of sections
  assert.ok(inserts.filter(([, table = ""]) => tables.includes(table)).length > 10);
});

test("activity, storage events and sessions of a deleted production leave their ids, and cursors stay true", async () => {
  const server = await openTestServer();
  const { store, folder } = server;
  const { otherProduction: kept, production: gone } = seedDataOf(store);
  const title = store.database.prepare("SELECT title FROM productions WHERE id = ?").pluck().get(gone) as string;
  const reader = mint(store, { production_id: kept, scopes: ["read", "write", "admin"] });
  const writer = mint(store, { production_id: gone, scopes: ["read", "write"] });
  const asset = (token: string, label: string) =>
    server.ask(token, "/api/v1/assets", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ kind: "prop", label }),
    });
  const report = async (token: string, number: number) => {
    const event = { event_type: "create", path: `plates/${number}.exr`, source: "reconciler", size: 1, mtime_ns: 1 };
    const events = [{ ...event, dedupe_key: String(number), detected_at: "2026-11-22T08:00:00.000Z" }];
    const answer = await server.ask(token, "/api/v1/storage/events", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ filespace: "main", events }),
    });
    assert.is(answer.status, 200, await answer.text());
  };
  for (const id of [kept, gone])
    await answerOf("storage", "install", "--production", String(id), "--filespace", "main", "--data", folder);
  assert.is((await asset(reader, "Before")).status, 200);
  const { next } = (await server.get(reader, "/events?after=now")) as { next: string };
  const [newest] = (await server.get(reader, "/activity?limit=1")) as { id: number }[];

  // The newest row of each table is of the production that goes.
  await report(writer, 1);
  assert.is((await asset(writer, "Gone")).status, 200);
  await openAsAdmin(server, gone);
  const last = (table: string): number =>
    store.database.prepare(`SELECT ifnull(max(id), 0) FROM ${table}`).pluck().get() as number;
  const tables = ["activity", "storage_events", "asset_files", "sessions", "nodes"];
  const before = Object.fromEntries(tables.map((table) => [table, last(table)]));
  await answerOf("productions", "delete", String(gone), "--confirm", title, "--no-backup", "--data", folder);
  for (const table of tables) assert.ok(last(table) < (before[table] as number), `${table}: the newest row is gone`);

  await report(reader, 2);
  assert.is((await asset(reader, "After")).status, 200);
  await openAsAdmin(server, kept);
  for (const table of tables) assert.ok(last(table) > (before[table] as number), `${table}: no id is given again`);
  const { events } = (await server.get(reader, `/events?after=${encodeURIComponent(next)}`)) as {
    events: { data: { label?: string } }[];
  };
  assert.ok(JSON.stringify(events).includes("After"));
  assert.not.ok(JSON.stringify(events).includes("Gone"), "nothing of another production");
  const [after] = (await server.get(reader, "/activity?limit=1")) as { id: number }[];
  assert.ok((after?.id as number) > (before.activity as number));
  const older = (await server.get(reader, `/activity?before=${after?.id}&limit=1`)) as { id: number }[];
  assert.ok((older[0]?.id as number) >= (newest?.id as number));

  // A session that ended leaves its id, too: a list that is open in a browser must not end somebody else's.
  const first = last("sessions");
  store.writeSync(() => store.database.prepare("DELETE FROM sessions WHERE id = ?").run(first));
  await openAsAdmin(server, kept);
  assert.ok(last("sessions") > first);
  await server.stop();
});

test.run();
