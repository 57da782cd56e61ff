// Merges the steps of an approval in an update: decided ones stay, and its status follows from them.
import { isDeepStrictEqual } from "node:util";
import { approvalStatusOf } from "../check/thing_rules.ts";
import { type Raw, type RawOf, rawsOf, roundsOf } from "../sections/form.ts";
import { type Merging, report, warnUnchanged } from "./matching.ts";

const isDecided = ({ status = "pending" }: Raw): boolean => status !== "pending";

/** What older documents do not say of a decision. */
const later = ["signed_as", "version"] as const;

/** Whether a document's step says the same as a recorded one: in all that it gives, but for defaults. */
const agrees = (given: Raw, recorded: Raw): boolean =>
  later.every((field) => [undefined, null, recorded[field]].includes(given[field])) &&
  ["person", "status", "decided_at", "note", "decided_by"].every((field) =>
    isDeepStrictEqual(given[field] ?? undefined, recorded[field]),
  );

const keptDecisions =
  "the decisions on its steps stay as they were recorded; `tallylight approvals reopen` opens an approval again for which changes were requested";

/** How the state of an approval can become another one. */
function hintOf(state: unknown): string {
  if (state === "pending") return "`steps` with decisions, or POST /approvals/{approval_id}/decide, decide it";
  if (state === "changes_requested") return "`tallylight approvals reopen` opens it again";
  return "the decision is final; another approval, with its own title or ref, asks again";
}

const sameRound = (given: readonly Raw[], recorded: readonly Raw[]): boolean =>
  given.length === recorded.length && given.every((step, at) => agrees(step, recorded[at] ?? {}));

/** Sets the steps, the rounds and the status of `next`. Reports a step that contradicts a decision. */
export function mergeSteps({ given, before, place }: Merging<RawOf<"approvals">>, next: RawOf<"approvals">): void {
  const stored = rawsOf(before.steps);
  const rounds = roundsOf(before.rounds);
  const decided = stored.filter(isDecided).length; // decisions are taken in order
  const wanted = rawsOf(given.steps ?? stored);
  const steps = stored.slice(0, decided);
  for (const [at, recorded] of steps.entries()) {
    const step = wanted[at];
    if (step === undefined) break; // it says less than what is recorded
    if (agrees(step, recorded)) continue;
    const former = rounds.some((round) => round[at] !== undefined && agrees(step, round[at]));
    if (former || (step.person === recorded.person && !isDecided(step))) {
      warnUnchanged(place, keptDecisions);
      continue;
    }
    const what = `${String(recorded.signed_as)} decided this step at ${String(recorded.decided_at)}: ${String(recorded.status)}`;
    report(place, `contradicts what was recorded: ${what}`, `.steps[${at}]`);
  }
  next.steps = [
    ...steps,
    ...wanted.slice(decided).map((step, at) => withoutFormer(step, decided + at, stored, rounds)),
  ];
  if (given.steps !== undefined && wanted.length < decided) warnUnchanged(place, keptDecisions);
  if (rounds.length > 0) {
    if (roundsOf(given.rounds).some((round, at) => !sameRound(round, rounds[at] ?? [])))
      report(place, "contradicts what was recorded: the approval has other former rounds", ".rounds");
    next.rounds = rounds;
  }
  if (given.steps !== undefined && roundsOf(given.rounds).length < rounds.length) keepAsked({ before, place }, next);
  keepVersion({ before, place }, next);
  const state = approvalStatusOf(rawsOf(next.steps));
  if (given.steps === undefined && typeof given.status === "string" && given.status !== state)
    report(
      place,
      `must stay ${String(state)}: it follows from the decisions on the steps; ${hintOf(state)}`,
      ".status",
    );
  if (given.status === undefined || given.steps === undefined || isOlder(given, before)) next.status = state;
}

type Stored = Pick<Merging<RawOf<"approvals">>, "before" | "place">;

/** A document with steps of an earlier round says which version that was about, not this one. */
function keepAsked({ before, place }: Stored, next: RawOf<"approvals">): void {
  const { asset, version } = before;
  if (next.version === version && next.asset === asset) return;
  warnUnchanged(place, version === undefined ? "it names no version" : `it stays about version ${String(version)}`);
  if (asset === undefined) delete next.asset;
  else next.asset = asset;
  if (version === undefined) delete next.version;
  else next.version = version;
}

/** A decided approval stays with the version whose status it set, and one with signed versions with their asset. */
function keepVersion({ before, place }: Stored, next: RawOf<"approvals">): void {
  const { asset, version, version_status } = before;
  const signed = [...rawsOf(before.steps), ...roundsOf(before.rounds).flat()].some(
    (step) => step.version !== undefined,
  );
  if (signed) next.asset ??= asset;
  if (signed && next.asset !== asset) report(place, `must stay ${String(asset)}: a version of it was signed`, ".asset");
  if (version_status === undefined) return;
  next.version_status = version_status;
  if (next.version === undefined && next.asset === undefined) next.asset = before.asset;
  next.version ??= version;
  if (next.version !== version || next.asset !== before.asset)
    report(place, `must stay ${String(version)}: the decision set the status of that version`, ".version");
}

/** A decision of a former round in an older document is not one of this round. */
function withoutFormer(step: Raw, at: number, stored: readonly Raw[], rounds: readonly Raw[][]): Raw {
  const former = isDecided(step) && rounds.some((round) => round[at] !== undefined && agrees(step, round[at]));
  return former ? (stored[at] ?? { person: step.person, status: "pending" }) : step;
}

/** Whether a document was written before decisions that are recorded, or before a round ended. */
function isOlder(given: RawOf<"approvals">, before: RawOf<"approvals">): boolean {
  const count = (steps: unknown) => rawsOf(steps).filter(isDecided).length;
  const rounds = (from: RawOf<"approvals">) => roundsOf(from.rounds).length;
  return count(given.steps) !== count(before.steps)
    ? rounds(given) < rounds(before) || count(given.steps) < count(before.steps)
    : false;
}

const decidedIn = (steps: unknown): Raw[] => rawsOf(steps).filter(isDecided);

/** Whether a change of steps takes decisions away: those of a former round are kept there. */
export function givesUpDecisions({ steps, rounds }: Readonly<Record<string, { from: unknown; to: unknown }>>): boolean {
  const known = [steps?.to, ...roundsOf(rounds?.to)].flatMap(decidedIn);
  return decidedIn(steps?.from).some((step) => !known.some((one) => isDeepStrictEqual(one, step)));
}
