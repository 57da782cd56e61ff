// Merges the steps of an approval: decided ones stay, and its status follows from them. Decisions keep the name that
// they were signed with.
import { isDeepStrictEqual } from "node:util";
import { commandText } from "../../../core/program.ts";
import { type Raw, rawsOf, roundsOf } from "../sections/form.ts";
import type { Merging } from "./recorded.ts";
import { approvalStatusOf } from "./terms.ts";
import type { Update } from "./update.ts";

export const isDecided = ({ status = "pending" }: Raw): boolean => status !== "pending";
const decidedIn = (steps: unknown): Raw[] => rawsOf(steps).filter(isDecided);

/** What older documents do not say of a decision. */
const later = ["signed_as", "version"] as const;

/** Whether a document's step says the same as a recorded one: in all that it gives, but for defaults. */
const agrees = (given: Raw, recorded: Raw): boolean =>
  later.every((field) => [undefined, null, recorded[field]].includes(given[field])) &&
  ["person", "status", "decided_at", "note", "decided_by"].every((field) =>
    isDeepStrictEqual(given[field] ?? undefined, recorded[field]),
  );

const keptDecisions = `the decisions on its steps stay as they were recorded; ${commandText("approvals reopen")} opens an approval again for which changes were requested`;

/** How the state of an approval can become another one. */
function hintOf(state: unknown): string {
  if (state === "pending") return "`steps` with decisions, or POST /approvals/{approval_id}/decide, decide it";
  if (state === "changes_requested") return `${commandText("approvals reopen")} opens it again`;
  return "the decision is final; another approval, with its own title or ref, asks again";
}

const sameRound = (given: readonly Raw[], recorded: readonly Raw[]): boolean =>
  given.length === recorded.length && given.every((step, at) => agrees(step, recorded[at] ?? {}));

/** Sets the steps, the rounds and the status of `next`. Reports a step that contradicts a decision. */
export function mergeSteps(merging: Merging, next: Raw): void {
  const { given, before, update, item, place } = merging;
  const stored = rawsOf(before.steps);
  const rounds = roundsOf(before.rounds);
  const isFormer = (step: Raw, at: number) =>
    rounds.some((round) => round[at] !== undefined && agrees(step, round[at]));
  const decided = stored.filter(isDecided); // decisions are taken in order
  const wanted = rawsOf(given.steps ?? stored);
  for (const [at, recorded] of decided.entries()) {
    const step = wanted[at];
    if (step === undefined) break; // it says less than what is recorded
    if (agrees(step, recorded)) continue;
    if (isFormer(step, at) || (step.person === recorded.person && !isDecided(step))) {
      update.stays(place, item, keptDecisions);
      continue;
    }
    const what = `${String(recorded.signed_as)} decided this step at ${String(recorded.decided_at)}: ${String(recorded.status)}`;
    update.report(place, `contradicts what was recorded: ${what}`, `.steps[${at}]`);
  }
  // A decision of a former round in an older document is not one of this round.
  const others = wanted.slice(decided.length).map((step, offset) => {
    const at = decided.length + offset;
    return isDecided(step) && isFormer(step, at) ? (stored[at] ?? { person: step.person, status: "pending" }) : step;
  });
  next.steps = [...decided, ...others];
  if (given.steps !== undefined && wanted.length < decided.length) update.stays(place, item, keptDecisions);
  if (rounds.length > 0) {
    if (roundsOf(given.rounds).some((round, at) => !sameRound(round, rounds[at] ?? [])))
      update.report(place, "contradicts what was recorded: the approval has other former rounds", ".rounds");
    next.rounds = rounds;
  }
  if (given.steps !== undefined && roundsOf(given.rounds).length < rounds.length) keepAsked(merging, next);
  keepVersion(merging, next);
  settleStatus(merging, next);
}

function settleStatus({ given, before, update, place }: Merging, next: Raw): void {
  const state = approvalStatusOf(rawsOf(next.steps));
  if (given.steps === undefined && typeof given.status === "string" && given.status !== state)
    update.report(
      place,
      `must stay ${String(state)}: it follows from the decisions on the steps; ${hintOf(state)}`,
      ".status",
    );
  if (given.status === undefined || given.steps === undefined || isOlder(given, before)) next.status = state;
}

/** A document with steps of an earlier round says which version that was about, not this one. */
function keepAsked({ before, update, place, item }: Merging, next: Raw): void {
  const { asset, version } = before;
  if (next.version === version && next.asset === asset) return;
  update.stays(
    place,
    item,
    version === undefined ? "it names no version" : `it stays about version ${String(version)}`,
  );
  for (const [field, value] of Object.entries({ asset, version }))
    if (value === undefined) delete next[field];
    else next[field] = value;
}

/** A decided approval stays with the version whose status it set, and one with signed versions with their asset. */
function keepVersion({ before, update, place }: Merging, next: Raw): void {
  const { asset, version, version_status } = before;
  const steps = [...rawsOf(before.steps), ...roundsOf(before.rounds).flat()];
  const isSigned = steps.some((step) => step.version !== undefined);
  if (isSigned) next.asset ??= asset;
  if (isSigned && next.asset !== asset) {
    const name = typeof asset === "number" ? update.names.nameOf("asset", asset) : undefined;
    update.report(place, `must stay ${name}: a version of it was signed`, ".asset");
  }
  if (version_status === undefined) return;
  next.version_status = version_status;
  if (next.version === undefined && next.asset === undefined) next.asset = before.asset;
  next.version ??= version;
  if (next.version !== version || next.asset !== before.asset)
    update.report(place, `must stay ${String(version)}: the decision set the status of that version`, ".version");
}

/** Whether a document was written before decisions that are recorded, or before a round ended. */
function isOlder(given: Raw, before: Raw): boolean {
  const count = ({ steps }: Raw) => decidedIn(steps).length;
  const rounds = (from: Raw) => roundsOf(from.rounds).length;
  return count(given) !== count(before) && (rounds(given) < rounds(before) || count(given) < count(before));
}

/** The approval with the names that people have now on the decisions that are not signed. */
export function signed({ names }: Update, approval: Raw): Raw {
  const sign = (step: Raw): Raw => {
    if (!isDecided(step) || (step.signed_as ?? undefined) !== undefined) return step;
    const signed_as = names.nameOf("person", (step.decided_by ?? step.person) as number | undefined); // ids
    return signed_as === undefined ? step : { ...step, signed_as };
  };
  return {
    ...approval,
    ...(Array.isArray(approval.steps) && { steps: rawsOf(approval.steps).map(sign) }),
    ...(Array.isArray(approval.rounds) && { rounds: roundsOf(approval.rounds).map((round) => round.map(sign)) }),
  };
}

/** Whether steps that become others lose decisions: those of a former round are kept there. */
export function losesDecisions(before: Raw, next: Raw): boolean {
  const known = [next.steps, ...roundsOf(next.rounds)].flatMap(decidedIn);
  return decidedIn(before.steps).some((step) => !known.some((one) => isDeepStrictEqual(one, step)));
}
