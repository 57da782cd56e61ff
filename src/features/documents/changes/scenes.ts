// What an update makes of scenes beside what its documents say of them: the assets that they need, and new names of
// characters in their casts.
import { composed } from "../../../core/store/composed.ts";
import { listAt } from "../../sequences/sequences.ts";
import { capitals, castOfScene, type NameChange, renamedCast } from "../cast_names.ts";
import type { Raw } from "../sections/form.ts";
import { isOwn } from "./one_episode.ts";
import type { Item, Place, Update } from "./update.ts";

/** Sets a field of a scene, which changes now. */
function setField(item: Item, field: "assets" | "elements", value: unknown): void {
  const next: Raw = { ...item.next, [field]: value };
  if (item.before !== undefined && next.updated_at === item.before.updated_at) delete next.updated_at;
  if (Array.isArray(value) && value.length === 0) delete next[field];
  item.next = next;
}

const idsOf = (list: unknown): number[] => (Array.isArray(list) ? list : []);

/** The scenes that need assets, as it is stored. */
function storedLinks({ rows: { database } }: Update, assets: Iterable<number>): number[] {
  if (database === undefined) return [];
  const sql = `SELECT DISTINCT l.from_node_id AS id FROM json_each(?) a JOIN node_links l ON l.to_node_id = a.value
    JOIN scenes s ON s.node_id = l.from_node_id`;
  return composed<{ id: number }>(database, sql)
    .all(JSON.stringify([...assets]))
    .map(({ id }) => id);
}

/** Moves what assets say about their scenes to the scenes. */
export function linkScenes(update: Update): void {
  const wanted = new Map<number, Set<number>>();
  for (const item of update.listed("assets")) {
    const { scenes, ...next } = item.next ?? {};
    if (scenes === undefined) continue;
    item.next = next;
    wanted.set(item.id, new Set(idsOf(scenes)));
  }
  if (wanted.size === 0) return;
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
}

/** The characters that documents rename, but for those of whose former name there is another one. */
function nameChanges(update: Update): NameChange[] {
  const renames = [...update.items("assets").values()].flatMap(({ before, next }) => {
    const [from, to] = [before?.label, next?.label];
    return typeof from === "string" && typeof to === "string" && from !== to && next?.kind === "character"
      ? [{ from, to }]
      : [];
  });
  const { database, production_id } = update.rows;
  if (renames.length === 0 || database === undefined) return [];
  const sql = "SELECT id, label FROM nodes WHERE production_id = ? AND kind <> 'scene'";
  const items = update.items("assets");
  const stored = composed<{ id: number; label: string }>(database, sql)
    .all(production_id)
    .filter(({ id }) => !items.has(id));
  const staying = [...items.values()].flatMap(({ next }) => (typeof next?.label === "string" ? next.label : []));
  const labels = new Set([...stored.map(({ label }) => label), ...staying].map(capitals));
  return renames.filter(({ from }) => !labels.has(capitals(from)));
}

/** Whether a document says the cast of a scene. A document of paperwork says single elements. */
function listsCast({ source, at }: Place): boolean {
  const { elements } = source.document.scenes?.[at] ?? {};
  return elements !== undefined && (source.is_paperwork !== true || "cast" in ((elements as Raw | null) ?? {})); // as the schema has it
}

/** Renames characters in the casts of scenes, but for those that a document says. */
export function renameCasts(update: Update): void {
  const renames = update.options.is_new ? [] : nameChanges(update);
  for (const item of renames.length === 0 ? [] : update.items("scenes", "all").values()) {
    if (item.next === undefined || item.places.some(listsCast)) continue;
    const cast = renamedCast(castOfScene(item.next), renames);
    if (cast !== undefined) setField(item, "elements", { ...(item.next.elements as Raw), cast }); // it has a cast, so it has elements
  }
}
