// tallylight follow and promote: a copy is complete or absent, and what a promotion says about it is true.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore, replicaName } from "../../src/core/store/database.ts";
import { epoch, startEpoch } from "../../src/core/store/database_mark.ts";
import { closing } from "../../src/core/store/files.ts";
import { migrate, migrations } from "../../src/core/store/migrations.ts";
import type { FollowReport } from "../../src/features/replica/follower.ts";
import { readReplicaRecord, writeReplicaRecord } from "../../src/features/replica/record.ts";
import { demoFolder, openTestServer } from "../support/app.ts";
import { answerOf, tallylight } from "../support/command.ts";
import { temporaryFolder } from "../support/folder.ts";
import { canCopy, copier, followUntil, mediaOf, replicaFolder, skipped } from "../support/replication.ts";

const following = suite(`tallylight follow${skipped}`);
const test = canCopy ? following : following.skip;

const change = (folder: string, sql: string): void => {
  const database = new Database(join(folder, "tallylight.db"));
  database.exec(sql);
  database.close();
};

test("copies the database and the media, readable only by the owner, and says when", async () => {
  const [source, data] = [await demoFolder(), replicaFolder()];
  const before = Date.now();
  const { ended, reported } = await followUntil(source, data, 1);
  assert.is(ended, "stopped");
  assert.match(reported[0] as string, /^copied [1-9]\d* 0$/);
  for (const name of mediaOf(source))
    assert.equal(readFileSync(join(data, name)), readFileSync(join(source, name)), name);
  for (const name of ["tallylight.db", replicaName]) assert.is(statSync(join(data, name)).mode & 0o077, 0, name);
  const { synced_at, source: from } = readReplicaRecord(data) ?? { synced_at: "", source: "" };
  assert.ok(Date.parse(synced_at) >= before && Date.parse(synced_at) <= Date.now());
  assert.is(from, source);
});

test("copies what changed, and records a copy also when nothing had changed", async () => {
  const [source, data] = [await demoFolder(), replicaFolder()];
  await followUntil(source, data, 1);
  change(source, "UPDATE productions SET title = 'Changed' WHERE id = 1");
  const first = readReplicaRecord(data)?.synced_at ?? "";
  await followUntil(source, data, 2);
  assert.is((await answerOf("productions", "list", "--data", data))[0].title, "Changed");
  assert.ok((readReplicaRecord(data)?.synced_at ?? "") > first);
});

test("keeps the database of a former primary once: not again when that copy was removed", async () => {
  const [source, data] = [await demoFolder(), await demoFolder()];
  const superseded_by = closing(openStore(join(source, "tallylight.db")), (store) => {
    store.writeSync(() => startEpoch(store, { now: new Date().toISOString() })); // as a promotion does
    return epoch(store);
  });
  writeReplicaRecord(data, { synced_at: new Date(0).toISOString(), source, superseded_by });
  const kept: string[] = [];
  const options = { tell: (report: FollowReport) => void ("kept" in report && kept.push(report.kept)) };
  await followUntil(source, data, 1, { ...options, copier: "false" });
  assert.equal(kept, [`tallylight.db.before-${superseded_by}`]);
  cpSync(join(source, "tallylight.db"), join(data, "tallylight.db")); // as the first copy leaves it
  rmSync(join(data, kept[0] as string));
  await followUntil(source, data, 1, { ...options, copier: "false" });
  assert.is(kept.length, 1);
});

test("tries again, and reports media whose bytes the source does not have", async () => {
  const [source, data] = [await demoFolder(), replicaFolder()];
  const [name = ""] = mediaOf(source);
  rmSync(join(source, name));
  assert.match((await followUntil(source, data, 1)).reported[0] as string, / 1$/);
  assert.match((await followUntil(source, data, 1, { copier: "false" })).reported[0] as string, /failed \(1\)/);
  assert.match((await followUntil("127.0.0.1:/nowhere", data, 1)).reported[0] as string, /failed/);
});

test("says that a copy waits, but for the first one, and goes on when the line is back", async () => {
  const [source, data] = [await demoFolder(), replicaFolder()];
  const program = join(temporaryFolder(), "copier");
  writeFileSync(program, `#!/bin/sh\n[ -e "$0.cut" ] && sleep 2\nexec "${copier}" "$@"\n`, { mode: 0o700 });
  const told: string[] = [];
  const tell = (report: FollowReport) => {
    const [kind = ""] = Object.keys(report);
    if (told.at(-1) !== kind) told.push(kind);
    if (told.length === 1) writeFileSync(`${program}.cut`, "");
    if (kind === "waiting") rmSync(`${program}.cut`, { force: true });
  };
  writeFileSync(`${program}.cut`, "");
  await followUntil(source, data, 3, { tell, copier: program, patience: 300 });
  assert.equal(told.slice(0, 3), ["copied", "waiting", "copied"]); // a busy machine may let a later copy wait, too
});

