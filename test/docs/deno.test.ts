// The server on Deno with exactly the permissions that the operating guide gives: it serves, writes, and says that it
// can be written to.
// It starts a server on Deno.
// Thorough: only --all runs it.
import { spawn } from "node:child_process";
import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { demoFolder, mint, openTestServer } from "../support/app.ts";
import { root } from "../support/command.ts";
import { folderOnDisk } from "../support/folder.ts";
import { freePort } from "../support/free_port.ts";
import { programOf } from "../support/tools.ts";
import { until } from "../support/until.ts";

const deno = programOf("deno");
const onDeno = suite("a server on Deno with the documented permissions");
const check = deno !== undefined && process.versions.deno === undefined ? onDeno : onDeno.skip;
if (deno === undefined) console.log("skipped: deno is not installed");

/** A copy of the checkout without links, because Deno may read nothing outside of it, and its data directory. */
async function copyCheckout(): Promise<{ folder: string; token: string }> {
  const folder = folderOnDisk();
  const { dependencies } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages[""];
  const nested = ["@noble/hashes", "@paralleldrive/cuid2", "asap", "dezalgo", "once", "wrappy", "xmlchars"];
  const modules = [...Object.keys(dependencies), ...nested].map((name) => `node_modules/${name}`);
  for (const part of ["bin", "src", "sql", "fixtures", "package.json", ...modules])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  const data = join(folder, "data");
  cpSync(await demoFolder(), data, { recursive: true });
  const server = await openTestServer({ data });
  const token = mint(server.store, { scopes: ["read", "write"] });
  await server.close();
  return { folder, token };
}

/** The flags of the guide's command, with another port. */
function documentedFlags(port: number): string[] {
  const guide = readFileSync(join(root, "docs/operating.md"), "utf8");
  const [command = ""] = /^deno run (?:.*\\\n)*.*serve.*$/m.exec(guide) ?? [];
  const words = command.replaceAll("\\\n", " ").replaceAll("'", "").replaceAll("8787", String(port));
  return [...words.split(/\s+/).slice(1), "--port", String(port)];
}

interface Health {
  writable?: boolean;
  reason?: string;
}

/** Runs `work` while a server runs. Returns what the server said. */
async function serving(folder: string, work: (url: string, health: Health) => Promise<void>) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const words = [deno as string, ...documentedFlags(port)];
  const env = { ...process.env, HOME: folder, DENO_DIR: join(folder, "cache"), TMPDIR: join(folder, "data") };
  const child = spawn(words[0] as string, words.slice(1), { cwd: folder, env });
  const ended = new Promise((resolve) => child.on("close", resolve));
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  try {
    let health: Health | undefined;
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`it ended: ${said}`);
      health = await fetch(`${url}/healthz`).then(
        (answer) => answer.json() as Promise<Health>,
        () => undefined,
      );
      return health !== undefined;
    }, 30);
    await work(url, health as Health);
  } finally {
    child.kill();
    await ended;
  }
  return said;
}

check("can be written to, and leaves no file of its own trials", async () => {
  const { folder, token } = await copyCheckout();
  const said = await serving(folder, async (url, health) => {
    assert.is(health.writable ?? true, true, health.reason);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const body = JSON.stringify({ scenes: [] });
    const answer = await fetch(`${url}/api/v1/uploads`, { method: "POST", headers, body });
    assert.is.not(answer.status, 503, await answer.text());
  });
  assert.not.match(said, /can only be read|write-check/);
  rmSync(folder, { recursive: true });
});

onDeno.run();
