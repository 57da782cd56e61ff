// npm run growth: doubles the size of every input three times. The processor time and the memory of the result must
// grow by at most 2.3 for each doubling (the geometric mean of the three), in the median of the attempts: one lucky
// attempt does not let a case pass, and one disturbed attempt does not fail it. A case that grows too much is measured
// again in a process of its own, without what other cases left in this one. Words as arguments choose the cases.

import { spawnSync } from "node:child_process";
import type { Case, Step } from "./growth/cases.ts";
import { drafts } from "./growth/drafts.ts";
import { expressions } from "./growth/expressions.ts";
import { readers } from "./growth/readers.ts";
import { updates } from "./growth/updates.ts";
import { median } from "./median.ts";

const maxGrowth = 2.3;
/** A case that grows too much is measured more often, because other programs disturb a measurement. */
const attempts = [1, 3, 5];
const repeats = 3;
/** A step that took longer, in milliseconds, is not done again. */
const long = 50;
/** A ratio below this is far from the limit: one attempt is enough. */
const clear = 2.2;
/** Less than this is not compared. */
const least = { time: 20, memory: 4 * 2 ** 20 };
type Measured = keyof typeof least;
const measured: readonly Measured[] = ["time", "memory"];

const { gc } = globalThis;
if (gc === undefined) throw new Error("run it with --expose-gc");

/** Of this thread alone, where the runtime can tell: others collect garbage and compile. */
const processorTime = (): number => {
  const { user, system } = (process.threadCpuUsage ?? process.cpuUsage).call(process);
  return (user + system) / 1000;
};

/** The processor time in milliseconds and the bytes of the result; the least of the runs. */
async function measure({ repeats: again, run }: Step): Promise<Record<Measured, number>> {
  const figures = { time: Number.POSITIVE_INFINITY, memory: Number.POSITIVE_INFINITY };
  for (let at = 0; at < (again ? repeats : 1); at++) {
    if (at > 0 && figures.time > long) break;
    gc?.();
    const before = process.memoryUsage().heapUsed;
    const start = processorTime();
    const result = await run();
    figures.time = Math.min(figures.time, processorTime() - start);
    gc?.();
    const memory = process.memoryUsage().heapUsed - before;
    figures.memory = Math.min(figures.memory, result === undefined ? 0 : memory);
  }
  return figures;
}

/** The growth of one doubling, over all of them. */
const growthOf = (doublings: readonly number[]): number =>
  doublings.reduce((product, ratio) => product * ratio, 1) ** (1 / doublings.length);

/** For each step and figure: the ratios of each doubling, in all attempts. */
type Ratios = Map<string, number[][]>;

async function attempt({ size, open }: Case, ratios: Ratios): Promise<void> {
  let former: Record<Measured, number>[] = [];
  for (const factor of [1, 2, 4, 8]) {
    const { steps, close } = await open(size * factor);
    const figures: Record<Measured, number>[] = [];
    for (const [at, step] of steps.entries()) {
      const now = await measure(step);
      figures.push(now);
      const before = former[at];
      if (before === undefined) continue;
      for (const figure of measured) {
        const name = `${step.name}, ${figure}`;
        const all = ratios.get(name) ?? [[], [], []];
        ratios.set(name, all);
        all[Math.log2(factor) - 1]?.push(
          Math.max(now[figure], least[figure]) / Math.max(before[figure], least[figure]),
        );
      }
    }
    close();
    former = figures;
  }
}

const words = process.argv.slice(2);
const cases = [...readers, ...updates, ...drafts, ...expressions].filter(
  ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
);
/** Whether a case passes in a process of its own, whose lines are printed. */
function passesAlone(name: string): boolean {
  if (process.env.GROWTH_ALONE !== undefined) return false;
  const [program = ""] = process.argv.slice(1);
  const env = { ...process.env, GROWTH_ALONE: "1" };
  return spawnSync(process.execPath, [...process.execArgv, program, name], { stdio: "inherit", env }).status === 0;
}

let failed = 0;
for (const one of cases) {
  const { steps, close } = await one.open(one.size * 4);
  for (const step of steps) await step.run(); // compiles; the smallest input would be too small for it
  close();
  const ratios: Ratios = new Map();
  let done = 0;
  let medians: [string, number[]][] = [];
  const worst = () => Math.max(...medians.map(([, each]) => growthOf(each)));
  for (const count of attempts) {
    for (; done < count; done++) await attempt(one, ratios);
    medians = [...ratios].map(([name, each]) => [name, each.map(median)]);
    if (worst() <= (done === 1 ? clear : maxGrowth)) break;
  }
  const passed = worst() <= maxGrowth;
  const shown = (each: readonly number[]) => each.map((ratio) => ratio.toFixed(2)).join(" ");
  const named = passed ? [] : medians.filter(([, each]) => growthOf(each) > maxGrowth);
  console.log(`${passed ? "ok  " : "slow"} ${one.name}: at most ${worst().toFixed(2)} in ${done} attempts`);
  for (const [name, each] of named) console.log(`       ${name}: ${shown(each)}`);
  if (!passed && !passesAlone(one.name)) failed++;
}
console.log(`${cases.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
