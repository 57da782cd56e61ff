// What is wrong with a server: an event of every production when it turns bad and when it is right again, on the page
// and in the metrics.
// Thorough: only --all runs it.
import { renameSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { backUpIfDue, backupStateOf, verifyIfDue } from "../../src/features/backup/scheduled_backups.ts";
import { runTimer } from "../../src/features/health/watching.ts";
import { mint, openTestServer, temporaryFolder } from "../support/app.ts";
import { askMetrics, withMetrics } from "../support/metrics.ts";
import { linkFor, signIn, visitor } from "../support/pages.ts";
import { until } from "../support/until.ts";

const hour = 3_600_000;
let now = Date.now();
const folder = temporaryFolder();
const told: string[] = [];
const server = await openTestServer({
  clock: () => now,
  notice: (sentence) => void told.push(sentence),
  environment: {
    TALLYLIGHT_BACKUP: JSON.stringify({ folder, every: 24, verify: "daily" }),
    ...withMetrics,
  },
});
const { app, store } = server;

interface Row {
  production_id: number;
  data: string;
}
/** The events since the last call, as "production condition ok". */
const changes = (() => {
  let last = 0;
  return async (): Promise<string[]> => {
    await runTimer(app);
    const rows = store.database
      .prepare("SELECT id, production_id, data FROM events WHERE type = 'health.changed' AND id > ? ORDER BY id")
      .all(last) as (Row & { id: number })[];
    last = rows.at(-1)?.id ?? last;
    return rows.map(({ production_id, data }) => {
      const { condition, ok, reason } = JSON.parse(data);
      assert.is(reason === null, ok);
      assert.not.ok(data.includes(folder), "an event has no paths of the machine");
      return `${production_id} ${condition} ${ok ? "right" : "wrong"}`;
    });
  };
})();
const metric = async (name: string): Promise<string | undefined> => {
  const lines = (await (await askMetrics(server)).text()).split("\n");
  return lines.find((line) => line.startsWith(`tallylight_${name} `))?.split(" ")[1];
};
const isIdle = async (): Promise<void> => {
  await until(() => backupStateOf(app) !== undefined);
  await backUpIfDue(app);
  await until(() => backupStateOf(app)?.newest !== undefined);
  await verifyIfDue(app);
  await until(() => backupStateOf(app)?.verified !== undefined);
};
/** A day passes: a backup is made, and all are read. */
const aDay = async (): Promise<void> => {
  now += 25 * hour;
  for (const due of [backUpIfDue, verifyIfDue]) await due(app);
};

const test = suite("health");

test("a server whose backups are made and can be read says nothing", async () => {
  await isIdle();
  assert.equal(await changes(), []);
  assert.equal([await metric("backup_unsound"), await metric("backup_missing_media")], ["0", "0"]);
  assert.is(await metric('problem{condition="backup"}'), "0");
});

test("a medium that was lost is an event once, and again when it is back", async () => {
  const file = app.blobs.fileOf(store.database.prepare("SELECT min(sha256) FROM media").pluck().get() as string);
  renameSync(file, `${file}.lost`);
  await aDay();
  assert.equal(await changes(), ["1 media wrong", "2 media wrong"]);
  assert.equal(await changes(), [], "the same is said once");
  assert.is(await metric("backup_missing_media"), "1");
  assert.is(await metric('problem{condition="media"}'), "1");
  assert.ok(
    told.some((sentence) => /^warning: the bytes of 1 media are missing .*doctor --repair --from/.test(sentence)),
  );
  renameSync(`${file}.lost`, file);
  now += 1; // the file is newer than the backup by the clock of the machine, not by that of the test
  await aDay();
  assert.equal(await changes(), ["1 media right", "2 media right"]);
});

test("a backup that cannot be read any more, and one that fails, are told on the page and to webhooks", async () => {
  const newest = backupStateOf(app)?.newest?.name as string;
  truncateSync(join(folder, newest, "tallylight.db"), 1000);
  await aDay();
  assert.equal(await changes(), ["1 backup_verification wrong", "2 backup_verification wrong"]);
  renameSync(folder, `${folder}.away`);
  await aDay();
  assert.equal(await changes(), ["1 backup wrong", "2 backup wrong"]);
  const admin = visitor(server);
  await admin.get(linkFor(server, 1, 10_000 * hour));
  assert.match(
    await admin.text("/settings/health"),
    new RegExp(`backup</strong> <span class="chip bad">[\\s\\S]*${folder}`),
  );
  const key = await signIn(server, mint(store, { scopes: ["read", "admin"] }));
  const seen = await key.text("/settings/health");
  assert.match(seen, /the last backup failed or is late/i);
  assert.not.ok(seen.includes(folder));
  renameSync(`${folder}.away`, folder);
  now += hour;
  await backUpIfDue(app);
  assert.equal(await changes(), ["1 backup right", "2 backup right"]);
  const read = mint(store, { scopes: ["read"] });
  const { events } = (await (await server.ask(read, "/api/v1/events?after=start&types=health.changed")).json()) as {
    events: { type: string; data: { condition: string } }[];
  };
  assert.equal([...new Set(events.map(({ data }) => data.condition))], ["media", "backup_verification", "backup"]);
});

test("what was wrong before the server stopped is not said again after its start", async () => {
  store.writeSync(() => store.database.exec("INSERT INTO bad_conditions VALUES ('disk', '2026-01-01T00:00:00.000Z')"));
  assert.equal(await changes(), ["1 disk right", "2 disk right"]);
  writeFileSync(join(folder, "note.txt"), "of somebody else");
  assert.equal(await changes(), []);
});

test.after(() => server.stop());
test.run();
