// Compares what changes cost in the new engine and in the former one, in one paired run: the processor time of a
// command, the part of it under the write lock, and the peak of memory. SIZES=2000,20000 ROUNDS=1. Prints a table with
// the ratios.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../support/folder.ts";
import { writeLarger } from "../support/larger.ts";
import { runtime } from "../support/runtime.ts";
import type { Json } from "../support/update.ts";
import { type Checkout, comparedCheckouts } from "./checkouts.ts";

const { env } = process;
const sizes = (env.SIZES ?? "2000,20000").split(",").map(Number);
const rounds = Number(env.ROUNDS ?? 1);

interface Measured {
  cpu: number;
  locked: number;
  memory: number;
  change_set?: string;
}

interface Program extends Checkout {
  name: "former" | "present";
}
const checkouts = comparedCheckouts(env);
const programs: readonly Program[] = [
  { name: "former", ...checkouts.former },
  { name: "present", ...checkouts.present },
];

const program = fileURLToPath(new URL("measured.ts", import.meta.url));
const preload = fileURLToPath(new URL("preload.ts", import.meta.url));

function measure({ root }: Program, ...commands: string[][]): Measured {
  const words = commands.map((argv) => JSON.stringify([...argv, "--json"]));
  const options = {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    env: { ...env, COMPARED_ROOT: root },
  } as const;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...runtime, "--import", preload, program, root, ...words],
    options,
  );
  if (status !== 0) throw new Error(`${root}: ${stderr.slice(0, 2000)}`);
  return JSON.parse(stdout);
}

/** A document that gives scenes a synopsis. */
const synopses = (scenes: readonly Json[], synopsis: string): Json => ({
  scenes: scenes.map(({ number }) => ({ number, synopsis })),
});

interface Row {
  what: string;
  measured: Record<Program["name"], Measured[]>;
}

/** Measures one program after the other in each round; each begins with a data directory of its own. */
async function rowsOf(size: number): Promise<Row[]> {
  const folder = temporaryFolder();
  const file = join(folder, "larger.json");
  await writeLarger(file, { scenes: size, assets: Math.min(size, 2_000), versions: 1, engagements: 10 });
  const { scenes }: { scenes: Json[] } = JSON.parse(readFileSync(file, "utf8"));
  const put = (name: string, document: Json): string => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(document));
    return path;
  };
  const one = put("one.json", synopses(scenes.slice(5, 6), "One field"));
  const two = put("two.json", synopses(scenes.slice(6, 7), "One more field"));
  const some = put("some.json", synopses(scenes.slice(0, 136), "Some scenes"));
  const all = put("all.json", {
    scenes: scenes.map(({ number, elements }) => ({ number, synopsis: "All", elements: { ...elements, pages: "3" } })),
  });
  const rows = new Map<string, Row>();
  for (let round = 0; round < rounds; round++)
    for (const program of programs) {
      const data = join(folder, "data");
      const note = (what: string, measured: Measured): Measured => {
        const row: Row = rows.get(what) ?? { what, measured: { former: [], present: [] } };
        rows.set(what, row);
        row.measured[program.name].push(measured);
        return measured;
      };
      const update = (path: string, ...more: string[]) => [
        "import",
        path,
        "--production",
        "1",
        "--data",
        data,
        ...more,
      ];
      const warm = update(one, "--dry-run");
      note("create", measure(program, ["import", file, "--data", data]));
      const exports = join(folder, "exports");
      measure(program, ["export", "--production", "1", "--data", data, "--out", exports]);
      const exported = join(exports, readdirSync(exports).find((name) => name.endsWith(".json")) ?? "");
      note("one field", measure(program, warm, warm, update(one), update(two)));
      note("its own export", measure(program, warm, update(exported)));
      note("136 scenes", measure(program, warm, update(some)));
      const { change_set = "" } = note("every scene", measure(program, warm, update(all)));
      const undo = ["undo", change_set, "--data", data];
      note("undo of every scene", measure(program, warm, undo));
      rmSync(data, { recursive: true });
      rmSync(exports, { recursive: true });
    }
  rmSync(folder, { recursive: true });
  return [...rows.values()];
}

const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;
const columns = ["cpu", "locked", "memory"] as const;

for (const size of sizes) {
  console.log(
    `${size} scenes: processor time and time under the lock in ms, peak of memory in MiB: former, present, ratio`,
  );
  for (const { what, measured } of await rowsOf(size)) {
    const cells = columns.map((column) => {
      const of = (name: Program["name"]) => middle(measured[name].map((one) => one[column]));
      const [former, present] = [of("former"), of("present")];
      return `${column} ${former.toFixed(0)} ${present.toFixed(0)} ${(present / former).toFixed(2)}`;
    });
    console.log(`  ${what.padEnd(20)} ${cells.map((cell) => cell.padEnd(24)).join("")}`);
  }
}
