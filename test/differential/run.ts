// Compares the new engine of changes with the former one: random steps on copies of one database. SEEDS=5 STEPS=60
// SEED=1. Each difference that known_differences.ts does not allow is printed, and kept with the smallest steps that
// show it in a folder, which is the argument with which they are done again. SCENES=2000 compares a production of that
// size; SCRIPTS=1 compares steps about scripts of productions that begin with one; TABLES=1 leaves out the export and
// the history, which are made of the tables; PRESENT and FORMER are the folders of other checkouts; MOST=1 ends at the
// first difference; TOLD=1 prints each step. SIGTERM ends it after the step that it does. Ends with "N passed, N
// failed".
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomOf, seed } from "../support/random.ts";
import type { Json } from "../support/update.ts";
import { demoBase, largerBase } from "./bases.ts";
import { comparedCheckouts } from "./checkouts.ts";
import type { Difference } from "./compare.ts";
import { type Compared, Comparison, firstDifference, type Programs, type Start } from "./comparison.ts";
import { KnownDifferences } from "./known_differences.ts";
import { baseOfSeed, scriptBase, scriptStep } from "./random_productions.ts";
import { randomStep } from "./random_steps.ts";
import { smallest } from "./smaller.ts";
import { type Step, titleOf } from "./steps.ts";
import { Subject } from "./subject_process.ts";

const { env } = process;
const seeds = Number(env.SEEDS ?? 5);
const steps = Number(env.STEPS ?? 60);
const scenes = env.SCENES === undefined ? undefined : Number(env.SCENES);
const isOfScripts = env.SCRIPTS !== undefined;
/** How long smaller steps are looked for, in milliseconds. */
const patience = Number(env.PATIENCE ?? 90) * 1000;
/** After how many differences it ends. */
const most = Number(env.MOST ?? Number.POSITIVE_INFINITY);
const maxShown = 700;
const maxPrinted = 4;
const maxSteps = 6;

const checkouts = comparedCheckouts(env);
const programs: Programs = {
  former: await Subject.start("former", checkouts.former),
  present: await Subject.start("present", checkouts.present),
};

const did = { steps: 0, same: 0, applied: 0, idle: 0, refused: 0, undone: 0, failed: 0 };
const reasons = new Map<string, number>();
const kinds = new Map<string, { applied: number; refused: number }>();

function count({ step, outcome }: Compared): void {
  did.steps++;
  const changes: unknown[] | undefined = outcome.answer?.changes;
  const kind = step.do === "call" ? step.path.replace(/\d+/, "ID").replace(/\?.*/, "") : step.do;
  const own = kinds.get(kind) ?? { applied: 0, refused: 0 };
  kinds.set(kind, own);
  if (outcome.isRefused) {
    did.refused++;
    own.refused++;
    return;
  }
  own.applied++;
  if (changes?.length === 0) did.idle++;
  else did.applied++;
  if (step.do === "call" && step.path.endsWith("/undo")) did.undone++;
}

/** Prints what a step did. */
function tell({ step, outcome: { isRefused, words, answer } }: Compared): void {
  const text = isRefused ? `refused: ${words}` : short(answer?.counts ?? answer?.location ?? answer).slice(0, 100);
  console.log(`  ${titleOf(step)}: ${text.slice(0, 300).replaceAll("\n", " ")}`);
}

const short = (value: Json): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
};

function print({ where, former, present }: Difference): void {
  console.log(`  ${where}\n    former:  ${short(former)}\n    present: ${short(present)}`);
}

/** Prints the first differences. */
function printAll(differences: readonly Difference[]): void {
  for (const difference of differences.slice(0, maxPrinted)) print(difference);
  if (differences.length > maxPrinted) console.log(`  and ${differences.length - maxPrinted} more`);
}

