// Checks, writes and reads scenes in script order, and the shooting schedule.
import { bulkInsert, change, many } from "../../store/statements.ts";
import type { Validator } from "../check/validator.ts";
import { grouped, json, named, replaced, rowsOf, same, time, updateOf } from "./columns.ts";
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
const linkCall = change<Omit<UnlinkedCall, "who"> & { production_id: number } & Called>("link_call");

type UnlinkedCall = { shoot_day_id: number; position: number; who: string };
type Called = { node_id: number | null; person_id: number | null; department_id: number | null };

export function checkScenes(validator: Validator): void {
  const { format, document } = validator;
  validator.each("scenes", (scene, place) => {
    if (format !== undefined) validator.present(`${place}.episode`, scene.episode, format === "episodic", onEpisodic);
  });
  validator.distinct("schedule", document.schedule, (day) => day.day_number, ".day_number");
}

/** Gives stored scenes another place in the script order. */
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

export const scenes = rowsOf<"scenes">()({
  read: exported("export_scenes"),
  ...{ insert: ["import_node", "import_scene"], update: ["update_node", "update_scene"] },
  ...{ park: "park_scene", unique: ["number", "episode"] },
  remove: ["delete_node_links", "delete_scene", "forget_node_in_activity", "delete_node"],
  fields: {
    ...{ number: same, episode: named("episode", "episode_id"), slugline: same, synopsis: same, status: same },
    ...{ revision_color: same, elements: json, created_at: time, updated_at: time },
    assets: replaced("assets", "delete_node_links", readLinks, insertLinks),
  },
  further: ({ id, item, order }) => ({
    ...{ kind: "scene", label: item.slugline, ref: null, department_id: null, cast_number: null, performer: null },
    ...{ node_id: id, script_order: order },
  }),
});

export const schedule = rowsOf<"schedule">()({
  ...{ read: exported("export_shoot_days"), insert: ["import_shoot_day"], update: ["update_shoot_day"] },
  ...{ park: "park_shoot_day", unique: ["day_number"] },
  remove: ["delete_strips", "delete_day_calls", "delete_day_banners", "delete_shoot_day"],
  fields: {
    ...{ day_number: same, date: same, general_call: same, status: same, location: same, notes: same, wrap: same },
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
