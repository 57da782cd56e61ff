// Checks, writes and reads the nodes: scenes in script order, and assets with their versions, costumes and ingredients; and the shooting
// schedule. The field `scenes` of an asset is the other side of the `assets` of scenes, with which it is stored.
import { bulkInsert, change, many } from "../../store/statements.ts";
import type { Validator } from "../check/validator.ts";
import type { Item, SectionChanges } from "../sections/sections.ts";
import { elsewhere, grouped, type Listed, partOf, removeMedia, replaced, rowsOf, updateOf } from "./columns.ts";
import { exported } from "./exporter.ts";
import { onEpisodic } from "./production.ts";
import type { Writer } from "./writer.ts";

const updateScriptOrder = updateOf("update_script_order");
const parkScriptOrder = updateOf("park_script_order");
bulkInsert("import_node_link");
bulkInsert("import_strip");
bulkInsert("import_day_call");
bulkInsert("import_day_banner");
const unlinkedCalls = many<{ production_id: number }, UnlinkedCall>("list_unlinked_calls");
const linkCall = change("link_call");

type UnlinkedCall = { shoot_day_id: number; position: number; who: string };
type Called = { node_id: number | null; person_id: number | null; department_id: number | null };

/** Gives stored scenes another position in the script order. */
export function writeOrders(writer: Writer, moved: readonly { id: number; order: number }[]): void {
  for (const { id } of moved) parkScriptOrder(writer, id, {});
  for (const { id, order } of moved) updateScriptOrder(writer, id, { script_order: order });
}

/** What a call names: an asset, otherwise a person, otherwise a department. Undefined if it is only a text. */
function calledBy(writer: Writer, who: string): Called | undefined {
  const none = { node_id: null, person_id: null, department_id: null };
  for (const [noun, column] of [
    ["asset", "node_id"],
    ["person", "person_id"],
    ["department", "department_id"],
  ] as const) {
    const id = writer.ids(noun, who);
    if (id !== undefined) return { ...none, [column]: id };
  }
  return undefined;
}

/** Links the calls that name what was added or renamed since they were written. */
export function linkCalls(writer: Writer): void {
  const { store, production_id } = writer;
  for (const { who, ...call } of unlinkedCalls(store, { production_id })) {
    const called = calledBy(writer, who);
    if (called !== undefined) linkCall(store, { production_id, ...call, ...called });
  }
}

/** The assets that a scene needs, and the costumes of a character. */
export const readLinks = grouped(
  exported("export_node_links"),
  "from_node_id",
  (exporter) => (link) => exporter.name("asset", link.to_node_id),
);
export function insertLinks(writer: Writer, from_node_id: number, assets: readonly string[]): void {
  for (const asset of assets)
    writer.insert("import_node_link", { from_node_id, to_node_id: writer.id("asset", asset) });
}

export const scenes = rowsOf("scenes")({
  check(validator, { episode }, place) {
    const { format } = validator;
    if (format !== undefined) validator.present(`${place}.episode`, episode, format === "episodic", onEpisodic);
  },
  read: exported("export_scenes"),
  ...{ insert: ["import_node", "import_scene"], update: ["update_node", "update_scene"] },
  ...{ park: "park_scene", unique: ["number", "episode"] },
  remove: ["delete_node_links", "delete_scene", "forget_node_in_activity", "delete_node"],
  fields: {
    assets: replaced("assets", "delete_node_links", readLinks, insertLinks),
  },
  further: ({ id, item, order }) => ({
    ...{ kind: "scene", label: item.slugline, ref: null, department_id: null, cast_number: null, performer: null },
    ...{ node_id: id, script_order: order },
  }),
});

export const schedule = rowsOf("schedule")({
  ...{ read: exported("export_shoot_days"), insert: ["import_shoot_day"], update: ["update_shoot_day"] },
  ...{ park: "park_shoot_day", unique: ["day_number"] },
  remove: ["delete_strips", "delete_day_calls", "delete_day_banners", "delete_shoot_day"],
  fields: {
    calls: replaced(
      "calls",
      "delete_day_calls",
      grouped(exported("export_day_calls"), "shoot_day_id", (exporter) => (row) => ({
        who:
          exporter.name("asset", row.node_id) ??
          exporter.name("person", row.person_id) ??
          exporter.name("department", row.department_id) ??
          row.who,
        ...{ time: row.time, note: row.note },
      })),
      (writer, shoot_day_id, calls) => {
        for (const [at, { who, time, note = null }] of calls.entries()) {
          const called = calledBy(writer, who) ?? { node_id: null, person_id: null, department_id: null, who };
          writer.insert("import_day_call", { who: null, ...called, shoot_day_id, position: at + 1, time, note });
        }
      },
    ),
    banners: replaced(
      "banners",
      "delete_day_banners",
      grouped(exported("export_day_banners"), "shoot_day_id", (exporter) => (row) => ({
        ...{ before: exporter.name("scene", row.before_node_id), text: row.text },
      })),
      (writer, shoot_day_id, banners) => {
        for (const [at, { before, text }] of banners.entries()) {
          const before_node_id = writer.id("scene", before ?? undefined);
          writer.insert("import_day_banner", { shoot_day_id, position: at + 1, before_node_id, text });
        }
      },
    ),
    scenes: replaced(
      "scenes",
      "delete_strips",
      grouped(exported("export_strips"), "shoot_day_id", (exporter) => (row) => exporter.name("scene", row.node_id)),
      (writer, shoot_day_id, scenes) => {
        for (const [at, scene] of scenes.entries())
          writer.insert("import_strip", { shoot_day_id, node_id: writer.id("scene", scene), position: at + 1 });
      },
    ),
  },
});

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

function check(validator: Validator, asset: Asset, place: string): void {
  checkCostumes(validator, asset, place);
  if (validator.isUsable(`${place}.kind`) && asset.kind !== "character")
    for (const field of ["cast_number", "performer"] as const)
      validator.present(`${place}.${field}`, asset[field], false, "on an asset of kind character");
  const versions = `${place}.versions`;
  for (const [{ ingredients }, here] of validator.items(versions, asset.versions))
    validator.distinct(`${here}.ingredients`, ingredients, ({ ingredient }) => ingredient, ".ingredient");
  checkNumbers(validator, asset.versions, versions);
}

const readVersionIngredients = grouped(
  exported("export_version_ingredients"),
  "version_id",
  (exporter) =>
    ({ ingredient_id, relation }) => ({ ingredient: exporter.name("ingredient", ingredient_id), relation }),
);

const version = partOf("assets", "versions")("import_version", {
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

export const assets = rowsOf("assets")({
  check,
  ...{ read: exported("export_assets"), insert: ["import_node"], update: ["update_node"] },
  remove: ["delete_node_links", "forget_node_in_activity", "delete_node"],
  fields: {
    costumes: replaced("costumes", "delete_node_links", readLinks, insertLinks),
    scenes: { list() {} }, // they are stored with the scenes
    versions,
  },
});

export const ingredients = rowsOf("ingredients")({
  ...{ read: exported("export_ingredients"), insert: ["import_ingredient"], update: ["update_ingredient"] },
  remove: ["delete_ingredient"],
  fields: {
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
