// Checks, writes and reads notes, script changes, jobs and activity.
import type { Validator } from "../check/validator.ts";
import type { Item } from "../sections/sections.ts";
import { named, node, rowsOf, same, time, versionOfAsset } from "./columns.ts";
import { exported } from "./exporter.ts";
import { checkVersionOf } from "./nodes.ts";
import { onEpisodic } from "./production.ts";

function checkNode(validator: Validator, { scene, asset }: Item<"jobs" | "activity">, place: string): void {
  if (scene !== undefined && asset !== undefined) validator.report(place, "must name at most one of scene and asset");
}

export const department_notes = rowsOf<"department_notes">()({
  read: exported("export_department_notes"),
  ...{ insert: ["import_department_note"], update: ["update_department_note"], remove: ["delete_department_note"] },
  fields: {
    ...{ department: named("department", "department_id"), scene: named("scene", "node_id") },
    ...{ summary: same, created_at: same },
  },
});

export const notes = rowsOf<"notes">()({
  check: checkVersionOf,
  ...{ read: exported("export_notes"), insert: ["import_note"] },
  fields: {
    ...{ asset: named("asset", "node_id"), version: versionOfAsset, text: same, author: same, created_at: time },
  },
});

export const script_changes = rowsOf<"script_changes">()({
  check(validator, { episode, status, decided_at }, place) {
    if (validator.format === "single") validator.present(`${place}.episode`, episode, false, onEpisodic);
    if (validator.isUsable(`${place}.status`))
      validator.present(`${place}.decided_at`, decided_at, status !== "pending", "on a decided change");
  },
  ...{ read: exported("export_script_changes"), insert: ["import_script_change"] },
  ...{ update: ["update_script_change"], remove: ["delete_script_change"] }, // by an undo only
  fields: {
    ...{ episode: named("episode", "episode_id"), scene: named("scene", "node_id"), scene_number: same, kind: same },
    ...{ status: same, summary: same, revision_color: same, detected_at: same, decided_at: same },
  },
});

export const jobs = rowsOf<"jobs">()({
  check: checkNode,
  ...{ read: exported("export_jobs"), insert: ["import_job"] },
  fields: {
    ...{ kind: same, status: same, summary: same, model: same, scene: node("scene"), asset: node("asset") },
    ...{ created_by: same, created_at: time, finished_at: same },
  },
});

export const activity = rowsOf<"activity">()({
  check: checkNode,
  ...{ read: exported("export_activity"), insert: ["import_activity"] },
  fields: {
    ...{ verb: same, summary: same, actor: same, actor_person: named("person", "actor_person_id") },
    ...{ scene: node("scene"), asset: node("asset"), created_at: time },
  },
});
