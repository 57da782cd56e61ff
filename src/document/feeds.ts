// What people and programs wrote as work went on: notes, script changes, jobs and activity. Checked, written and collected.
import type { Checking } from "./checking.ts";
import type { Collecting, Row } from "./collecting.ts";
import { onEpisodic } from "./production.ts";
import type { ProductionDocument } from "./schema.ts";
import type { Writing } from "./writing.ts";

type Note = ProductionDocument["notes"][number];
type Change = ProductionDocument["script_changes"][number];

/** A note on a version names one that the asset has. */
function checkVersionOf(checking: Checking, { asset, version }: Note, place: string): void {
  const position = checking.refer(`${place}.asset`, "asset", asset);
  if (position === undefined || version === undefined || !checking.isUsable(`${place}.version`)) return;
  const versions = `assets[${position}].versions`;
  if (!checking.isUsable(versions) || checking.misnumbered.has(position)) return;
  if (version > (checking.document.assets[position]?.versions.length ?? 0))
    checking.report(`${place}.version`, `names no version of "${asset}": ${version}`);
}

function checkChange(checking: Checking, change: Change, place: string): void {
  if (checking.format === "single") checking.present(`${place}.episode`, change.episode, false, onEpisodic);
  else checking.refer(`${place}.episode`, "episode", change.episode);
  checking.refer(`${place}.scene`, "scene", change.scene);
  if (checking.isUsable(`${place}.status`))
    checking.present(`${place}.decided_at`, change.decided_at, change.status !== "pending", "on a decided change");
}

export function checkFeeds(checking: Checking): void {
  checking.each("department_notes", (note, place) => {
    checking.refer(`${place}.department`, "department", note.department);
    checking.refer(`${place}.scene`, "scene", note.scene);
  });
  checking.each("notes", (note, place) => checkVersionOf(checking, note, place));
  checking.each("script_changes", (change, place) => checkChange(checking, change, place));
  for (const list of ["jobs", "activity"] as const)
    checking.each(list, (item, place) => {
      if (item.scene !== undefined && item.asset !== undefined)
        checking.report(place, "must name at most one of scene and asset");
      checking.refer(`${place}.scene`, "scene", item.scene);
      checking.refer(`${place}.asset`, "asset", item.asset);
      if ("actor_person" in item) checking.refer(`${place}.actor_person`, "person", item.actor_person);
    });
}

export function insertFeeds(writing: Writing): void {
  const own = writing.production_id;
  const { document } = writing;
  for (const { department, scene, summary, created_at } of document.department_notes) {
    const about = [writing.id("department", department), writing.id("scene", scene)];
    writing.row("import_department_note", writing.next("department_notes"), own, ...about, summary, created_at ?? null);
  }
  for (const { asset, version, text, author, created_at } of document.notes) {
    const about = [writing.id("asset", asset), writing.versionId(asset, version)];
    writing.row("import_note", writing.next("notes"), own, ...about, text, author, created_at);
  }
  for (const change of document.script_changes) {
    const about = [writing.id("episode", change.episode), writing.id("scene", change.scene)];
    const texts = [change.kind, change.status, change.scene_number, change.summary, change.revision_color];
    const moments = [change.detected_at, change.decided_at ?? null];
    writing.row("import_script_change", writing.next("script_changes"), own, ...about, ...texts, ...moments);
  }
  for (const job of document.jobs) {
    const what = [job.kind, job.status, job.summary, job.model ?? null, writing.node(job)];
    const when = [job.created_by ?? null, job.created_at, job.finished_at ?? null];
    writing.row("import_job", writing.next("jobs"), own, ...what, ...when);
  }
  for (const entry of document.activity) {
    const who = [entry.actor, writing.id("person", entry.actor_person), writing.node(entry)];
    writing.row("import_activity", writing.next("activity"), own, entry.verb, entry.summary, ...who, entry.created_at);
  }
}

export function collectFeeds(collecting: Collecting): Row {
  return {
    department_notes: collecting.rows("export_department_notes").map((row) => ({
      ...row,
      department: collecting.name("department", row.department_id),
      scene: collecting.name("scene", row.node_id),
    })),
    notes: collecting.rows("export_notes").map((row) => ({ ...row, asset: collecting.name("asset", row.node_id) })),
    script_changes: collecting.rows("export_script_changes").map((row) => ({
      ...row,
      episode: collecting.name("episode", row.episode_id),
      scene: collecting.name("scene", row.node_id),
    })),
    jobs: collecting.rows("export_jobs").map((row) => ({ ...row, ...collecting.node(row.node_id) })),
    activity: collecting.rows("export_activity").map((row) => ({
      ...row,
      actor_person: collecting.name("person", row.actor_person_id),
      ...collecting.node(row.node_id),
    })),
  };
}
