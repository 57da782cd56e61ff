// The runner's lanes: a test file that fails in any way is reported as failed with what it printed, and keeps nothing from ending.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { root } from "./support/command.ts";
import { temporaryFolder } from "./support/folder.ts";
import { type FileResult, Lane } from "./support/lane.ts";
import { runtime } from "./support/runtime.ts";
import { until } from "./support/until.ts";

process.env.PATIENCE = "1000"; // how long a lane's process waits for what a file left open
const folder = temporaryFolder();
const left = join(folder, "left");
/** A child that holds this process's output open, and says that it runs. */
const child = `import { spawn } from "node:child_process";
  spawn("sh", ["-c", 'echo $$ > "$1"; sleep 600', "sh", ${JSON.stringify(left)}], { stdio: "inherit" }).unref();
  const { existsSync } = await import("node:fs");
  while (!existsSync(${JSON.stringify(left)})) await new Promise((resolve) => setTimeout(resolve, 10));`;
const passing = `import { suite } from ${JSON.stringify(import.meta.resolve("uvu"))};
  const test = suite("x"); test("passes", () => {}); test.run();`;

interface Case {
  text: string;
  /** Milliseconds for the file. */
  limit?: number;
  status: number | null;
  says: RegExp;
}
const cases: Record<string, Case> = {
  "that passes": { text: passing, status: 0, says: /Passed: +1/ },
  "that fails": {
    text: passing.replace("{}", '{ throw new Error("wrong") }'),
    status: 1,
    says: /FAIL.*"passes"[\s\S]*wrong/,
  },
  "that throws when it is loaded": { text: 'throw new Error("at once");', status: 1, says: /at once/ },
  "that exits": { text: 'console.log("bye"); process.exit(3);', status: 3, says: /bye/ },
  "that never ends": {
    text: 'console.log("begun"); setInterval(() => {}, 1000); await new Promise(() => {});',
    limit: 3000,
    status: null,
    says: /begun[\s\S]*it did not end in 3 s/,
  },
  "that leaves a child with its output": { text: `${child}\n${passing}`, status: 0, says: /Passed: +1/ },
};

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const lanes = suite("a lane");

for (const [name, { text, limit = 120_000, status, says }] of Object.entries(cases))
  for (const own of [false, true])
    lanes(`runs a file ${name} in ${own ? "a process of its own" : "the process of several files"}`, async () => {
      rmSync(left, { force: true });
      const file = join(folder, `${name.replaceAll(" ", "_")}${own}.test.ts`);
      writeFileSync(file, own ? `process.env.OWN = "1";\n${text}` : text);
      const lane = new Lane([process.execPath, ...runtime], limit);
      const results: FileResult[] = [await lane.run(relative(root, file))];
      if (status !== 0) writeFileSync(file, passing); // the next file has a process without what this one left
      results.push(await lane.run(relative(root, file)));
      assert.is(await lane.close(), undefined);
      assert.is(results[0]?.status, status, results[0]?.output);
      assert.match(results[0]?.output.replace(/\x1b\[[0-9;]*m/g, "") ?? "", says);
      assert.is(results[1]?.status, 0, results[1]?.output);
      if (existsSync(left)) await until(() => !isRunning(Number(readFileSync(left, "utf8"))));
    });

lanes("says what a file left open that keeps the process of several files from ending", async () => {
  const file = join(folder, "open.test.ts");
  writeFileSync(file, `${passing}\nsetInterval(() => {}, 1000);`);
  const lane = new Lane([process.execPath, ...runtime], 120_000);
  assert.is((await lane.run(relative(root, file))).status, 0);
  const ended = await lane.close();
  assert.is(ended?.status, 1);
  assert.match(ended?.output ?? "", /after the last file still open: .*Timeout/);
});

lanes.after(() => rmSync(folder, { recursive: true }));
lanes.run();
