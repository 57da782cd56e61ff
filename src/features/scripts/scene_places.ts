// Finds the scenes of a later draft about whose place somebody is asked, and the places that follow a scene which is not there.

import { movedPositions, unmovedPositions } from "../sequences/sequences.ts";
import type { ComparisonOptions, FormerPlace } from "./comparison.ts";
import type { ScriptDraft } from "./drafts.ts";
import type { ScenePair } from "./matching.ts";

/**
 * The positions in the later draft of scenes about whose place somebody is asked: it is neither that of the production nor one that was
 * dismissed. What stood in the earlier draft stands first, so that the same draft asks the same whatever was decided since.
 */
export function movedScenes(
  before: ScriptDraft,
  after: ScriptDraft,
  pairs: readonly ScenePair[],
  { pages, approved = before.scenes.map((scene, order) => ({ scene, order })), places, waiting }: ComparisonOptions,
): { moved: Set<number>; stands: Map<number, boolean> } {
  const placeOf = (at: number): FormerPlace => places?.[at] ?? { at, stands: true, asked: false };
  const again = movedPositions(pairs.map((pair) => placeOf(pair.before).at ?? undefined));
  const scenes = pairs.map((pair, at) => {
    const known = approved[pair.before];
    const isIn = known !== undefined && after.scenes[pair.after]?.omitted === false;
    const comesBack = isIn && known.scene.omitted;
    // Not in the production, because its addition or its coming back was dismissed: only another place than in the earlier draft is asked.
    const isDecided = waiting?.[pair.before] !== true;
    const isRefused =
      isDecided && (known === undefined || (comesBack && before.scenes[pair.before]?.omitted === false));
    const { stands, asked } = placeOf(pair.before);
    const isMoved = again.has(at);
    if (pages?.has(pair.after) === false)
      return {
        ...pair,
        hasPlace: asked,
        order: stands ? known?.order : undefined,
        former: asked ? undefined : pair.before,
        rank: 0,
        isKept: true,
      };
    return {
      ...pair,
      hasPlace: isIn || isRefused,
      order: isIn && !isRefused ? known.order : undefined,
      former: (isRefused || (isIn && !comesBack)) && (isMoved || !asked) ? pair.before : undefined,
      rank: stands || (isMoved && !comesBack) ? 1 : 2,
      isKept: false,
    };
  });
  const standing = unmovedPositions(
    scenes.map(({ order }) => order),
    scenes.map(({ rank }) => rank),
  );
  const unmoved = unmovedPositions(
    scenes.map(({ former }) => former),
    scenes.map((_, at) => (standing.has(at) ? 0 : 1)),
  );
  const stands = scenes.flatMap(({ before, isKept }, at) => (isKept ? [] : [[before, standing.has(at)] as const]));
  const asked = scenes.filter(({ hasPlace }, at) => hasPlace && !standing.has(at) && !unmoved.has(at));
  return { moved: new Set(asked.map((scene) => scene.after)), stands: new Map(stands) };
}

/**
 * For each position in the later draft, where the production has its place, if the scene before it is not there: its place or its
 * addition was dismissed.
 */
export function placesWithoutPredecessor(
  { scenes }: ScriptDraft,
  isThere: (at: number) => boolean,
): (string | undefined)[] {
  let last: string | undefined; // the number of the last scene that is there, or will be
  return scenes.map((_, at) => {
    const before = scenes[at - 1];
    if (before === undefined || before.omitted || isThere(at - 1)) {
      last = before?.number;
      return undefined;
    }
    return `${before.number} is not there: ${last === undefined ? "to the beginning" : `after ${last}`}`;
  });
}
