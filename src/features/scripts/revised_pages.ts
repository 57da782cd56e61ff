// Puts revised pages into the latest draft of a script, which is then compared with the one before it as every draft is. So what holds for the same
// draft twice holds for the same pages too.

import { firstAbove } from "../names/sluglines.ts";
import { listAt, movedPositions } from "../sequences/sequences.ts";
import type { Colors, Compared, KnownScene } from "./comparing.ts";
import type { DraftScene, ScriptDraft } from "./drafts.ts";
import type { Matching } from "./matching.ts";
import { withoutMark } from "./scene_changes.ts";
import type { Proposal } from "./script_store.ts";

/** A scene of the latest draft: a known one, or one whose addition waits. */
interface Slot {
  place: number;
  known: number | undefined;
  /** The changes of it that wait. */
  waiting: readonly Proposal[];
  scene: DraftScene;
}

/** The latest draft with the pages in it. */
export interface MergedDraft {
  draft: ScriptDraft;
  matching: Matching;
  colors: Colors;
  /** The positions of the scenes that the pages have. */
  pages: ReadonlySet<number>;
  /** Gives the scenes that the pages do not have, and what waits for them, their places. What somebody added by hand is in no draft. */
  place(next: Compared["next"]): void;
}

/** The scenes of the latest draft in its order, whatever was decided since. Without one, those of the production. */
function latestDraft(known: readonly KnownScene[], proposals: readonly Proposal[]): Slot[] {
  const hasDrafts = known.some(({ row }) => row !== undefined);
  const waitingFor = Map.groupBy(
    proposals.filter(({ place }) => place !== null),
    ({ script_scene_id }) => script_scene_id,
  );
  const slots = known.flatMap(({ row, scene }, at): Slot[] => {
    const waiting = (row && waitingFor.get(row.id)) ?? [];
    const place = row === undefined ? (hasDrafts ? null : at) : (row.place ?? waiting[0]?.place ?? null);
    return place === null ? [] : [{ place, known: at, waiting, scene }];
  });
  const added = (waitingFor.get(null) ?? []).map((one): Slot => {
    return { place: one.place as number, known: undefined, waiting: [one], scene: one.scene };
  });
  return [...slots, ...added].sort((one, other) => one.place - other.place);
}

/**
 * For each scene of the pages the slot before which it stands: its own, if it has one and the pages have it in the order of the draft; otherwise
 * the one after the scene before it in the pages, or the first slot of the pages. Where they have none, that of the first greater number.
 */
function targets(
  scenes: readonly DraftScene[],
  own: readonly (number | undefined)[],
  moved: ReadonlySet<number>,
  slots: readonly Slot[],
): number[] {
  const first = own.find((_, at) => !moved.has(at));
  const above = firstAbove([...slots.keys()], (at) => (slots[at] as Slot).scene.number);
  let last = first ?? 0;
  return scenes.map(({ number }, at) => {
    if (first === undefined) last = Math.max(last, above(number) ?? slots.length);
    if (moved.has(at)) return last;
    last = (own[at] as number) + 1;
    return last - 1;
  });
}

/** Puts the pages into the latest draft: each of their scenes is compared, the others are as they were. */
export function mergePages(
  known: readonly KnownScene[],
  proposals: readonly Proposal[],
  { draft, matching, colors }: { draft: ScriptDraft; matching: Matching; colors: Colors },
): MergedDraft {
  const slots = latestDraft(known, proposals);
  const slotOf = new Map(slots.flatMap(({ known }, at) => (known === undefined ? [] : [[known, at]])));
  const addedAt = new Map(slots.flatMap(({ known, scene }, at) => (known === undefined ? [[scene.number, at]] : [])));
  const partners = new Map(matching.pairs.map(({ before, after }) => [after, before]));
  const taken = new Set<number>();
  const own = draft.scenes.map(({ number }, at) => {
    const partner = partners.get(at);
    const slot = partner === undefined ? addedAt.get(number) : slotOf.get(partner);
    if (slot === undefined || taken.has(slot)) return undefined;
    taken.add(slot);
    return slot;
  });
  const inserted = new Map<number, number[]>();
  for (const [at, target] of targets(draft.scenes, own, movedPositions(own), slots).entries())
    listAt(inserted, target).push(at);
  const merged = [...slots, undefined].flatMap((slot, at): (Slot | number)[] => [
    ...(inserted.get(at) ?? []),
    ...(slot === undefined || taken.has(at) ? [] : [slot]),
  ]);
  const placeOf = new Map(merged.flatMap((one, at) => (typeof one === "number" ? [[one, at]] : [])));
  const placed = <T extends { after: number }>(one: T): T => ({ ...one, after: placeOf.get(one.after) as number }); // each page is merged
  const kept = merged.flatMap((one, at) => (typeof one === "number" ? [] : [{ ...one, place: at }]));
  const others = kept.flatMap(({ known, place }) =>
    known === undefined ? [] : [{ before: known, after: place, by: "number" as const }],
  );
  return {
    draft: {
      scenes: merged.map((one) => {
        if (typeof one === "number") return draft.scenes[one] as DraftScene;
        return { ...one.scene, number: withoutMark(one.scene.number) };
      }),
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
    place(next) {
      for (const { known: at, waiting, place } of kept) {
        const row = next[at ?? -1];
        if (row !== undefined && (row.id === undefined || known[at as number]?.row?.place !== null)) row.place = place;
        for (const one of waiting) one.place = place;
      }
      const compared = new Set(partners.values());
      for (const [at, { row }] of known.entries())
        if (row === undefined && next[at]?.place === null && !compared.has(at)) next[at] = undefined;
    },
  };
}
