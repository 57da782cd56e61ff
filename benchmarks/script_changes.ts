// FORMER=/path/to/checkout node benchmarks/script_changes.ts: what a next draft costs beside another checkout, such as
// that of a release: the draft, the same again, the approval of all, its undo, and the approval of renames of
// characters. SCENES=2000 ROUNDS=3. Prints the median processor time in ms and the peak of memory in MiB, with ratios.
import { spawnSync } from "node:child_process";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "../test/support/folder.ts";
import { runtime } from "../test/support/runtime.ts";

const { env } = process;
const scenes = Number(env.SCENES ?? 2000);
const rounds = Number(env.ROUNDS ?? 3);
const root = fileURLToPath(new URL("..", import.meta.url));
const programs = { former: env.FORMER ?? root, present: env.PRESENT ?? root };
type Name = keyof typeof programs;

interface Measured {
  cpu: number;
  memory: number;
  change_set?: string;
}

const fileOf = (name: string): string => fileURLToPath(new URL(`../test/differential/${name}`, import.meta.url));

function measure(name: Name, ...commands: string[][]): Measured {
  const words = commands.map((argv) => JSON.stringify([...argv, "--json"]));
  const checkout = programs[name];
  const argv = [...runtime, "--import", fileOf("preload.ts"), fileOf("measured.ts"), checkout, ...words];
  const options = { encoding: "utf8", maxBuffer: 2 ** 28, env: { ...env, COMPARED_ROOT: checkout } } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, options);
  if (status !== 0) throw new Error(`${checkout}: ${stderr.slice(0, 2000)}`);
  return JSON.parse(stdout);
}

/** A script whose scenes have text of 60 words and two of the characters. */
function draft(nameOf: (at: number) => string, textOf: (at: number) => string): string {
  const list = Array.from({ length: scenes }, (_, at) => {
    const words = Array.from({ length: 60 }, (_, word) => `w${(at * 31 + word * 7) % 997}`).join(" ");
    const [one, other] = [nameOf(at), nameOf(at + 1)];
    return `INT. ROOM ${at} - DAY #${at + 1}#\n\n${words} ${textOf(at)}.\n\n${one}\nI say ${at}.\n\n${other}\nAnd I.\n`;
  });
  return ["Title: Large", "", ...list].join("\n");
}

const characters = Math.ceil(scenes / 5);
const plain = (at: number) => `PERSON ${at % characters}`;
const renamed = (at: number) => `OTHER ${at % characters}`;
const folder = temporaryFolder();
const put = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const first = put(
  "first.fountain",
  draft(plain, () => "one"),
);
const next = put(
  "next.fountain",
  draft(plain, (at) => (at % 2 === 0 ? "two" : "one")),
);
const names = put(
  "names.fountain",
  draft(renamed, () => "one"),
);

const rows = new Map<string, Record<Name, Measured[]>>();
function note(what: string, name: Name, measured: Measured): Measured {
  const row = rows.get(what) ?? { former: [], present: [] };
  rows.set(what, row);
  row[name].push(measured);
  return measured;
}

for (let round = 0; round < rounds; round++)
  for (const name of ["former", "present"] as const) {
    const [base, data] = [join(folder, "base"), join(folder, "data")];
    const of = (where: string, ...argv: string[]) => [...argv, "--data", where];
    const update = (file: string) => of(data, "import", file, "--production", "1");
    const all = of(data, "script-changes", "approve", "--all", "--production", "1");
    note("first draft", name, measure(name, of(base, "import", first)));
    cpSync(base, data, { recursive: true });
    note("next draft", name, measure(name, update(next)));
    note("the same again", name, measure(name, update(next)));
    const { change_set = "" } = note("approve all", name, measure(name, all));
    note("undo", name, measure(name, of(data, "undo", change_set)));
    rmSync(data, { recursive: true });
    cpSync(base, data, { recursive: true });
    note(`draft of ${characters} renames`, name, measure(name, update(names)));
    note("approve renames", name, measure(name, all));
    for (const one of [base, data]) rmSync(one, { recursive: true });
  }
rmSync(folder, { recursive: true });

const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;
console.log(`${scenes} scenes, ${rounds} rounds: former, present, ratio`);
for (const [what, row] of rows) {
  const cells = (["cpu", "memory"] as const).map((column) => {
    const of = (name: Name) => middle(row[name].map((one) => one[column]));
    const [former, present] = [of("former"), of("present")];
    return `${column} ${former.toFixed(0)} ${present.toFixed(0)} ${(present / former).toFixed(2)}`;
  });
  console.log(`  ${what.padEnd(24)} ${cells.join("   ")}`);
}
