// Cached responses are kept across commits that cannot have changed them, and end with every commit that could have.
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { scopes } from "../../src/core/access/callers.ts";
import { openStore } from "../../src/core/store/database.ts";
import { statementTexts } from "../../src/core/store/statements.ts";
import { deliveriesOf } from "../../src/features/webhooks/state.ts";
import { mint, one, openTestServer, type TestServer } from "../support/app.ts";
import { caseOf, casesOf, sendCase } from "../support/cases.ts";
import { temporaryFolder } from "../support/folder.ts";
import { table } from "../support/operations.ts";
import { getPlain } from "../support/plain_http.ts";
import { isThorough } from "../support/proportion.ts";
import { productionReads } from "../support/read_paths.ts";
import { callTool, resultOf } from "../support/rpc.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { openUncached } from "../support/uncached.ts";
import { until } from "../support/until.ts";

const keptResponses = suite("responses kept across commits");
/** Each asks every read again and again. The other cases, and core/response_cache, ask by example. */
const everyRead = isThorough ? keptResponses : keptResponses.skip;

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

/** Calls `ran` with the name of each statement that the server runs. */
function watchStatements({ app }: TestServer, ran: (name: string) => void): void {
  const { statement, plucked } = app.store;
  app.store.statement = (name, column) => {
    ran(name);
    return statement(name, column);
  };
  app.store.plucked = (name) => {
    ran(name);
    return plucked(name);
  };
}

/** How often the server authenticated since the last look: 0 if its responses came from the cache. */
function countWork(server: TestServer): () => number {
  let runs = 0;
  watchStatements(server, (name) => {
    if (name.startsWith("get_caller")) runs++;
  });
  return () => {
    const done = runs;
    runs = 0;
    return done;
  };
}

const event = (dedupe_key: string) => ({
  event_type: "create",
  path: `camera/${dedupe_key}.mxf`,
  source: "audit_tail",
  dedupe_key,
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
  const now = Date.now();
  // on a busy machine a response would reach its greatest age meanwhile
  const server = await openTestServer({ clock: () => now });
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
  const other = one(server.store, "SELECT min(id) FROM productions WHERE id <> ?", production);
  const fresh = mint(server.store, { production_id: other });
  const foreign = mint(server.store, { production_id: other, scopes: ["read", "write"] });
  const create = (key: string) => {
    const headers = { "content-type": "application/json" };
    return server.ask(key, "/api/v1/assets", { method: "POST", headers, body: '{"label":"Rope","kind":"prop"}' });
  };
  await server.get(foreign, "/production");
  await ask();
  const others = [
    () => report(server, token, filespace, "a"),
    () => server.get(fresh, "/me"),
    async () => assert.is((await create(foreign)).status, 200),
  ];
  for (const other of others) {
    await other();
    work();
    await ask();
    assert.is(work(), 0, String(other));
  }
  assert.is((await create(mint(server.store, { production_id: production, scopes: ["write"] }))).status, 200);
  work();
  await ask();
  assert.ok(work() > 0);
  await server.stop();
});

keptResponses("end after every commit of another process", async () => {
  const { server, production, ask, work } = await openCached();
  const outside = new Database(join(server.folder, "tallylight.db"));
  const others = [
    "UPDATE api_keys SET last_used_at = '2026-11-20T11:00:00.000Z'",
    `UPDATE scenes SET synopsis = 'x' WHERE production_id <> ${production}`,
    "UPDATE asset_files SET size = 1",
  ];
  for (const sql of others) {
    await ask();
    work();
    outside.exec(sql);
    await ask();
    assert.ok(work() > 0, sql);
  }
  outside.close();
  await server.stop();
});

/** What is written by writes that say that they change only reports. */
const reported =
  /\b(storage_events|asset_files|storage_tasks|activity|last_used_at|webhooks|webhook_deliveries|webhook_set_aside|uploads|idempotent_answers|events)\b/;

