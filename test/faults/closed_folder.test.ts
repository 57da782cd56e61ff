// A data directory that another user owns and that this one may read: it is served for reading, as on a read-only disk.
// Only root can become another user.
// Thorough: only --all runs it.
import { spawn } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { demoFolder, mint, one, openTestServer } from "../support/app.ts";
import { answerOf, launcher, tallylight } from "../support/command.ts";
import { temporaryFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";

const closed = suite("a data directory of another user");
const isRoot = process.getuid?.() === 0;
const check = isRoot && process.platform === "linux" && process.versions.deno === undefined ? closed : closed.skip;

/** Lets every user enter the folders above a folder. */
function openAbove(folder: string): void {
  for (let at = dirname(folder); (statSync(at).mode & 0o001) === 0; at = dirname(at)) chmodSync(at, 0o755);
}

/** Lets every user read a folder and what is in it, as `chmod -R go=rX` does. */
function open(folder: string): void {
  openAbove(folder);
  for (const name of ["", ...(readdirSync(folder, { recursive: true }) as string[])])
    chmodSync(join(folder, name), statSync(join(folder, name)).isDirectory() ? 0o755 : 0o644);
}

/** Runs a command as the user nobody. */
function runAsNobody(home: string, ...given: string[]) {
  const words = ["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath, launcher];
  const env = { ...process.env, HOME: home, XDG_CACHE_HOME: home };
  const child = spawn("setpriv", [...words, ...given], { cwd: "/", env });
  const said = { out: "", err: "" };
  child.stdout.on("data", (text) => (said.out += text));
  child.stderr.on("data", (text) => (said.err += text));
  return { child, said, ended: new Promise((resolve) => child.on("close", resolve)) };
}

const serveAsNobody = (data: string, home: string) => runAsNobody(home, "serve", "--data", data, "--port", "0");

check("is served for reading, says so, and refuses writes with 503", async () => {
  const place = temporaryFolder();
  const [data, home] = [join(place, "data"), join(place, "home")];
  cpSync(await demoFolder(), data, { recursive: true });
  const server = await openTestServer({ data });
  const token = mint(server.store);
  const scenes = one(server.store, "SELECT count(*) FROM nodes WHERE production_id = 1 AND kind = 'scene'");
  await server.close();
  open(data);
  chmodSync(join(data, "secrets.json"), 0o600); // it stays its owner's
  mkdirSync(home);
  chmodSync(home, 0o777);
  const before = readdirSync(data).toSorted();
  const { child, said, ended } = serveAsNobody(data, home);
  try {
    await until(() => {
      if (child.exitCode !== null) throw new Error(`it ended: ${said.err}`);
      return said.out.includes("\n");
    }, 10);
    const url = said.out.split("\n")[0];
    const health: any = await (await fetch(`${url}/healthz`)).json();
    const sentence = `this user may not write to ${data}`;
    assert.is(health.writable, false);
    assert.is(health.reason, `${sentence}; \`tallylight serve\` writes again once it can be written to`);
    assert.match(said.err, `${data} can only be read, because ${sentence}; this server refuses every write`);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const list = await fetch(`${url}/api/v1/scenes`, { headers });
    assert.is(((await list.json()) as unknown[]).length, scenes);
    const body = JSON.stringify({ label: "A lamp" });
    assert.is((await fetch(`${url}/api/v1/assets`, { method: "POST", headers, body })).status, 503);
    assert.equal(readdirSync(data).toSorted(), before);
  } finally {
    child.kill("SIGTERM");
    await ended;
  }
});

check("is not served while its owner's server uses it", async () => {
  const place = temporaryFolder();
  const data = join(place, "data");
  cpSync(await demoFolder(), data, { recursive: true });
  const server = await openTestServer({ data });
  open(data);
  const { said, ended } = serveAsNobody(data, "/");
  assert.is(await ended, 1);
  assert.match(said.err, "check its owner and permissions");
  await server.close();
});

check("whose files belong to root is told with the command that gives them back, by serve and by doctor", async () => {
  const place = temporaryFolder();
  const data = join(place, "data");
  cpSync(await demoFolder(), data, { recursive: true });
  openAbove(data);
  for (const name of ["", ...(readdirSync(data, { recursive: true }) as string[])])
    chownSync(join(data, name), 65534, 65534);
  const owned = async (name: string) => {
    chownSync(join(data, name), 0, 0);
    chmodSync(join(data, name), 0o700);
    const { said, ended } = serveAsNobody(data, "/");
    assert.is(await ended, 1);
    const by = await tallylight("doctor", "--data", data);
    assert.is(by.status, 1);
    assert.match(by.out, `sudo chown -R --reference=${data} ${data}`);
    assert.match(by.out, new RegExp(`^ {8}${name}$`, "m"));
    chownSync(join(data, name), 65534, 65534);
    return said.err;
  };
  const advice = `it belongs to root, and \`sudo chown -R nobody: ${data}\` gives it back`;
  assert.match(await owned("tallylight.db"), `tallylight.db cannot be opened for writing; ${advice}`);
  const media = await owned("media");
  assert.match(media, advice);
  assert.not.match(media, "may not listen");
  assert.is((await tallylight("doctor", "--data", data)).status, 0);
});

check(
  "backups of another user do not seem to be absent: list and restore name the command that gives them",
  async () => {
    const place = temporaryFolder();
    const [folder, to] = [join(place, "backups"), join(place, "restored")];
    mkdirSync(folder);
    openAbove(folder);
    chmodSync(folder, 0o755);
    chmodSync(place, 0o777);
    await answerOf("backup", "--to", folder, "--data", await demoFolder());
    const runs = [
      ["backup", "list", folder],
      ["restore", folder, "--data", to],
    ];
    for (const words of runs) {
      const { said, ended } = runAsNobody("/", ...words);
      assert.is(await ended, 1);
      assert.match(
        said.err,
        `cannot be read; it belongs to root, and \`sudo chown -R nobody: ${folder}\` gives it back`,
      );
    }
    for (const name of ["", ...(readdirSync(folder, { recursive: true }) as string[])])
      chownSync(join(folder, name), 65534, 65534);
    assert.is(await runAsNobody("/", "restore", folder, "--data", to).ended, 0);
  },
);

closed.run();
