// Checks, writes and reads assets with their versions and costumes, and the ingredients of versions. The field `scenes` of an asset is
// the other side of the `assets` of scenes, with which it is stored.
import { bulkInsert } from "../../store/statements.ts";
import type { Validator } from "../check/validator.ts";
import type { Draft } from "../match/draft.ts";
import type { Slot } from "../match/source.ts";
import type { Raw } from "../sections/form.ts";
import { nameOf } from "../sections/names.ts";
import type { ProductionDocument } from "../sections/schema.ts";
import type { Item, SectionChanges } from "../sections/sections.ts";
import {
  elsewhere,
  flag,
  grouped,
  type Listed,
  named,
  partOf,
  ref,
  removeMedia,
  replaced,
  rowsOf,
  same,
  time,
} from "./columns.ts";
import { exported } from "./exporter.ts";
import { insertLinks, readLinks } from "./scenes.ts";

bulkInsert("import_version_ingredient");

type Asset = Item<"assets">;
type Version = Asset["versions"][number];

/** Versions are numbered 1, 2, 3 in their order. After the first wrong number, the following ones are not reported. */
function checkNumbers(validator: Validator, versions: readonly Version[], place: string): void {
  let before = 0;
  for (const [{ version }, here, at] of validator.items(place, versions)) {
    const readable = validator.isUsable(`${here}.version`);
    if (readable && version !== at + 1 && version !== before + 1)
      validator.report(`${here}.version`, `must be ${at + 1}: versions are in order and numbered from 1`);
    before = readable ? version : at + 1;
  }
}

/** What is about a version names one that its asset has. */
export function checkVersionOf(
  validator: Validator,
  { asset, version }: { asset?: string | undefined; version?: number | undefined },
  place: string,
): void {
  validator.present(`${place}.version`, version, version !== undefined && asset !== undefined, "with asset");
  if (version === undefined || asset === undefined) return;
  if (!validator.isUsable(`${place}.asset`) || !validator.isUsable(`${place}.version`)) return;
  const { versions } = validator.known("asset", asset) ?? {};
  if (versions !== undefined && version > versions)
    validator.report(`${place}.version`, `names no version of "${asset}": ${version}`);
}

/** What a character wears: assets of kind costume. */
function checkCostumes(validator: Validator, { kind, costumes }: Asset, place: string): void {
  const list = `${place}.costumes`;
  if (!validator.isUsable(list)) return;
  if (costumes.length > 0 && validator.isUsable(`${place}.kind`) && kind !== "character") {
    validator.report(list, "is allowed only on an asset of kind character");
    return;
  }
  for (const [name, here] of validator.items(list, costumes)) {
    if (!validator.isUsable(here)) continue;
    const { kind: named } = validator.known("asset", name) ?? {};
    if (named !== undefined && named !== "costume")
      validator.report(here, `must name an asset of kind costume, and "${name}" is not one`);
  }
}

export function checkAssets(validator: Validator): void {
  for (const [asset, place] of validator.items("assets", validator.document.assets)) {
    checkCostumes(validator, asset, place);
    if (validator.isUsable(`${place}.kind`) && asset.kind !== "character")
      for (const field of ["cast_number", "performer"] as const)
        validator.present(`${place}.${field}`, asset[field], false, "on an asset of kind character");
    const versions = `${place}.versions`;
    for (const [{ ingredients }, here] of validator.items(versions, asset.versions))
      validator.distinct(`${here}.ingredients`, ingredients, ({ ingredient }) => ingredient, ".ingredient");
    checkNumbers(validator, asset.versions, versions);
  }
}

const readVersionIngredients = grouped(
  exported("export_version_ingredients"),
  "version_id",
  (exporter) =>
    ({ ingredient_id, relation }) => ({ ingredient: exporter.name("ingredient", ingredient_id), relation }),
);

const version = partOf<Version>()("import_version", {
  ...{ version: same, variant: same, status: same, note: same, created_by: same },
  ...{ created_by_person: named("person", "created_by_person_id"), archived: flag, released: flag, created_at: same },
  media: elsewhere((exporter) => (row) => exporter.media("version_id", row.id)[0]),
  ingredients: elsewhere(readVersionIngredients),
});

/** The versions of an added asset, and the new versions of a changed asset; of the others what is new of them. */
const versions: Listed<"assets"> = {
  open: grouped(exported("export_versions"), "node_id", version.open),
  list(writer, changes) {
    const fed: { version_id: number; ingredients: Version["ingredients"] }[] = [];
    const entries = [
      ...changes.added.map(({ id, item }) => ({ id, versions: item.versions })),
      ...changes.changed.map(({ id, item, stored }) => ({ id, versions: item.versions.slice(stored.versions.length) })),
    ];
    for (const { id: node_id, versions } of entries)
      for (const one of versions) {
        const id = writer.next("versions");
        version.insert(writer, one, { id, node_id });
        writer.attach(one.media, { version_id: id });
        if (one.ingredients.length > 0) fed.push({ version_id: id, ingredients: one.ingredients });
      }
    for (const { entry, version, media, ingredients } of lateParts(changes)) {
      const version_id = writer.versionId(entry.item.ref ?? entry.item.label, version) as number; // it is stored
      writer.attach(media, { version_id });
      if (ingredients.length > 0) fed.push({ version_id, ingredients });
    }
    for (const { version_id, ingredients } of fed)
      for (const { ingredient, relation = null } of ingredients) {
        const ingredient_id = writer.id("ingredient", ingredient);
        writer.insert("import_version_ingredient", { version_id, ingredient_id, relation });
      }
  },
};

/** What a document adds to stored versions: a still, and ingredients. */
function lateParts({ changed }: SectionChanges<"assets">) {
  return changed.flatMap((entry) =>
    entry.stored.versions.flatMap((stored, at) => {
      const { version, media, ingredients } = entry.item.versions[at] as Version; // stored versions come first
      const known = new Set(stored.ingredients.map(({ ingredient }) => ingredient));
      const added = ingredients.filter(({ ingredient }) => !known.has(ingredient));
      const still = stored.media === undefined ? media : undefined;
      return still === undefined && added.length === 0 ? [] : [{ entry, version, media: still, ingredients: added }];
    }),
  );
}

export const assets = rowsOf<"assets">()({
  ...{ read: exported("export_assets"), insert: ["import_node"], update: ["update_node"] },
  remove: ["delete_node_links", "forget_node_in_activity", "delete_node"],
  fields: {
    ...{ ref: ref("asset"), label: same, kind: same, status: same, department: named("department", "department_id") },
    ...{ cast_number: same, performer: same },
    costumes: replaced("costumes", "delete_node_links", readLinks, insertLinks),
    scenes: { list() {} }, // they are stored with the scenes
    ...{ created_at: time, updated_at: time, versions },
  },
});

export const ingredients = rowsOf<"ingredients">()({
  ...{ read: exported("export_ingredients"), insert: ["import_ingredient"], update: ["update_ingredient"] },
  remove: ["delete_ingredient"],
  fields: {
    ...{ ref: ref("ingredient"), kind: same, label: same },
    media: {
      open: (exporter) => (row) => exporter.media("ingredient_id", row.id)[0],
      list(writer, { added, changed }) {
        const others = changed.filter(({ fields }) => fields.has("media"));
        for (const { row } of others) removeMedia(writer, row?.media);
        for (const { id, item } of [...added, ...others]) writer.attach(item.media, { ingredient_id: id });
      },
    },
  },
});

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
