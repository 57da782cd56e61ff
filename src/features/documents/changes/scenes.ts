// What an update makes of scenes beside what its documents say of them: the assets that they need, new names of
// characters in their casts, and the links to the characters whom their casts name.
import { firstOf, sameName } from "../../../core/wording.ts";
import { quoted } from "../../names/names.ts";
import { listAt } from "../../sequences/sequences.ts";
import { castOfScene, type NameChange, renamedCast } from "../cast_names.ts";
import { idsOf, type Raw } from "../sections/form.ts";
import { isOwn } from "./one_episode.ts";
import type { Item, Place, Update } from "./update.ts";

/** Sets a field of a scene, which changes now. */
function setField(item: Item, field: "assets" | "elements", value: unknown): void {
  const next: Raw = { ...item.next, [field]: value };
  if (item.before !== undefined && next.updated_at === item.before.updated_at) delete next.updated_at;
  if (Array.isArray(value) && value.length === 0) delete next[field];
  item.next = next;
}

/** The scenes that need assets, as it is stored. */
function storedLinks({ rows }: Update, assets: Iterable<number>): number[] {
  const sql = `SELECT DISTINCT l.from_node_id AS id FROM json_each(?) a JOIN node_links l ON l.to_node_id = a.value
    JOIN scenes s ON s.node_id = l.from_node_id`;
  return rows.all<{ id: number }>(sql, JSON.stringify([...assets])).map(({ id }) => id);
}

/** Moves what assets say about their scenes to the scenes. Returns the assets that say it. */
export function linkScenes(update: Update): ReadonlySet<number> {
  const wanted = new Map<number, Set<number>>();
  for (const item of update.listed("assets")) {
    const { scenes, ...next } = item.next ?? {};
    if (scenes === undefined) continue;
    item.next = next;
    wanted.set(item.id, new Set(idsOf(scenes)));
  }
  const saying = new Set(wanted.keys());
  if (wanted.size === 0) return saying;
  const added = new Map<number, number[]>();
  for (const [asset, scenes] of wanted) for (const scene of scenes) listAt(added, scene).push(asset);
  const items = update.items("scenes", [...added.keys(), ...storedLinks(update, wanted.keys())]);
  for (const item of items.values()) {
    if (item.next === undefined) continue;
    const assets = idsOf(item.next.assets);
    const kept = assets.filter((asset) => wanted.get(asset)?.has(item.id) !== false || !isOwn(update, item.id));
    const own = new Set([...kept, ...(added.get(item.id) ?? [])]);
    if (own.size !== kept.length || kept.length !== assets.length) setField(item, "assets", [...own]);
  }
  return saying;
}

/** The characters that documents rename, but for those of whose former name there is another one. */
function nameChanges(update: Update): NameChange[] {
  const renames = [...update.items("assets").values()].flatMap(({ before, next }) => {
    const [from, to] = [before?.label, next?.label];
    return typeof from === "string" && typeof to === "string" && from !== to && next?.kind === "character"
      ? [{ from, to }]
      : [];
  });
  const { rows } = update;
  if (renames.length === 0) return [];
  const sql = "SELECT id, label FROM nodes WHERE production_id = ? AND kind <> 'scene'";
  const items = update.items("assets");
  const all = rows.all<{ id: number; label: string }>(sql, rows.production_id);
  const stored = all.filter(({ id }) => !items.has(id));
  const staying = [...items.values()].flatMap(({ next }) => (typeof next?.label === "string" ? next.label : []));
  const labels = new Set([...stored.map(({ label }) => label), ...staying].map(sameName));
  return renames.filter(({ from }) => !labels.has(sameName(from)));
}

/** Whether a document says the cast of a scene. A document of paperwork says single elements. */
function listsCast({ source, at }: Place): boolean {
  const { elements } = source.document.scenes?.[at] ?? {};
  // as the schema has it
  return elements !== undefined && (source.is_paperwork !== true || "cast" in ((elements as Raw | null) ?? {}));
}

/** Renames characters in the casts of scenes, but for those that a document says. */
export function renameCasts(update: Update): void {
  const renames = update.options.is_new ? [] : nameChanges(update);
  for (const item of renames.length === 0 ? [] : update.items("scenes", "all").values()) {
    if (item.next === undefined || item.places.some(listsCast)) continue;
    const former = castOfScene(item.next);
    const cast = renamedCast(former, renames);
    if (cast === undefined) continue;
    // it has a cast, so it has elements
    setField(item, "elements", { ...(item.next.elements as Raw), cast: withoutTwins(cast, former) });
  }
}

/**
 * The characters whom casts name, by their names in the form in which names are compared. The first of a name has it.
 */
