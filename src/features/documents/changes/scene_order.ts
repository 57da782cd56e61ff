// The order of scenes: that of a document that lists every scene; else the stored order, in which each added scene
// follows the one before it in its document, or stands by its number.
import { isDeepStrictEqual } from "node:util";
import { compareNumbers, firstAbove } from "../../names/sluglines.ts";
import { firstWhere, listAt, movedPositions, numbersInOrder, unmovedPositions } from "../../sequences/sequences.ts";
import { sceneGap } from "../sections/sections.ts";
import { isMoved } from "./moved_texts.ts";
import type { Ordered } from "./plan.ts";
import { type Item, type Place, storedOrder, type Update } from "./update.ts";

/** A scene as the order needs it. */
interface Stand {
  id: number;
  number: string;
  episode: unknown;
  /** The order that is stored; undefined if it is added. */
  stored: number | undefined;
  order: number | undefined;
  /** Whether it comes from another episode: it gets its place like one that is added. */
  arrives: boolean;
  places: readonly Place[];
}

/** The places of a scene in the script, counted from 1, before and after. */
export interface Move {
  from: number;
  to: number | null;
}

type SceneRow = { id: number; number: string; episode: number | null; place: number };

/** The stored scenes, in their order. */
function storedScenes({ rows, options }: Update): SceneRow[] {
  const sql = `SELECT node_id AS id, number, episode_id AS episode, script_order AS place FROM scenes
    WHERE production_id = ? ORDER BY script_order`;
  return options.is_new ? [] : rows.all<SceneRow>(sql, rows.production_id);
}

/** Whether an update gives scenes places among scenes that are others by now. */
export const isPlacedElsewhere = (update: Update): boolean =>
  update.placedBy !== undefined && !isDeepStrictEqual(update.placedBy, storedScenes(update));

/** The scenes as they will be, stored ones first, in their stored order. */
function standsOf(update: Update): Stand[] {
  const rows = storedScenes(update);
  update.placedBy = rows;
  const items = update.items("scenes");
  const standOf = (id: number, stored: number | undefined, item: Item | undefined, row?: SceneRow): Stand => ({
    id,
    number: String(item?.next?.number ?? row?.number),
    episode: item?.next === undefined ? (row?.episode ?? undefined) : item.next.episode,
    stored,
    order: stored,
    arrives: item !== undefined && isMoved(item),
    places: item?.places ?? [],
  });
  const known = rows.flatMap((row) => {
    const item = items.get(row.id);
    return item !== undefined && item.next === undefined ? [] : [standOf(row.id, row.place, item, row)];
  });
  const added = [...items.values()].filter(({ before, next }) => before === undefined && next !== undefined);
  return [...known, ...added.map((item) => standOf(item.id, undefined, item))];
}

const isSettled = ({ stored, arrives }: Stand): boolean => stored !== undefined && !arrives;

const ordersScenes = ({ source }: Place): boolean => source.orders_scenes !== false;
/** Where a scene stands in its document; a document that orders no scenes counts only if no other lists the scene. */
const lastPlace = ({ places }: Stand) => (places.findLast(ordersScenes) ?? places.at(-1)) as Place; // it has one
const inOneDocument = (stands: readonly Stand[]): boolean =>
  new Set(stands.map((one) => lastPlace(one).source)).size <= 1;

/** Scenes as the documents list them, one document after the other. */
function byPlace({ sources }: Update, stands: readonly Stand[]): Stand[] {
  const ranks = new Map(sources.map((source, at) => [source, at]));
  const rank = (one: Stand) => ranks.get(lastPlace(one).source) ?? 0;
  return stands.toSorted((one, other) => rank(one) - rank(other) || lastPlace(one).at - lastPlace(other).at);
}

/** The added and moved scenes that follow another one in their document, by that one, and those that follow none. */
function followersOf(listed: readonly Stand[], episodes: ReadonlyMap<unknown, unknown>) {
  const following = new Map<Stand, Stand>();
  const first = new Set<Stand>();
  for (const [at, one] of listed.entries()) {
    if (isSettled(one)) continue;
    const previous = listed[at - 1];
    const [here, before] = [lastPlace(one), previous && lastPlace(previous)];
    const isNext = before?.source === here.source && before.at === here.at - 1 && previous?.episode === one.episode;
    // Numbers order new scenes of a known episode; the scenes of a new one stay as they are listed.
    if (isNext && previous !== undefined && !(episodes.has(one.episode) && first.has(previous)))
      following.set(previous, one);
    else first.add(one);
  }
  return { following, first };
}

