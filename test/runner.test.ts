// The runner's lanes: a test file that fails in any way is reported as failed with what it printed, and keeps nothing
// from ending.
// Thorough: only --all runs it.
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
/**
 * A child that holds this process's output open and writes its id to FILE.pid; in a group of its own if it is
 * `detached`.
 */
const childOf = (detached: boolean) => `import { spawn } from "node:child_process";
  import { existsSync } from "node:fs";
  import { fileURLToPath } from "node:url";
  const left = fileURLToPath(import.meta.url) + ".pid";
  spawn("sh", ["-c", 'echo $$ > "$1"; sleep 600', "sh", left], { stdio: "inherit", detached: ${detached} }).unref();
  while (!existsSync(left)) await new Promise((resolve) => setTimeout(resolve, 10));`;
const passing = `import { suite } from ${JSON.stringify(import.meta.resolve("uvu"))};
  const test = suite("x"); test("passes", () => {}); test.run();`;

interface Case {
  text: string;
  /** Milliseconds without output. */
  limit?: number;
  most?: number;
  status: number | null;
  says: RegExp;
}
const cases: Record<string, Case> = {
  "that passes": { text: passing, status: 0, says: /Passed: +1/ },
  "that looks for what was made in the checkout": {
    text: `import { readdirSync } from "node:fs"; if (readdirSync(".").length > 0) throw new Error("found");\n${passing}`,
    status: 0,
    says: /Passed: +1/,
  },
  "that fails": {
    text: passing.replace("{}", '{ throw new Error("wrong") }'),
    status: 1,
    says: /FAIL.*"passes"[\s\S]*wrong/,
  },
  "that throws when it is loaded": { text: 'throw new Error("at once");', status: 1, says: /at once/ },
  "that exits": { text: 'console.log("bye"); process.exit(3);', status: 3, says: /bye/ },
  "that never ends, and always prints": {
    text: 'setInterval(() => console.log("still here"), 100); await new Promise(() => {});',
    limit: 10_000,
    most: 0,
    status: null,
    says: /it had not ended after \d+ s/,
  },
  "that leaves a child with its output": { text: `${childOf(false)}\n${passing}`, status: 0, says: /Passed: +1/ },
  "that leaves a child in another group": { text: `${childOf(true)}\n${passing}`, status: 0, says: /Passed: +1/ },
  "that never ends, with a child in another group": {
    text: `${childOf(true)}\nconsole.log("begun"); setInterval(() => {}, 1000); await new Promise(() => {});`,
    limit: 25_000,
    status: null,
    says: /begun[\s\S]*it had not ended after \d+ s/,
  },
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

for (const [name, { text, limit = 120_000, most, status, says }] of Object.entries(cases)) {
  /** Runs the file, and another one after it. */
  const run = async (own: boolean): Promise<void> => {
    const file = join(folder, `${name.replaceAll(" ", "_")}${own}.test.ts`);
    writeFileSync(file, own ? `process.env.OWN = "1";\n${text}` : text);
    const lane = new Lane([process.execPath, ...runtime], limit, most);
    const results: FileResult[] = [await lane.run(relative(root, file))];
    if (status !== 0) writeFileSync(file, passing); // the next file has a process without what this one left
    results.push(await lane.run(relative(root, file)));
    assert.is(await lane.close(), undefined);
    assert.is(results[0]?.status, status, results[0]?.output);
    assert.match(results[0]?.output.replace(/\x1b\[[0-9;]*m/g, "") ?? "", says);
    assert.is(results[1]?.status, 0, results[1]?.output);
    if (existsSync(`${file}.pid`)) await until(() => !isRunning(Number(readFileSync(`${file}.pid`, "utf8"))));
  };
  // A file that never ends takes its whole time, so both run at once.
  lanes(`runs a file ${name}, in a process of its own and in that of several files`, async () => {
    await Promise.all([run(true), run(false)]);
  });
}

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
