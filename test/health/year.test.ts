// A year of one box, with the clock set: every day an import, storage events, keys' use, a backup, and what is removed
// by age. At its end the disk is bounded, nothing was warned of, and doctor finds nothing. The gate has a third of the
// year, ROUNDS=20 all of it.
// Thorough: only --all runs it.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { backupNames } from "../../src/features/backup/backup_folder.ts";
import { backUpIfDue, backupStateOf } from "../../src/features/backup/scheduled_backups.ts";
import { inspectData } from "../../src/features/doctor/inspection.ts";
import { updateFrom } from "../../src/features/documents/production_update.ts";
import { partialDocument } from "../../src/features/documents/read/read.ts";
import { defaultRetention, trimLog, trimTables } from "../../src/features/events/retention.ts";
import { localAdmin } from "../../src/graph/admin.ts";
import { fixtureFiles, mint, openTestServer, temporaryFolder } from "../support/app.ts";
import { answerOf } from "../support/command.ts";
import { isLong } from "../support/rounds.ts";
import { folderWith } from "../support/template.ts";
import { until } from "../support/until.ts";

const test = suite("a year");
const days = isLong ? 365 : 122;
const day = 86_400_000;
const begin = Date.parse("2026-11-22T08:00:00.000Z");
const kept = { storage_events: 20, activity: 20, audit: 20, change_sets: 20 };
const keep = { daily: 7, weekly: 4, monthly: 12 };

const bytesOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);

test("ends with a bounded disk, no warning and a sound directory", async () => {
  const data = await folderWith(fixtureFiles.slice(1, 2), new Date(begin - day).toISOString());
  const folder = temporaryFolder();
  await answerOf("storage", "install", "--production", "1", "--filespace", "main", "--data", data);
  let now = begin;
  const told: string[] = [];
  const setting = { folder, every: 24, keep };
  const server = await openTestServer({
    data,
    clock: () => now,
    notice: (sentence) => void told.push(sentence),
    environment: { TALLYLIGHT_BACKUP: JSON.stringify(setting), TALLYLIGHT_RETENTION: JSON.stringify(kept) },
  });
  const { store, blobs } = server;
  const token = mint(store);
  const number = store.database.prepare("SELECT number FROM scenes ORDER BY node_id LIMIT 1").pluck().get() as string;
  const sizes: number[] = [];
  const counts = store.database.prepare(
    "SELECT (SELECT count(*) FROM storage_events) AS storage_events, (SELECT count(*) FROM activity) AS activity, (SELECT count(*) FROM change_sets) AS change_sets, (SELECT count(*) FROM audit) AS audit",
  );
  const atHalf: Record<string, number> = {};
  for (let at = 0; at < days; at++, now += day) {
    const time = new Date(now).toISOString();
    const document = { scenes: [{ number, synopsis: `As of ${time}` }] };
    const given = [await partialDocument(document, "day.json", undefined)];
    const request = { production_id: 1, exact: false, dry_run: false };
    await updateFrom(localAdmin(store, time), blobs, given, request, async (work) => store.writeSync(work));
    const events = Array.from({ length: 20 }, (_, one) => ({
      dedupe_key: `${at}/${one}`,
      event_type: "modify",
      path: `plates/${one}.exr`,
      source: "reconciler",
      detected_at: time,
      size: at + one,
      mtime_ns: at,
    }));
    const answer = await server.ask(token, "/api/v1/storage/events", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ filespace: "main", events }),
    });
    assert.is(answer.status, 200, await answer.text());
    await until(async () => {
      await backUpIfDue(server.app); // does nothing while the server's own look makes one
      return backupStateOf(server.app)?.newest?.created_at === time;
    });
    while (store.writeSync(() => trimTables(store, time, { days: kept }, blobs.removeIfUnneeded))) {}
    store.writeSync(() => trimLog(store, time, defaultRetention));
    sizes.push(statSync(join(data, "tallylight.db")).size);
    if (at === Math.floor(days / 2)) Object.assign(atHalf, counts.get());
  }
  const atEnd = counts.get() as Record<string, number>;
  assert.equal({ ...atEnd, audit: 0 }, { ...atHalf, audit: 0 }, "as many rows as after half of the time");
  assert.ok((atEnd.audit as number) <= (atHalf.audit as number) + 1);
  const [half, end] = [sizes[Math.floor(days / 2)] as number, sizes.at(-1) as number];
  assert.ok(end <= half * 1.3, `the database has ${end} bytes, and had ${half}`);
  const backups = backupNames(folder).length;
  assert.ok(backups >= keep.daily && backups <= keep.daily + keep.weekly + keep.monthly, `${backups} backups`);
  assert.ok(bytesOf(folder) <= backups * end * 1.3 + bytesOf(join(data, "media")), "each medium once");
  assert.is(backupStateOf(server.app)?.problem, undefined);
  await server.close();
  assert.equal(told, []);
  const findings = await inspectData(data, { deep: true, now });
  assert.equal(
    findings.filter(({ ok }) => !ok),
    [],
  );
});

test.run();
