// Finds the scenes about whose place somebody is asked: those that the newest draft has elsewhere than the production.

import { unmovedPositions } from "../../sequences/sequences.ts";
import { type ComparedScene, isContentDismissed, isPlaceDismissed } from "./compared.ts";

/** The indexes of the scenes that the newest draft has, in its order. */
export const inDraft = (scenes: readonly ComparedScene[]): number[] =>
  [...scenes.keys()]
    .filter((at) => scenes[at]?.place !== null)
    .sort((one, other) => Number(scenes[one]?.place) - Number(scenes[other]?.place));

/** Whether somebody dismissed that the scene comes back. */
const isRefused = (one: ComparedScene): boolean => one.stored?.omitted === true && isContentDismissed(one);

/** Whether both the draft and the production have a scene in the script. */
const isIn = ({ scene, stored }: ComparedScene): boolean => stored !== undefined && !scene.omitted;

/** Which scene stands first where not all of them can: one whose place waits or was dismissed stands only between the others. */
function rankOf(one: ComparedScene): number {
  if (isPlaceDismissed(one)) return 3;
  if (one.asked || one.stored?.omitted) return 2;
  return one.isOfPages === false ? 0 : 1;
}

/** Those of the scenes, by their indexes in the order of the draft, that stand where the production has them. */
export function standingScenes(scenes: readonly ComparedScene[], order: readonly number[]): Set<number> {
  const all = order.map((at) => scenes[at] as ComparedScene); // the indexes of scenes
  const standing = unmovedPositions(
    all.map((one) => (isIn(one) && !isRefused(one) ? one.stored?.order : undefined)),
    all.map(rankOf),
  );
  return new Set(order.filter((_, at) => standing.has(at)));
}

/** Whether somebody is asked about the place of a scene that does not stand. */
export const isMoved = (one: ComparedScene): boolean => isIn(one) && !isPlaceDismissed(one) && !isRefused(one);

/**
 * The scenes that do not stand: those that the draft has elsewhere, beside the others, than the draft before it, and those that it has where that
 * had them, so that a person gave them their place.
 */
export function movedAgain(scenes: readonly ComparedScene[], former: readonly (number | undefined)[]) {
  const order = inDraft(scenes);
  const standing = standingScenes(scenes, order);
  const unmoved = unmovedPositions(
    order.map((at) => {
      const one = scenes[at] as ComparedScene; // the indexes of scenes
      const comesBack = one.stored?.omitted === true && !isRefused(one);
      return one.scene.omitted || comesBack || one.asked ? undefined : former[at];
    }),
    order.map((at) => (standing.has(at) ? 0 : 1)),
  );
  const others = [...order.entries()].filter(([, at]) => !standing.has(at) && scenes[at]?.scene.omitted === false);
  const { moved = [], unmoved: byHand = [] } = Object.groupBy(others, ([index]) =>
    unmoved.has(index) ? "unmoved" : "moved",
  );
  return { moved: moved.map(([, at]) => at), byHand: byHand.map(([, at]) => at) };
}

/**
 * For each of the scenes in the order of the draft, where the production has its place, if the scene before it is not there: its place or its
 * addition was dismissed.
 */
export function placesWithoutPredecessor(
  scenes: readonly ComparedScene[],
  order: readonly number[],
  standing: ReadonlySet<number>,
): Map<number, string> {
  const isThere = (at: number, one: ComparedScene): boolean =>
    one.scene.omitted || (one.stored === undefined ? one.dismissed === 0 : standing.has(at) || isMoved(one));
  const found = new Map<number, string>();
  let last: string | undefined; // the number of the last scene that is there, or will be
  let previous = -1;
  for (const at of order) {
    const before = scenes[previous];
    if (before === undefined || isThere(previous, before)) last = before?.scene.number;
    else
      found.set(
        at,
        `${before.scene.number} is not there: ${last === undefined ? "to the beginning" : `after ${last}`}`,
      );
    previous = at;
  }
  return found;
}
