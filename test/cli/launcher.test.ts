import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addressOf, answerOf, launch, root, tallylight } from "../support/command.ts";
import { scratch, smallDocument, writeDocument } from "../support/small_document.ts";

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
    assert.ok(server.out().includes(`"url": "${url}/mcp"`));
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

onOldNode("on an old Node without a pinned one says what is needed and loads nothing", async () => {
  const folder = scratch();
  mkdirSync(join(folder, "bin"));
  cpSync(join(root, "bin/tallylight.js"), join(folder, "bin/tallylight.js"));
  cpSync(join(root, "package.json"), join(folder, "package.json"));
  const output = { status: 0, err: "" };
  try {
    execFileSync(old as string, [join(folder, "bin/tallylight.js"), "keys", "list"], {
      encoding: "utf8",
      stdio: "pipe",
    });
  } catch (error) {
    Object.assign(output, { status: (error as { status: number }).status, err: (error as { stderr: string }).stderr });
  }
  assert.is(output.status, 1);
  assert.match(output.err, /^tallylight needs Node 22 or newer, or Deno 2; this is Node \d+\.\d+\.\d+ /);
});

const onNode = process.versions.deno === undefined ? launching : launching.skip; // npm installs the command as a link
onNode("works through a link, from any folder", () => {
  const link = join(scratch(), "tallylight");
  symlinkSync(join(root, "bin/tallylight.js"), link);
  const argv = [link, "productions", "list", "--json", "--data", data];
  const out = execFileSync(process.execPath, argv, { encoding: "utf8", cwd: scratch() });
  assert.is(JSON.parse(out)[0].title, "Small");
});

launching.run();
