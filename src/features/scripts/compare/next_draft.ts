// Puts a later draft in the place of the newest one: what becomes of each known scene, and which dismissed differences the draft brings anew.

import { type ComparedScene, dismissedOf, isContentDismissed, isPlaceDismissed } from "./compared.ts";
import { type DraftScene, isTagged, type ScriptDraft } from "./drafts.ts";
import { isAsDecided, isSameScene } from "./fields.ts";
import type { Matching, SceneHint } from "./matching.ts";
import { movedAgain } from "./places.ts";
import { characterRenames, withRenames } from "./renames.ts";

/** A scene that a draft is compared with. */
export interface KnownScene extends Omit<ComparedScene, "place"> {
  /** Its place in the newest draft; null if that does not have it, undefined if no draft ever had it. */
  place: number | null | undefined;
}

/** A later draft: the scenes of a file, with those of the newest draft between them if the file has revised pages alone. */
export interface GivenDraft {
  draft: ScriptDraft;
  matching: Matching;
  /** The colour that the import gives to all its changes. */
  color: string | null;
  /** The positions of the scenes that revised pages have. Undefined for a whole draft. */
  pages: ReadonlySet<number> | undefined;
}

export interface NextScene extends ComparedScene {
  /** Its index among the known scenes; undefined if it is new. */
  known: number | undefined;
  /** As the draft has it; `scene` is the former version if nobody sees a difference. */
  given: DraftScene;
  /** Whether an earlier draft had it. */
  isKnown: boolean;
}

/** A scene of a later draft with what only the earlier one says, unless it comes back. */
function completed(before: DraftScene, after: DraftScene, tagged: boolean): DraftScene {
  if (before.omitted && !after.omitted) return after;
  const guess = after.eighths === null || (after.estimated && !before.estimated && before.eighths !== null);
  return {
    ...after,
    synopsis: after.synopsis ?? before.synopsis,
    script_day: after.script_day ?? before.script_day,
    tags: tagged || before.text === null ? after.tags : before.tags,
    ...(guess && { eighths: before.eighths, estimated: before.estimated }),
  };
}

/** The other scene of the first hint about each. */
const hintsBy = (hints: readonly SceneHint[], own: "before" | "after", other: "before" | "after") =>
  new Map(hints.toReversed().map((hint) => [hint[own], hint[other]]));

/** A known scene that a later draft lacks: it is omitted. Undefined if it is no part of the script: it was never in the production, or in no draft. */
function absentScene(one: KnownScene, color: string | null, hasDrafts: boolean): ComparedScene | undefined {
  const { scene, stored, place } = one;
  if (stored === undefined || (place === undefined && (hasDrafts || scene.omitted))) return undefined;
  if (scene.omitted) return { ...one, place: null };
  const omitted = { ...scene, omitted: true, revision_color: color ?? scene.revision_color };
  return { ...one, place: null, scene: omitted, former: scene };
}

/** The scenes with a later draft as the newest one. */
export function nextScenes(known: readonly KnownScene[], later: GivenDraft): NextScene[] {
  const { draft, matching, color, pages } = later;
  const [tagged, hasDrafts] = [isTagged(draft), known.some(({ place }) => place !== undefined)];
  const [partners, taken] = [new Map<number, number>(), new Set<number>()];
  for (const { before, after } of matching.pairs) {
    partners.set(before, after);
    taken.add(after);
  }
  const [nowOf, formerOf] = [hintsBy(matching.hints, "before", "after"), hintsBy(matching.hints, "after", "before")];
  const found = known.flatMap((one, at): NextScene[] => {
    const [place, isKnown] = [partners.get(at), one.place !== undefined];
    if (place === undefined) {
      const absent = absentScene(one, color, hasDrafts);
      const now = draft.scenes[nowOf.get(at) ?? -1]?.number;
      const hint = now === undefined ? undefined : `perhaps now ${now}`;
      return absent === undefined ? [] : [{ ...absent, given: absent.scene, known: at, isKnown, hint }];
    }
    const drafted = draft.scenes[place] as DraftScene; // the pairs are of the draft
    const given = drafted === one.scene ? drafted : completed(one.scene, drafted, tagged);
    const isSame = isSameScene(one.scene, given);
    const changed = isSame ? {} : { scene: given, former: one.scene };
    return [{ ...one, known: at, isKnown, given, place, isOfPages: pages?.has(place), ...changed }];
  });
  const added = [...draft.scenes.entries()].flatMap(([place, scene]): NextScene[] => {
    if (taken.has(place)) return [];
    const former = known[formerOf.get(place) ?? -1]?.scene.number;
    const hint = former === undefined ? undefined : `perhaps ${former}, renumbered`;
    const isOfPages = pages?.has(place);
    const base = { stored: undefined, dismissed: 0, asked: false } as const;
    return [
      { ...base, known: undefined, isKnown: false, scene, given: scene, approved: scene, place, isOfPages, hint },
    ];
  });
  const scenes = [...found, ...added];
  askAgain(scenes);
  return scenes;
}

/**
 * What was dismissed is asked again with the next change of its scene, or of its place, but for an addition that the draft omits again. What a
 * person made otherwise by hand is not asked about by a draft that has it as the one before.
 */
function askAgain(scenes: NextScene[]): void {
  const renames = characterRenames(scenes);
  for (const [at, one] of scenes.entries()) {
    const { scene, former, stored, approved } = one;
    const isChanged = former !== undefined && !isAsDecided(withRenames(former, renames, at, scene), scene);
    if (stored === undefined) one.dismissed = isChanged && !scene.omitted ? 0 : one.dismissed;
    else {
      const isByHand = one.isKnown && !isChanged && stored.omitted !== scene.omitted && isAsDecided(approved, scene);
      one.dismissed = dismissedOf(isByHand || (isContentDismissed(one) && !isChanged), isPlaceDismissed(one));
    }
  }
  const numbers = scenes.map(({ known }) => known);
  const { moved, byHand } = movedAgain(scenes, numbers);
  for (const [list, isKept] of [
    [moved, false],
    [byHand, true],
  ] as const)
    for (const at of list) {
      const one = scenes[at] as NextScene; // one of them
      if (one.stored === undefined) one.dismissed = isKept ? one.dismissed : 0;
      else {
        one.asked ||= isPlaceDismissed(one) && !isKept;
        one.dismissed = dismissedOf(isContentDismissed(one) && (isKept || !one.stored.omitted), isKept);
      }
    }
}