function charactersIn(update: Update, casts: Iterable<Raw>): ReadonlyMap<string, number> {
  const { rows } = update;
  const names = new Set([...casts].flatMap(castOfScene).map(sameName));
  if (names.size === 0) return new Map();
  const sql = `SELECT id, label FROM nodes WHERE production_id = ? AND kind = 'character'
    AND name_key(label) IN (SELECT value FROM json_each(?)) ORDER BY id`;
  const stored = rows.all<{ id: number; label: string }>(sql, rows.production_id, JSON.stringify([...names]));
  const items = update.items("assets");
  const own = [...items.values()].flatMap(({ id, next }) =>
    next?.kind === "character" ? [{ id, label: String(next.label) }] : [],
  );
  const all = [...stored.filter(({ id }) => !items.has(id)), ...own];
  return new Map(all.toReversed().map(({ id, label }) => [sameName(label), id]));
}

/** The scenes whose casts name a character who is added, or gets this name, but for one whose scenes documents say. */
function scenesNaming(update: Update, saying: ReadonlySet<number>): number[] {
  const { rows } = update;
  const named = [...update.items("assets").values()].flatMap(({ id, before, next }) =>
    next?.kind !== "character" || saying.has(id) || (before?.kind === next.kind && before.label === next.label)
      ? []
      : [sameName(String(next.label))],
  );
  if (named.length === 0) return [];
  const sql = `SELECT DISTINCT s.node_id AS id FROM scenes s, json_each(s.elements, '$.cast') c
    WHERE s.production_id = ? AND name_key(c.value) IN (SELECT value FROM json_each(?))`;
  const found = rows.all<{ id: number }>(sql, rows.production_id, JSON.stringify(named));
  return found.map(({ id }) => id).filter((id) => isOwn(update, id));
}

/** A cast that has each name once, in the spelling that the scene had. */
function withoutTwins(cast: readonly string[], former: readonly string[]): string[] {
  const spellings = new Map([...former, ...cast].toReversed().map((name) => [sameName(name), name]));
  return [...new Set(cast.map((name) => spellings.get(sameName(name)) ?? name))];
}

const idsOfCast = (thing: Raw, characters: ReadonlyMap<string, number>): number[] =>
  castOfScene(thing).flatMap((name) => characters.get(sameName(name)) ?? []);

/**
 * Links the characters whom a cast names: who comes into it, and everybody in one that paperwork says, as cast numbers
 * do. Where a document says the cast and the assets, who is in the cast stays. `saying` are the assets whose scenes
 * documents say. A whole document says its links.
 */
export function linkCasts(update: Update, saying: ReadonlySet<number>): void {
  const named = new Set(scenesNaming(update, saying));
  const casts = [...update.items("scenes", [...named]).values()].flatMap((item) => {
    const { before = {}, next, places, id } = item;
    const said = places.filter(listsCast);
    const isPaperwork = said.some(({ source }) => source.is_paperwork === true);
    const isSaid = update.options.is_new ? isPaperwork : said.length > 0;
    return next !== undefined && (isSaid || named.has(id))
      ? [{ item, before, next, isSaid, isWhole: isPaperwork || named.has(id) }]
      : [];
  });
  const characters = charactersIn(
    update,
    casts.flatMap(({ before, next }) => [before, next]),
  );
  for (const { item, before, next, isSaid, isWhole } of casts) {
    const [assets, linked, had] = [idsOf(next.assets), idsOf(before.assets), idsOfCast(before, characters)];
    const isMeant = (one: number) => isWhole || !had.includes(one) || linked.includes(one);
    const lacking = idsOfCast(next, characters).filter((one) => !assets.includes(one) && isMeant(one));
    if (lacking.length > 0) setField(item, "assets", [...new Set([...assets, ...lacking])]);
    const cast = castOfScene(next);
    const once = withoutTwins(cast, castOfScene(before));
    // it has a cast, so it has elements
    if (isSaid && once.length < cast.length) setField(item, "elements", { ...(next.elements as Raw), cast: once });
  }
}

/** Warns of characters who lose a scene whose cast names them, which then calls them no more. */
export function unlinkedCasts(update: Update): string[] {
  const lost = [...update.items("scenes").values()].flatMap(({ id, before = {}, next = {} }) => {
    const assets = new Set(idsOf(next.assets));
    const gone = idsOf(before.assets).filter((asset) => !assets.has(asset));
    return gone.length === 0 ? [] : [{ id, gone, next }];
  });
  const characters = charactersIn(
    update,
    lost.map(({ next }) => next),
  );
  const scenes = new Map<number, string[]>();
  for (const { id, gone, next } of lost)
    for (const asset of idsOfCast(next, characters))
      if (gone.includes(asset)) listAt(scenes, asset).push(update.names.nameOf("scene", id) ?? "");
  return [...scenes].map(
    ([asset, of]) =>
      `${quoted(update.names.nameOf("asset", asset) ?? "")} is in the cast of ${firstOf(of)} and not linked to ${of.length === 1 ? "it" : "them"} any more: no day calls this character for ${of.length === 1 ? "that scene" : "these scenes"}`,
  );
}
