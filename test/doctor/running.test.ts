// What doctor says of running a directory: its backups, what its server found, who may change it, and settings that
// stand twice.
// Thorough: only --all runs it.
import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Finding } from "../../src/core/feature.ts";
import { openStore } from "../../src/core/store/database.ts";
import { lockForServing } from "../../src/core/store/lock.ts";
import { backUpInto } from "../../src/features/backup/folder_writing.ts";
import { demoFolder, temporaryFolder } from "../support/app.ts";
import { tallylight } from "../support/command.ts";

const test = suite("doctor");
const hour = 3_600_000;
const folder = await demoFolder();
const backups = temporaryFolder();
const config = join(folder, "config.json");

async function found(check: string): Promise<Finding> {
  const { out } = await tallylight("doctor", "--data", folder, "--json");
  return JSON.parse(out).findings.find((finding: Finding) => finding.check === check);
}

test("says whether backups are made, where, and how old the newest is", async () => {
  assert.equal(
    [(await found("backups")).ok, (await found("backups")).detail],
    [true, "the setting backup names no folder, so no server makes any"],
  );
  const name = async (path: string): Promise<string[]> => {
    writeFileSync(config, JSON.stringify({ backup: { folder: path, every: 24 } }), { mode: 0o600 });
    return (await found("backups")).items;
  };
  assert.match((await name(join(backups, "away"))).join(), /is not a folder; create it, or mount the disk/);
  assert.equal(await name(backups), [`${backups} has no backup yet`]);
  const made = await backUpInto(folder, backups, { now: Date.now() - 49 * hour });
  assert.match((await name(backups)).join(), /^the last backup in .* is late: it was made at 20/);
  const newer = await backUpInto(folder, backups, { now: Date.now() - hour });
  assert.equal(await name(backups), []);
  rmSync(join(backups, made.name, "manifest.json"));
  assert.match((await name(backups)).join(), new RegExp(`@${made.name} has no manifest.json`));
  rmSync(join(backups, made.name), { recursive: true });
  writeFileSync(
    join(backups, "verified.json"),
    JSON.stringify({ at: new Date().toISOString(), problems: [`${newer.name}: damaged`], lacking: [] }),
  );
  assert.equal(await name(backups), [`${newer.name}: damaged`]);
  rmSync(config);
});

test("says what the server found wrong with itself", async () => {
  assert.is((await found("health")).ok, true);
  const store = openStore(join(folder, "tallylight.db"));
  store.writeSync(() =>
    store.database.exec("INSERT INTO bad_conditions VALUES ('backup', '2026-11-20T12:00:00.000Z')"),
  );
  store.close();
  const items = ["backup, since 2026-11-20T12:00:00.000Z"];
  const stopped = await found("health");
  assert.equal([stopped.ok, stopped.items], [true, items], "the other checks say what is wrong now");
  const lock = lockForServing(folder);
  const served = await found("health");
  lock.release();
  assert.equal([served.ok, served.items], [false, items]);
});

test("finds a directory that others may change, and --repair closes it", async () => {
  chmodSync(folder, 0o777);
  chmodSync(join(folder, "media"), 0o777);
  assert.equal((await found("permissions")).items, [".", "media"]);
  await tallylight("doctor", "--repair", "--data", folder);
  assert.is((await found("permissions")).ok, true);
  assert.is(statSync(folder).mode & 0o777, 0o700);
  chmodSync(folder, 0o755);
  assert.is((await found("permissions")).ok, true, "who may read the names of files may change none");
});

test("finds a setting that stands twice, also inside another one", async () => {
  for (const [text, said] of [
    ['{"disk_reserve": 1, "disk_reserve": 2}', "config.json: disk_reserve is given twice: an object has each key once"],
    [
      '{"retention": {"audit": 30, "audit": 400}}',
      "config.json: retention.audit is given twice: an object has each key once",
    ],
  ] as const) {
    writeFileSync(config, text, { mode: 0o600 });
    const { ok, items } = await found("settings");
    assert.equal([ok, items], [false, [said]]);
  }
  rmSync(config);
  mkdirSync(backups, { recursive: true });
  assert.is((await found("settings")).ok, true);
});

test.run();
