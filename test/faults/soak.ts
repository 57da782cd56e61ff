// The long test: every fault ROUNDS times (200 by default), the attacks on one server at full size, alone and two at a time, then HOURS (1) of fuzzing
// with one seed after the other.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { runtime } from "../support/runtime.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const until = Number(process.env.HOURS ?? 1) * 3_600_000;
const files = globSync("test/faults/*.test.ts", { cwd: root }).sort();

let failed = 0;
function run(file: string, environment: Record<string, string>): void {
  const args = [...runtime, file];
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...environment },
  });
  if (status !== 0) failed++;
}

for (const file of files) run(file, { ROUNDS: process.env.ROUNDS ?? "200" });
run("test/attacks/blocking.test.ts", { FULL: "1" });
run("test/faults/attacks.ts", {});
const started = performance.now();
let seed = Number(process.env.SEED ?? 1);
do {
  run("test/fuzz/run.ts", { SEED: String(seed++), COUNT: process.env.COUNT ?? "500000" });
} while (performance.now() - started < until && failed === 0);
console.log(failed === 0 ? "the soak passed" : `${failed} programs failed`);
process.exit(failed === 0 ? 0 : 1);
