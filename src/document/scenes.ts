// Checks, writes and reads scenes in script order, and the shooting schedule.
import { bulkInsert } from "../store/statements.ts";
import {
  deleteNodeLinks,
  exportNodeLinks,
  insertNode,
  insertNodeLink,
  removeNode,
  timesOfNew,
  updateNode,
} from "./assets.ts";
import type { Changes, Entry, Item } from "./changes.ts";
import { type Exporter, exported, type Row } from "./exporter.ts";
import { onEpisodic } from "./production.ts";
import { deleteOf, removeAll, updateAll, updateOf } from "./rows.ts";
import type { Validator } from "./validator.ts";
import type { Columns, Writer } from "./writer.ts";

const exportScenes = exported("export_scenes");
const exportShootDays = exported("export_shoot_days");
const exportStrips = exported("export_strips");

const insertScene = bulkInsert("import_scene");
const updateScene = updateOf("update_scene");
const parkScene = updateOf("park_scene");
const deleteScene = deleteOf("delete_scene");
const updateScriptOrder = updateOf("update_script_order");
const parkScriptOrder = updateOf("park_script_order");
const insertShootDay = bulkInsert("import_shoot_day");
const updateShootDay = updateOf("update_shoot_day");
const parkShootDay = updateOf("park_shoot_day");
const deleteShootDay = deleteOf("delete_shoot_day");
const insertStrip = bulkInsert("import_strip");
const deleteStrips = deleteOf("delete_strips");

export function checkScenes(validator: Validator): void {
  const { format, document } = validator;
  validator.each("scenes", (scene, place) => {
    if (format !== undefined) validator.present(`${place}.episode`, scene.episode, format === "episodic", onEpisodic);
  });
  validator.distinct("schedule", document.schedule, (day) => day.day_number, ".day_number");
}

const nodeColumns = ({ slugline, status }: Item<"scenes">): Columns => ({
  ...{ kind: "scene", label: slugline, ref: null, status, department_id: null },
});

function columnsOfScene(writer: Writer, scene: Item<"scenes">): Columns {
  const { number, slugline, synopsis = null, revision_color, elements } = scene;
  const episode_id = writer.id("episode", scene.episode);
  return { episode_id, number, slugline, synopsis, revision_color, elements: JSON.stringify(elements) };
}

/** The nodes of added scenes, before anything that refers to them. */
export function writeSceneNodes(writer: Writer, changes: Changes): void {
  for (const { id, item } of changes.of("scenes").added)
    writer.insert(insertNode, { id, ...nodeColumns(item), ...timesOfNew(writer, item) });
}

/** Gives stored scenes another place in the script order. */
export function writeOrders(writer: Writer, moved: readonly { id: number; order: number }[]): void {
  for (const { id } of moved) parkScriptOrder(writer, id);
  for (const { id, order } of moved) updateScriptOrder(writer, id, { script_order: order });
}

export function writeScenes(writer: Writer, changes: Changes): void {
  const { added, changed } = changes.of("scenes");
  updateAll(writer, changed, {
    ...{ unique: ["number", "episode"], park: parkScene },
    update: ({ id, item }) => {
      updateNode(writer, id, { ...nodeColumns(item), updated_at: item.updated_at ?? writer.now });
      updateScene(writer, id, columnsOfScene(writer, item));
    },
  });
  for (const { id, item, order } of added)
    writer.insert(insertScene, { node_id: id, ...columnsOfScene(writer, item), script_order: order });
}

/** Only an undo removes scenes. */
export function removeScenes(writer: Writer, changes: Changes): void {
  removeAll(writer, changes.of("scenes").removed, "nodes", ({ id }) => {
    deleteNodeLinks(writer, id);
    deleteScene(writer, id);
    removeNode(writer, id);
  });
}

/** The assets that scenes need, once all of both exist. */
export function writeSceneAssets(writer: Writer, changes: Changes): void {
  const { added, changed } = changes.of("scenes");
  const relinked = changed.filter(({ fields }) => fields.has("assets"));
  for (const { id } of relinked) deleteNodeLinks(writer, id);
  for (const { id, item } of [...added, ...relinked])
    for (const asset of item.assets)
      writer.insert(insertNodeLink, { from_node_id: id, to_node_id: writer.id("asset", asset) });
}

function columnsOfDay(day: Item<"schedule">): Columns {
  const { day_number, date, general_call = null, status } = day;
  return { day_number, date, general_call, status };
}

function insertStrips(writer: Writer, { id, item }: Entry<"schedule">): void {
  item.scenes.forEach((scene, at) => {
    writer.insert(insertStrip, { shoot_day_id: id, node_id: writer.id("scene", scene), position: at + 1 });
  });
}

export function writeSchedule(writer: Writer, changes: Changes): void {
  const { added, changed, removed } = changes.of("schedule");
  removeAll(writer, removed, "shoot_days", ({ id }) => {
    deleteStrips(writer, id);
    deleteShootDay(writer, id);
  });
  updateAll(writer, changed, {
    ...{ unique: ["day_number"], park: parkShootDay },
    update: ({ id, item }) => updateShootDay(writer, id, columnsOfDay(item)),
  });
  const rescheduled = changed.filter(({ fields }) => fields.has("scenes"));
  for (const { id } of rescheduled) deleteStrips(writer, id);
  for (const entry of rescheduled) insertStrips(writer, entry);
  for (const entry of added) {
    writer.insert(insertShootDay, { id: entry.id, ...columnsOfDay(entry.item) });
    insertStrips(writer, entry);
  }
}

export function collectScenes(exporter: Exporter): Row[] {
  const links = exporter.grouped(exportNodeLinks, "from_node_id");
  return exporter.rows(exportScenes).map((row) => ({
    ...row,
    order: row.script_order,
    elements: JSON.parse(row.elements as string),
    assets: links(row.id).map((link) => exporter.name("asset", link.to_node_id)),
  }));
}

export function collectSchedule(exporter: Exporter): Row[] {
  const strips = exporter.grouped(exportStrips, "shoot_day_id");
  return exporter.rows(exportShootDays).map((row) => ({
    ...row,
    scenes: strips(row.id).map((strip) => exporter.name("scene", strip.node_id)),
  }));
}
