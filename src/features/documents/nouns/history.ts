// Checks, writes and reads notes, script changes, jobs and activity.
import type { Validator } from "../check/validator.ts";
import type { Item } from "../sections/sections.ts";
import { named, node, optionalJson, rowsOf, versionOfAsset } from "./columns.ts";
import { exported } from "./exporter.ts";
import { checkVersionOf } from "./nodes.ts";
import { onEpisodic } from "./production.ts";

function checkNode(validator: Validator, { scene, asset }: Item<"jobs" | "activity">, place: string): void {
  if (scene !== undefined && asset !== undefined) validator.report(place, "must name at most one of scene and asset");
}

export const department_notes = rowsOf("department_notes")({
  read: exported("export_department_notes"),
  insert: ["import_department_note"],
  fields: { scene: named("scene", "node_id") },
});

export const notes = rowsOf("notes")({
  check(validator, note, place) {
    checkVersionOf(validator, note, place);
    validator.present(
      `${place}.place`,
      note.place,
      note.place !== undefined && note.version !== undefined,
      "with version",
    );
  },
  read: exported("export_notes"),
  insert: ["import_note"],
  fields: { asset: named("asset", "node_id"), version: versionOfAsset, place: optionalJson("place") },
});

export const script_changes = rowsOf("script_changes")({
  check(validator, { episode, status, decided_at }, place) {
    if (validator.format === "single") validator.present(`${place}.episode`, episode, false, onEpisodic);
    if (validator.isUsable(`${place}.status`))
      validator.present(`${place}.decided_at`, decided_at, status !== "pending", "on a decided change");
  },
  read: exported("export_script_changes"),
  insert: ["import_script_change"],
  fields: { scene: named("scene", "node_id") },
});

export const jobs = rowsOf("jobs")({
  check: checkNode,
  read: exported("export_jobs"),
  insert: ["import_job"],
  fields: { scene: node("scene"), asset: node("asset") },
});

export const activity = rowsOf("activity")({
  check: checkNode,
  read: exported("export_activity"),
  insert: ["import_activity"],
  fields: { scene: node("scene"), asset: node("asset") },
});
