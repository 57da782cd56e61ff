// The names that decisions are signed with: they stay whatever the people are called later, so documents carry them beside the references.
import { isRecord, type Raw, rawsOf, roundsOf } from "../sections/form.ts";
import type { Source } from "./matching.ts";
import type { Target } from "./target.ts";

type Sign = (step: Raw, round: number | undefined, at: number) => unknown;

const isUnsigned = ({ status = "pending", signed_as }: Raw): boolean =>
  status !== "pending" && (signed_as ?? undefined) === undefined;

/** The steps with the names that `sign` returns for decided ones that have none; the value itself if it changes none. Unsound values are skipped. */
function signedSteps(steps: unknown, sign: Sign, round?: number): unknown {
  if (!Array.isArray(steps) || !steps.some((step) => isRecord(step) && isUnsigned(step))) return steps;
  return steps.map((step, at) => {
    const name = isRecord(step) && isUnsigned(step) ? sign(step, round, at) : undefined;
    return typeof name === "string" ? { ...step, signed_as: name } : step;
  });
}

/** The fields of an approval with the names that `sign` returns; the same object if that changes none. */
function signed(approval: Raw, sign: Sign): Raw {
  const { steps, rounds } = approval;
  const next: Raw = { ...approval };
  if (steps !== undefined) next.steps = signedSteps(steps, sign);
  let isSame = next.steps === steps;
  if (Array.isArray(rounds))
    next.rounds = rounds.map((round: unknown, at) => {
      const own = signedSteps(round, sign, at);
      if (own !== round) isSame = false;
      return own;
    });
  return isSame ? approval : next;
}

/** Signs the decisions of approvals that a document brings without a name as the people are called in it. */
export function signDecisions(target: Target, source: Source): void {
  for (const slot of target.slots("approvals"))
    if (slot.given.at(-1)?.source === source)
      slot.item = signed(slot.item, ({ person, decided_by }) => {
        const name = decided_by ?? person;
        return typeof name === "string" ? target.names.print(name) : undefined;
      });
}

/** What a change set of an older version recorded of an approval, with the names that are stored of the same decisions. */
export function signedAsStored(recorded: Raw, stored: Raw): Raw {
  const rounds = roundsOf(stored.rounds);
  const all = [rawsOf(stored.steps), ...rounds];
  return signed(recorded, ({ status, decided_at }, round, at) => {
    const own = round === undefined ? all : [rounds[round] ?? []];
    const found = own.map((steps) => steps[at]).find((one) => one?.status === status && one?.decided_at === decided_at);
    return found?.signed_as;
  });
}
