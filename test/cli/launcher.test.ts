// Thorough: only --all runs it.
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openStore } from "../../src/core/store/database.ts";
import { one } from "../support/app.ts";
import { addressOf, answerOf, launch, root, tallylight } from "../support/command.ts";
import { isThorough } from "../support/proportion.ts";
import { scratch, smallDocument, writeDocument } from "../support/small_document.ts";
import { until } from "../support/until.ts";

const data = join(scratch(), "data");
await answerOf("import", writeDocument(smallDocument()), "--data", data);

/** The path of a Node that is too old, if this machine has one. */
function oldNode(): string | undefined {
  try {
    const version = execFileSync("/usr/bin/node", ["--version"], { encoding: "utf8" });
    return Number.parseInt(version.slice(1), 10) < 22 ? "/usr/bin/node" : undefined;
  } catch {
    return undefined;
  }
}

const serving = suite("serve");

serving("prints only its address, responds, applies minted and revoked keys, and exits with 0 on SIGTERM", async () => {
  const server = launch(["serve", "--data", data, "--port", "0"]);
  const url = await addressOf(server);
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  const { token, id } = await answerOf("keys", "mint", "--production", "1", "--label", "live", "--data", data);
  const ask = () => fetch(`${url}/api/v1/production`, { headers: { authorization: `Bearer ${token}` } });
  const answer = await ask();
  assert.is(answer.status, 200);
  assert.match(await answer.text(), /"title":"Small"/);
  await tallylight("keys", "revoke", String(id), "--data", data);
  const refused = await ask();
  assert.is(refused.status, 401);
  await refused.body?.cancel();
  server.signal("SIGTERM");
  assert.is(await server.ended, 0);
  assert.is(server.out(), `${url}\n`);
  assert.not.ok(server.err().includes(token));
});

serving(
  "with --new begins without a production, again on the same directory, but not where a database was lost",
  async () => {
    const folder = join(scratch(), "new", "show");
    for (const again of [false, true]) {
      const server = launch(["serve", "--new", "--data", folder, "--port", "0"]);
      const url = await addressOf(server);
      const pageAt = async (address: string) => (await fetch(address, { headers: { accept: "text/html" } })).text();
      assert.match(await pageAt(url), /No production yet/);
      const { link } = await answerOf("open", "--data", folder);
      for (const begin of [server.out().split("\n")[1] ?? "", String(link)]) {
        assert.ok(begin.startsWith(`${url}/begin?link=`), begin);
        assert.match(await pageAt(begin), /A new production[\s\S]*type="file"/, String(again));
      }
      server.signal("SIGTERM");
      assert.is(await server.ended, 0);
    }
    const proxied = launch([
      "serve",
      "--new",
      "--data",
      folder,
      "--port",
      "0",
      "--json",
      "--public-url",
      "https://tally.example.lan",
    ]);
    await until(() => proxied.out().includes("\n"));
    const { url, begin } = JSON.parse(proxied.out());
    assert.match(begin, /^https:\/\/tally\.example\.lan\/begin\?link=/);
    const { pathname, search } = new URL(begin);
    assert.match(
      await (await fetch(url + pathname + search)).text(),
      /type="file"/,
      "its path works at the server's own address",
    );
    const served = await answerOf("import", writeDocument(smallDocument()), "--data", folder);
    assert.ok(served);
    assert.not.match(await (await fetch(url + pathname + search)).text(), /type="file"/, "the import used it up");
    proxied.signal("SIGTERM");
    assert.is(await proxied.ended, 0);
    const began = launch(["serve", "--new", "--data", folder, "--port", "0"]);
    const address = await addressOf(began);
    assert.is(began.out(), `${address}\n`, "no link: there is a production");
    await until(() => /there is a production already, .+; `.+ open --data .+` prints a link/.test(began.err()));
    began.signal("SIGTERM");
    assert.is(await began.ended, 0);
    mkdirSync(join(folder, "media", "ab"), { recursive: true });
    writeFileSync(join(folder, "media", "ab", "ab"), "bytes");
    for (const name of readdirSync(folder).filter((name) => name.startsWith("tallylight.db")))
      rmSync(join(folder, name));
    const refused = await tallylight("serve", "--new", "--data", folder, "--port", "0");
    assert.is(refused.status, 1);
    assert.match(refused.err, /is missing, but .* has the media of a database/);
    assert.match(
      (await tallylight("serve", "--new", "--replica", "--data", folder)).err,
      /^--new, --replica and --as-found exclude each other/,
    );
  },
);