/**
 * The stored scenes with the listed ones that are added: each after the one of its episode before it in its document.
 * If none of them is stored, before the first stored scene of its episode that has a greater number.
 */
function withAdded(stored: readonly Stand[], listed: readonly Stand[]): Stand[] {
  if (listed.every(isSettled)) return [...stored];
  const ofEpisode = Map.groupBy(stored, ({ episode }) => episode);
  const { following, first } = followersOf(listed, ofEpisode);
  const before = new Map<Stand | undefined, Stand[]>();
  const after = new Map<Stand | undefined, Stand[]>();
  for (const [episode, added] of Map.groupBy(first, (one) => one.episode)) {
    const scenes = ofEpisode.get(episode) ?? [];
    const above = firstAbove(scenes, ({ number }) => number);
    for (const one of added.toSorted((a, b) => compareNumbers(a.number, b.number))) {
      const next = above(one.number);
      if (next === undefined) listAt(after, scenes.at(-1)).push(one);
      else listAt(before, next).push(one);
    }
  }
  const run = (one: Stand): Stand[] => {
    const all: Stand[] = [];
    for (let next: Stand | undefined = one; next !== undefined; next = following.get(next)) all.push(next);
    return all;
  };
  const runs = (stands: readonly Stand[] = []): Stand[] => stands.flatMap(run);
  return [
    ...stored.flatMap((one) => [...runs(before.get(one)), ...run(one), ...runs(after.get(one))]),
    ...runs(after.get(undefined)),
  ];
}

function scenesInOrder(update: Update, stands: readonly Stand[]): Stand[] {
  const stored = stands.filter((one) => one.stored !== undefined);
  const listed = byPlace(
    update,
    stands.filter(({ places }) => places.length > 0),
  );
  if (stored.every(({ places }) => places.some(ordersScenes)) && inOneDocument(listed)) return listed;
  return withAdded(stored.filter(isSettled), listed);
}

/** The episodes of which a document lists every scene in an order that they do not get, each in a sentence. */
function unordered(update: Update, stands: readonly Stand[]): string[] {
  return [...Map.groupBy(stands, ({ episode }) => episode)].flatMap(([episode, scenes]) => {
    const isListed = scenes.every(({ places }) =>
      places.some((place) => !place.source.is_paperwork && ordersScenes(place)),
    );
    if (typeof episode !== "number" || !isListed || !inOneDocument(scenes)) return [];
    const listed = byPlace(update, scenes);
    if (listed.every(({ order }, at) => at === 0 || (order ?? 0) > (listed[at - 1]?.order ?? 0))) return [];
    const code = update.names.nameOf("episode", episode);
    return `the scenes of episode ${code} stay in their order: only a script, or a list of every scene of the production, orders scenes`;
  });
}

/** Gives episodes and scenes their places. Returns the moves of stored ones, and warnings. */
export function orderThings(update: Update): Ordered {
  const episodes = orderEpisodes(update);
  const { moves, warnings } = orderScenes(update, episodes.isOther);
  return { moves: { scenes: moves, episodes: episodes.moves }, warnings };
}

/** Gives added and moved scenes their places, and all of them if the order of episodes is another one. */
function orderScenes(update: Update, followsEpisodes: boolean): { moves: Map<number, Move>; warnings: string[] } {
  if (followsEpisodes) return { moves: place(update, standsOf(update), true), warnings: [] };
  const items = [...update.items("scenes").values()];
  const touched = items.filter(({ before, next }) => before !== next);
  if (!update.touched.has("scenes") || touched.length === 0) return { moves: new Map(), warnings: [] };
  const isAdded = touched.some((item) => (item.before === undefined && item.next !== undefined) || isMoved(item));
  const listed = items.filter(({ places }) => places.length > 0).length;
  if (!isAdded && listed < 2) return { moves: new Map(), warnings: [] };
  const stands = standsOf(update);
  const isAll = stands.every(({ places }) => places.length > 0);
  const moves = isAdded || isAll ? place(update, stands) : new Map<number, Move>();
  return { moves, warnings: touched.length > 1 ? unordered(update, stands) : [] };
}

