// tallylight upgrade PACKAGE: checks, switches and goes back. test/faults/upgrade_package.test.ts kills it.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { migrations } from "../../src/core/store/migrations.ts";
import { backupNames } from "../../src/features/backup/backup_folder.ts";
import { temporaryFolder } from "../support/app.ts";
import { answerOf, tallylight } from "../support/command.ts";
import {
  begin,
  current,
  data,
  fileOf,
  folder,
  install,
  nameOf,
  packages,
  place,
  run,
  running,
  schemaOf,
  sumLine,
  uninstall,
  upgrade,
} from "../support/installation.ts";
import { agentWith, textOf } from "../support/service.ts";

const test = suite("tallylight upgrade PACKAGE");
test.before(install);
test.after(uninstall);

test("upgrades once, makes a backup, and changes nothing the second time", async () => {
  await begin();
  const { status, out, err } = await upgrade("1.6.0");
  assert.is(status, 0, err);
  assert.match(out, /1\.6\.0-\S+ runs; tallylight-1\.5\.0-\S+ is still in/);
  assert.equal([await running(), current()], ["1.6.0", nameOf("1.6.0")]);
  assert.is(schemaOf(), migrations().length + 1);
  assert.ok(existsSync(join(data, `${nameOf("1.5.0")}.tar`)));
  const again = await upgrade("1.6.0");
  assert.is(again.status, 0, again.err);
  assert.match(again.out, /already runs; nothing was changed/);
  assert.equal(readdirSync(data).filter((name) => name.endsWith(".tar")).length, 1);
  assert.not.ok(existsSync(join(place, "upgrade.json")));
});