serving("is refused with one sentence if the port is in use", async () => {
  const first = launch(["serve", "--data", data, "--port", "0"]);
  const { port } = new URL(await addressOf(first));
  const other = join(scratch(), "data");
  await answerOf("import", writeDocument(smallDocument()), "--data", other);
  const second = launch(["serve", "--data", other, "--port", port]);
  assert.is(await second.ended, 1);
  assert.match(second.err(), new RegExp(`^port ${port} of 127\\.0\\.0\\.1 is in use by another program`));
  first.signal("SIGINT");
  assert.is(await first.ended, 0);
});

serving.run();

const demo = suite("demo");

demo("imports the demo, mints two working keys, and mints new ones at the next start", async () => {
  const folder = join(scratch(), "demo");
  const tokens: string[][] = [];
  for (let start = 0; start < 2; start++) {
    const server = launch(["demo", "--data", folder, "--port", "0"]);
    const url = await addressOf(server);
    const curls = [...server.out().matchAll(/curl -H '(Authorization): (Bearer \S+)' (\S+)/g)];
    assert.is(curls.length, 3, server.out());
    for (const [, , bearer, address] of curls) {
      const answer = await fetch(address as string, { headers: { authorization: bearer as string } });
      assert.is(answer.status, 200, `${address}: ${await answer.text()}`);
    }
    assert.ok(server.out().includes(`MCP at ${url}/mcp; `));
    const lines = `${server.out()}${server.err()}`.trimEnd().split("\n");
    const rows = lines.filter((row) => !row.startsWith('{"time"')); // not the log of the requests above
    const onScreen = rows.reduce((sum, row) => sum + Math.max(1, Math.ceil(row.length / 80)), 0);
    assert.ok(onScreen <= 24, `${onScreen} lines:\n${rows.join("\n")}`);
    const [, printed = ""] = /`([^`]* open [^`]*)` prints another/.exec(server.out()) ?? [];
    const typed = printed.replace(/^deno /, `${process.execPath} `); // deno of the tools is not in PATH
    assert.match(execFileSync("sh", ["-c", typed], { encoding: "utf8" }), new RegExp(`^${url}/open\\?link=`));
    tokens.push([...new Set(server.out().match(/tl_[\w-]{43}/g))]);
    server.signal("SIGTERM");
    assert.is(await server.ended, 0);
  }
  assert.is(new Set(tokens.flat()).size, 4);
  const keys = await answerOf("keys", "list", "--data", folder);
  assert.equal(
    keys.map((key: { live: boolean }) => key.live),
    [false, false, true, true],
  );
});

demo("a start that is refused leaves the keys of the demo that runs, also one whose port is taken", async () => {
  const folder = join(scratch(), "running-demo");
  const running = launch(["demo", "--data", folder, "--port", "0"]);
  const url = await addressOf(running);
  const token = /tl_[\w-]{43}/.exec(running.out())?.[0] as string;
  const stopped = join(scratch(), "stopped-demo");
  const before = launch(["demo", "--data", stopped, "--port", "0"]);
  await addressOf(before);
  before.signal("SIGTERM");
  await before.ended;
  const liveKeys = async (data: string) =>
    (await answerOf("keys", "list", "--data", data)).filter(({ live }: { live: boolean }) => live);
  for (const data of [folder, stopped]) {
    const keys = await liveKeys(data);
    const refused = launch(["demo", "--data", data, "--port", new URL(url).port]);
    assert.is(await refused.ended, 1);
    assert.match(refused.err(), data === folder ? /another Tallylight server is using/ : /^port \d+ .* is in use/);
    assert.is(refused.out(), "");
    assert.equal(await liveKeys(data), keys);
  }
  const headers = { authorization: `Bearer ${token}` };
  assert.is((await fetch(`${url}/api/v1/production`, { headers })).status, 200);
  running.signal("SIGTERM");
  assert.is(await running.ended, 0);
});

