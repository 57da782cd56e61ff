// Does steps in two programs, on copies of one data directory, until they differ.
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../support/folder.ts";
import type { Json } from "../support/update.ts";
import { comparedTables, compareOutcomes, compareStates, type Difference } from "./compare.ts";
import { keyOf } from "./keys.ts";
import { type Doing, doStep, type Outcome, type Step, writeFiles } from "./steps.ts";
import type { ComparedTable } from "./subject.ts";
import type { Subject } from "./subject_process.ts";

export interface Programs {
  former: Subject;
  present: Subject;
}

/** A data directory that both programs begin with, and the production in it that the steps are about. */
export interface Start {
  base: string;
  /** The same, migrated by the present program. */
  migrated: string;
  production_id: number;
}

export interface Compared {
  step: Step;
  outcome: Outcome;
  differences: Difference[];
}

/** A minute for each step. */
const timeOf = (at: number): string => new Date(Date.UTC(2026, 11, 1, 8, at)).toISOString();

export class Comparison {
  readonly #folder = temporaryFolder();
  readonly #both: readonly [Doing, Doing];
  readonly #keys: { admin: string; edit: string };
  #tables: readonly ComparedTable[] = [];
  #at = 0;
  /** The export of the production after the last step that was not refused. */
  document: Json;

  private constructor({ former, present }: Programs, { base, migrated, production_id }: Start) {
    const doing = (subject: Subject): Doing => ({ subject, data: join(this.#folder, subject.name), now: timeOf(0) });
    this.#both = [doing(former), doing(present)];
    this.#keys = { admin: keyOf("admin", production_id), edit: keyOf("edit", production_id) };
    for (const [at, from] of [base, migrated].entries())
      cpSync(from, (this.#both[at] as Doing).data, { recursive: true }); // there are two
  }

  static async begin(programs: Programs, start: Start): Promise<Comparison> {
    const made = new Comparison(programs, start);
    await Promise.all(made.#both.map(({ subject, data, now }) => subject.open(data, now)));
    made.#tables = await comparedTables(programs.former, programs.present);
    const { differences, document } = await compareStates(made.#both, made.#tables, made.#keys);
    if (differences.length > 0)
      throw new Error(`the programs differ before the first step: ${JSON.stringify(differences)}`);
    made.document = document;
    return made;
  }

  /** Does the next step in both programs. */
  async next(step: Step): Promise<Compared> {
    const now = timeOf(++this.#at);
    const [former, present] = this.#both.map((doing) => Object.assign(doing, { now })) as [Doing, Doing];
    writeFiles(former.data, step);
    const [one, other] = await Promise.all([doStep(former, step), doStep(present, step)]);
    const differences = compareOutcomes(one, other);
    // What only one of them did is in what only one of them has stored.
    if (one.isRefused !== other.isRefused) return { step, outcome: one, differences };
    const isRefused = one.isRefused && other.isRefused;
    const states = await compareStates(this.#both, this.#tables, isRefused ? undefined : this.#keys);
    if (states.document !== undefined) this.document = states.document;
    return { step, outcome: one, differences: [...differences, ...states.differences] };
  }

  async end(): Promise<void> {
    await Promise.all(this.#both.map(({ subject }) => subject.ask("close")));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Does steps until the first with a difference that is not `allowed`; undefined if there is none. */
export async function firstDifference(
  programs: Programs,
  start: Start,
  steps: readonly Step[],
  isAllowed: (difference: Difference, step: Step) => boolean,
): Promise<Compared | undefined> {
  const comparison = await Comparison.begin(programs, start);
  try {
    for (const step of steps) {
      const compared = await comparison.next(step);
      const differences = compared.differences.filter((one) => !isAllowed(one, step));
      if (differences.length > 0) return { ...compared, differences };
    }
    return undefined;
  } finally {
    await comparison.end();
  }
}
