// Scenes of a first draft that another episode of the series omits: each is one question, where the draft adds its
// other scenes unasked.
import type { Store } from "../../core/store/store.ts";
import { sceneName } from "../documents/sections/sections.ts";
import type { DraftedScene, PlanOptions } from "../paperwork/importers.ts";
import { compareScript } from "./compare/comparison.ts";
import type { DraftScene } from "./compare/drafts.ts";
import type { NextScene } from "./compare/next_draft.ts";
import type { DraftHead, Lifted } from "./first_draft.ts";
import { changesIn, detectionTime, draftedScenes, questionOperations, type Raised } from "./later_draft.ts";
import { draftedMoves, type Move, movesIn, tellOfMoves } from "./moves.ts";
import type { FoundScene } from "./questions.ts";
import type { ScriptKey } from "./script_store.ts";

/** An episode that the import adds has no id yet; that of its scenes is compared with those of other episodes alone. */
const noEpisode = 0;

/** The additions of all scenes of a draft, as a later draft would ask about them. */
function additionsOf(scenes: readonly DraftScene[]): Raised[] {
  const next = scenes.map((scene, place): NextScene<FoundScene> => {
    const unknown = { stored: undefined, dismissed: 0, asked: false, known: undefined } as const;
    return { ...unknown, scene, place, approved: scene, given: scene };
  });
  const { questions } = compareScript(next, { hasCharacter: () => false, dismissed: [] });
  return questions.map((one) => ({ ...one, color: one.of.scene.revision_color }));
}

/** What a first draft of an episode has of other episodes; undefined if that is nothing. */
export function liftedScenes(
  store: Store,
  { production_id, episode_id }: ScriptKey,
  {
    head,
    episode,
    actor,
    drafted,
  }: { head: DraftHead; episode: string; actor: string; drafted: PlanOptions["drafted"] },
  scenes: readonly DraftScene[],
): Lifted | undefined {
  const key = { production_id, episode_id: episode_id ?? noEpisode };
  const additions = additionsOf(scenes);
  const own = draftedScenes(additions, key, { episode, file: head.file });
  // What it adds beside these is asked by nobody, so that no other draft finds it.
  const found = draftedMoves(store, key, new Set(), own, { ...drafted, scenes: [...drafted.scenes] });
  if (found.moves.length === 0) return undefined;
  const taken = new Set(found.moves.flatMap(({ omission, addition }) => [omission, addition]));
  drafted.scenes = drafted.scenes.filter((one) => !taken.has(one));
  const lifted = own.filter((one) => taken.has(one));
  const raised = lifted.map(({ raised: at }) => additions[at] as Raised); // there is one for each
  const asked = new Map<unknown, DraftedScene>(lifted.map((one, at) => [one, { ...one, raised: at }]));
  const moves = found.moves.map(
    ({ omission, addition }): Move => ({ omission, addition: asked.get(addition) ?? addition }),
  );
  const moved = { ...found, moves };
  const detected_at = detectionTime(store, production_id, head.now);
  const answer = { status: "dismissed", decided_at: detected_at };
  return {
    places: new Set(lifted.map(({ raised: at }) => at)),
    changes: [
      ...changesIn(raised, detected_at, episode).map((one) => ({ ...one, ...answer })),
      ...movesIn(moves, detected_at),
    ],
    warnings: moves.map(({ omission, addition }) => {
      const [now, former] = [addition, omission].map((one) => sceneName(one.number, one.episode));
      return `${now} has the text of ${former}, which that episode omits: a script change asks whether it is moved`;
    }),
    operations: (planning, draft_id) => questionOperations(planning, raised, moved, { file: head.file, draft_id }),
    write: () => tellOfMoves(store, moved, { production_id, actor, now: head.now }),
  };
}
