// tallylight upgrade PACKAGE: checks, switches and goes back, and is killed after each of its steps. The packages are this checkout under other
// versions; the servers are real processes.
import { spawn, spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { unitOf } from "../../src/cli/units.ts";
import { migrations } from "../../src/store/migrations.ts";
import { demoFolder, temporaryFolder } from "../support/app.ts";
import { root } from "../support/command.ts";
import { freePort } from "../support/free_port.ts";
import { some } from "../support/sampling.ts";
import { until } from "../support/until.ts";

const test = suite("tallylight upgrade PACKAGE");

const folder = temporaryFolder();
const [place, packages, data] = [join(folder, "opt"), join(folder, "packages"), join(folder, "data")];
const node = realpathSync(join(root, "node_modules/.bin/node"));
const platform = `${process.platform}-${process.arch}`;
const nameOf = (version: string): string => `tallylight-${version}-${platform}`;
const fileOf = (version: string): string => join(packages, `${nameOf(version)}.tar.gz`);
const port = await freePort();

/** Builds a package of this checkout with another version. `change` changes its files before they are summed. */
function build(version: string, change: (folder: string) => void = () => {}): void {
  const draft = join(folder, "draft", nameOf(version));
  mkdirSync(join(draft, "bin"), { recursive: true });
  for (const part of ["bin/tallylight.js", "bin/compile_cache.js", "src", "sql"])
    cpSync(join(root, part), join(draft, part), { recursive: true });
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  writeFileSync(join(draft, "package.json"), JSON.stringify({ ...manifest, version }));
  const launcher = `#!/bin/sh\nhere=$(cd "$(dirname "$0")/.." && pwd -P)\nexec "${node}" "$here/bin/tallylight.js" "$@"\n`;
  writeFileSync(join(draft, "bin/tallylight"), launcher);
  chmodSync(join(draft, "bin/tallylight"), 0o755);
  change(draft);
  const files = globSync("**/*", { cwd: draft }).filter((file) => statSync(join(draft, file)).isFile());
  writeFileSync(join(draft, "SHA256SUMS"), files.map((file) => sumLine(draft, file)).join(""));
  assert.is(spawnSync("tar", ["-czf", fileOf(version), "-C", join(folder, "draft"), nameOf(version)]).status, 0);
  writeFileSync(
    join(packages, "SHA256SUMS"),
    readdirSync(packages)
      .filter((file) => file.endsWith(".gz"))
      .map((file) => sumLine(packages, file))
      .join(""),
  );
}

const sumLine = (from: string, file: string): string => `${hash("sha256", readFileSync(join(from, file)))}  ${file}\n`;

const migration = (draft: string): void =>
  writeFileSync(join(draft, "sql/migrations/9999_later.sql"), "CREATE TABLE later (id INTEGER PRIMARY KEY) STRICT;\n");

/** Replaces a text of a file in a package. */
function edit(draft: string, file: string, from: string, to: string): void {
  const text = readFileSync(join(draft, file), "utf8");
  assert.ok(text.includes(from), file);
  writeFileSync(
    join(draft, file),
    text.replace(from, () => to),
  );
}

/** Runs the upgrade in its own process, which is killed after `step`. */
function run(step: string, ...words: string[]): Promise<{ status: number | null; out: string; err: string }> {
  const args = [
    "--disable-warning=ExperimentalWarning",
    join(root, "test/support/upgrading.ts"),
    folder,
    step,
    ...words,
  ];
  const child = spawn(node, args, { stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stdout.on("data", (text) => (out += text));
  child.stderr.on("data", (text) => (err += text));
  return new Promise((resolve) => child.on("close", (status) => resolve({ status, out, err })));
}

const upgrade = (version: string, step = "none") => run(step, fileOf(version));

/** The version that answers. */
async function running(): Promise<string | undefined> {
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
  return answer?.status === 200 ? ((await answer.json()) as { version: string }).version : undefined;
}

const current = (): string => readlinkSync(join(place, "current"));

/** The first version runs on the demo, and nothing else is installed. */
async function begin(): Promise<void> {
  await run("stop");
  rmSync(data, { recursive: true, force: true });
  cpSync(demo, data, { recursive: true });
  for (const name of readdirSync(place))
    if (name !== nameOf("1.5.0") && name !== "node_modules") rmSync(join(place, name), { recursive: true });
  symlinkSync(nameOf("1.5.0"), join(place, "current"));
  await run("start");
  await until(async () => (await running()) === "1.5.0");
}

let demo = "";
test.before(async () => {
  for (const one of [place, packages, join(folder, "etc")]) mkdirSync(one, { recursive: true });
  symlinkSync(realpathSync(join(root, "node_modules")), join(place, "node_modules")); // the packages of npm, which real packages hold
  demo = await demoFolder();
  build("1.5.0");
  build("1.6.0", migration);
  build("1.7.0", (draft) => {
    migration(draft);
    edit(draft, "src/server.ts", "  await listen(http, options, app);", '  throw new Error("it does not listen");');
  });
  renameSync(join(folder, "draft", nameOf("1.5.0")), join(place, nameOf("1.5.0")));
  const program = [join(place, "current/bin/tallylight")];
  const unit = unitOf({ program, user: "root", data, flags: ["--port", String(port)], port });
  writeFileSync(join(folder, "etc/tallylight.service"), unit);
});
test.after(async () => {
  await run("stop");
  rmSync(folder, { recursive: true });
});

const schemaOf = (): number => {
  const database = new Database(join(data, "tallylight.db"), { readonly: true });
  const schema = database.pragma("user_version", { simple: true }) as number;
  database.close();
  return schema;
};

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

test("goes back by itself to the former version and its database if the new one does not come", async () => {
  await begin();
  const { status, err } = await upgrade("1.7.0", "none");
  assert.is(status, 1);
  assert.match(
    err,
    /1\.7\.0-\S+ did not come .*1\.5\.0-\S+ runs again; the database of the newer version is kept as tallylight\.db\.after-schema-/,
  );
  assert.equal([await running(), current(), schemaOf()], ["1.5.0", nameOf("1.5.0"), migrations().length]);
  assert.not.ok(existsSync(join(place, "upgrade.json")));
  // The next upgrade is not in the way of what this one left.
  assert.is((await upgrade("1.6.0")).status, 0);
  assert.is(await running(), "1.6.0");
});

const forward = ["package checked", "unpacked", "checked", "backed up", "recorded", "switched", "restarted"];
for (const step of forward.slice(-some(forward.length, 2)))
  test(`killed after "${step}", one version runs, and the second run completes the upgrade`, async () => {
    await begin();
    const { status } = await upgrade("1.6.0", step);
    assert.is(status, null, "it was killed");
    await until(async () => (await running()) !== undefined);
    assert.match((await running()) ?? "", /^1\.[56]\.0$/);
    const { status: second, err } = await upgrade("1.6.0");
    assert.is(second, 0, err);
    assert.equal([await running(), current()], ["1.6.0", nameOf("1.6.0")]);
    assert.not.ok(existsSync(join(place, "upgrade.json")));
    assert.equal(
      readdirSync(place).filter((name) => name.endsWith(".part")),
      [],
    );
  });

const back = ["noted", "stopped", "put back", "switched back", "started"];
for (const step of back.slice(1, 1 + some(back.length, 3)))
  test(`killed on the way back after "${step}", the second run goes back and then tries what it was asked`, async () => {
    await begin();
    assert.is((await upgrade("1.7.0", step)).status, null, "it was killed");
    const { status, out, err } = await upgrade("1.6.0");
    assert.is(status, 0, err);
    assert.match(out, /tallylight-1\.5\.0-\S+ runs again/);
    assert.equal([await running(), current()], ["1.6.0", nameOf("1.6.0")]);
    assert.is(schemaOf(), migrations().length + 1);
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