test("goes back by itself to the former version and its database if the new one does not come; with the setting `backup`", async () => {
  await begin();
  const backups = temporaryFolder();
  const config = (folder: string) => writeFileSync(join(data, "config.json"), JSON.stringify({ backup: { folder } }));
  config(join(backups, "away"));
  const away = await upgrade("1.7.0");
  assert.match(away.err, /away is not a folder; create it, or mount the disk.*; nothing was changed/);
  assert.equal([await running(), current()], ["1.5.0", nameOf("1.5.0")]);
  config(backups);
  const { status, err } = await upgrade("1.7.0");
  assert.is(status, 1);
  assert.match(
    err,
    /1\.7\.0-\S+ did not come \(http\S+ does not answer [^;]*; tallylight-1\.5\.0-\S+ runs again; the database of the newer version is kept as tallylight\.db\.after-schema-/,
  );
  assert.equal([await running(), current(), schemaOf()], ["1.5.0", nameOf("1.5.0"), migrations().length]);
  assert.not.ok(existsSync(join(place, "upgrade.json")));
  const [first = ""] = backupNames(backups);
  // The next upgrade is not in the way of what this one left.
  const next = await upgrade("1.6.0");
  assert.is(next.status, 0, next.err);
  assert.is(await running(), "1.6.0");
  const [name = ""] = backupNames(backups);
  assert.ok(name > first && first !== "", "each of the two upgrades made a backup");
  assert.ok(next.out.includes(`the backup is ${backups}@${name}`), next.out);
  assert.equal(
    readdirSync(data).filter((file) => file.endsWith(".tar")),
    [],
  );
  assert.is((await tallylight("backup", "verify", backups)).status, 0);
  const back = join(folder, "back");
  await answerOf("restore", `${backups}@${name}`, "--data", back);
  assert.is((await answerOf("productions", "list", "--data", back)).length, 2);
});

test("restarts the agent of this machine too, there and back, so that it runs no version that is removed", async () => {
  await begin();
  const unit = join(folder, "etc/tallylight-agent.service");
  const program = [join(place, "current/bin/tallylight")];
  const settings = join(folder, "agent.json");
  writeFileSync(settings, JSON.stringify({ url: "http://a", key: "tl_x", filespace: "main", root: "/mnt/show" }));
  writeFileSync(unit, textOf(await agentWith(program, settings, "root")));
  const log = join(folder, "systemctl.log");
  rmSync(log, { force: true });
  assert.is((await upgrade("1.6.0")).status, 0);
  assert.is(readFileSync(log, "utf8"), "restart tallylight-agent.service\n");
  await begin();
  assert.is((await upgrade("1.7.0")).status, 1);
  assert.is(readFileSync(log, "utf8"), "restart tallylight-agent.service\n".repeat(3));
  rmSync(unit);
});

test("refuses a damaged package, one without sums, one of another platform, and another build, and changes nothing", async () => {
  await begin();
  const refusal = async (file: string) => {
    const { status, err } = await run("none", file);
    assert.is(status, 1);
    assert.equal([await running(), current()], ["1.5.0", nameOf("1.5.0")]);
    return err;
  };
  assert.match(await refusal(join(packages, "nothing.tar.gz")), /is not a package such as/);
  const elsewhere = join(folder, "elsewhere");
  mkdirSync(elsewhere);
  cpSync(fileOf("1.6.0"), join(elsewhere, `${nameOf("1.6.0")}.tar.gz`));
  assert.match(await refusal(join(elsewhere, `${nameOf("1.6.0")}.tar.gz`)), /SHA256SUMS is missing/);
  cpSync(fileOf("1.6.0"), join(packages, "tallylight-1.6.0-vax-vms.tar.gz"));
  assert.match(await refusal(join(packages, "tallylight-1.6.0-vax-vms.tar.gz")), /is a package for vax-vms/);
  rmSync(join(packages, "tallylight-1.6.0-vax-vms.tar.gz"));
  const whole = readFileSync(fileOf("1.6.0"));
  writeFileSync(fileOf("1.6.0"), whole.subarray(0, whole.length - 7));
  assert.match(await refusal(fileOf("1.6.0")), /is damaged: its SHA-256/);
  // The sums beside it are right, and a file inside is not as the sums inside say.
  const sums = join(packages, "SHA256SUMS");
  const wrong = join(folder, "draft", nameOf("1.6.0"), "bin/tallylight.js");
  const right = readFileSync(wrong);
  writeFileSync(wrong, "process.exit(0)");
  spawnSync("tar", ["-czf", fileOf("1.6.0"), "-C", join(folder, "draft"), nameOf("1.6.0")]);
  const former = readFileSync(sums, "utf8");
  writeFileSync(sums, sumLine(packages, `${nameOf("1.6.0")}.tar.gz`));
  assert.match(await refusal(fileOf("1.6.0")), /bin\/tallylight\.js in it is not as its SHA256SUMS says/);
  assert.not.ok(existsSync(join(place, nameOf("1.6.0"))));
  writeFileSync(wrong, right);
  writeFileSync(fileOf("1.6.0"), whole);
  writeFileSync(sums, former);
  // An installed package of the same version that was changed.
  cpSync(join(folder, "draft", nameOf("1.6.0")), join(place, nameOf("1.6.0")), { recursive: true });
  writeFileSync(join(place, nameOf("1.6.0"), "README.md"), "");
  writeFileSync(join(place, nameOf("1.6.0"), "SHA256SUMS"), sumLine(join(place, nameOf("1.6.0")), "README.md"));
  assert.match(await refusal(fileOf("1.6.0")), /is another build of the same version/);
});

test("refuses a service that does not run the program through the link, and a second upgrade at the same time", async () => {
  await begin();
  const unit = join(folder, "etc/tallylight.service");
  const text = readFileSync(unit, "utf8");
  writeFileSync(unit, text.replace("/current/", `/${nameOf("1.5.0")}/`));
  assert.match((await upgrade("1.6.0")).err, /run `service install` of the installed package once/);
  writeFileSync(unit, text);
  const lock = new Database(join(place, "upgrade.lock"));
  lock.exec("BEGIN EXCLUSIVE");
  assert.match((await upgrade("1.6.0")).err, /another upgrade in \S+ is running/);
  lock.close();
  assert.is(await running(), "1.5.0");
});

test.run();