/** Scenes in the order of their episodes, if they are to follow that, or did so before. */
function byEpisode(update: Update, scenes: readonly Stand[], follows: boolean): readonly Stand[] {
  const episodes = [...update.items("episodes", "all").values()];
  const ranks = new Map<unknown, number>(episodes.map((one) => [one.id, one.order ?? storedOrder(one) ?? 0]));
  const rankOf = ({ episode }: Stand): number => ranks.get(episode) ?? 0;
  const stored = scenes.filter(isSettled).toSorted((one, other) => (one.stored ?? 0) - (other.stored ?? 0));
  // not the first
  const isGrouped = stored.every((one, at) => at === 0 || rankOf(stored[at - 1] as Stand) <= rankOf(one));
  return follows || isGrouped ? scenes.toSorted((one, other) => rankOf(one) - rankOf(other)) : scenes;
}

/**
 * Gives scenes their numbers: those that are added or move, and, if no gap is left, others too. Returns what gets
 * another one.
 */
function setNumbers(update: Update, scenes: readonly Stand[]): Item[] {
  const changed = scenes.filter(({ stored, order }) => order !== stored);
  const items = update.items(
    "scenes",
    changed.map(({ id }) => id),
  );
  return changed.flatMap(({ id, order }) => {
    const item = items.get(id);
    if (item === undefined) return [];
    item.order = order;
    return [item];
  });
}

function place(update: Update, stands: readonly Stand[], follows = false): Map<number, Move> {
  const isAll = stands.every(({ places }) => places.length > 0);
  const ordered = scenesInOrder(update, stands);
  const scenes = isAll && !follows ? ordered : byEpisode(update, ordered, follows);
  const { numbers, moved } = numbersInOrder(
    scenes.map(({ stored }) => stored),
    sceneGap,
    (at, moves) => (moves ? scenes[at]?.stored : undefined),
  );
  scenes.forEach((one, at) => {
    one.order = numbers[at];
  });
  const moving = scenes.filter(({ stored }, at) => stored !== undefined && moved.has(at));
  setNumbers(update, scenes);
  return movesOf(update, stands, moving);
}

/** The places of scenes before, when those that go were there, and after. */
function movesOf({ placedBy = [] }: Update, stands: readonly Stand[], moving: readonly Stand[]): Map<number, Move> {
  if (moving.length === 0) return new Map();
  const positions = (list: readonly Pick<Stand, "id">[]) => new Map(list.map(({ id }, at) => [id, at + 1]));
  const from = positions(placedBy);
  const to = positions(stands.toSorted((one, other) => (one.order ?? 0) - (other.order ?? 0)));
  return new Map(moving.map(({ id }) => [id, { from: from.get(id) ?? 0, to: to.get(id) ?? null }]));
}

/**
 * Gives the scenes that an undo puts back, at their former places, a place after the scene that each followed: scenes
 * may have been numbered again since, and others may have come. `formerOf` is where a scene stood then; undefined if it
 * was added since. Returns their moves, and the other scenes that get another number, because none was left between
 * two.
 */
