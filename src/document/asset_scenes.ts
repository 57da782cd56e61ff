// Stores the scenes that assets name with those scenes: the field `scenes` of an asset is the other side of a scene's `assets`.
import type { Draft } from "./draft.ts";
import type { Raw } from "./item_schemas.ts";
import { nameOf } from "./names.ts";
import type { ProductionDocument } from "./schema.ts";
import type { Slot } from "./source.ts";

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

/** A document that is imported as a whole, with the assets of scenes at the scenes alone. */
export function withAssetScenes(document: ProductionDocument): ProductionDocument {
  const named = document.assets.filter(({ scenes }) => scenes.length > 0);
  if (named.length === 0) return document;
  const lists = new Map(named.map((asset) => [nameOf("asset", asset) as string, asset.scenes]));
  const nameOfScene = (scene: object) => nameOf("scene", scene) as string;
  const changed = assetsOfScenes(
    lists,
    document.scenes.map((scene) => ({ name: nameOfScene(scene), assets: scene.assets })),
  );
  return {
    ...document,
    scenes: document.scenes.map((scene) => ({ ...scene, assets: changed.get(nameOfScene(scene)) ?? scene.assets })),
    assets: document.assets.map((asset) => ({ ...asset, scenes: [] })),
  };
}

/** Moves what the assets of a draft say about their scenes to the scenes. Returns whether scenes change. */
export function linkScenes(draft: Draft): boolean {
  if (!draft.touched.includes("assets")) return false;
  const lists = new Map<string, string[]>();
  for (const slot of draft.slots("assets")) {
    const { scenes, ...item } = slot.item;
    if (scenes === undefined) continue;
    slot.item = item;
    lists.set(nameOf("asset", item) as string, scenes as string[]); // as the schema has them
  }
  if (lists.size === 0) return false;
  const scenes = new Map(draft.slots("scenes").map((slot) => [nameOf("scene", slot.item) as string, slot]));
  const now = [...scenes].map(([name, { item }]) => ({ name, assets: (item.assets ?? []) as string[] }));
  const changed = assetsOfScenes(lists, now);
  for (const [name, assets] of changed) setAssets(scenes.get(name) as Slot, assets);
  return changed.size > 0;
}

function setAssets(slot: Slot, assets: readonly string[]): void {
  const item: Raw = { ...slot.item, assets };
  if (item.updated_at === slot.before?.updated_at) delete item.updated_at; // it changes now
  slot.item = item;
}
