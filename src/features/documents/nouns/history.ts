// Writes and reads notes, script changes, jobs and activity.
import { named, node, optionalJson, rowsOf, versionOfAsset } from "./columns.ts";
import { exported } from "./exporter.ts";

export const department_notes = rowsOf("department_notes")({
  read: exported("export_department_notes"),
  insert: ["import_department_note"],
  fields: { scene: named("scene", "node_id") },
});

export const notes = rowsOf("notes")({
  read: exported("export_notes"),
  insert: ["import_note"],
  fields: { asset: named("asset", "node_id"), version: versionOfAsset, place: optionalJson("place") },
});

export const script_changes = rowsOf("script_changes")({
  read: exported("export_script_changes"),
  insert: ["import_script_change"],
  fields: { scene: named("scene", "node_id") },
});

export const jobs = rowsOf("jobs")({
  read: exported("export_jobs"),
  insert: ["import_job"],
  fields: { scene: node("scene"), asset: node("asset") },
});

export const activity = rowsOf("activity")({
  read: exported("export_activity"),
  insert: ["import_activity"],
  fields: { scene: node("scene"), asset: node("asset") },
});
