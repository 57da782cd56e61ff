// What the assets of a draft say about scenes: the scenes that need an asset, and the new name of a character in the casts of scenes,
// which are no references.
import type { Draft } from "../match/draft.ts";
import { givenAt, type Place, type Slot } from "../match/matching.ts";
import type { Raw } from "../sections/form.ts";
import { type FieldOf, nameOf } from "../sections/sections.ts";

/** Sets a field of a scene, which changes now. */
function setField(slot: Slot, field: FieldOf<"scenes">, value: unknown): void {
  const item: Raw = { ...slot.item, [field]: value };
  if (item.updated_at === slot.before?.updated_at) delete item.updated_at;
  slot.item = item;
}

/** The assets that scenes get by the lists of assets, by the name of the scene: only of scenes that change. `lists` has the scenes of each asset. */
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

/** Moves what the assets of a draft say about their scenes to the scenes. Returns whether scenes change. */
export function linkScenes(draft: Draft): boolean {
  if (!draft.touched.includes("assets")) return false;
  const lists = new Map<string, string[]>();
  for (const slot of draft.slots("assets")) {
    const { scenes, ...item } = slot.item;
    const names = scenes as string[] | undefined; // as the schema has them
    if (names === undefined || (draft.options.is_new && names.length === 0)) continue; // a whole document has [] for nothing said
    slot.item = item;
    lists.set(nameOf("asset", item) as string, names);
  }
  if (lists.size === 0) return false;
  const scenes = new Map(draft.slots("scenes").map((slot) => [nameOf("scene", slot.item) as string, slot]));
  const now = [...scenes].map(([name, { item }]) => ({ name, assets: (item.assets ?? []) as string[] }));
  const changed = assetsOfScenes(lists, now);
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

export function castOfScene({ elements }: Raw): string[] {
  const { cast } = (elements ?? {}) as Raw;
  return Array.isArray(cast) ? cast.filter((name): name is string => typeof name === "string") : [];
}

/** The cast of a scene with the new names; undefined if no name is renamed. */
export function renamedCast(cast: readonly string[], renames: readonly NameChange[]): string[] | undefined {
  const next = cast.map((name) => {
    const rename = renames.find(({ from }) => capitals(from) === capitals(name));
    return rename === undefined ? name : inCaseOf(name, rename.to);
  });
  return next.some((name, at) => name !== cast[at]) ? next : undefined;
}

/** The characters that documents rename, but for those of whose former name there is another one. An undo has the casts itself. */
function nameChanges(draft: Draft): NameChange[] {
  const labels = new Set(draft.slots("assets").flatMap(({ gone, item }) => (gone ? [] : capitals(String(item.label)))));
  return draft.slots("assets").flatMap(({ stored, item, restored }) => {
    const [from, to] = [stored?.raw.label, item.label];
    if (typeof from !== "string" || typeof to !== "string" || item.kind !== "character" || restored) return [];
    return labels.has(capitals(from)) ? [] : [{ from, to }];
  });
}

/** Whether a document says the cast of a scene. A document of paperwork says single elements. */
function saysCast(place: Place): boolean {
  const { elements } = givenAt(place) as { elements?: Raw | null };
  return elements !== undefined && (place.source.is_paperwork !== true || "cast" in (elements ?? {}));
}

/** Renames characters in the casts of scenes, but for those that a document says. Returns whether scenes change. */
export function renameCasts(draft: Draft): boolean {
  if (draft.options.is_new || !draft.touched.includes("assets")) return false;
  const renames = nameChanges(draft);
  let changes = false;
  for (const slot of renames.length === 0 ? [] : draft.slots("scenes")) {
    const cast = renamedCast(castOfScene(slot.item), renames);
    if (cast === undefined || slot.given.some(saysCast)) continue;
    setField(slot, "elements", { ...(slot.item.elements as Raw), cast });
    changes = true;
  }
  return changes;
}
