// What an update makes of scenes beside what its documents say of them: their order, the assets that they need, and new names of characters
// in their casts, which are no references.
import { compareNumbers, firstAbove, textsIn } from "../../names/sluglines.ts";
import { listAt, numbersInOrder } from "../../sequences/sequences.ts";
import { itemAt, type Place, type Slot } from "../match/matching.ts";
import type { Target } from "../match/target.ts";
import type { Raw } from "../sections/form.ts";
import { type FieldOf, sceneGap } from "../sections/sections.ts";

const isReturned = ({ after }: Slot): boolean => after !== undefined;
const ordersScenes = ({ source }: Place): boolean => source.orders_scenes !== false;

/**
 * The scenes in the order of the script: that of the document that lists every stored scene, if it may order scenes; else the stored
 * order with the added ones.
 */
function scenesInOrder(slots: readonly Slot[]): Slot[] {
  if (slots.some(isReturned)) return restoredOrder(slots);
  const stored = slots
    .filter((slot) => slot.stored !== undefined)
    .sort((one, other) => (one.order as number) - (other.order as number)); // a stored scene has an order
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
  const returned = slots.filter(isReturned);
  const following = new Map(returned.map((slot) => [slot.after, slot]));
  const staying = slots.filter((slot) => !isReturned(slot));
  staying.sort((one, other) => (one.order ?? 0) - (other.order ?? 0));
  const ordered = new Set<Slot>();
  for (const first of [following.get(0), ...staying, ...returned])
    for (let one = first; one !== undefined && !ordered.has(one); one = following.get(one.id)) ordered.add(one);
  return [...ordered];
}

/** Slots as the documents list them, one document after the other. */
function byPlace(slots: readonly Slot[]): Slot[] {
  const sources = new Set(slots.flatMap(({ given }) => given.map(({ source }) => source)));
  const ranks = new Map([...sources].map((source, at) => [source, at]));
  const rank = (slot: Slot) => ranks.get(lastPlace(slot).source) as number; // each place is among them
  return [...slots].sort((one, other) => rank(one) - rank(other) || lastPlace(one).at - lastPlace(other).at);
}

const numberOf = (slot: Slot): string => String(slot.field("number"));
const episodeOf = (slot: Slot): unknown => slot.field("episode");

/**
 * The stored scenes with the listed ones that are added: each after the one of its episode before it in its document. If none of them is
 * stored, before the first stored scene of its episode that has a greater number.
 */
