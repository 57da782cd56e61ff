// Scenes in script order, and the shooting schedule that places them: checked, written and collected.
import type { Checking } from "./checking.ts";
import type { Collecting, Row } from "./collecting.ts";
import { onEpisodic } from "./production.ts";
import type { Writing } from "./writing.ts";

export function checkScenes(checking: Checking): void {
  const { format, document } = checking;
  checking.each("scenes", (scene, place) => {
    if (format !== undefined) checking.present(`${place}.episode`, scene.episode, format === "episodic", onEpisodic);
    if (format !== "single") checking.refer(`${place}.episode`, "episode", scene.episode);
    checking.referEach(`${place}.assets`, "asset", scene.assets);
  });
  checking.each("schedule", (day, place) => checking.referEach(`${place}.scenes`, "scene", day.scenes));
  checking.distinct("schedule", document.schedule, (day) => day.day_number, ".day_number");
}

export function insertScenes(writing: Writing): void {
  const own = writing.production_id;
  const { scenes } = writing.document;
  scenes.forEach(({ slugline, status, created_at, updated_at }, at) => {
    writing.row("import_node", writing.idAt("scene", at), own, "scene", slugline, status, null, created_at, updated_at);
  });
  scenes.forEach((scene, at) => {
    const id = writing.idAt("scene", at);
    const { number, slugline, revision_color } = scene;
    const episode = writing.id("episode", scene.episode);
    const texts = [number, slugline, scene.synopsis ?? null, revision_color, JSON.stringify(scene.elements)];
    writing.row("import_scene", id, own, episode, ...texts, at + 1);
  });
}

/** The links stand after every node, in the order of their key. */
export function insertSceneAssets(writing: Writing): void {
  writing.document.scenes.forEach(({ assets }, at) => {
    const id = writing.idAt("scene", at);
    for (const asset of assets) writing.row("import_node_link", writing.production_id, id, writing.id("asset", asset));
  });
}

export function insertSchedule(writing: Writing): void {
  const own = writing.production_id;
  for (const day of writing.document.schedule) {
    const id = writing.next("shoot_days");
    writing.row("import_shoot_day", id, own, day.day_number, day.date, day.general_call ?? null, day.status);
    day.scenes.forEach((scene, at) => {
      writing.row("import_strip", own, id, writing.id("scene", scene), at + 1);
    });
  }
}

export function collectScenes(collecting: Collecting): Row {
  const links = collecting.grouped("export_node_links", "from_node_id");
  const strips = collecting.grouped("export_strips", "shoot_day_id");
  return {
    scenes: collecting.rows("export_scenes").map((row) => ({
      ...row,
      elements: JSON.parse(row.elements as string),
      assets: links(row.id).map((link) => collecting.name("asset", link.to_node_id)),
    })),
    schedule: collecting.rows("export_shoot_days").map((row) => ({
      ...row,
      scenes: strips(row.id).map((strip) => collecting.name("scene", strip.node_id)),
    })),
  };
}
