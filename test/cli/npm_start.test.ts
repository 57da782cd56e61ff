// What npm started ends with npm: its shell passes no signal on, so the program looks whether its parent is there.
// Thorough: only --all runs it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { temporaryFolder } from "../support/folder.ts";
import { until } from "../support/until.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const test = suite("npm start");

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

test("once its shell is killed, the server ends, too", async () => {
  const data = join(temporaryFolder(), "demo");
  // What follows keeps the shell from becoming the program itself.
  const words = `"$NODE" .ci/node.js bin/tallylight.js demo --data '${data}' --port 0; true`;
  const env = { ...process.env, NODE: process.execPath, npm_command: "run-script" };
  const shell = spawn("sh", ["-c", words], { cwd: root, env, stdio: ["ignore", "pipe", "ignore"] });
  let url: string | undefined;
  for await (const line of createInterface({ input: shell.stdout })) {
    url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url !== undefined) break;
  }
  assert.ok(url);
  assert.ok(await answers(url));
  const ended = once(shell, "exit");
  shell.kill("SIGTERM");
  await ended;
  await until(async () => !(await answers(url)));
});
test.run();
