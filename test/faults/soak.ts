// The long test: the attacks on one server at full size, alone and two at a time, for at most MINUTES (8). With HOURS
// it goes on: the swapped folders of the agent, every fault ROUNDS times (200 by default), and so many hours of fuzzing
// with one seed after the other.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { seed } from "../support/random.ts";
import { runtime } from "../support/runtime.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const hours = process.env.HOURS === undefined ? undefined : Number(process.env.HOURS);
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

run("test/faults/attacks.ts", {});
if (hours !== undefined) {
  run("test/agent/moves.test.ts", { ROUNDS: "20" });
  for (const file of files) run(file, { ROUNDS: process.env.ROUNDS ?? "200" });
  run("test/attacks/blocking.test.ts", { FULL: "1" });
  const started = performance.now();
  let next = seed;
  do {
    run("test/fuzz/run.ts", { SEED: String(next++), COUNT: process.env.COUNT ?? "500000" });
  } while (performance.now() - started < hours * 3_600_000 && failed === 0);
}
console.log(failed === 0 ? "the soak passed" : `${failed} programs failed`);
process.exit(failed === 0 ? 0 : 1);
