// Puts a later draft in the place of the newest one: what becomes of each known scene, and which dismissed differences
// the draft brings anew.
import type { NameChange } from "../../documents/cast_names.ts";
import { type ComparedScene, dismissedOf, isContentDismissed, isPlaceDismissed, type KnownScene } from "./compared.ts";
import { type DraftScene, isTagged, type ScriptDraft } from "./drafts.ts";
import { isAsDecided, isSameScene } from "./fields.ts";
import type { Matching, SceneHint } from "./matching.ts";
import { movedAgain } from "./places.ts";
import { characterRenames, withRenames } from "./renames.ts";

/**
 * A later draft: the scenes of a file, with those of the newest draft between them if the file has revised pages alone.
 */
export interface GivenDraft {
  draft: ScriptDraft;
  matching: Matching;
  /** The colour that the import gives to all its changes. */
  color: string | null;
  /** Where the file of revised pages has their scenes, by their positions. Undefined for a whole draft. */
  pages: ReadonlyMap<number, number> | undefined;
}

export interface NextScene<K = KnownScene> extends ComparedScene {
  /** The scene that it is; undefined if it is new. */
  known: K | undefined;
  /** As the draft has it; `scene` is the former version if nobody sees a difference. */
  given: DraftScene;
}

/**
 * A scene of a later draft with what only the earlier one says, unless it comes back. A card without a text keeps all
 * that the scene had.
 */
function completed(before: DraftScene, after: DraftScene, tagged: boolean): DraftScene {
  if (after.omitted && !after.text)
    return { ...before, number: after.number, omitted: true, revision_color: after.revision_color };
  if (before.omitted && !after.omitted) return after;
  const guess = after.eighths === null || (after.estimated && !before.estimated && before.eighths !== null);
  return {
    ...after,
    synopsis: after.synopsis ?? before.synopsis,
    script_day: after.script_day ?? before.script_day,
    tags: tagged || before.text === null ? after.tags : before.tags,
    ...(after.omitted && before.last !== undefined && { last: before.last }),
    ...(guess && { eighths: before.eighths, estimated: before.estimated }),
  };
}

/** The other scene of the first hint about each. */
const hintsBy = (hints: readonly SceneHint[], own: "before" | "after", other: "before" | "after") =>
  new Map(hints.toReversed().map((hint) => [hint[own], hint[other]]));

/**
 * A known scene that a later draft lacks: it is omitted. Undefined if it is no part of the script: it was never in the
 * production, or in no draft.
 */
function absentScene(one: KnownScene, color: string | null, hasDrafts: boolean): ComparedScene | undefined {
  const { scene, stored, place } = one;
  if (stored === undefined || (place === undefined && (hasDrafts || scene.omitted))) return undefined;
  if (scene.omitted) return { ...one, place: null };
  const omitted = { ...scene, omitted: true, revision_color: color ?? scene.revision_color };
  return { ...one, place: null, scene: omitted, former: scene };
}

/** The scenes with a later draft as the newest one. */
export function nextScenes<K extends KnownScene>(
  known: readonly K[],
  later: GivenDraft,
  dismissed: readonly NameChange[] = [],
): NextScene<K>[] {
  const { draft, matching, color, pages } = later;
  const [tagged, hasDrafts] = [isTagged(draft), known.some(({ place }) => place !== undefined)];
  const partners = new Map(matching.pairs.map(({ before, after }) => [before, after]));
  const taken = new Set(partners.values());
  const [nowOf, formerOf] = [hintsBy(matching.hints, "before", "after"), hintsBy(matching.hints, "after", "before")];
  const found = known.flatMap((one, at): NextScene<K>[] => {
    const place = partners.get(at);
    if (place === undefined) {
      const absent = absentScene(one, color, hasDrafts);
      const now = draft.scenes[nowOf.get(at) ?? -1]?.number;
      const hint = now === undefined ? undefined : `perhaps now ${now}`;
      return absent === undefined ? [] : [{ ...absent, given: absent.scene, known: one, hint }];
    }
    const drafted = draft.scenes[place] as DraftScene; // the pairs are of the draft
    const given = drafted === one.scene ? drafted : completed(one.scene, drafted, tagged);
    const changed = isSameScene(one.scene, given) ? {} : { scene: given, former: one.scene };
    return [{ ...one, known: one, given, place, isOfPages: pages?.has(place), ...changed }];
  });
  const added = [...draft.scenes.entries()].flatMap(([place, scene]): NextScene<K>[] => {
    if (taken.has(place)) return [];
    const former = known[formerOf.get(place) ?? -1]?.scene.number;
    const hint = former === undefined ? undefined : `perhaps ${former}, renumbered`;
    const isNew = { known: undefined, stored: undefined, dismissed: 0, asked: false } as const;
    return [{ ...isNew, scene, given: scene, approved: scene, place, isOfPages: pages?.has(place), hint }];
  });
  const scenes = [...found, ...added];
  askAgain(scenes, dismissed);
  return scenes;
}

/**
 * What was dismissed is asked again with the next change of its scene, or of its place, but for an addition that the
 * draft omits again. What a person made otherwise by hand is not asked about by a draft that has it as the one before.
 */
function askAgain(scenes: readonly NextScene[], dismissed: readonly NameChange[]): void {
  const renames = characterRenames(scenes, dismissed);
  for (const one of scenes) {
    const { scene, former, stored, approved, known } = one;
    const isChanged = former !== undefined && !isAsDecided(withRenames(former, renames, one), scene);
    if (stored === undefined) one.dismissed = isChanged && !scene.omitted ? 0 : one.dismissed;
    else {
      const isByHand =
        known?.place !== undefined && !isChanged && stored.omitted !== scene.omitted && isAsDecided(approved, scene);
      one.dismissed = dismissedOf(isByHand || (isContentDismissed(one) && !isChanged), isPlaceDismissed(one));
    }
  }
  const { moved, byHand } = movedAgain(scenes);
  for (const one of moved) {
    one.asked ||= one.stored !== undefined && isPlaceDismissed(one);
    one.dismissed = one.stored === undefined ? 0 : dismissedOf(isContentDismissed(one) && !one.stored.omitted, false);
  }
  for (const one of byHand) if (one.stored !== undefined) one.dismissed = dismissedOf(isContentDismissed(one), true);
}
