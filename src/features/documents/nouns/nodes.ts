// Writes and reads the nodes: scenes in script order, and assets with their versions, costumes and ingredients; and the shooting
// schedule. The field `scenes` of an asset is the other side of the `assets` of scenes, with which it is stored.
import { bulkInsert, change, many } from "../../../core/store/statements.ts";
import { isReference, nounIn } from "../sections/references.ts";
import {
  attachedMedium,
  type ColumnMapping,
  changeById,
  grouped,
  isWritten,
  named,
  recordedParts,
  removeMedia,
  replacedParts,
  rowsOf,
} from "./columns.ts";
import { exported } from "./exporter.ts";
import type { Writer } from "./writer.ts";

const forgetInActivity = changeById("forget_node_in_activity");
const unlinkedCalls = many<{ production_id: number }, UnlinkedCall>("list_unlinked_calls");
const linkCall = change("link_call");

type UnlinkedCall = { shoot_day_id: number; position: number; who: string };
type CallTarget = { node_id: number | null; person_id: number | null; department_id: number | null };

/** Gives stored scenes another position in the script order. */
export function writeOrders(writer: Writer, moved: readonly { id: number; order: number }[]): void {
  for (const { id } of moved) writer.set("import_scene", id, { script_order: -id });
  for (const { id, order } of moved) writer.set("import_scene", id, { script_order: order });
}

/** What a call may name, in this order, and in which column. */
const callable = [
  ["asset", "node_id"],
  ["person", "person_id"],
  ["department", "department_id"],
] as const;

/** What a call names; undefined if it is only a text. */
function callTargetOf(writer: Writer, who: string): CallTarget | undefined {
  const none = { node_id: null, person_id: null, department_id: null };
  for (const [noun, column] of callable) {
    const id = writer.ids(noun, who);
    if (id !== undefined) return { ...none, [column]: id };
  }
  return undefined;
}

const called: ColumnMapping<"who"> = {
  column: "who",
  write(cells, { who }, _, writer) {
    const none = { node_id: null, person_id: null, department_id: null, who: null };
    const text = who as string; // the schema requires the name of a call
    const [, column = "who"] = (isReference(text) && callable.find(([noun]) => noun === nounIn(text))) || [];
    Object.assign(cells, none, { [column]: column === "who" ? text : writer.idOf(text) });
  },
  open: (exporter) => (row) =>
    callable.reduce<unknown>((name, [noun, column]) => name ?? exporter.name(noun, row[column]), undefined) ?? row.who,
};

/** Links the calls that name what was added or renamed since they were written. */
export function linkCalls(writer: Writer): void {
  const { store, production_id } = writer;
  for (const { who, ...call } of unlinkedCalls(store, { production_id })) {
    const called = callTargetOf(writer, who);
    if (called === undefined) continue;
    linkCall(store, { production_id, ...call, ...called });
    writer.tables.add("day_calls");
  }
}

const links = {
  read: exported("export_node_links"),
  by: "from_node_id",
  fields: named("asset", "to_node_id"),
} as const;

export const scenes = rowsOf("scenes")({
  read: exported("export_scenes"),
  insert: ["import_node", "import_scene"],
  unique: ["number", "episode"],
  leave: [forgetInActivity],
  fields: {
    assets: replacedParts("scenes", "assets")("import_node_link", links),
  },
  further: ({ id, item, order }) => ({
    kind: "scene",
    label: item.slugline,
    ref: null,
    department_id: null,
    cast_number: null,
    performer: null,
    node_id: id,
    script_order: order,
  }),
});

export const schedule = rowsOf("schedule")({
  read: exported("export_shoot_days"),
  insert: ["import_shoot_day"],
  unique: ["day_number"],
  fields: {
    calls: replacedParts("schedule", "calls")("import_day_call", {
      read: exported("export_day_calls"),
      by: "shoot_day_id",
      fields: { who: called },
    }),
    banners: replacedParts("schedule", "banners")("import_day_banner", {
      read: exported("export_day_banners"),
      by: "shoot_day_id",
      fields: { before: named("scene", "before_node_id") },
    }),
    scenes: replacedParts("schedule", "scenes")("import_strip", {
      read: exported("export_strips"),
      by: "shoot_day_id",
      fields: named("scene", "node_id"),
    }),
  },
});

bulkInsert("import_version_ingredient");

const readVersionIngredients = grouped(
  exported("export_version_ingredients"),
  "version_id",
  (exporter) =>
    ({ ingredient_id, relation }) => ({ ingredient: exporter.name("ingredient", ingredient_id), relation }),
);

const versions = recordedParts("assets", "versions")(
  "import_version",
  {
    read: exported("export_versions"),
    by: "node_id",
    table: "versions",
    fields: { media: attachedMedium("version_id"), ingredients: { separate: true, open: readVersionIngredients } },
  },
  {
    ownerOf: (version_id) => ({ version_id }),
    after(writer, parts) {
      for (const { id: version_id, part, before } of parts) {
        const known = new Set(before?.ingredients.map(({ ingredient }) => ingredient));
        for (const { ingredient, relation = null } of part.ingredients)
          if (!known.has(ingredient)) {
            const ingredient_id = writer.id("ingredient", ingredient);
            writer.insert("import_version_ingredient", { version_id, ingredient_id, relation });
          }
      }
    },
  },
);

export const assets = rowsOf("assets")({
  read: exported("export_assets"),
  insert: ["import_node"],
  leave: [forgetInActivity],
  fields: {
    costumes: replacedParts("assets", "costumes")("import_node_link", links),
    scenes: { list() {} }, // they are stored with the scenes
    versions,
  },
});

export const ingredients = rowsOf("ingredients")({
  read: exported("export_ingredients"),
  insert: ["import_ingredient"],
  fields: {
    media: {
      ...attachedMedium("ingredient_id"),
      list(writer, entries) {
        for (const { id, item, row } of entries.filter((one) => isWritten(one, "media"))) {
          removeMedia(writer, row?.media);
          writer.attach(item.media, { ingredient_id: id });
        }
      },
    },
  },
});
