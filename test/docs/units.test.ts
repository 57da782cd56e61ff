// The units of docs/systemd start only what can start, wait for what comes late, and give up in the end.
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "../support/command.ts";

const test = suite("the units of systemd");
const folder = join(root, "docs/systemd");
const needed: Readonly<Record<string, string>> = {
  "tallylight.service": "/var/lib/tallylight/tallylight.db",
  "tallylight-agent.service": "/etc/tallylight/agent.json",
  "tallylight-follow.service": "/etc/tallylight/follow.json",
};
const seconds = (span: string): number => Number.parseInt(span, 10) * (span.endsWith("h") ? 3600 : 1);

for (const name of globSync("*.service", { cwd: folder }).sort()) {
  const text = readFileSync(join(folder, name), "utf8");
  const lineOf = (key: string): string => new RegExp(`^${key}=(.*)$`, "m").exec(text)?.[1] ?? "";

  test(`${name} waits for an hour at least, and not for ever`, () => {
    assert.is(lineOf("ConditionPathExists"), needed[name]);
    assert.ok(lineOf("RestartPreventExitStatus").split(" ").includes("2"));
    const [burst, pause, interval] = [
      Number(lineOf("StartLimitBurst")),
      seconds(lineOf("RestartSec")),
      seconds(lineOf("StartLimitIntervalSec")),
    ];
    assert.ok(burst * pause >= 3600, "what comes late is waited for");
    assert.ok(burst * (pause + 2) < interval, "a start that fails within 2 s is given up");
    if (text.includes("--config")) assert.match(text, new RegExp(lineOf("ConditionPathExists")));
  });
}

const canVerify = spawnSync("systemd-analyze", ["--version"]).status === 0;
(canVerify ? test : test.skip)("systemd knows every line of them", () => {
  const { stderr } = spawnSync("systemd-analyze", ["verify", ...globSync(join(folder, "*.service"))], {
    encoding: "utf8",
  });
  assert.not.match(stderr, /Unknown|Failed to parse|ignoring/i);
});

test.run();
