// Computes the script order of scenes in an update: places added scenes between others, and moves as few stored scenes as possible.
import { listAt, movedPositions, withReturned } from "../../sequences.ts";
import type { Place, Slot } from "../match/source.ts";
import { compareNumbers, firstAbove } from "../sections/scene_numbers.ts";
import { sceneGap } from "../sections/sections.ts";

const ordersScenes = ({ source }: Place): boolean => source.orders_scenes !== false;

/**
 * The scenes in the order of the script: that of the document that lists every stored scene, if it may order scenes; else the stored
 * order with the added ones.
 */
export function scenesInOrder(slots: readonly Slot[]): Slot[] {
  if (slots.some(({ after }) => after !== undefined)) return restoredOrder(slots);
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

/** The stored order with the scenes of an undo after those that they followed. */
const restoredOrder = (slots: readonly Slot[]): Slot[] =>
  withReturned(
    slots.filter(({ after }) => after === undefined).sort((one, other) => (one.order ?? 0) - (other.order ?? 0)),
    slots.filter(({ after }) => after !== undefined),
    { own: ({ stored, id }) => stored?.id ?? id, start: () => 0, after: ({ after }) => after },
  );

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
 * The stored scenes with the listed ones that are added: each after the one before it in its document; if it is the first, before
 * the first stored scene of its episode that has a greater number.
 */
function withAdded(stored: readonly Slot[], listed: readonly Slot[]): Slot[] {
  const following = new Map<Slot, Slot>();
  const first: Slot[] = [];
  for (const [at, slot] of listed.entries()) {
    if (slot.stored !== undefined) continue;
    const [previous, { source, at: place }] = [listed[at - 1], lastPlace(slot)];
    const before = previous && lastPlace(previous);
    if (previous !== undefined && before?.source === source && before.at === place - 1) following.set(previous, slot);
    else first.push(slot);
  }
  const before = new Map<Slot | undefined, Slot[]>();
  const after = new Map<Slot | undefined, Slot[]>();
  const ofEpisode = Map.groupBy(stored, episodeOf);
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
  const former = scenes.map(({ stored }) => stored?.order);
  const outOfOrder = movedPositions(former);
  const moved = scenes.filter(({ stored }, at) => stored !== undefined && outOfOrder.has(at));
  const values = former.map((order, at) => (outOfOrder.has(at) ? undefined : order));
  const orders = fillGaps(values) ? values : scenes.map((_, at) => (at + 1) * sceneGap);
  scenes.forEach((slot, at) => {
    slot.order = orders[at];
  });
  return moved;
}

/** Fills runs of undefined values with values between their neighbours. Returns false if a gap is too small. */
function fillGaps(values: (number | undefined)[]): boolean {
  for (let at = 0; at < values.length; at++) {
    if (values[at] !== undefined) continue;
    let end = at;
    while (end < values.length && values[end] === undefined) end++;
    const low = at === 0 ? 0 : (values[at - 1] as number);
    const high = end === values.length ? low + (end - at + 1) * sceneGap : (values[end] as number);
    const step = Math.floor((high - low) / (end - at + 1));
    if (step < 1) return false;
    for (let index = at; index < end; index++) values[index] = low + step * (index - at + 1);
    at = end - 1;
  }
  return true;
}
