// serve --replica: a copied directory is served read-only, never older than allowed, and never to keys of engagements.
// Thorough: only --all runs it.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type RunningServer, startServer } from "../../src/core/server.ts";
import { openStore, replicaName } from "../../src/core/store/database.ts";
import { oauthPaths } from "../../src/features/addresses/paths.ts";
import { writeReplicaRecord } from "../../src/features/replica/record.ts";
import { demoFolder, mint, one, temporaryFolder } from "../support/app.ts";
import { tallylight } from "../support/command.ts";
import { askMetrics, withMetrics } from "../support/metrics.ts";
import { seedDataOf } from "../support/seed_data.ts";
import { until } from "../support/until.ts";
import { validated } from "../support/validated_fetch.ts";

const replicas = suite("serve --replica");
const primary = "https://primary.example.lan";

interface OpenReplica extends RunningServer {
  folder: string;
  clock: { now: number };
  /** What the copier does: `work` on the database, and the record of the copy. */
  copy(work?: (database: Database.Database) => void): void;
  ask(token: string | undefined, path: string, init?: RequestInit): Promise<Response>;
  key: string;
  vendor: string;
  scene: number;
  stop(): Promise<void>;
}

/** A replica of the demo, as old as its clock says, with a key and a vendor's key. */
async function openReplica(settings: Record<string, string> = {}): Promise<OpenReplica> {
  const folder = await demoFolder();
  const store = openStore(join(folder, "tallylight.db"));
  const { production: production_id, submitter: engagement_id, scene } = seedDataOf(store);
  const key = mint(store, { production_id });
  const vendor = mint(store, { production_id, engagement_id, scopes: ["read", "submit:turnover"] });
  const clock = { now: Date.parse("2026-11-20T12:00:00.000Z") };
  const copy: OpenReplica["copy"] = (work) => {
    work?.(store.database);
    writeReplicaRecord(folder, { synced_at: new Date(clock.now).toISOString(), source: "box:/data" });
  };
  copy();
  const environment = { TALLYLIGHT_PRIMARY_URL: primary, ...settings };
  const options = { host: "127.0.0.1", port: 0, log: () => {}, environment, clock: () => clock.now };
  const server = await startServer({ ...options, data: folder, replica: true });
  return {
    ...server,
    folder,
    clock,
    copy,
    key,
    vendor,
    scene,
    ask: async (token, path, init = {}) => {
      const headers = { authorization: `Bearer ${token}`, ...(init.headers as object) };
      return validated(path, init, await fetch(server.url + path, { ...init, headers }));
    },
    async stop() {
      await server.close();
      store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

const detailOf = async (response: Response) => ((await response.json()) as { detail: string }).detail;
const post = (body: string) => ({ method: "POST", body, headers: { "content-type": "application/json" } });

replicas("answers reads and says the age of the copy in every answer", async () => {
  const replica = await openReplica({ TALLYLIGHT_MAX_STALENESS: "7200" });
  replica.clock.now += 3_600_500; // far more than the time that the test takes
  const bundle = `/api/v1/bundles/scene/${replica.scene}`;
  for (const path of [bundle, bundle, "/api/v1/nothing", "/healthz", "/docs"])
    assert.is((await replica.ask(replica.key, path)).headers.get("tallylight-replica-age"), "3600", path);
  const { version, epoch, ...health } = (await (await replica.ask(undefined, "/healthz")).json()) as any;
  assert.equal([typeof version, typeof epoch, health], ["string", "string", { ok: true, replica: { age: 3600 } }]);
  await replica.stop();
});

replicas("answers every write with 503 and names the primary, over REST and over MCP", async () => {
  const replica = await openReplica();
  const writes = ["/assets", "/storage/events", "/percep/session-token", `/assets/${replica.scene}/notes`];
  for (const path of writes) {
    const response = await replica.ask(replica.key, `/api/v1${path}`, post('{"label":"x"}'));
    assert.is(response.status, 503, path);
    assert.match(await detailOf(response), primary);
  }
  const registered = await replica.ask(undefined, oauthPaths.register, post('{"redirect_uris":["http://127.0.0.1/"]}'));
  assert.is(registered.status, 503);
  assert.is((await replica.ask("tl_unknown", "/api/v1/assets", post("{}"))).status, 401);
  const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_production","arguments":{}}}';
  assert.is((await replica.ask(replica.key, "/mcp", post(call))).status, 200);
  await replica.stop();
});

replicas("refuses keys that are bound to an engagement", async () => {
  const replica = await openReplica();
  const response = await replica.ask(replica.vendor, "/api/v1/turnovers");
  assert.is(response.status, 403);
  assert.match(await detailOf(response), /bound to an engagement/);
  await replica.stop();
});

replicas(
  "answers everything but /healthz and /metrics with 503 when the copy is older than max_staleness",
  async () => {
    const replica = await openReplica(withMetrics);
    const ask = async () => (await replica.ask(replica.key, "/api/v1/production")).status;
    assert.is(await ask(), 200);
    replica.clock.now += 10_000;
    assert.is(await ask(), 200);
    replica.clock.now += 1;
    for (const path of ["/api/v1/production", "/docs", "/mcp", "/media/x"])
      assert.is((await replica.ask(replica.key, path)).status, 503, path);
    assert.is((await replica.ask(undefined, "/healthz")).status, 200);
    assert.is((await askMetrics(replica)).status, 200);
    assert.is(
      (await askMetrics(replica, { authorization: `Bearer ${replica.key}` })).status,
      403,
      "a key without the scope admin",
    );
    replica.copy();
    await until(async () => (await ask()) === 200);
    await replica.stop();
  },
);

replicas(
  "stops a revoked key with the copy that contains the revocation, and shows what the copy changed",
  async () => {
    const replica = await openReplica();
    const loglineOf = async () =>
      ((await (await replica.ask(replica.key, "/api/v1/production")).json()) as any).logline;
    await loglineOf();
    replica.copy((database) => database.exec("UPDATE productions SET logline = 'copied'"));
    assert.is(await loglineOf(), "copied");
    replica.copy((database) => database.exec("UPDATE api_keys SET revoked_at = '2026-11-20T12:00:00.000Z'"));
    assert.is((await replica.ask(replica.key, "/api/v1/production")).status, 401);
    await replica.stop();
  },
);

replicas("does not take an old copy for a young one when the clock is set back", async () => {
  const replica = await openReplica();
  replica.clock.now -= 3_600_000;
  const age = async () => Number((await replica.ask(replica.key, "/healthz")).headers.get("tallylight-replica-age"));
  const before = await age();
  await until(async () => (await age()) > before);
  await replica.stop();
});

replicas("stops answering when the database file is replaced, or the directory is promoted", async () => {
  const replica = await openReplica();
  const file = join(replica.folder, "tallylight.db");
  new Database(join(replica.folder, "new.db")).close();
  renameSync(file, `${file}.former`);
  renameSync(join(replica.folder, "new.db"), file);
  assert.match(await detailOf(await replica.ask(replica.key, "/api/v1/production")), /was replaced/);
  rmSync(join(replica.folder, replicaName));
  const health = await replica.ask(undefined, "/healthz");
  assert.is(health.status, 503);
  assert.match(JSON.stringify(await health.json()), /"ok":false,"reason":"this copy was promoted/);
  assert.match(await detailOf(await replica.ask(replica.key, "/api/v1/production")), /promoted/);
  await replica.stop();
});

replicas("answers nothing as a replica once promote has ended", async () => {
  const replica = await openReplica();
  const paths = ["/api/v1/production", `/api/v1/bundles/scene/${replica.scene}`, "/healthz"];
  for (const path of paths) assert.is((await replica.ask(replica.key, path)).status, 200);
  assert.is((await tallylight("promote", "--data", replica.folder)).status, 0);
  for (const path of paths) {
    const answer = await replica.ask(replica.key, path);
    assert.is(answer.status, 503, path);
    assert.match(await answer.text(), /this copy was promoted/);
  }
  await replica.stop();
});

replicas("writes nothing into the directory's database", async () => {
  const replica = await openReplica();
  const store = openStore(join(replica.folder, "tallylight.db"), { promoting: true }); // writes as the copier does
  const admin = mint(store, {
    production_id: one<number>(store, "SELECT min(id) FROM productions"),
    scopes: ["admin"],
  });
  const before = store.revision();
  for (let round = 0; round < 2; round++) {
    await replica.ask(replica.key, "/api/v1/production"); // would record the use of the key
    const exported = await replica.ask(admin, "/api/v1/admin/export"); // would record itself
    assert.is(((await exported.json()) as { document: string }).document, "tallylight production");
  }
  assert.is(store.revision(), before);
  store.close();
  await replica.stop();
});

const refused = suite("a directory that is not what the command needs");

refused("follow without its programs ends with one sentence", async () => {
  const [source, data] = [await demoFolder(), temporaryFolder()];
  const { status, err } = await tallylight("follow", source, "--data", data, "--copier", "/nowhere/sqlite3_rsync");
  assert.is(status, 1);
  assert.is(err, "/nowhere/sqlite3_rsync is not installed, or not in the PATH; see docs/replication.md\n");
});

refused("promote refuses a damaged copy with one sentence, and leaves it a replica", async () => {
  for (const damage of [
    (bytes: Buffer) => bytes.fill(0xff, 0, 100), // the header
    (bytes: Buffer) => bytes.fill(0xff, 100, bytes.length), // everything else
  ]) {
    const data = await demoFolder();
    writeReplicaRecord(data, { synced_at: "2026-11-20T12:00:00.000Z", source: "/nowhere" });
    const file = join(data, "tallylight.db");
    writeFileSync(file, damage(readFileSync(file)));
    const { status, err } = await tallylight("promote", "--data", data);
    assert.is(status, 1);
    assert.match(err, /tallylight\.db is (damaged|not a Tallylight database).*\n$/);
    assert.is(err.trim().split("\n").length, 1, err);
    assert.ok(existsSync(join(data, replicaName)));
    rmSync(data, { recursive: true });
  }
});

refused("serve --replica refuses a primary's directory, one without a copy, and one with an older schema", async () => {
  const folder = await demoFolder();
  const serve = async (data: string) => (await tallylight("serve", "--replica", "--data", data, "--port", "0")).err;
  assert.match(await serve(folder), /is not a replica/);
  writeReplicaRecord(folder, { synced_at: "2026-11-20T12:00:00.000Z", source: "box:/data" });
  const database = new Database(join(folder, "tallylight.db"));
  database.exec("DELETE FROM migrations WHERE position > 5; PRAGMA user_version = 5");
  database.close();
  assert.match(await serve(folder), /upgrade the primary first/);
  const empty = temporaryFolder();
  mkdirSync(empty, { recursive: true });
  writeReplicaRecord(empty, { synced_at: "2026-11-20T12:00:00.000Z", source: "box:/data" });
  new Database(join(empty, "tallylight.db")).close();
  assert.match(await serve(empty), /no complete copy yet/);
});

refused("serve and commands that write refuse a replica; commands that read work", async () => {
  const folder = await demoFolder();
  writeReplicaRecord(folder, { synced_at: "2026-11-20T12:00:00.000Z", source: "box:/data" });
  const run = (...words: string[]) => tallylight(...words, "--data", folder);
  for (const words of [
    ["serve", "--port", "0"],
    ["doctor", "--repair"],
    ["keys", "mint", "--production", "1", "--label", "x"],
  ]) {
    const { status, err } = await run(...words);
    assert.is(status, 1, words.join(" "));
    assert.match(err, /is a replica/);
  }
  assert.is((await run("productions", "list")).status, 0);
  assert.is((await run("doctor")).status, 0);
});

replicas.run();
refused.run();