/** Keeps a difference with the smallest steps that show a difference at the same place. */
async function keep(name: string, start: Start, done: readonly Step[], found: Compared): Promise<void> {
  did.failed++;
  console.log(`\nDIFFERENCE ${name}: ${titleOf(found.step)}`);
  const places = new Set(found.differences.map(({ where }) => where));
  const first = (list: readonly Step[]): Promise<Compared | undefined> => {
    const known = new KnownDifferences();
    const isOther = (one: Difference, step: Step) => known.of(one, step) !== undefined || !places.has(one.where);
    return firstDifference(programs, start, list, isOther);
  };
  const shows = async (list: readonly Step[]): Promise<boolean> => {
    const shown = await first(list);
    return shown !== undefined && shown.step === list.at(-1);
  };
  const fewest = await smallest(done, shows, performance.now() + patience);
  const shown = (await first(fewest)) ?? found;
  const folder = join(tmpdir(), "tallylight-differences", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const { production_id } = start;
  const base = isOfScripts ? baseOfSeed(Number.parseInt(name, 10)) : undefined;
  writeFileSync(join(folder, "steps.json"), JSON.stringify({ production_id, scenes, base, steps: fewest }, null, 1));
  writeFileSync(join(folder, "differences.json"), JSON.stringify(shown.differences, null, 1));
  console.log(`  ${fewest.length} of ${done.length} steps; again: npm run differential -- ${folder}`);
  if (fewest.length > maxSteps) console.log(`  … ${fewest.length - maxSteps} steps before`);
  for (const step of fewest.slice(-maxSteps)) console.log(`  ${short(step)}`);
  printAll(shown.differences);
}

type Bases = Omit<Start, "production_id">;

/** Whether the programs may have stored something else. */
const isOfState = ({ where }: Difference): boolean => /^(?:table|export|history|refusal)/.test(where);

let isStopped = false;
process.once("SIGTERM", () => {
  isStopped = true;
});

/** Random steps of one seed, until the programs have stored something else that later steps may show. */
async function runSeed(bases: Bases, seed: number): Promise<void> {
  const production_id = scenes === undefined ? 1 + (seed % 2) : 1;
  const start = { ...bases, production_id };
  const random = randomOf(seed);
  const done: Step[] = [];
  const known = new KnownDifferences();
  const comparison = await Comparison.begin(programs, start);
  const rows = (sql: string) =>
    programs.former.ask("rows", sql.replaceAll(":id", String(production_id))) as Promise<Json[]>; // rows are objects
  let found: Compared | undefined;
  const { title } = comparison.document.production;
  for (let number = 1; number <= steps && found === undefined && !isStopped; number++) {
    const { document } = comparison;
    const step = await (isOfScripts ? scriptStep : randomStep)({
      production_id,
      title,
      document,
      random,
      rows,
      number,
      isNear: random() < 0.4,
      former: done,
    });
    done.push(step);
    const compared = await comparison.next(step);
    count(compared);
    if (env.TOLD !== undefined) tell(compared);
    const named = compared.differences.map((one) => ({ one, meant: known.of(one, step) }));
    const its = new Set(named.flatMap(({ meant }) => meant?.reason ?? []));
    for (const reason of its) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    if (its.size === 0) did.same++;
    const unknown = named.filter(({ meant }) => meant === undefined).map(({ one }) => one);
    if (unknown.length > 0) found = { ...compared, differences: unknown };
    else if (named.some(({ one, meant }) => isOfState(one) && meant?.stays === undefined)) break;
  }
  await comparison.end();
  if (found !== undefined) await keep(`${seed}-${done.length}`, start, done, found);
}

/** What all seeds begin with, or a number of them if scripts are compared. */
function basesOf(scenes: number | undefined, base: number | undefined): Promise<Bases> {
  if (base !== undefined) return scriptBase(programs, randomOf(base));
  return scenes === undefined ? demoBase(programs) : largerBase(programs, scenes);
}

/** Does the steps of a folder again. */
async function runFolder(folder: string): Promise<void> {
  const kept: { production_id: number; scenes?: number; base?: number; steps: Step[] } = JSON.parse(
    readFileSync(join(folder, "steps.json"), "utf8"),
  );
  const bases = await basesOf(kept.scenes, kept.base);
  const start = { ...bases, production_id: kept.production_id };
  const known = new KnownDifferences();
  const shown = await firstDifference(programs, start, kept.steps, (one, step) => known.of(one, step) !== undefined);
  if (shown === undefined) console.log("no difference");
  else {
    did.failed++;
    console.log(titleOf(shown.step));
    printAll(shown.differences);
  }
}

const [, , folder] = process.argv;
if (folder !== undefined) await runFolder(folder);
else {
  let [bases, base]: [Bases | undefined, number | undefined] = [undefined, undefined];
  let begun = 0;
  for (let at = seed; at < seed + seeds && did.failed < most && !isStopped; at++) {
    begun++;
    const before = did.steps;
    const next = isOfScripts ? baseOfSeed(at) : undefined;
    if (bases === undefined || next !== base) bases = await basesOf(scenes, next);
    base = next;
    await runSeed(bases, at);
    if (env.QUIET === undefined) console.log(`seed ${at}: ${did.steps - before} steps`);
  }
  for (const [kind, { applied, refused }] of [...kinds].sort())
    console.log(`  ${kind}: ${applied} applied, ${refused} refused`);
  console.log(
    `${did.steps} steps of ${begun} seeds: ${did.applied} applied (${did.undone} undos), ${did.idle} changed nothing, ${did.refused} refused by both; ${did.same} without any difference`,
  );
  for (const [reason, times] of reasons) console.log(`${times} steps: ${reason}`);
}
if (env.TOLD !== undefined)
  for (const one of [programs.former, programs.present]) console.log(one.name, await one.ask("usage"));
if (env.TOLD !== undefined) console.log("own", process.cpuUsage().user / 1000, process.resourceUsage().maxRSS / 1024);
programs.former.end();
programs.present.end();
console.log(`${did.steps - did.failed} passed, ${did.failed} failed`);
process.exitCode = did.failed === 0 ? 0 : 1;
