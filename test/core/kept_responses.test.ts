// Cached responses are kept across commits that cannot have changed them, and end with every commit that could have.
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { statementTexts } from "../../src/core/store/statements.ts";
import { Reads } from "../../src/core/store/table_revisions.ts";
import { mint, one, openTestServer, type TestServer } from "../support/app.ts";
import { temporaryFolder } from "../support/folder.ts";
import { productionReads } from "../support/read_paths.ts";
import { callTool, resultOf } from "../support/rpc.ts";
import { some } from "../support/sampling.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { openUncached } from "../support/uncached.ts";
import { until } from "../support/until.ts";

const keptResponses = suite("responses kept across commits");

const store = openStore(join(temporaryFolder(), "tallylight.db"));
const column = <T>(sql: string, ...values: unknown[]): T[] =>
  store.database
    .prepare(sql)
    .pluck()
    .all(...values) as T[];
/** Without the tables of full-text search, which nothing may change directly. */
const tables = column<string>(
  "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite^_%' ESCAPE '^'",
);
const columnsOf = (table: string): string[] => column("SELECT name FROM pragma_table_info(?)", table);

function partsOf(...statements: string[]): readonly string[] | undefined {
  const reads = new Reads();
  for (const statement of statements) reads.statements.add(statement);
  return store.partsOf(reads);
}

/** The tables whose pages a statement's program opens, by SQLite's own account. */
function openedBy(text: string): string[] {
  const nulls = Object.fromEntries([...text.matchAll(/:(\w+)/g)].map(([, name]) => [name, null]));
  const program = store.database.prepare(`EXPLAIN ${text}`).all(nulls) as { opcode: string; p2: number; p3: number }[];
  const roots = program.filter(({ opcode, p3 }) => /^(OpenRead|ReopenIdx)$/.test(opcode) && p3 === 0);
  return roots.flatMap(({ p2 }) => column<string>("SELECT tbl_name FROM sqlite_schema WHERE rootpage = ?", p2));
}

keptResponses("depend on at least the tables that SQLite opens for their statements", () => {
  let compared = 0;
  for (const [name, text] of statementTexts()) {
    const parts = partsOf(name);
    if (parts === undefined || !/^\s*(--[^\n]*\n\s*)*(SELECT|WITH)/.test(text)) continue;
    for (const table of openedBy(text)) {
      assert.ok(parts.includes(table), `${name} reads ${table}, but depends only on ${parts}`);
      compared++;
    }
  }
  assert.ok(compared > 150, `only ${compared} tables were compared`);
});

keptResponses("of the bundles and of a caller read only counted tables, and not the storage agent's", () => {
  for (const statement of ["get_scene_bundle", "get_character_bundle", "get_caller_by_key"]) {
    const parts = partsOf(statement) ?? [];
    assert.ok(parts.length > 0, `${statement} reads a table that no trigger counts`);
    for (const part of ["storage_events", "asset_files", "activity", "api_keys.last_used_at"])
      assert.not.ok(parts.includes(part), `${statement} depends on ${part}`);
  }
});

keptResponses("end when any column of a counted table changes, or any of its rows appears or goes", () => {
  for (const table of tables) {
    const counting =
      "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? AND name LIKE 'count^_%' ESCAPE '^'";
    const triggers = column<string>(counting, table);
    if (triggers.length === 0) continue;
    for (const event of ["INSERT", "DELETE"])
      assert.ok(
        triggers.some((sql) => sql.includes(`AFTER ${event} ON ${table} `)),
        `no ${event} of ${table} is counted`,
      );
    const updates = triggers.flatMap((sql) => /AFTER UPDATE (?:OF ([\w, ]+) )?ON/.exec(sql)?.[1]?.split(", ") ?? []);
    if (triggers.some((sql) => sql.includes(`AFTER UPDATE ON ${table} `))) continue;
    for (const name of columnsOf(table))
      assert.ok(name === "id" || updates.includes(name), `${table}.${name} is not counted`);
  }
});

keptResponses("end with every commit if an answer is not made synchronously", async () => {
  const reads = new Reads();
  await store.observe(reads, async () => store.statement("get_production"));
  assert.is(store.partsOf(reads), undefined);
});

/** How often the server ran an operation or authenticated since the last look: 0 if its responses came from the cache. */
function countWork({ app }: TestServer): () => number {
  const { observe } = app.store;
  let runs = 0;
  app.store.observe = (reads, work) => {
    runs++;
    return observe(reads, work);
  };
  return () => {
    const done = runs;
    runs = 0;
    return done;
  };
}

const event = (dedupe_key: string) => ({
  ...{ event_type: "create", path: `camera/${dedupe_key}.mxf`, source: "audit_tail", dedupe_key },
  detected_at: "2026-11-20T10:00:00.000Z",
});

async function report(server: TestServer, token: string, filespace: string, key: string): Promise<void> {
  const body = JSON.stringify({ filespace, events: [event(key)] });
  const headers = { "content-type": "application/json" };
  const response = await server.ask(token, "/api/v1/storage/events", { method: "POST", headers, body });
  assert.is(response.status, 200, await response.text());
}

