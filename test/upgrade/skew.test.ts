// 1.0.0 next to this version: its guides against the newer server, newer commands on a directory that it serves, and a
// newer agent.
// Thorough: only --all runs it.
import { spawn } from "node:child_process";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openTestServer, temporaryFolder } from "../support/app.ts";
import { hasPython } from "../support/checkout.ts";
import { tallylight } from "../support/command.ts";
import { runtime } from "../support/runtime.ts";
import { type KeptKey, unpackKept } from "./kept.ts";
import { type Program, programOf } from "./program.ts";

const kept = unpackKept("1.0.0");
const former = programOf(kept.commit);
const workspace = temporaryFolder();
const tokenOf = (name: string): string => (kept.keys[name] as KeptKey).token;
const reason = former === undefined ? ": skipped, this checkout has no history" : "";

const commands = suite(`newer commands on a directory that 1.0.0 serves${reason}`);
const onFormer = former === undefined ? commands.skip : commands;

onFormer("doctor and backup work, and every other command refuses with one sentence", async () => {
  const { serve } = former as Program; // the case is skipped without it
  const { url, stop } = await serve(kept.folder);
  try {
    const works = [["doctor"], ["backup", join(workspace, "a.backup")]];
    for (const argv of works) {
      const { status, out, err } = await tallylight(...argv, "--data", kept.folder);
      assert.is(status, 0, `${argv}: ${out}${err}`);
    }
    for (const argv of [
      ["keys", "list"],
      ["export", "--production", "1"],
      ["versions", "release", "1"],
    ]) {
      const { status, out, err } = await tallylight(...argv, "--data", kept.folder);
      assert.equal([status, out], [1, ""], argv.join(" "));
      assert.match(err, /^a server of an older version uses .+; nothing was changed\n$/);
    }
    const response = await fetch(`${url}/api/v1/production`, {
      headers: { authorization: `Bearer ${tokenOf("1 read")}` },
    });
    assert.is(response.status, 200);
  } finally {
    await stop();
  }
  assert.equal(
    readdirSync(kept.folder).filter((name) => name.includes("before")),
    [],
  );
});

onFormer("a newer agent reports its files to 1.0.0", async () => {
  const { serve } = former as Program; // the case is skipped without it
  const { url, stop } = await serve(kept.folder);
  const rootFolder = temporaryFolder();
  writeFileSync(join(rootFolder, "A001.mov"), "a clip");
  const flags = [
    "--url",
    url,
    "--key",
    tokenOf("2 default"),
    "--filespace",
    "kept-2",
    "--root",
    rootFolder,
    "--state",
    join(workspace, "agent"),
  ];
  try {
    const { status, out, err } = await tallylight("agent", ...flags, "--once", "--confirm-deletes");
    assert.is(status, 0, out + err);
  } finally {
    await stop();
  }
});
commands.run();

const guides = suite(`the guides of 1.0.0 against this server${reason}`);
const ways = [
  { name: "pipeline.py", command: ["python3"], runs: hasPython },
  { name: "pipeline.ts", command: [process.execPath, ...runtime], runs: true },
];

for (const { name, command, runs } of ways) {
  const check = former === undefined || !runs ? guides.skip : guides;
  check(`${name} polls a bundle and submits a turnover`, async () => {
    const script = join((former as Program).folder, "test/guides", name); // the case is skipped without it
    assert.ok(existsSync(script));
    const server = await openTestServer({ data: unpackKept("1.0.0").folder });
    const run = (key: string, ...args: string[]): Promise<string> =>
      new Promise((resolve) => {
        const [program, ...rest] = [...command, script, ...args] as [string, ...string[]];
        const child = spawn(program, rest, {
          env: { ...process.env, TALLYLIGHT_URL: server.url, TALLYLIGHT_KEY: tokenOf(key) },
        });
        let text = "";
        for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
        child.on("close", (status) => resolve(`${status}: ${text}`));
      });
    const every = name.endsWith(".py") ? ["--every", "0.1", "--times", "2"] : ["0.1", "2"];
    assert.match(await run("1 read", "poll", "1", ...every), /^0: scene .+\nunchanged\n$/s);
    const file = join(workspace, "comp.txt");
    writeFileSync(file, "the comp");
    const key = Object.keys(kept.keys).find((label) => label.startsWith("1 engagement")) as string;
    const turnovers = await server.get<{ id: number; can_submit: boolean }[]>(tokenOf(key), "/turnovers");
    const delivery = turnovers.find(({ can_submit }) => can_submit)?.id;
    assert.match(await run(key, "submit", String(delivery), file), /^0: submission \d+, .+: submitted\n/s);
    await server.stop();
  });
}
guides.after(() => {
  for (const folder of [workspace, dirname(kept.folder), ...(former === undefined ? [] : [former.folder])])
    rmSync(folder, { recursive: true, force: true });
});
guides.run();
