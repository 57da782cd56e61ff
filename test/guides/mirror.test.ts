// The example client that mirrors a production: at most thirty requests for 2,000 scenes, and the same rows as the server after kill -9
// beside a writer.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { mint, openTestServer, temporaryFolder } from "../support/app.ts";
import { folderOfLarger } from "../support/larger_production.ts";
import { runtime } from "../support/runtime.ts";
import { some } from "../support/sampling.ts";

type Row = Record<string, any>;

const script = fileURLToPath(new URL("mirror.ts", import.meta.url));
const server = await openTestServer({ data: await folderOfLarger() });
const token = mint(server.store, { scopes: ["read", "write", "admin"] });
const file = join(temporaryFolder(), "mirror.json");
const running = new Set<ChildProcess>();

function start(...flags: string[]): { child: ChildProcess; out: () => string; ended: Promise<number | null> } {
  const env = { ...process.env, TALLYLIGHT_URL: server.url, TALLYLIGHT_KEY: token };
  const child = spawn(process.execPath, [...runtime, script, file, ...flags], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let out = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk) => {
      out += chunk;
    });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, out: () => out, ended };
}

const send = async (path: string, body: object): Promise<void> => {
  const headers = { "content-type": "application/json" };
  const response = await server.ask(token, `/api/v1${path}`, { method: "POST", body: JSON.stringify(body), headers });
  assert.is(response.status, 200, await response.text());
};

/** One change of each kind; `n` makes it another one each time. */
async function write(n: number): Promise<void> {
  await send("/admin/import", {
    scenes: [
      { number: `${n + 1}`, synopsis: `Other ${n}` },
      { number: `${n + 1}Z`, slugline: `INT. NEW ${n} - DAY` },
    ],
    assets: [{ label: `Thing ${n}`, was: `Thing ${n}`, status: "done" }],
    people: [{ name: `New person ${n}`, role: "Runner" }],
    schedule: [{ day_number: n + 1, general_call: `0${n % 10}:30` }],
  });
  await send("/assets", { label: `Created ${n}`, kind: "prop" });
}

/** The rows of the mirror, list by list, compared with those of the server. */
async function assertSame(): Promise<void> {
  const { lists } = JSON.parse(readFileSync(file, "utf8")) as { lists: Record<string, Record<string, Row>> };
  for (const [list, rows] of Object.entries(lists)) {
    const query = list === "scenes" ? "?include=assets" : list === "script-changes" ? "?status=all&all_episodes=1" : "";
    assert.equal(Object.values(rows), await server.get(token, `/${list}${query}`), list);
  }
  assert.is(Object.keys(lists).length, 10);
}

const mirror = suite("a mirror");

mirror("takes at most thirty requests for 2,000 scenes", async () => {
  const { ended, out } = start("--once");
  assert.is(await ended, 0, out());
  const requests = Number(/mirrored in (\d+) requests/.exec(out())?.[1]);
  assert.ok(requests > 0 && requests <= 30, out());
  await assertSame();
});

mirror("has the rows of the server after it is killed beside a writer", async () => {
  for (let round = 0; round < some(12); round++) {
    const { child, ended, out } = start();
    await write(2 * round);
    child.kill("SIGKILL");
    await ended;
    assert.not.match(out(), /mirrored/, "it continues with its file");
    await write(2 * round + 1);
  }
  const { ended, out } = start("--once");
  assert.is(await ended, 0, out());
  await assertSame();
});

mirror.after(async () => {
  for (const child of running) child.kill("SIGKILL");
  await server.stop();
});
mirror.run();