export function placeBack(
  update: Update,
  own: ReadonlySet<number>,
  formerOf: (id: number, place: number) => number | undefined,
): { moved: Map<number, Move>; others: Item[] } {
  if (own.size === 0) return { moved: new Map(), others: [] };
  const items = update.items("scenes");
  const stands = standsOf(update);
  const { back = [], standing = [] } = Object.groupBy(stands, ({ id }) => (own.has(id) ? "back" : "standing"));
  for (const one of back) one.order = items.get(one.id)?.order;
  const former = standing.map(({ id, stored = 0 }) => formerOf(id, stored));
  const moved = movedPositions(former);
  const anchors = standing.flatMap((one, at) => (moved.has(at) ? [] : [{ one, place: former[at] ?? 0 }]));
  const after = new Map<Stand | undefined, Stand[]>();
  for (const one of back.toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0))) {
    const next = firstWhere(anchors, ({ place }) => place >= (one.order ?? 0));
    listAt(after, anchors[next - 1]?.one).push(one);
  }
  const placed = [...(after.get(undefined) ?? []), ...standing.flatMap((one) => [one, ...(after.get(one) ?? [])])];
  // Each of them has its former number if that fits between those of its neighbours.
  const kept = unmovedPositions(
    placed.map(({ order }) => order),
    placed.map(({ id }) => (own.has(id) ? 1 : 0)),
  );
  const { numbers } = numbersInOrder(
    placed.map(({ order }, at) => (kept.has(at) ? order : undefined)),
    sceneGap,
    (at) => (placed[at] !== undefined && own.has(placed[at].id) ? placed[at].stored : undefined),
  );
  placed.forEach((one, at) => {
    one.order = numbers[at];
  });
  for (const { id, order } of back) {
    const item = items.get(id);
    if (item !== undefined) item.order = order;
  }
  const moving = back.filter(({ stored, order }) => stored !== undefined && order !== stored);
  return { moved: movesOf(update, stands, moving), others: setNumbers(update, standing) };
}

const codeOf = (item: Item): string => String(item.next?.code);
/** Whether codes are numbers, each greater than the one before it. */
const areInOrder = (items: readonly Item[]): boolean =>
  items.every((one, at) => {
    const before = items[at - 1];
    return /^\d{1,15}$/.test(codeOf(one)) && (before === undefined || Number(codeOf(before)) < Number(codeOf(one)));
  });

/** The episodes as a document lists all of them; else by code, where all are numbers; else as they came. */
function episodesInOrder(all: readonly Item[]): Item[] {
  const placeOf = ({ places }: Item) => places.findLast(ordersScenes);
  const [stored, added] = [
    all.filter((one) => one.stored !== undefined),
    all.filter((one) => one.stored === undefined),
  ];
  const isListed = new Set(all.map((one) => placeOf(one)?.source)).size === 1 && all.every((one) => placeOf(one));
  if (isListed) return all.toSorted((one, other) => Number(placeOf(one)?.at) - Number(placeOf(other)?.at));
  const byCode = all.toSorted((one, other) => Number(codeOf(one)) - Number(codeOf(other)));
  return areInOrder(stored) && areInOrder(byCode) ? byCode : [...stored, ...added];
}

/** Gives episodes their places. Returns the moves of stored ones, and whether scenes have to follow. */
function orderEpisodes(update: Update): { moves: Map<number, Move>; isOther: boolean } {
  const touched = [...update.items("episodes").values()];
  const none = { moves: new Map<number, Move>(), isOther: false };
  const isAsked = touched.some(
    ({ places, next, order }) => places.length > 0 && next !== undefined && order === undefined,
  );
  const isListed = touched.filter(({ places }) => places.length > 0).length > 1;
  if (update.options.is_new || (!isAsked && !isListed)) {
    placeNew(update, touched);
    return none;
  }
  const standing = [...update.items("episodes", "all").values()].filter(({ next }) => next !== undefined);
  const all = standing.toSorted(
    (one, other) => Number(storedOrder(one) ?? Infinity) - Number(storedOrder(other) ?? Infinity),
  );
  const ordered = episodesInOrder(all);
  const { numbers, moved } = numbersInOrder(
    ordered.map((one) => storedOrder(one)),
    1,
  );
  ordered.forEach((one, at) => {
    one.order = numbers[at];
  });
  const from = new Map(all.filter((one) => one.stored !== undefined).map(({ id }, at) => [id, at + 1]));
  const moves = ordered.flatMap(({ id, stored }, at): [number, Move][] =>
    stored !== undefined && moved.has(at) ? [[id, { from: from.get(id) ?? 0, to: at + 1 }]] : [],
  );
  const isLast = ordered.every(
    ({ stored }, at) => stored !== undefined || ordered.slice(at).every((one) => one.stored === undefined),
  );
  return { moves: new Map(moves), isOther: moves.length > 0 || !isLast };
}

/** Of a new production, as its document lists them. */
function placeNew(update: Update, items: readonly Item[]): void {
  if (!update.options.is_new) return;
  let last = 0;
  for (const item of items) if (item.order === undefined) item.order = ++last;
}