everyRead("of each read that shows what machines report depend on it", async () => {
  const server = await openTestServer({ cacheAnswers: false });
  await deliveriesOf(server.app).end(); // they read events beside the requests, on a busy machine beside each of them
  const seedData = seedDataOf(server.store);
  const cases = casesOf(server.store, seedData);
  const texts = statementTexts();
  let names = new Set<string>();
  watchStatements(server, (name) => names.add(name));
  const wrong: string[] = [];
  let asked = 0;
  const admin = mint(server.store, { production_id: seedData.production, scopes });
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ people: [{ name: "Una Rae", role: "Stand-in" }] });
  assert.is((await server.ask(admin, "/api/v1/admin/import", { method: "POST", headers, body })).status, 200);
  if (table.some(({ name }) => name === "issue_day"))
    // for the reads of issues
    assert.is((await sendCase(server, caseOf(cases, "issue_day"), "POST", admin)).status, 200);
  for (const { name, method, noStore, output, reports } of table) {
    if (method !== "GET" || noStore || output === "bytes") continue;
    const { path, production, engagement, productionWideStatus } = caseOf(cases, name);
    const bound = productionWideStatus === undefined ? null : (engagement ?? null);
    const production_id = production ?? seedData.production;
    const token = mint(server.store, { production_id, engagement_id: bound, scopes });
    await server.ask(token, "/api/v1/me");
    await new Promise((resolve) => setTimeout(resolve, 5)); // the use of the key is recorded after the response
    let everyTime = new Set<string>(); // what the server does in the background is not run at each of several requests
    for (let time = 0; time < 5; time++) {
      names = new Set();
      assert.is((await server.ask(token, `/api/v1${path}`)).status, 200, path);
      everyTime = time === 0 ? names : everyTime.intersection(names);
    }
    const read = [...everyTime].filter((name) => reported.test((texts.get(name) ?? "").replace(/'[^']*'|--.*/g, " ")));
    const own = read.filter((name) => !name.startsWith("get_caller"));
    if (own.length > 0 !== (reports === "reads")) wrong.push(`${name}: ${own}`);
    asked++;
  }
  assert.equal(wrong, []);
  assert.ok(asked > 25, `${asked} reads`);
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
async function openComparison(ofStorage = false) {
  const server = await openTestServer();
  const uncached = await openUncached(server);
  const {
    production: seeded,
    storageProduction,
    scene,
    character,
    releasedStill,
    sceneGrantee,
    submitter,
  } = seedDataOf(server.store);
  const production_id = ofStorage ? storageProduction : seeded;
  const scopes = ["read", "write", "read:money"] as const;
  const keyOf = (engagement_id: number | null) => mint(server.store, { production_id, engagement_id, scopes });
  const shared = [
    `/bundles/scene/${scene}`,
    `/bundles/character/${character}`,
    `/media/${releasedStill}`,
    "/turnovers",
  ];
  const [all, ...bound] = (ofStorage ? [null] : [null, sceneGrantee, submitter]).map(keyOf) as [string, ...string[]];
  const wide = [...shared, ...productionReads, "/storage/tasks", "/purchase-orders"];
  const pairs = wide.map((path) => [all, path]);
  for (const key of bound) for (const path of [...shared, "/purchase-orders"]) pairs.push([key, path]);
  const textOf = async ({ url }: { url: string }, [key, path]: string[]) => {
    const { status, text } = await getPlain(`${url}/api/v1${path}`, key as string);
    return `${status} ${text}`;
  };
  const compare = async (after: string) => {
    for (const pair of pairs)
      assert.is(await textOf(server, pair), await textOf(uncached, pair), `${pair[1]} after ${after}`);
  };
  return { server, uncached, compare, production_id, all };
}

keptResponses("equal those of a server without a cache after reports of the storage agent", async () => {
  const { server, uncached, compare, production_id } = await openComparison(true);
  const token = mint(server.store, { production_id, scopes: ["read", "write"] });
  const filespace = one<string>(
    server.store,
    "SELECT filespace FROM storage_installs WHERE production_id = ? AND active = 1",
    production_id,
  );
  await compare("nothing");
  await report(server, token, filespace, "b");
  await compare("an event");
  const acknowledge = async (more: object) => {
    const task_id = one(
      server.store,
      "SELECT min(id) FROM storage_tasks WHERE production_id = ? AND status = 'pending'",
      production_id,
    );
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ task_id, ...more });
    const answer = await server.ask(token, "/api/v1/storage/tasks/ack", { method: "POST", headers, body });
    assert.is(answer.status, 200, await answer.text());
  };
  await acknowledge({ src_sha256: "0".repeat(64) });
  await compare("a fingerprint");
  await acknowledge({ ok: true });
  await compare("a move");
  await uncached.stop();
  await server.stop();
});

everyRead("equal those of a server without a cache after changes of every table by another process", async () => {
  const { server, uncached, compare } = await openComparison();
  const outside = new Database(join(server.folder, "tallylight.db"), { timeout: 120_000 });
  outside.pragma("foreign_keys = OFF"); // references may be broken too
  await compare("nothing");
  let changed = 0;
  for (const table of tables.toSorted()) {
    outside.exec(`CREATE TEMP TABLE saved AS SELECT * FROM main.${table}`);
    const names = columnsOf(table);
    for (const name of names.filter((_, at) => at % Math.max(2, Math.ceil(names.length / 3)) === 1)) {
      if (changeColumn(outside, table, name)) changed++;
      await compare(`a change of ${table}.${name}`);
    }
    outside.exec(`BEGIN; DELETE FROM main.${table}; COMMIT`);
    await compare(`the removal of ${table}`);
    const own = names.map((name) => `"${name}"`).join(", "); // without generated columns
    outside.exec(`BEGIN; INSERT INTO main.${table} (${own}) SELECT ${own} FROM saved; DROP TABLE saved; COMMIT`);
    await compare(`the return of ${table}`);
  }
  assert.ok(changed > tables.length, `only ${changed} columns were changed`);
  outside.close();
  await uncached.stop();
  await server.stop();
});

keptResponses.run();
