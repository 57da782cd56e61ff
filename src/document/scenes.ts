// Scenes in script order, and the shooting schedule that places them: checked, written and collected.

import { bulkInsert } from "../store/statements.ts";
import { exportNodeLinks, importNode, importNodeLink } from "./assets.ts";
import type { Exporter, Row } from "./exporter.ts";
import { exported } from "./exporter.ts";
import type { Importer } from "./importer.ts";
import { onEpisodic } from "./production.ts";
import type { Validator } from "./validator.ts";

const exportScenes = exported("export_scenes");
const exportShootDays = exported("export_shoot_days");
const exportStrips = exported("export_strips");
const importScene = bulkInsert("import_scene");
const importShootDay = bulkInsert("import_shoot_day");
const importStrip = bulkInsert("import_strip");

export function checkScenes(validator: Validator): void {
  const { format, document } = validator;
  validator.each("scenes", (scene, place) => {
    if (format !== undefined) validator.present(`${place}.episode`, scene.episode, format === "episodic", onEpisodic);
    if (format !== "single") validator.refer(`${place}.episode`, "episode", scene.episode);
    validator.referEach(`${place}.assets`, "asset", scene.assets);
  });
  validator.each("schedule", (day, place) => validator.referEach(`${place}.scenes`, "scene", day.scenes));
  validator.distinct("schedule", document.schedule, (day) => day.day_number, ".day_number");
}

export function insertScenes(importer: Importer): void {
  const own = importer.production_id;
  const { scenes } = importer.document;
  scenes.forEach(({ slugline, status, created_at, updated_at }, at) => {
    importer.row(importNode, importer.idAt("scene", at), own, "scene", slugline, status, null, created_at, updated_at);
  });
  scenes.forEach((scene, at) => {
    const id = importer.idAt("scene", at);
    const { number, slugline, revision_color } = scene;
    const episode = importer.id("episode", scene.episode);
    const texts = [number, slugline, scene.synopsis ?? null, revision_color, JSON.stringify(scene.elements)];
    importer.row(importScene, id, own, episode, ...texts, at + 1);
  });
}

/** The links stand after every node, in the order of their key. */
export function insertSceneAssets(importer: Importer): void {
  importer.document.scenes.forEach(({ assets }, at) => {
    const id = importer.idAt("scene", at);
    for (const asset of assets) importer.row(importNodeLink, importer.production_id, id, importer.id("asset", asset));
  });
}

export function insertSchedule(importer: Importer): void {
  const own = importer.production_id;
  for (const day of importer.document.schedule) {
    const id = importer.next("shoot_days");
    importer.row(importShootDay, id, own, day.day_number, day.date, day.general_call ?? null, day.status);
    day.scenes.forEach((scene, at) => {
      importer.row(importStrip, own, id, importer.id("scene", scene), at + 1);
    });
  }
}

export function collectScenes(exporter: Exporter): Row {
  const links = exporter.grouped(exportNodeLinks, "from_node_id");
  const strips = exporter.grouped(exportStrips, "shoot_day_id");
  return {
    scenes: exporter.rows(exportScenes).map((row) => ({
      ...row,
      elements: JSON.parse(row.elements as string),
      assets: links(row.id).map((link) => exporter.name("asset", link.to_node_id)),
    })),
    schedule: exporter.rows(exportShootDays).map((row) => ({
      ...row,
      scenes: strips(row.id).map((strip) => exporter.name("scene", strip.node_id)),
    })),
  };
}
