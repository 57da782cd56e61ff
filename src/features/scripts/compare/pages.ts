// Puts revised pages into the newest draft of a script, which is then compared as every draft is. So what holds for the same draft twice holds
// for the same pages too.

import { firstAbove } from "../../names/sluglines.ts";
import { listAt, movedPositions } from "../../sequences/sequences.ts";
import type { KnownScene } from "./compared.ts";
import type { DraftScene, ScriptDraft } from "./drafts.ts";
import type { Matching } from "./matching.ts";
import type { GivenDraft } from "./next_draft.ts";

/**
 * For each scene of the pages the slot before which it stands: its own, if it has one and the pages have it in the order of the draft; otherwise
 * the one after the scene before it in the pages, or the first slot of the pages. Where they have none, that of the first greater number.
 */
function targets(
  scenes: readonly DraftScene[],
  own: readonly (number | undefined)[],
  moved: ReadonlySet<number>,
  slots: readonly DraftScene[],
): number[] {
  const first = own.find((_, at) => !moved.has(at));
  const above = firstAbove([...slots.keys()], (at) => (slots[at] as DraftScene).number); // one of its indexes
  let last = first ?? 0;
  return scenes.map(({ number }, at) => {
    if (first === undefined) last = Math.max(last, above(number) ?? slots.length);
    if (moved.has(at)) return last;
    last = (own[at] as number) + 1; // what is not moved has one
    return last - 1;
  });
}

/** Puts the pages into the newest draft, or into the production if there is none. Each of their scenes is compared, the others are as they were. */
export function mergePages(
  known: readonly KnownScene[],
  { draft, matching }: { draft: ScriptDraft; matching: Matching },
): Omit<GivenDraft, "color"> {
  const hasDrafts = known.some(({ place }) => place !== undefined);
  // What somebody added by hand is in no draft.
  const slots = [...known.entries()].filter(([, { place = null }]) => !hasDrafts || place !== null);
  const slotOf = new Map(slots.map(([at], slot) => [at, slot]));
  const partners = new Map(matching.pairs.map(({ before, after }) => [after, before]));
  const own = draft.scenes.map((_, at) => slotOf.get(partners.get(at) ?? -1));
  const taken = new Set(own);
  const inserted = new Map<number, number[]>();
  const inSlots = slots.map(([, { scene }]) => scene);
  for (const [at, target] of targets(draft.scenes, own, movedPositions(own), inSlots).entries())
    listAt(inserted, target).push(at);
  const merged = [...slots, undefined].flatMap((slot, at): ((typeof slots)[number] | number)[] => [
    ...(inserted.get(at) ?? []),
    ...(slot === undefined || taken.has(at) ? [] : [slot]),
  ]);
  const placeOf = new Map(merged.flatMap((one, at) => (typeof one === "number" ? [[one, at]] : [])));
  const placed = <T extends { after: number }>(one: T): T => ({ ...one, after: placeOf.get(one.after) as number }); // each page is merged
  const others = merged.flatMap((one, after) =>
    typeof one === "number" ? [] : [{ before: one[0], after, by: "number" as const }],
  );
  return {
    draft: {
      scenes: merged.map((one) => (typeof one === "number" ? (draft.scenes[one] as DraftScene) : one[1].scene)), // a page is a scene of the draft
    },
    matching: { pairs: [...matching.pairs.map(placed), ...others], hints: matching.hints.map(placed) },
    pages: new Map([...placeOf].map(([page, at]) => [at, page])),
  };
}
