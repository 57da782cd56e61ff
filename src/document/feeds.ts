// What people and programs wrote as work went on: notes, script changes, jobs and activity. Checked, written and collected.

import { bulkInsert } from "../store/statements.ts";
import type { Exporter, Row } from "./exporter.ts";
import { exported } from "./exporter.ts";
import type { Importer } from "./importer.ts";
import { onEpisodic } from "./production.ts";
import type { ProductionDocument } from "./schema.ts";
import type { Validator } from "./validator.ts";

const exportActivity = exported("export_activity");
const exportDepartmentNotes = exported("export_department_notes");
const exportJobs = exported("export_jobs");
const exportNotes = exported("export_notes");
const exportScriptChanges = exported("export_script_changes");
const importActivity = bulkInsert("import_activity");
const importDepartmentNote = bulkInsert("import_department_note");
const importJob = bulkInsert("import_job");
const importNote = bulkInsert("import_note");
const importScriptChange = bulkInsert("import_script_change");

type Note = ProductionDocument["notes"][number];
type Change = ProductionDocument["script_changes"][number];

/** A note on a version names one that the asset has. */
function checkVersionOf(validator: Validator, { asset, version }: Note, place: string): void {
  const position = validator.refer(`${place}.asset`, "asset", asset);
  if (position === undefined || version === undefined || !validator.isUsable(`${place}.version`)) return;
  const versions = `assets[${position}].versions`;
  if (!validator.isUsable(versions) || validator.misnumbered.has(position)) return;
  if (version > (validator.document.assets[position]?.versions.length ?? 0))
    validator.report(`${place}.version`, `names no version of "${asset}": ${version}`);
}

function checkChange(validator: Validator, change: Change, place: string): void {
  if (validator.format === "single") validator.present(`${place}.episode`, change.episode, false, onEpisodic);
  else validator.refer(`${place}.episode`, "episode", change.episode);
  validator.refer(`${place}.scene`, "scene", change.scene);
  if (validator.isUsable(`${place}.status`))
    validator.present(`${place}.decided_at`, change.decided_at, change.status !== "pending", "on a decided change");
}

export function checkFeeds(validator: Validator): void {
  validator.each("department_notes", (note, place) => {
    validator.refer(`${place}.department`, "department", note.department);
    validator.refer(`${place}.scene`, "scene", note.scene);
  });
  validator.each("notes", (note, place) => checkVersionOf(validator, note, place));
  validator.each("script_changes", (change, place) => checkChange(validator, change, place));
  for (const list of ["jobs", "activity"] as const)
    validator.each(list, (item, place) => {
      if (item.scene !== undefined && item.asset !== undefined)
        validator.report(place, "must name at most one of scene and asset");
      validator.refer(`${place}.scene`, "scene", item.scene);
      validator.refer(`${place}.asset`, "asset", item.asset);
      if ("actor_person" in item) validator.refer(`${place}.actor_person`, "person", item.actor_person);
    });
}

export function insertFeeds(importer: Importer): void {
  const own = importer.production_id;
  const { document } = importer;
  for (const { department, scene, summary, created_at } of document.department_notes) {
    const about = [importer.id("department", department), importer.id("scene", scene)];
    importer.row(importDepartmentNote, importer.next("department_notes"), own, ...about, summary, created_at ?? null);
  }
  for (const { asset, version, text, author, created_at } of document.notes) {
    const about = [importer.id("asset", asset), importer.versionId(asset, version)];
    importer.row(importNote, importer.next("notes"), own, ...about, text, author, created_at);
  }
  for (const change of document.script_changes) {
    const about = [importer.id("episode", change.episode), importer.id("scene", change.scene)];
    const texts = [change.kind, change.status, change.scene_number, change.summary, change.revision_color];
    const moments = [change.detected_at, change.decided_at ?? null];
    importer.row(importScriptChange, importer.next("script_changes"), own, ...about, ...texts, ...moments);
  }
  for (const job of document.jobs) {
    const what = [job.kind, job.status, job.summary, job.model ?? null, importer.node(job)];
    const when = [job.created_by ?? null, job.created_at, job.finished_at ?? null];
    importer.row(importJob, importer.next("jobs"), own, ...what, ...when);
  }
  for (const entry of document.activity) {
    const who = [entry.actor, importer.id("person", entry.actor_person), importer.node(entry)];
    importer.row(importActivity, importer.next("activity"), own, entry.verb, entry.summary, ...who, entry.created_at);
  }
}

export function collectFeeds(exporter: Exporter): Row {
  return {
    department_notes: exporter.rows(exportDepartmentNotes).map((row) => ({
      ...row,
      department: exporter.name("department", row.department_id),
      scene: exporter.name("scene", row.node_id),
    })),
    notes: exporter.rows(exportNotes).map((row) => ({ ...row, asset: exporter.name("asset", row.node_id) })),
    script_changes: exporter.rows(exportScriptChanges).map((row) => ({
      ...row,
      episode: exporter.name("episode", row.episode_id),
      scene: exporter.name("scene", row.node_id),
    })),
    jobs: exporter.rows(exportJobs).map((row) => ({ ...row, ...exporter.node(row.node_id) })),
    activity: exporter.rows(exportActivity).map((row) => ({
      ...row,
      actor_person: exporter.name("person", row.actor_person_id),
      ...exporter.node(row.node_id),
    })),
  };
}