test("refuses a primary's directory, its own source, and a directory that is followed or being promoted", async () => {
  const [source, data] = [await demoFolder(), replicaFolder()];
  const refusal = async (from: string, to: string) => (await tallylight("follow", from, "--data", to)).err;
  assert.match(await refusal(source, await demoFolder()), /it is a primary's/);
  assert.match(await refusal(source, source), /are the same directory/);
  assert.match(await refusal(temporaryFolder(), data), /no Tallylight data/);
  await followUntil(source, data, 1, {
    tell: () => assert.unreachable(),
    signal: AbortSignal.abort(),
  });
  writeFileSync(join(data, "promotion"), "");
  assert.match(await refusal(source, data), /the promotion of .* has begun/);
});

const promoting = suite(`tallylight promote${skipped}`);
const promotes = canCopy ? promoting : promoting.skip;

/** A replica of the demo. */
async function openReplica() {
  const [source, data] = [await demoFolder(), replicaFolder()];
  await followUntil(source, data, 1);
  return { source, data };
}

promotes("ends following, starts another epoch, and serve then serves a primary", async () => {
  const { source, data } = await openReplica();
  const follower = followUntil(source, data, 1000);
  const promotion = await answerOf("promote", "--data", data);
  assert.is((await follower).ended, "promoted");
  assert.equal(promotion.missing, []);
  assert.ok(promotion.synced_at <= promotion.promoted_at, `${promotion.synced_at}, then ${promotion.promoted_at}`);
  assert.not.ok(existsSync(join(data, replicaName)));
  const [former, present] = [source, data].map((folder) => openStore(join(folder, "tallylight.db")));
  assert.is.not(epoch(present as never), epoch(former as never));
  for (const store of [former, present]) store?.close();
  const server = await openTestServer({ data });
  assert.is(server.app.copy, undefined);
  await server.stop();
});

promotes("copies media that the replica does not have yet, and lists those that nobody has", async () => {
  const { source, data } = await openReplica();
  const [copied = "", lost = ""] = [...new Set(mediaOf(source))];
  for (const file of [join(data, copied), join(data, lost), join(source, lost)]) rmSync(file);
  const { missing } = await answerOf("promote", "--data", data);
  assert.equal(missing, [lost]);
  assert.ok(existsSync(join(data, copied)));
});

promotes("works when the source is gone, and says what the copy has", async () => {
  const { source, data } = await openReplica();
  const synced_at = readReplicaRecord(data)?.synced_at as string;
  rmSync(source, { recursive: true });
  const { status, out, err } = await tallylight("promote", "--data", data);
  assert.is(status, 0, err);
  assert.match(out, `everything that was committed at ${source} before ${synced_at}`);
  assert.match(err, /promotion is never automatic/);
});

promotes("refuses a primary and an incomplete copy, and leaves a replica whose references are broken", async () => {
  const refusal = async (data: string) => (await tallylight("promote", "--data", data)).err;
  assert.match(await refusal(await demoFolder()), /is not a replica/);
  const { data } = await openReplica();
  change(data, "PRAGMA foreign_keys = OFF; DELETE FROM shoot_days");
  assert.match(await refusal(data), /is not sound/);
  assert.ok(existsSync(join(data, replicaName)));
  assert.is((await tallylight("promote", "--damaged", "--data", data)).status, 0);
  const empty = replicaFolder();
  mkdirSync(empty, { recursive: true });
  cpSync(join(data, `${replicaName}.former`), join(empty, replicaName));
  new Database(join(empty, "tallylight.db")).close();
  assert.match(await refusal(empty), /no complete copy/);
});

promotes("waits for a program that a killed follower left behind", async () => {
  const { data } = await openReplica();
  writeFileSync(join(data, "copying"), String(process.pid)); // this process stands for the program
  const order: string[] = [];
  setTimeout(() => {
    order.push("the program ended");
    rmSync(join(data, "copying"));
  }, 500);
  assert.is((await tallylight("promote", "--data", data)).status, 0);
  order.push("promoted");
  assert.equal(order, ["the program ended", "promoted"]);
});

promotes("makes a primary of this version from the copy of an older one", async () => {
  const data = temporaryFolder();
  const file = join(data, "tallylight.db");
  const database = new Database(file);
  migrate(database, migrations().slice(0, 6));
  database.close();
  writeReplicaRecord(data, { synced_at: "2026-11-20T12:00:00.000Z", source: "/nowhere" });
  await answerOf("promote", "--data", data);
  const promoted = new Database(file, { readonly: true });
  assert.is(promoted.pragma("user_version", { simple: true }), migrations().length);
  promoted.close();
});

following.run();
promoting.run();
