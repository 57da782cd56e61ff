// Checks, writes and reads notes, script changes, jobs and activity.
import { bulkInsert } from "../store/statements.ts";
import { checkVersionOf } from "./assets.ts";
import type { Changes, Item } from "./changes.ts";
import { type Exporter, exported, type Row } from "./exporter.ts";
import { onEpisodic } from "./production.ts";
import { deleteOf, removeAll, updateAll, updateOf } from "./rows.ts";
import type { Validator } from "./validator.ts";
import type { Writer } from "./writer.ts";

const exportActivity = exported("export_activity");
const exportDepartmentNotes = exported("export_department_notes");
const exportJobs = exported("export_jobs");
const exportNotes = exported("export_notes");
const exportScriptChanges = exported("export_script_changes");

const insertActivity = bulkInsert("import_activity");
const insertDepartmentNote = bulkInsert("import_department_note");
const updateDepartmentNote = updateOf("update_department_note");
const deleteDepartmentNote = deleteOf("delete_department_note");
const insertJob = bulkInsert("import_job");
const insertNote = bulkInsert("import_note");
const insertScriptChange = bulkInsert("import_script_change");

function checkChange(validator: Validator, change: Item<"script_changes">, place: string): void {
  if (validator.format === "single") validator.present(`${place}.episode`, change.episode, false, onEpisodic);
  if (validator.isUsable(`${place}.status`))
    validator.present(`${place}.decided_at`, change.decided_at, change.status !== "pending", "on a decided change");
}

export function checkFeeds(validator: Validator): void {
  validator.each("notes", (note, place) => checkVersionOf(validator, note, place));
  validator.each("script_changes", (change, place) => checkChange(validator, change, place));
  for (const list of ["jobs", "activity"] as const)
    validator.each(list, (item, place) => {
      if (item.scene !== undefined && item.asset !== undefined)
        validator.report(place, "must name at most one of scene and asset");
    });
}

function writeDepartmentNotes(writer: Writer, changes: Changes): void {
  const { added, changed, removed } = changes.of("department_notes");
  for (const { id, item } of added) {
    const about = { department_id: writer.id("department", item.department), node_id: writer.id("scene", item.scene) };
    writer.insert(insertDepartmentNote, { id, ...about, summary: item.summary, created_at: item.created_at ?? null });
  }
  updateAll(writer, changed, {
    update: ({ id, item }) => updateDepartmentNote(writer, id, { created_at: item.created_at ?? null }),
  });
  removeAll(writer, removed, "department_notes", ({ id }) => deleteDepartmentNote(writer, id));
}

export function writeFeeds(writer: Writer, changes: Changes): void {
  writeDepartmentNotes(writer, changes);
  for (const { id, item } of changes.of("notes").added) {
    const { asset, version, text, author, created_at } = item;
    const about = { node_id: writer.id("asset", asset), version_id: writer.versionId(asset, version) };
    writer.insert(insertNote, { id, ...about, text, author, created_at: created_at ?? writer.now });
  }
  for (const { id, item } of changes.of("script_changes").added) {
    const { kind, status, scene_number, summary, revision_color, detected_at, decided_at = null } = item;
    const about = { episode_id: writer.id("episode", item.episode), node_id: writer.id("scene", item.scene) };
    const what = { kind, status, scene_number, summary, revision_color };
    writer.insert(insertScriptChange, { id, ...about, ...what, detected_at, decided_at });
  }
  for (const { id, item } of changes.of("jobs").added) {
    const { kind, status, summary, model = null, created_by = null, created_at, finished_at = null } = item;
    const what = { kind, status, summary, model, node_id: writer.node(item) };
    writer.insert(insertJob, { id, ...what, created_by, created_at: created_at ?? writer.now, finished_at });
  }
  for (const { id, item } of changes.of("activity").added) {
    const { verb, summary, actor, created_at } = item;
    const about = { actor_person_id: writer.id("person", item.actor_person), node_id: writer.node(item) };
    writer.insert(insertActivity, { id, verb, summary, actor, ...about, created_at: created_at ?? writer.now });
  }
}

export const collectDepartmentNotes = (exporter: Exporter): Row[] =>
  exporter.rows(exportDepartmentNotes).map((row) => ({
    ...row,
    department: exporter.name("department", row.department_id),
    scene: exporter.name("scene", row.node_id),
  }));

export const collectNotes = (exporter: Exporter): Row[] =>
  exporter.rows(exportNotes).map((row) => ({ ...row, asset: exporter.name("asset", row.node_id) }));

export const collectScriptChanges = (exporter: Exporter): Row[] =>
  exporter.rows(exportScriptChanges).map((row) => ({
    ...row,
    episode: exporter.name("episode", row.episode_id),
    scene: exporter.name("scene", row.node_id),
  }));

export const collectJobs = (exporter: Exporter): Row[] =>
  exporter.rows(exportJobs).map((row) => ({ ...row, ...exporter.node(row.node_id) }));

export const collectActivity = (exporter: Exporter): Row[] =>
  exporter.rows(exportActivity).map((row) => ({
    ...row,
    actor_person: exporter.name("person", row.actor_person_id),
    ...exporter.node(row.node_id),
  }));