function withAdded(stored: readonly Slot[], listed: readonly Slot[]): Slot[] {
  if (listed.every((slot) => slot.stored !== undefined)) return [...stored];
  const following = new Map<Slot, Slot>();
  const first = new Set<Slot>();
  const ofEpisode = Map.groupBy(stored, episodeOf);
  for (const [at, slot] of listed.entries()) {
    if (slot.stored !== undefined) continue;
    const [previous, { source, at: index }, episode] = [listed[at - 1], lastPlace(slot), episodeOf(slot)];
    const before = previous && lastPlace(previous);
    // It has a place, so there is a previous one.
    const isNext = before?.source === source && before.at === index - 1 && episodeOf(previous as Slot) === episode;
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

/** The episodes of which a document lists every scene in an order that they do not get, each in a sentence. */
export const unorderedEpisodes = (target: Target): string[] =>
  [...Map.groupBy(target.touchedSlots("scenes").length > 1 ? target.slots("scenes") : [], episodeOf)].flatMap(
    ([episode, scenes]) => {
      const isListed = scenes.every(({ given }) =>
        given.some((place) => !place.source.is_paperwork && ordersScenes(place)),
      );
      if (episode === undefined || !isListed || !inOneDocument(scenes)) return [];
      const listed = byPlace(scenes);
      return listed.every(({ order }, at) => at === 0 || (order ?? 0) > (listed[at - 1]?.order ?? 0))
        ? []
        : [
            `the scenes of episode ${episode} stay in their order: only a script, or a list of every scene of the production, orders scenes`,
          ];
    },
  );

/** Sets a field of a scene, which changes now. */
function setField(slot: Slot, field: FieldOf<"scenes">, value: unknown): void {
  const item: Raw = { ...slot.item, [field]: value };
  if (item.updated_at === slot.before?.updated_at) delete item.updated_at;
  slot.item = item;
}

/** The assets that scenes get by the lists of assets, by the scene: only of scenes that change. `lists` has the scenes of each asset. */
function assetsOfScenes(
  lists: ReadonlyMap<string, readonly string[]>,
  scenes: readonly { name: string; assets: readonly string[] }[],
): Map<string, string[]> {
  const wanted = new Map([...lists].map(([asset, names]) => [asset, new Set(names)]));
  const pairs = [...wanted].flatMap(([asset, names]) => [...names].map((name) => [name, asset] as const));
  const added = Map.groupBy(pairs, ([name]) => name);
  return new Map(
    scenes.flatMap(({ name, assets }) => {
      const kept = assets.filter((asset) => wanted.get(asset)?.has(name) !== false);
      const own = new Set([...kept, ...(added.get(name) ?? []).map(([, asset]) => asset)]);
      return own.size === kept.length && kept.length === assets.length ? [] : [[name, [...own]] as const];
    }),
  );
}

/** Moves what the assets of a target say about their scenes to the scenes. Returns whether scenes change. */
export function linkScenes(target: Target): boolean {
  const lists = new Map<string, string[]>();
  for (const slot of target.touchedSlots("assets")) {
    const { scenes, ...item } = slot.item;
    const names = scenes as string[] | undefined; // as the schema has them
    if (names === undefined || (target.options.is_new && names.length === 0)) continue; // a whole document has [] for nothing said
    slot.item = item;
    lists.set(slot.ref, names);
  }
  if (lists.size === 0) return false;
  const scenes = new Map(target.slots("scenes").map((slot) => [slot.ref, slot]));
  // As the schema has them.
  const now = [...scenes].map(([name, { item }]) => ({ name, assets: (item.assets ?? []) as string[] }));
  const changed = assetsOfScenes(lists, now);
  // Only names of scenes were asked for.
  for (const [name, assets] of changed) setField(scenes.get(name) as Slot, "assets", assets);
  return changed.size > 0;
}

/** A character with its former and its new name. */
export interface NameChange {
  from: string;
  to: string;
}

export const capitals = (name: string): string => name.toUpperCase();

/** "mcAVOY" as "Mcavoy": the first letter of each word is a capital. */
const titled = (name: string): string =>
  name.toLowerCase().replace(/(^|[^\p{L}])(\p{L})/gu, (_, before, letter) => before + letter.toUpperCase());

/** The new name in the case of the former one. */
export function inCaseOf(former: string, name: string): string {
  if (former === capitals(former)) return capitals(name);
  return name === capitals(name) ? titled(name) : name;
}

export const castOfScene = ({ elements }: Raw): string[] => textsIn((elements as Raw | undefined)?.cast);

/** The cast of a scene with the new names; undefined if no name is renamed. */
export function renamedCast(cast: readonly string[], renames: readonly NameChange[]): string[] | undefined {
  const next = cast.map((name) => {
    const rename = renames.find(({ from }) => capitals(from) === capitals(name));
    return rename === undefined ? name : inCaseOf(name, rename.to);
  });
  return next.some((name, at) => name !== cast[at]) ? next : undefined;
}

/** The characters that documents rename, but for those of whose former name there is another one. */
function nameChanges(target: Target): NameChange[] {
  const renames = target.touchedSlots("assets").flatMap(({ before, item }) => {
    const [from, to] = [before?.label, item.label];
    return typeof from === "string" && typeof to === "string" && from !== to && item.kind === "character"
      ? [{ from, to }]
      : [];
  });
  if (renames.length === 0) return [];
  const staying = target.slots("assets").filter(({ gone }) => !gone);
  const labels = new Set(staying.map((slot) => capitals(String(slot.field("label")))));
  return renames.filter(({ from }) => !labels.has(capitals(from)));
}

/** Whether a document says the cast of a scene. A document of paperwork says single elements. */
function listsCast(place: Place): boolean {
  const { elements } = itemAt(place) as { elements?: Raw | null }; // as the schema has it
  return elements !== undefined && (place.source.is_paperwork !== true || "cast" in (elements ?? {}));
}

/** Renames characters in the casts of scenes, but for those that a document says. Returns whether scenes change. */
export function renameCasts(target: Target): boolean {
  if (target.options.is_new) return false;
  const renames = nameChanges(target);
  let changes = false;
  for (const slot of renames.length === 0 ? [] : target.slots("scenes")) {
    const cast = renamedCast(castOfScene(slot.item), renames);
    if (cast === undefined || slot.given.some(listsCast)) continue;
    setField(slot, "elements", { ...(slot.item.elements as Raw), cast }); // it has a cast, so it has elements
    changes = true;
  }
  return changes;
}
