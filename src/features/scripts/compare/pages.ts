// Puts revised pages into the newest draft of a script, which is then compared as every draft is. So what holds for the
// same draft twice holds for the same pages too.
import { firstAbove } from "../../names/sluglines.ts";
import { movedPositions } from "../../sequences/sequences.ts";
import type { KnownScene } from "./compared.ts";
import type { DraftScene, ScriptDraft } from "./drafts.ts";
import type { Matching } from "./matching.ts";
import type { GivenDraft } from "./next_draft.ts";

/**
 * Puts the pages into the newest draft, or into the production if there is none: a page in the place of its scene, if
 * the pages have that in the order of the draft; another one after the page before it. Where none has a scene, each
 * goes before the first greater number. The scenes of the pages are compared, the others are as they were.
 */
export function mergePages(
  known: readonly KnownScene[],
  { draft, matching }: { draft: ScriptDraft; matching: Matching },
): Omit<GivenDraft, "color"> {
  const hasDrafts = known.some(({ place }) => place !== undefined);
  // What somebody added by hand is in no draft.
  const slots = [...known.entries()].filter(([, { place = null }]) => !hasDrafts || place !== null);
  const slotOf = new Map(slots.map((slot, at) => [slot[0], at]));
  const partners = new Map(matching.pairs.map(({ before, after }) => [after, before]));
  const own = draft.scenes.map((_, page) => slotOf.get(partners.get(page) ?? -1));
  const moved = movedPositions(own);
  const left = new Set(own.filter((_, page) => moved.has(page)));
  const merged: ((typeof slots)[number] | number)[] = slots.filter((_, at) => !left.has(at));
  const first = slots[own.find((_, page) => !moved.has(page)) ?? -1];
  const above = firstAbove(slots, ([, { scene }]) => scene.number);
  let at = first === undefined ? 0 : merged.indexOf(first);
  for (const [page, { number }] of draft.scenes.entries()) {
    const slot = moved.has(page) ? undefined : slots[own[page] ?? -1];
    if (slot !== undefined) at = merged.indexOf(slot, at);
    // The pages before it are in the list by now.
    else if (first === undefined) at = Math.max(at, (slotOf.get(above(number)?.[0] ?? -1) ?? slots.length) + page);
    merged.splice(at++, slot === undefined ? 0 : 1, page);
  }
  const placeOf = new Map(merged.flatMap((one, at) => (typeof one === "number" ? [[one, at]] : [])));
  // each page is merged
  const placed = <T extends { after: number }>(one: T): T => ({ ...one, after: placeOf.get(one.after) as number });
  const others = merged.flatMap((one, after) =>
    typeof one === "number" ? [] : [{ before: one[0], after, by: "number" as const }],
  );
  return {
    draft: {
      // a page is a scene of the draft
      scenes: merged.map((one) => (typeof one === "number" ? (draft.scenes[one] as DraftScene) : one[1].scene)),
    },
    matching: { pairs: [...matching.pairs.map(placed), ...others], hints: matching.hints.map(placed) },
    pages: new Map([...placeOf].map(([page, at]) => [at, page])),
  };
}
