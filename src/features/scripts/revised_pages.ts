// Puts revised pages into the newest draft of a script, which is then compared as every draft is. So what holds for the same draft twice holds
// for the same pages too.

import { firstAbove } from "../names/sluglines.ts";
import { listAt, movedPositions } from "../sequences/sequences.ts";
import type { Colors, KnownScene } from "./comparing.ts";
import type { DraftScene, ScriptDraft } from "./drafts.ts";
import type { Matching } from "./matching.ts";

/** The newest draft with the pages in it. */
export interface MergedDraft {
  draft: ScriptDraft;
  matching: Matching;
  colors: Colors;
  /** The positions of the scenes that the pages have. */
  pages: ReadonlySet<number>;
}

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
  const above = firstAbove([...slots.keys()], (at) => (slots[at] as DraftScene).number);
  let last = first ?? 0;
  return scenes.map(({ number }, at) => {
    if (first === undefined) last = Math.max(last, above(number) ?? slots.length);
    if (moved.has(at)) return last;
    last = (own[at] as number) + 1;
    return last - 1;
  });
}

/** Puts the pages into the newest draft, or into the production if there is none. Each of their scenes is compared, the others are as they were. */
export function mergePages(
  known: readonly KnownScene[],
  { draft, matching, colors }: { draft: ScriptDraft; matching: Matching; colors: Colors },
): MergedDraft {
  const hasDrafts = known.some(({ row }) => row !== undefined);
  // What somebody added by hand is in no draft.
  const slots = [...known.entries()].filter(([, { row }]) => (hasDrafts ? (row?.place ?? null) !== null : true));
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
      scenes: merged.map((one) => (typeof one === "number" ? (draft.scenes[one] as DraftScene) : one[1].scene)),
    },
    matching: {
      pairs: [...matching.pairs.map(placed), ...others].sort((one, other) => one.after - other.after),
      hints: matching.hints.map(placed),
    },
    colors: {
      given: colors.given,
      scenes: merged.map((one) => (typeof one === "number" ? (colors.scenes[one] ?? null) : null)),
    },
    pages: new Set(placeOf.values()),
  };
}
