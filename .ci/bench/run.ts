// npm run bench: measures every case in alternating rounds, each subject in its own process on loopback, and prints the
// ratios with their spread. Arguments are words: only cases whose name contains one of them run.
//   --runtime node|deno  default: both             --rounds N  default: 5             --seconds N  of a round's load
// --quick three short rounds --json FILE writes the figures --list prints only the case names
import { writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import { bulkCases } from "./bulk.ts";
import { type Case, type Ratio, requestCases, type Size } from "./cases.ts";
import { crowd } from "./crowd.ts";
import { generator } from "./load.ts";
import { polling } from "./polling.ts";
import { cleanUp } from "./seed_data.ts";
import type { Runtime } from "./subject.ts";

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    runtime: { type: "string" },
    rounds: { type: "string" },
    seconds: { type: "string" },
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    list: { type: "boolean", default: false },
  },
});
const { quick } = values;
const rounds = Number(values.rounds ?? (quick ? 3 : 5));
const size: Size = { seconds: Number(values.seconds ?? (quick ? 1 : 2)), large: quick ? 64 * 2 ** 20 : 2 ** 30 };
const runtimes = (values.runtime === undefined ? ["node", "deno"] : [values.runtime]) as Runtime[];
const chosen = [...requestCases, polling, crowd, ...bulkCases].filter(
  ({ name }) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word.toLowerCase())),
);

const median = (figures: readonly number[]): number => {
  const sorted = [...figures].sort((a, b) => a - b);
  const at = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[at] as number) : ((sorted[at - 1] as number) + (sorted[at] as number)) / 2;
};

const short = (figure: number): string => (figure >= 100 ? figure.toFixed(0) : figure.toPrecision(3));

interface Outcome {
  runtime: Runtime;
  case: string;
  unit: string;
  /** The median of each subject's rounds. */
  medians: Record<string, number>;
  rounds: Record<string, number[]>;
  ratios: (Ratio & { median: number; least: number; most: number; reached: boolean })[];
  facts: Record<string, number>;
}

function ratioOf(ratio: Ratio, figures: Record<string, number[]>): Outcome["ratios"][number] {
  const each = (figures[ratio.of] ?? []).map((figure, round) => figure / (figures[ratio.to]?.[round] as number));
  const middle = median(each);
  const reached = ratio.atMost ? middle <= ratio.target : middle >= ratio.target;
  return { ...ratio, median: middle, least: Math.min(...each), most: Math.max(...each), reached };
}

/** The rate that a fifth of the pieces exceed: those that other programs disturbed least. */
const leastDisturbed = (figures: readonly number[]): number =>
  [...figures].sort((a, b) => a - b)[Math.floor(figures.length * 0.8)] as number;

/** Measures each subject so often; every second time in reverse order, so that none is always first. */
async function measureRound(
  subjects: Readonly<Record<string, () => Promise<number>>>,
  pieces: number,
  isOdd: boolean,
): Promise<Record<string, number>> {
  const names = Object.keys(subjects);
  const figures: Record<string, number[]> = Object.fromEntries(names.map((subject) => [subject, []]));
  for (let piece = 0; piece < pieces; piece++)
    for (const subject of (piece % 2 === 0) === isOdd ? names.toReversed() : names)
      figures[subject]?.push(await (subjects[subject] as () => Promise<number>)());
  return Object.fromEntries(names.map((subject) => [subject, leastDisturbed(figures[subject] as number[])]));
}

/** Runs a warm-up round, then the counted rounds. */
async function measure(runtime: Runtime, { name, pieces = 1, open }: Case): Promise<Outcome> {
  const { subjects, unit, ratios, facts, close } = await open(runtime, size);
  const names = Object.keys(subjects);
  const figures: Record<string, number[]> = Object.fromEntries(names.map((subject) => [subject, []]));
  try {
    for (let round = -1; round < rounds; round++)
      for (const [subject, figure] of Object.entries(await measureRound(subjects, pieces, round % 2 !== 0)))
        if (round >= 0) figures[subject]?.push(figure);
  } finally {
    await close();
  }
  return {
    runtime,
    case: name,
    unit,
    medians: Object.fromEntries(names.map((subject) => [subject, median(figures[subject] as number[])])),
    rounds: figures,
    ratios: ratios.map((ratio) => ratioOf(ratio, figures)),
    facts: facts?.() ?? {},
  };
}

function print({ runtime, case: name, unit, medians, ratios, facts }: Outcome): void {
  const figures = Object.entries(medians).map(([subject, figure]) => `${subject} ${short(figure)}`);
  console.log(`\n${name} on ${runtime}: ${figures.join(", ")} ${unit}`);
  for (const { label, median, least, most, target, atMost, reached } of ratios) {
    const range = `${short(least)} to ${short(most)}`;
    const goal = `${atMost ? "at most" : "at least"} ${target}`;
    console.log(
      `  ${short(median).padStart(5)}  ${range.padEnd(15)} ${reached ? "  " : "! "}${goal.padEnd(14)} ${label}`,
    );
  }
  for (const [fact, figure] of Object.entries(facts)) console.log(`  ${short(figure).padStart(5)}  ${fact}`);
}

if (values.list) for (const { name } of chosen) console.log(name);
else {
  console.log(
    `${chosen.length} cases, ${rounds} rounds of ${size.seconds} s, ${generator}, ${availableParallelism()} cores (${cpus()[0]?.model.trim()}), Node ${process.versions.node}`,
  );
  console.log("median of the rounds' ratios, minimum to maximum, the target (! if it is not reached)");
  const outcomes: Outcome[] = [];
  for (const runtime of runtimes)
    for (const each of chosen) {
      const outcome = await measure(runtime, each);
      outcomes.push(outcome);
      print(outcome);
    }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(outcomes, null, 2)}\n`);
}
cleanUp();
process.exit(0); // fetch keeps connections open
