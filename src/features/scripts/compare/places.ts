// Finds the scenes about whose place somebody is asked: those that the newest draft has elsewhere than the production.
import { unmovedPositions } from "../../sequences/sequences.ts";
import { type ComparedScene, isContentDismissed, isPlaceDismissed } from "./compared.ts";

/** The scenes that the newest draft has, in its order. */
export const inDraft = <S extends ComparedScene>(scenes: readonly S[]): S[] =>
  scenes.filter(({ place }) => place !== null).sort((one, other) => Number(one.place) - Number(other.place));

/** Whether somebody dismissed that the scene comes back, or that it is omitted. */
const isRefused = ({ scene, stored, dismissed }: ComparedScene): boolean =>
  (stored?.omitted === true || scene.omitted) && isContentDismissed({ dismissed });

/** Whether the production has a scene, of which the draft has at least a card. */
const isIn = ({ stored }: ComparedScene): boolean => stored !== undefined;

/**
 * Which scene stands first where not all of them can: a card, and one whose place waits or was dismissed, stands only
 * between the others.
 */
function rankOf(one: ComparedScene): number {
  if (isPlaceDismissed(one)) return 4;
  if (one.scene.omitted) return 3;
  if (one.asked || one.stored?.omitted) return 2;
  return one.isOfPages === false ? 0 : 1;
}

/** Those of the scenes, in the order of the draft, that stand where the production has them. */
export function standingScenes<S extends ComparedScene>(order: readonly S[]): Set<S> {
  const standing = unmovedPositions(
    order.map((one) => (isIn(one) && !isRefused(one) ? one.stored?.order : undefined)),
    order.map(rankOf),
  );
  return new Set(order.filter((_, at) => standing.has(at)));
}

/** Whether somebody is asked about the place of a scene that does not stand. */
export const isMoved = (one: ComparedScene): boolean => isIn(one) && !isPlaceDismissed(one) && !isRefused(one);

/**
 * The scenes that do not stand: those that the draft has elsewhere, beside the others, than the draft before it, and
 * those that it has where that had them, so that a person gave them their place.
 */
export function movedAgain<S extends ComparedScene & { known: unknown }>(scenes: readonly S[]) {
  const order = inDraft(scenes);
  const standing = standingScenes(order);
  const former = new Map(scenes.map((one, at) => [one, one.known === undefined ? undefined : at]));
  const unmoved = unmovedPositions(
    order.map((one) => {
      const comesBack = one.stored?.omitted === true && !one.scene.omitted && !isRefused(one);
      return comesBack || one.asked ? undefined : former.get(one);
    }),
    order.map((one) => (standing.has(one) ? 0 : 1)),
  );
  const { moved = [], byHand = [] } = Object.groupBy(order, (one, at) =>
    standing.has(one) || (one.scene.omitted && isRefused(one)) ? "others" : unmoved.has(at) ? "byHand" : "moved",
  );
  return { moved, byHand };
}

/**
 * For each of the scenes in the order of the draft, where the production has its place, if the scene before it is not
 * there: its place or its addition was dismissed.
 */
export function placesWithoutPredecessor<S extends ComparedScene>(
  order: readonly S[],
  standing: ReadonlySet<S>,
): Map<S, string> {
  const isThere = (one: S): boolean =>
    one.scene.omitted || (one.stored === undefined ? one.dismissed === 0 : standing.has(one) || isMoved(one));
  const found = new Map<S, string>();
  let last: string | undefined; // the number of the last scene that is there, or will be
  for (const [at, one] of order.entries()) {
    const before = order[at - 1];
    if (before === undefined || isThere(before)) last = before?.scene.number;
    else {
      const place = last === undefined ? "to the beginning" : `after ${last}`;
      found.set(one, `${before.scene.number} is not there: ${place}`);
    }
  }
  return found;
}