/** A server with one cached bundle, over REST and over MCP, and a function that asks for both. */
async function openCached() {
  const server = await openTestServer();
  const { storageProduction: production } = seedDataOf(server.store);
  const scene = one(server.store, "SELECT node_id FROM scenes WHERE production_id = ? LIMIT 1", production);
  const filespace = one<string>(
    server.store,
    "SELECT filespace FROM storage_installs WHERE production_id = ? AND active = 1",
    production,
  );
  const token = mint(server.store, { production_id: production });
  const ask = async () => {
    await server.get(token, `/bundles/scene/${scene}`);
    await resultOf(await callTool(server, token, "get_scene_bundle", { node_id: scene }));
  };
  await ask();
  const used = () => one(server.store, "SELECT last_used_at FROM api_keys WHERE prefix = ?", token.slice(0, 11));
  await until(() => used() !== null); // it is recorded after the response
  return { server, token, production, scene, filespace, ask, work: countWork(server) };
}

keptResponses("stay after storage events, the use of a key and changes of another production", async () => {
  const { server, token, production, filespace, ask, work } = await openCached();
  const outside = new Database(join(server.folder, "tallylight.db"));
  const others = [
    () => report(server, token, filespace, "a"),
    () => outside.prepare("UPDATE api_keys SET last_used_at = '2026-11-20T11:00:00.000Z'").run(),
    () => outside.prepare("UPDATE scenes SET synopsis = 'x' WHERE production_id <> ?").run(production),
    () => outside.prepare("UPDATE asset_files SET size = 1").run(),
  ];
  for (const other of others) {
    await other();
    work();
    await ask();
    assert.is(work(), 0, String(other));
  }
  outside.prepare("UPDATE scenes SET synopsis = 'x' WHERE production_id = ?").run(production);
  await ask();
  assert.ok(work() > 0);
  outside.close();
  await server.stop();
});

/** Values of other rows of the same column, and some of no row, one of which may pass the column's checks. */
function valuesFor(database: Database.Database, table: string, name: string): unknown[] {
  const found = database.prepare(`SELECT DISTINCT ${name} FROM ${table} LIMIT 4`).pluck().all();
  return [...found, null, 0, 1, 7, "planned", "2026-11-21", "2026-11-21T00:00:00.000Z", "{}", "[]"];
}

/** Changes a column of some rows of a table from another process. Returns false if a constraint refuses every value. */
function changeColumn(database: Database.Database, table: string, name: string): boolean {
  const update = database.prepare(`UPDATE ${table} SET ${name} = ? WHERE ${name} IS NOT ?`);
  return valuesFor(database, table, name).some((value) => {
    try {
      return update.run(value, value).changes > 0;
    } catch {
      return false;
    }
  });
}

/** Two servers of one application, one without a cache, and what several keys ask them. */
async function openComparison() {
  const server = await openTestServer();
  const uncached = await openUncached(server);
  const {
    production: production_id,
    scene,
    character,
    releasedStill,
    sceneGrantee,
    submitter,
  } = seedDataOf(server.store);
  const scopes = ["read", "write", "read:money"] as const;
  const keyOf = (engagement_id: number | null) => mint(server.store, { production_id, engagement_id, scopes });
  const shared = [
    `/bundles/scene/${scene}`,
    `/bundles/character/${character}`,
    `/media/${releasedStill}`,
    "/turnovers",
  ];
  const [all, ...bound] = [null, sceneGrantee, submitter].map(keyOf) as [string, string, string];
  const wide = [...shared, ...productionReads, "/storage/tasks", "/purchase-orders"];
  const pairs = wide.map((path) => [all, path]);
  for (const key of bound) for (const path of [...shared, "/purchase-orders"]) pairs.push([key, path]);
  const textOf = async (url: string, [key, path]: string[]) => {
    const response = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
    return `${response.status} ${await response.text()}`;
  };
  const compare = async (after: string) => {
    for (const pair of pairs)
      assert.is(await textOf(server.url, pair), await textOf(uncached.url, pair), `${pair[1]} after ${after}`);
  };
  return { server, uncached, compare };
}

keptResponses("equal those of a server without a cache after changes of every table by another process", async () => {
  const { server, uncached, compare } = await openComparison();
  const outside = new Database(join(server.folder, "tallylight.db"), { timeout: 5000 });
  outside.pragma("foreign_keys = OFF"); // references may be broken too
  await compare("nothing");
  let changed = 0;
  const chosen = tables
    .slice(0)
    .sort()
    .filter((_, at) => at % (tables.length / some(tables.length, 3)) < 1);
  for (const table of chosen) {
    outside.exec(`CREATE TEMP TABLE saved AS SELECT * FROM main.${table}`);
    const names = columnsOf(table);
    for (const name of names.filter((_, at) => at % Math.ceil(names.length / 3) === 1)) {
      if (changeColumn(outside, table, name)) changed++;
      await compare(`a change of ${table}.${name}`);
    }
    outside.exec(`BEGIN; DELETE FROM main.${table}; COMMIT`);
    await compare(`the removal of ${table}`);
    const own = names.map((name) => `"${name}"`).join(", "); // without generated columns
    outside.exec(`BEGIN; INSERT INTO main.${table} (${own}) SELECT ${own} FROM saved; DROP TABLE saved; COMMIT`);
    await compare(`the return of ${table}`);
  }
  assert.ok(changed > chosen.length, `only ${changed} columns were changed`);
  outside.close();
  await uncached.stop();
  await server.stop();
});

keptResponses.run();
