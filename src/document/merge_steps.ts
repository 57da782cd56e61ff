// Merges the steps of an approval in an update: decided steps stay, and the steps after them can be replaced.
import { isDeepStrictEqual } from "node:util";
import { stateOf } from "./approvals.ts";
import { report } from "./given.ts";
import type { Merging } from "./merge.ts";
import type { Raw } from "./partial_schema.ts";

const isDecided = ({ status = "pending" }: Raw): boolean => status !== "pending";

/** Whether a document's step says the same as a recorded one: in all that it gives, but for defaults. */
const agrees = (given: Raw, recorded: Raw): boolean =>
  ["person", "status", "decided_at", "note", "decided_by"].every((field) =>
    isDeepStrictEqual(given[field] ?? undefined, recorded[field]),
  );

/** Sets the steps, the rounds and the status of `next`. Reports a step that contradicts a decision. */
export function mergeSteps({ given, before, place }: Merging, next: Raw): void {
  const stored = (before.steps ?? []) as Raw[];
  const rounds = (before.rounds ?? []) as Raw[][];
  const decided = stored.filter(isDecided).length; // decisions are taken in order
  const wanted = (given.steps ?? stored) as Raw[];
  const steps = stored.slice(0, decided);
  for (const [at, step] of wanted.slice(0, decided).entries()) {
    const recorded = steps[at] as Raw;
    const former = rounds.some((round) => round[at] !== undefined && agrees(step, round[at]));
    if (agrees(step, recorded) || former || (step.person === recorded.person && !isDecided(step))) continue;
    const who = String(recorded.decided_by ?? recorded.person);
    const what = `${who} decided this step at ${String(recorded.decided_at)}: ${String(recorded.status)}`;
    report(place, `contradicts what was recorded: ${what}`, `.steps[${at}]`);
  }
  next.steps = [
    ...steps,
    ...wanted.slice(decided).map((step, at) => withoutFormer(step, decided + at, stored, rounds)),
  ];
  if (rounds.length > 0) next.rounds = rounds;
  if (given.status === undefined || given.steps === undefined || isOlder(given, before))
    next.status = stateOf(next.steps as []);
}

/** A decision of a former round in an older document is not one of this round. */
function withoutFormer(step: Raw, at: number, stored: readonly Raw[], rounds: readonly Raw[][]): Raw {
  const former = isDecided(step) && rounds.some((round) => round[at] !== undefined && agrees(step, round[at]));
  return former ? (stored[at] ?? { person: step.person, status: "pending" }) : step;
}

/** Whether a document was written before decisions that are recorded, or before a round ended. */
function isOlder(given: Raw, before: Raw): boolean {
  const count = (steps: unknown) => ((steps ?? []) as Raw[]).filter(isDecided).length;
  const rounds = (from: Raw) => ((from.rounds ?? []) as Raw[]).length;
  return count(given.steps) !== count(before.steps)
    ? rounds(given) < rounds(before) || count(given.steps) < count(before.steps)
    : false;
}
