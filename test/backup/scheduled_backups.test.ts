// The server makes backups as the setting says, tells when one is late, and its admin sees it on Health and in the
// metrics.
// Thorough: only --all runs it.
import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mediaFiles } from "../../src/core/store/files.ts";
import { backupNames } from "../../src/features/backup/backup_folder.ts";
import { verifyBackups } from "../../src/features/backup/restore.ts";
import { backUpIfDue, backupStateOf } from "../../src/features/backup/scheduled_backups.ts";
import { mint, openTestServer, temporaryFolder } from "../support/app.ts";
import { answerOf, tallylight } from "../support/command.ts";
import { askMetrics, withMetrics } from "../support/metrics.ts";
import { linkFor, signIn, visitor } from "../support/pages.ts";
import { rot } from "../support/rot.ts";
import { until } from "../support/until.ts";

const test = suite("the setting backup");
const hour = 3_600_000;

test("makes a backup when one is due and not sooner, keeps what it says, and tells when one is late", async () => {
  let now = Date.now();
  const folder = temporaryFolder();
  const setting = { folder, every: 24, keep: { daily: 2, weekly: 0, monthly: 0 } };
  const told: string[] = [];
  const server = await openTestServer({
    clock: () => now,
    notice: (sentence) => void told.push(sentence),
    environment: { TALLYLIGHT_BACKUP: JSON.stringify(setting), ...withMetrics },
  });
  const { app, store } = server;
  const metric = async (name: string) => {
    const text = await (await askMetrics(server)).text();
    return new RegExp(`^tallylight_${name} (.*)$`, "m").exec(text)?.[1];
  };
  const audited = store.database.prepare("SELECT count(*) FROM audit WHERE action = 'data.backed_up'").pluck();
  await backUpIfDue(app);
  // on a busy machine the server makes it by itself, and the call returns at once
  await until(() => audited.get() === 1);
  const [first] = backupNames(folder);
  assert.ok(first !== undefined);
  now += 23 * hour;
  await backUpIfDue(app);
  assert.equal(backupNames(folder), [first]);
  now += hour;
  const [medium] = mediaFiles(join(folder, "media"));
  rot(join(folder, "media", medium as string));
  await Promise.all([backUpIfDue(app), backUpIfDue(app)]);
  await until(() => audited.get() === 2);
  assert.ok(
    told.some((sentence) =>
      /had other bytes of 1 media .*, which are written again; its disk may fail$/.test(sentence),
    ),
    told.join(),
  );
  assert.is(backupNames(folder).length, 2, "two looks at once make one backup");
  now += 24 * hour;
  await backUpIfDue(app);
  assert.equal([backupNames(folder).length, backupNames(folder).includes(first)], [2, false]);
  await until(() => audited.get() === 3);
  assert.equal(
    (await verifyBackups(folder)).map(({ problem }) => problem),
    [null, null],
  );
  assert.equal([await metric("backup_late"), await metric("backup_age_seconds")], ["0", "0"]);
  assert.ok(Number(await metric("backup_bytes")) > 0);

  renameSync(folder, `${folder}.away`); // the disk is not mounted
  now += 25 * hour;
  await backUpIfDue(app);
  assert.match(
    backupStateOf(app)?.problem ?? "",
    /the backup in .* failed: .* is not a folder; create it, or mount the disk/,
  );
  assert.is(await metric("backup_late"), "1");
  const admin = visitor(server);
  await admin.get(linkFor(server, 1, 1_000 * hour)); // the clock of the server is days ahead
  const page = await admin.text("/settings/health");
  assert.match(page, /Backups on this server[\s\S]*is not a folder/);
  const key = mint(store, { scopes: ["read", "admin"] });
  const seenByKey = await (await signIn(server, key)).text("/settings/health");
  assert.match(seenByKey, /Backups on this server/);
  assert.not.ok(seenByKey.includes(folder), "a key does not see the paths of the machine");
  renameSync(`${folder}.away`, folder);
  await backUpIfDue(app);
  assert.is(await metric("backup_late"), "1", "the next try waits");
  now += hour;
  await backUpIfDue(app);
  assert.is(await metric("backup_late"), "0");
  now -= 365 * 24 * hour; // the clock is set back
  await backUpIfDue(app);
  assert.is(backupStateOf(app)?.newest?.created_at, new Date(now).toISOString());
  // What was made with the right clock stays beside what was dated by the wrong one, and takes turns with its own kind
  // only.
  const right = [new Date(now).toISOString().replaceAll(":", "")];
  for (let more = 0; more < 3; more++) {
    now += 24 * hour;
    await backUpIfDue(app);
    right.push(new Date(now).toISOString().replaceAll(":", ""));
  }
  const names = backupNames(folder);
  assert.equal(
    right.map((name) => names.includes(name)),
    [false, false, true, true],
  );
  assert.is(names.length, 4);
  await server.stop();
  assert.equal(
    readdirSync(folder).filter((name) => name.includes(".part-")),
    [],
  );
});

test("the command uses the folder of the setting, and its flags say what else", async () => {
  const server = await openTestServer();
  const { folder: data, store } = server;
  mint(store);
  const folder = temporaryFolder();
  assert.is((await tallylight("backup", "--data", data)).status, 2);
  assert.is((await tallylight("backup", "x.tar", "--to", folder, "--data", data)).status, 2);
  const made = await answerOf("backup", "--to", folder, "--data", data);
  const again = await answerOf("backup", "--to", folder, "--data", data);
  assert.ok(again.bytes < made.bytes, "the same media are not written again");
  const listed = await answerOf("backup", "list", folder);
  assert.equal(
    listed.map(({ name, media }: { name: string; media: number }) => [name, media]),
    [
      [again.name, again.media],
      [made.name, made.media],
    ],
  );
  assert.is((await tallylight("backup", "verify", folder)).status, 0);
  assert.is((await tallylight("backup", "verify", `${folder}@${made.name}`)).status, 0);
  const file = join(folder, "one.tar");
  await answerOf("backup", file, "--data", data);
  assert.equal(
    (await answerOf("backup", "verify", file)).map(({ problem }: { problem: unknown }) => problem),
    [null],
  );
  await server.stop();
});

test.run();