demo("shoots this week, or as written; one that was imported before this week says so", async () => {
  for (const flags of [[], ["--as-written"]]) {
    const folder = join(scratch(), `dated-demo-${flags.length}`);
    const server = launch(["demo", "--data", folder, "--port", "0", ...flags]);
    await addressOf(server);
    server.signal("SIGTERM");
    await server.ended;
    const store = openStore(join(folder, "tallylight.db"));
    const date = one<string>(store, "SELECT date FROM shoot_days WHERE day_number = 24");
    const distance = Math.abs(Date.parse(date) - Date.now()) / 86_400_000;
    if (flags.length > 0) assert.is(date, "2026-11-20");
    else assert.ok(distance < 7, date);
    assert.not.match(server.err(), /shoots in the week of/);
    store.database.exec("UPDATE api_keys SET created_at = '2026-01-02T00:00:00.000Z'");
    store.close();
    const later = launch(["demo", "--data", folder, "--port", "0"]);
    await addressOf(later);
    later.signal("SIGTERM");
    await later.ended;
    assert.match(later.err(), /this demo shoots in the week of 2026-01-02; .* --again, .* imports one of this week/);
    const again = launch(["demo", "--data", folder, "--port", "0", "--again"]);
    await addressOf(again);
    const served = launch(["demo", "--data", folder, "--port", "0", "--again"]);
    assert.is(await served.ended, 1);
    assert.match(served.err(), /a Tallylight server is using .*; stop it first/);
    again.signal("SIGTERM");
    await again.ended;
    const aside = /the former demo is in (.+)/.exec(again.err())?.[1] as string;
    assert.ok(existsSync(join(aside, "tallylight.db")));
    assert.not.match(again.err(), /shoots in the week of/);
    const twice = launch(["demo", "--data", folder, "--port", "0", "--again"]);
    assert.is(await twice.ended, 1);
    assert.match(twice.err(), /remove it first/);
  }
});

demo("refuses a directory with other productions", async () => {
  const { status, err } = await tallylight("demo", "--data", data, "--port", "0");
  assert.is(status, 1);
  assert.match(err, /contains other productions/);
});

demo.run();

const launching = suite("the launcher");
const old = oldNode();
const onOldNode = old === undefined ? launching.skip : launching;
if (old === undefined) console.log("no Node older than 22 at /usr/bin/node: the launcher's tests on one are skipped");

onOldNode("on an old Node runs the pinned one and passes signals and the exit status on", async () => {
  const refused = launch(["keys", "revoke", "77", "--data", data], old);
  assert.is(await refused.ended, 1);
  assert.match(refused.err(), /^there is no key 77;/);
  const server = launch(["serve", "--data", data, "--port", "0"], old);
  await addressOf(server);
  server.signal("SIGTERM");
  assert.is(await server.ended, 0);
});

/** Runs the launcher of a checkout in which only some packages are installed; answers what it said. */
function saidWithout(node: string, packages: readonly string[]): string {
  const folder = scratch();
  for (const name of ["bin", "src/cli"]) mkdirSync(join(folder, name), { recursive: true });
  for (const name of ["bin/tallylight.js", "bin/pinned_node.js", "package.json", "src/cli/main.ts"])
    cpSync(join(root, name), join(folder, name));
  for (const name of packages) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, "node_modules", name), link);
  }
  const { status, stderr } = spawnSync(node, [join(folder, "bin/tallylight.js"), "demo"], { encoding: "utf8" });
  assert.is(status, 1);
  assert.ok(stderr.endsWith(`; run \`npm ci\` in ${folder}/ first, which installs it\n`), stderr);
  return stderr;
}

onOldNode("on an old Node without a pinned one says what is needed and loads nothing", () => {
  const said = saidWithout(old as string, []);
  assert.match(said, /^tallylight needs Node 22 or newer, or Deno 2, and this is Node \d+\.\d+\.\d+; /);
});

const onNode = process.versions.deno === undefined ? launching : launching.skip; // npm installs the command as a link
onNode("without its packages, or without one of them, says to install them and loads nothing", () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const names = Object.keys(dependencies);
  for (const present of [[], names.slice(0, 1), names.slice(0, -1)])
    assert.match(saidWithout(process.execPath, present), /^tallylight needs the package \S+, which is not installed; /);
});

onNode("works through a link, from any folder", () => {
  const link = join(scratch(), "tallylight");
  symlinkSync(join(root, "bin/tallylight.js"), link);
  const argv = [link, "productions", "list", "--json", "--data", data];
  const out = execFileSync(process.execPath, argv, { encoding: "utf8", cwd: scratch() });
  assert.is(JSON.parse(out)[0].title, "Small");
});

