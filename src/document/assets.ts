// Checks, writes and reads assets with their versions and costumes, and the ingredients of versions.
import { bulkInsert } from "../store/statements.ts";
import type { Changes, Entry, Item } from "./changes.ts";
import { type Exporter, exported, type Row } from "./exporter.ts";
import { deleteOf, removeAll, removeMedia, updateAll, updateOf } from "./rows.ts";
import type { Validator } from "./validator.ts";
import type { Columns, Writer } from "./writer.ts";

const exportAssets = exported("export_assets");
const exportIngredients = exported("export_ingredients");
export const exportNodeLinks = exported("export_node_links");
const exportVersionIngredients = exported("export_version_ingredients");
const exportVersions = exported("export_versions");

export const insertNode = bulkInsert("import_node");
export const updateNode = updateOf("update_node");
const deleteNode = deleteOf("delete_node");
const forgetInActivity = updateOf("forget_node_in_activity");
export const insertNodeLink = bulkInsert("import_node_link");
export const deleteNodeLinks = deleteOf("delete_node_links");
const insertIngredient = bulkInsert("import_ingredient");
const updateIngredient = updateOf("update_ingredient");
const deleteIngredient = deleteOf("delete_ingredient");
const insertVersion = bulkInsert("import_version");
const insertVersionIngredient = bulkInsert("import_version_ingredient");

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
    const versions = `${place}.versions`;
    for (const [{ ingredients }, here] of validator.items(versions, asset.versions))
      validator.distinct(`${here}.ingredients`, ingredients, ({ ingredient }) => ingredient, ".ingredient");
    checkNumbers(validator, asset.versions, versions);
  }
}

function columnsOfAsset(writer: Writer, asset: Asset): Columns {
  const { kind, label, ref = null, status, department } = asset;
  return { kind, label, ref, status, department_id: writer.id("department", department) };
}

/** The times of a node that is added. */
export const timesOfNew = (
  { now }: Writer,
  { created_at = now, updated_at = created_at }: Item<"assets" | "scenes">,
) => ({
  created_at,
  updated_at,
});

export function writeAssets(writer: Writer, changes: Changes): void {
  const { added, changed } = changes.of("assets");
  for (const { id, item } of added)
    writer.insert(insertNode, { id, ...columnsOfAsset(writer, item), ...timesOfNew(writer, item) });
  updateAll(writer, changed, {
    update: ({ id, item }) =>
      updateNode(writer, id, { ...columnsOfAsset(writer, item), updated_at: item.updated_at ?? writer.now }),
  });
}

/** The costumes of characters, once all assets exist. */
export function writeCostumes(writer: Writer, changes: Changes): void {
  const { added, changed } = changes.of("assets");
  const redressed = changed.filter(({ fields }) => fields.has("costumes"));
  for (const { id } of redressed) deleteNodeLinks(writer, id);
  for (const { id, item } of [...added, ...redressed])
    for (const costume of item.costumes)
      writer.insert(insertNodeLink, { from_node_id: id, to_node_id: writer.id("asset", costume) });
}

export function writeIngredients(writer: Writer, changes: Changes): void {
  const { added, changed } = changes.of("ingredients");
  const columnsOf = ({ kind, label, ref }: Item<"ingredients">): Columns => ({ kind, label, ref: ref ?? null });
  for (const { id, item } of added) {
    writer.insert(insertIngredient, { id, ...columnsOf(item) });
    writer.attach(item.media, { ingredient_id: id });
  }
  updateAll(writer, changed, {
    update: ({ id, item, fields, row }) => {
      updateIngredient(writer, id, columnsOf(item));
      if (!fields.has("media")) return;
      removeMedia(writer, row?.media);
      writer.attach(item.media, { ingredient_id: id });
    },
  });
}

export function removeIngredients(writer: Writer, changes: Changes): void {
  removeAll(writer, changes.of("ingredients").removed, "ingredients", ({ id, row }) => {
    removeMedia(writer, row?.media);
    deleteIngredient(writer, id);
  });
}

