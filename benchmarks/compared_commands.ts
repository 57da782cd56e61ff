// Runs commands of this checkout and of a former one, each in a process of its own, and prints what they took: the
// processor time and the part of it under the write lock in ms, the peak of memory in MiB, and the ratios to the former
// one. FORMER=/path/to/checkout is the former one, with its packages, such as that of a release; ROUNDS=3.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { runtime } from "../test/support/runtime.ts";

const { FORMER: former = "", ROUNDS = "3" } = process.env;
if (former === "") throw new Error("set FORMER to the folder of a former checkout with its packages");
const checkouts = { former, present: fileURLToPath(new URL("..", import.meta.url)) };
const names = ["former", "present"] as const;
export type Name = (typeof names)[number];

export interface Measured {
  cpu: number;
  locked: number;
  memory: number;
  /** Of an update. */
  change_set?: string;
}

const program = fileURLToPath(new URL("measured_commands.ts", import.meta.url));

/** What the last of some commands takes, after those before it in the same process. */
export function measure(name: Name, ...commands: string[][]): Measured {
  const words = commands.map((argv) => JSON.stringify([...argv, "--json"]));
  const argv = [...runtime, program, checkouts[name], ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8", maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(`${checkouts[name]}: ${stderr.slice(0, 2000)}`);
  return JSON.parse(stdout);
}

type Note = (what: string, measured: Measured) => Measured;
const columns = ["cpu", "locked", "memory"] as const;
const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

/** Does the work with one program after the other in each round, and prints the medians of what `note` was given. */
export function compare(title: string, work: (name: Name, note: Note) => void): void {
  const rows = new Map<string, Record<Name, Measured[]>>();
  for (let round = 0; round < Number(ROUNDS); round++)
    for (const name of names)
      work(name, (what, measured) => {
        const row = rows.get(what) ?? { former: [], present: [] };
        rows.set(what, row);
        row[name].push(measured);
        return measured;
      });
  console.log(`${title}, ${ROUNDS} rounds: former, present, ratio`);
  for (const [what, row] of rows) {
    const cells = columns.map((column) => {
      const [before, now] = names.map((name) => middle(row[name].map((one) => one[column]))) as [number, number];
      return `${column} ${before.toFixed(0)} ${now.toFixed(0)} ${(now / before).toFixed(2)}`;
    });
    console.log(`  ${what.padEnd(24)} ${cells.map((cell) => cell.padEnd(24)).join("")}`);
  }
}