const packs = isThorough ? onNode : launching.skip; // it makes JavaScript of every file
packs("runs below node_modules as npm packs it, without tsx, with its threads", async () => {
  const place = join(scratch(), "node_modules", "tallylight");
  const { files, dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  execFileSync(process.execPath, [join(root, ".ci/package/javascript.ts"), join(root, "src"), join(place, "lib")]);
  for (const file of files.filter((file: string) => file !== "lib" && !file.startsWith("!")))
    cpSync(join(root, file), join(place, file), { recursive: true });
  cpSync(join(root, "package.json"), join(place, "package.json"));
  for (const name of Object.keys(dependencies)) {
    const link = join(place, "..", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, "node_modules", name), link);
  }
  const packed = join(place, "bin/tallylight.js");
  const command = (...argv: string[]) => execFileSync(process.execPath, [packed, ...argv], { encoding: "utf8" });
  const show = join(scratch(), "data");
  command("import", writeDocument(smallDocument()), "--data", show);
  const { token } = JSON.parse(
    command("keys", "mint", "--production", "1", "--label", "x", "--scope", "admin", "--data", show, "--json"),
  );
  const server = launch(["serve", "--data", show, "--port", "0"], process.execPath, packed);
  const url = await addressOf(server);
  const answer = await fetch(`${url}/api/v1/admin/import`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ people: [{ name: "Mira Holt", role: "Grip" }] }),
  });
  assert.is(answer.status, 200, await answer.text());
  server.signal("SIGTERM");
  assert.is(await server.ended, 0);
});

launching.run();

const cache = suite("the cache of compiled code");
const cacheOnNode = process.versions.deno === undefined && process.getuid !== undefined ? cache : cache.skip;
const asRoot = process.getuid?.() === 0 ? cacheOnNode : cache.skip;

/** The folder that the launcher gives to Node with these variables; "" if it gives none. */
function cacheWith(variables: Record<string, string>): string {
  const { NODE_COMPILE_CACHE: _, XDG_CACHE_HOME: __, CACHE_DIRECTORY: ___, ...env } = process.env;
  const text = `import { enableCompileCache } from ${JSON.stringify(join(root, "bin/compile_cache.js"))};
    enableCompileCache(); console.log(process.env.NODE_COMPILE_CACHE ?? "");`;
  const argv = ["--input-type=module", "--eval", text];
  return execFileSync(process.execPath, argv, { encoding: "utf8", env: { ...env, ...variables } }).trim();
}

cacheOnNode("is a folder of the user's own, which only the user can read", () => {
  const home = scratch();
  mkdirSync(join(home, ".cache"));
  assert.is(cacheWith({ HOME: home }), join(home, ".cache/tallylight"));
  assert.is(statSync(join(home, ".cache/tallylight")).mode & 0o777, 0o700);
  const named = join(scratch(), "a/b");
  assert.is(cacheWith({ HOME: home, XDG_CACHE_HOME: named }), join(named, "tallylight"));
  const service = join(scratch(), "cache");
  assert.is(cacheWith({ HOME: home, XDG_CACHE_HOME: named, CACHE_DIRECTORY: service }), service);
});

cacheOnNode("is not used if others may write to it or above it", () => {
  const home = scratch();
  const own = join(home, ".cache/tallylight");
  mkdirSync(own, { recursive: true });
  for (const folder of [own, join(home, ".cache"), home]) {
    chmodSync(folder, 0o777);
    assert.is(cacheWith({ HOME: home }), "", folder);
    chmodSync(folder, 0o700);
  }
  assert.is(cacheWith({ HOME: home }), own);
});

asRoot("is neither used nor made in a folder of another user", () => {
  const home = scratch();
  chownSync(home, 1000, 1000);
  assert.is(cacheWith({ HOME: home }), "");
  assert.not.ok(existsSync(join(home, ".cache")));
  const other = scratch();
  symlinkSync(home, join(other, ".cache"));
  assert.is(cacheWith({ HOME: other }), "");
});

cacheOnNode("is left out without a word where it cannot be made", () => {
  const home = scratch();
  symlinkSync("/proc/version", join(home, ".cache"));
  assert.is(cacheWith({ HOME: home }), "");
});

cacheOnNode("is written while the server runs, because one that is killed writes nothing", async () => {
  const folder = scratch();
  const variables = { CACHE_DIRECTORY: folder, NODE_COMPILE_CACHE: undefined };
  const server = launch(["serve", "--data", data, "--port", "0"], undefined, undefined, variables);
  await addressOf(server);
  const files = () => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  await until(() => files().length > 100);
  server.child.kill("SIGKILL");
  await server.ended;
});

cache.run();
