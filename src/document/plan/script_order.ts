// Computes the script order of scenes in an update: places added scenes between others, and moves as few stored scenes as possible.
import { listAt, numbersInOrder } from "../../sequences.ts";
import type { Place, Slot } from "../match/matching.ts";
import { compareNumbers, firstAbove } from "../sections/scene_text.ts";
import { sceneGap } from "../sections/sections.ts";

const isReturned = ({ restored }: Slot): boolean => restored?.after !== undefined;
const ordersScenes = ({ source }: Place): boolean => source.orders_scenes !== false;

/**
 * The scenes in the order of the script: that of the document that lists every stored scene, if it may order scenes; else the stored
 * order with the added ones.
 */
export function scenesInOrder(slots: readonly Slot[]): Slot[] {
  if (slots.some(isReturned)) return restoredOrder(slots);
  const stored = slots
    .filter((slot) => slot.stored !== undefined)
    .sort((one, other) => (one.order as number) - (other.order as number));
  const listed = slots.filter(({ given }) => given.length > 0);
  if (stored.every(({ given }) => given.some(ordersScenes)) && inOneDocument(listed)) return byPlace(listed);
  return withAdded(stored, byPlace(listed));
}

/** Where a listed scene stands in its document; a document that orders no scenes counts only if no other lists the scene. */
const lastPlace = ({ given }: Slot) => (given.findLast(ordersScenes) ?? given.at(-1)) as Place;
const inOneDocument = (slots: readonly Slot[]): boolean =>
  new Set(slots.map((slot) => lastPlace(slot).source)).size <= 1;

/** The stored order with the scenes of an undo after those that they followed; what followed a scene that is gone comes last. */
function restoredOrder(slots: readonly Slot[]): Slot[] {
  const following = new Map(slots.flatMap((slot) => (isReturned(slot) ? [[slot.restored?.after, slot] as const] : [])));
  const placed = new Set<Slot>();
  const place = (first: Slot | undefined): void => {
    for (
      let one = first;
      one !== undefined && !placed.has(one);
      one = following.get(one.stored?.id ?? one.restored?.id)
    )
      placed.add(one);
  };
  place(following.get(0));
  const staying = slots.filter((slot) => !isReturned(slot));
  for (const slot of staying.sort((one, other) => (one.order ?? 0) - (other.order ?? 0))) place(slot);
  for (const slot of following.values()) place(slot);
  return [...placed];
}

/** Slots as the documents list them, one document after the other. */
function byPlace(slots: readonly Slot[]): Slot[] {
  const sources = new Set(slots.flatMap(({ given }) => given.map(({ source }) => source)));
  const ranks = new Map([...sources].map((source, at) => [source, at]));
  const rank = (slot: Slot) => ranks.get(lastPlace(slot).source) as number; // each place is among them
  return [...slots].sort((one, other) => rank(one) - rank(other) || lastPlace(one).at - lastPlace(other).at);
}

const numberOf = ({ item }: Slot): string => String(item.number);
const episodeOf = ({ item }: Slot): unknown => item.episode;

/**
 * The stored scenes with the listed ones that are added: each after the one of its episode before it in its document. If none of them is
 * stored, before the first stored scene of its episode that has a greater number.
 */
function withAdded(stored: readonly Slot[], listed: readonly Slot[]): Slot[] {
  const following = new Map<Slot, Slot>();
  const first = new Set<Slot>();
  const ofEpisode = Map.groupBy(stored, episodeOf);
  for (const [at, slot] of listed.entries()) {
    if (slot.stored !== undefined) continue;
    const [previous, { source, at: place }, episode] = [listed[at - 1], lastPlace(slot), episodeOf(slot)];
    const before = previous && lastPlace(previous);
    const isNext = before?.source === source && before.at === place - 1 && episodeOf(previous as Slot) === episode;
    // Numbers order new scenes of a known episode; the scenes of a new one stay as they are listed.
    if (isNext && !(ofEpisode.has(episode) && first.has(previous as Slot))) following.set(previous as Slot, slot);
    else first.add(slot);
  }
  const before = new Map<Slot | undefined, Slot[]>();
  const after = new Map<Slot | undefined, Slot[]>();
  for (const [episode, added] of Map.groupBy(first, episodeOf)) {
    const scenes = ofEpisode.get(episode) ?? [];
    const above = firstAbove(scenes, numberOf);
    for (const slot of added.toSorted((one, other) => compareNumbers(numberOf(one), numberOf(other)))) {
      const next = above(numberOf(slot));
      if (next === undefined) listAt(after, scenes.at(-1)).push(slot);
      else listAt(before, next).push(slot);
    }
  }
  const run = (slot: Slot): Slot[] => {
    const all: Slot[] = [];
    for (let next: Slot | undefined = slot; next !== undefined; next = following.get(next)) all.push(next);
    return all;
  };
  const runs = (slots: readonly Slot[] = []): Slot[] => slots.flatMap(run);
  return [
    ...stored.flatMap((slot) => [...runs(before.get(slot)), ...run(slot), ...runs(after.get(slot))]),
    ...runs(after.get(undefined)),
  ];
}

/** Sets `order` of added and moved scenes. Returns the scenes that moved; renumbers every scene if there is no gap left. */
export function orderScenes(slots: readonly Slot[]): Slot[] {
  const scenes = scenesInOrder(slots.filter(({ gone }) => !gone));
  const { numbers, moved } = numbersInOrder(
    scenes.map(({ stored }) => stored?.order),
    sceneGap,
  );
  scenes.forEach((slot, at) => {
    slot.order = numbers[at];
  });
  return scenes.filter(({ stored }, at) => stored !== undefined && moved.has(at));
}