/** The versions of an asset that are written: all versions of an added asset, and the new versions of a changed asset. */
function newVersions(changes: Changes): { entry: Entry<"assets">; versions: Version[] }[] {
  const { added, changed } = changes.of("assets");
  return [
    ...added.map((entry) => ({ entry, versions: entry.item.versions })),
    ...changed.map((entry) => ({ entry, versions: entry.item.versions.slice(entry.stored.versions.length) })),
  ];
}

function columnsOfVersion(writer: Writer, node_id: number, version: Version): Columns {
  const { version: number, variant, status, note = null, created_by = null, created_at = null } = version;
  const created_by_person_id = writer.id("person", version.created_by_person);
  const flags = { archived: Number(version.archived), released: Number(version.released) };
  return { node_id, version: number, variant, status, note, created_by, created_by_person_id, ...flags, created_at };
}

export function writeVersions(writer: Writer, changes: Changes): void {
  const fed: { version_id: number; ingredients: Version["ingredients"] }[] = [];
  for (const { entry, versions } of newVersions(changes))
    for (const version of versions) {
      const id = writer.next("versions");
      writer.insert(insertVersion, { id, ...columnsOfVersion(writer, entry.id, version) });
      writer.attach(version.media, { version_id: id });
      if (version.ingredients.length > 0) fed.push({ version_id: id, ingredients: version.ingredients });
    }
  for (const { entry, version, media, ingredients } of lateParts(changes)) {
    const version_id = writer.versionId(entry.item.ref ?? entry.item.label, version) as number; // it is stored
    writer.attach(media, { version_id });
    if (ingredients.length > 0) fed.push({ version_id, ingredients });
  }
  for (const { version_id, ingredients } of fed)
    for (const { ingredient, relation = null } of ingredients) {
      const ingredient_id = writer.id("ingredient", ingredient);
      writer.insert(insertVersionIngredient, { version_id, ingredient_id, relation });
    }
}

/** What a document adds to stored versions: a still, and ingredients. */
function lateParts(changes: Changes) {
  return changes.of("assets").changed.flatMap((entry) =>
    entry.stored.versions.flatMap((stored, at) => {
      const { version, media, ingredients } = entry.item.versions[at] as Version; // stored versions come first
      const known = new Set(stored.ingredients.map(({ ingredient }) => ingredient));
      const added = ingredients.filter(({ ingredient }) => !known.has(ingredient));
      const still = stored.media === undefined ? media : undefined;
      return still === undefined && added.length === 0 ? [] : [{ entry, version, media: still, ingredients: added }];
    }),
  );
}

export function removeAssets(writer: Writer, changes: Changes): void {
  const { removed } = changes.of("assets");
  for (const { id } of removed) deleteNodeLinks(writer, id); // what one wears may be removed before it
  removeAll(writer, removed, "nodes", ({ id }) => removeNode(writer, id));
}

export function removeNode(writer: Writer, id: number): void {
  forgetInActivity(writer, id);
  deleteNode(writer, id);
}

export const collectIngredients = (exporter: Exporter): Row[] =>
  exporter.rows(exportIngredients).map((row) => ({
    ...row,
    ref: exporter.ref("ingredient", row.id),
    media: exporter.media("ingredient_id", row.id)[0],
  }));

export function collectAssets(exporter: Exporter): Row[] {
  const links = exporter.grouped(exportNodeLinks, "from_node_id");
  const versions = exporter.grouped(exportVersions, "node_id");
  const fed = exporter.grouped(exportVersionIngredients, "version_id");
  const version = (row: Row) => ({
    ...row,
    created_by_person: exporter.name("person", row.created_by_person_id),
    archived: row.archived === 1,
    released: row.released === 1,
    media: exporter.media("version_id", row.id)[0],
    ingredients: fed(row.id).map(({ ingredient_id, relation }) => ({
      ingredient: exporter.name("ingredient", ingredient_id),
      relation,
    })),
  });
  return exporter.rows(exportAssets).map((row) => ({
    ...row,
    ref: exporter.ref("asset", row.id),
    department: exporter.name("department", row.department_id),
    costumes: links(row.id).map((link) => exporter.name("asset", link.to_node_id)),
    versions: versions(row.id).map(version),
  }));
}
