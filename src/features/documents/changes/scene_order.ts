// The order of scenes: that of a document that lists every scene; else the stored order, in which each added scene follows the one before it in
// its document, or stands by its number.
import { composed } from "../../../core/store/composed.ts";
import { compareNumbers, firstAbove } from "../../names/sluglines.ts";
import { greatest, listAt, numbersInOrder } from "../../sequences/sequences.ts";
import { sceneGap } from "../sections/sections.ts";
import { type Item, type Place, placeColumn, storedOrder, type Update } from "./update.ts";

/** A scene as the order needs it. */
interface Stand {
  id: number;
  number: string;
  episode: unknown;
  /** The order that is stored; undefined if it is added. */
  stored: number | undefined;
  order: number | undefined;
  places: readonly Place[];
}

/** The places of a scene in the script, counted from 1, before and after. */
export interface Move {
  from: number;
  to: number | null;
}

type SceneRow = { id: number; number: string; episode: number | null; place: number };

/** The scenes as they will be, stored ones first, in their stored order. */
function standsOf(update: Update): Stand[] {
  const { database, production_id } = update.rows;
  const sql = `SELECT node_id AS id, number, episode_id AS episode, script_order AS place FROM scenes
    WHERE production_id = ? ORDER BY script_order`;
  const rows =
    database === undefined || update.options.is_new ? [] : composed<SceneRow>(database, sql).all(production_id);
  const items = update.items("scenes");
  const standOf = (id: number, stored: number | undefined, item: Item | undefined, row?: SceneRow): Stand => ({
    id,
    number: String(item?.next?.number ?? row?.number),
    episode: item?.next === undefined ? (row?.episode ?? undefined) : item.next.episode,
    stored,
    order: stored,
    places: item?.places ?? [],
  });
  const known = rows.flatMap((row) => {
    const item = items.get(row.id);
    return item !== undefined && item.next === undefined ? [] : [standOf(row.id, row.place, item, row)];
  });
  const added = [...items.values()].filter(({ before, next }) => before === undefined && next !== undefined);
  return [...known, ...added.map((item) => standOf(item.id, undefined, item))];
}

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

/** The added scenes that follow another one in their document, by that one, and those that follow none. */
function followersOf(listed: readonly Stand[], episodes: ReadonlyMap<unknown, unknown>) {
  const following = new Map<Stand, Stand>();
  const first = new Set<Stand>();
  for (const [at, one] of listed.entries()) {
    if (one.stored !== undefined) continue;
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
 * The stored scenes with the listed ones that are added: each after the one of its episode before it in its document. If none of them is
 * stored, before the first stored scene of its episode that has a greater number.
 */
function withAdded(stored: readonly Stand[], listed: readonly Stand[]): Stand[] {
  if (listed.every((one) => one.stored !== undefined)) return [...stored];
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
  return withAdded(stored, listed);
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

/** Gives added and moved scenes their places. Returns the moves of stored ones, and warnings. */
export function orderScenes(update: Update): { moves: Map<number, Move>; warnings: string[] } {
  const items = [...update.items("scenes").values()];
  const touched = items.filter(({ before, next }) => before !== next);
  if (!update.touched.has("scenes") || touched.length === 0) return { moves: new Map(), warnings: [] };
  const isAdded = touched.some(({ before, next }) => before === undefined && next !== undefined);
  const listed = items.filter(({ places }) => places.length > 0).length;
  if (!isAdded && listed < countScenes(update) && listed < 2) return { moves: new Map(), warnings: [] };
  const stands = standsOf(update);
  const isAll = stands.every(({ places }) => places.length > 0);
  const moves = isAdded || isAll ? place(update, stands) : new Map<number, Move>();
  return { moves, warnings: touched.length > 1 ? unordered(update, stands) : [] };
}

function countScenes({ rows: { database, production_id } }: Update): number {
  if (database === undefined) return 0;
  const sql = "SELECT count(*) AS count FROM scenes WHERE production_id = ?";
  return composed<{ count: number }>(database, sql).get(production_id)?.count ?? 0;
}

function place(update: Update, stands: readonly Stand[]): Map<number, Move> {
  const scenes = scenesInOrder(update, stands);
  const { numbers, moved } = numbersInOrder(
    scenes.map(({ stored }) => stored),
    sceneGap,
  );
  scenes.forEach((one, at) => {
    one.order = numbers[at];
  });
  const moving = scenes.filter(({ stored }, at) => stored !== undefined && moved.has(at));
  const items = update.items(
    "scenes",
    moving.map(({ id }) => id),
  );
  for (const { id, stored, order } of scenes) {
    const item = items.get(id);
    if (item !== undefined && order !== stored) item.order = order;
  }
  return movesOf(stands, moving);
}

/** The places of scenes before and after. */
function movesOf(stands: readonly Stand[], moving: readonly Stand[]): Map<number, Move> {
  if (moving.length === 0) return new Map();
  const positions = (list: readonly Stand[]) => new Map(list.map(({ id }, at) => [id, at + 1]));
  const from = positions(stands.filter(({ stored }) => stored !== undefined));
  const to = positions(stands.toSorted((one, other) => (one.order ?? 0) - (other.order ?? 0)));
  return new Map(moving.map(({ id }) => [id, { from: from.get(id) ?? 0, to: to.get(id) ?? null }]));
}

/** The moves of scenes whose places are set already. */
export function movesOfPlaced(update: Update): Map<number, Move> {
  const moving = [...update.items("scenes").values()].filter(
    (one) => one.next !== undefined && one.order !== storedOrder(one),
  );
  if (moving.every(({ stored }) => stored === undefined)) return new Map();
  const orders = new Map(moving.map(({ id, order }) => [id, order]));
  const stands = standsOf(update);
  for (const one of stands) one.order = orders.get(one.id) ?? one.order;
  const moved = stands.filter(({ id, stored }) => stored !== undefined && orders.has(id));
  return new Map([...movesOf(stands, moved)].filter(([, { from, to }]) => from !== to));
}

/** Added episodes follow the last one. */
export function orderEpisodes(update: Update): void {
  const added = [...update.items("episodes").values()].filter(
    ({ before, next, order }) => before === undefined && next !== undefined && order === undefined,
  );
  if (added.length === 0) return;
  const { database, production_id } = update.rows;
  const sql = "SELECT position AS place FROM episodes WHERE production_id = ?";
  const stored =
    database === undefined || update.options.is_new
      ? []
      : composed<{ place: number }>(database, sql).all(production_id);
  let last = greatest(stored.map((row) => row.place));
  for (const item of added) item.order = placeColumn("episodes") === undefined ? undefined : ++last;
}
