// /schedule.csv: the board as a list with a row for each strip, which is read again as a schedule.
import { inParts } from "../../../graph/scene_parts.ts";
import { listScenes } from "../../../graph/scenes.ts";
import { getSchedule } from "../../../graph/schedule.ts";
import { byDate } from "../../../graph/units.ts";
import { writtenEighths } from "../../names/page_lengths.ts";
import { sendCsv } from "../csv_file.ts";
import { episodeChoice } from "../episode_choice.ts";
import { sceneFactsOf, sceneNumber } from "../scene_facts.ts";
import type { Visit } from "../visit.ts";
import type { Scene } from "./scenes.ts";
import { castOfScenes, type ShootDay } from "./schedule.ts";

const head = ["Day", "Unit", "Date", "Call", "Location", "Scene", "I/E", "Set", "D/N", "Pages", "Cast"];

/** Sends the board as CSV. A day without a strip has a row of its own. */
export async function sendBoard(visit: Visit): Promise<void> {
  const { episode_id } = (await episodeChoice(visit)).given;
  const [days, scenes, castOf] = await Promise.all([
    visit.ask(getSchedule, {}),
    visit.ask(listScenes, { include: "assets" }),
    castOfScenes(visit),
  ]);
  const isShown = (scene: Scene) => episode_id === undefined || episode_id.includes(scene.episode_id ?? 0);
  const byId = new Map(scenes.filter(isShown).map((scene) => [scene.node_id, scene]));
  const rowsOf = (day: ShootDay): string[][] => {
    const own = [`${day.day_number}`, day.unit ?? "", day.date, day.general_call ?? "", day.location ?? ""];
    const strips = day.scenes.flatMap(({ node_id }) => byId.get(node_id) ?? []);
    if (strips.length === 0) return episode_id === undefined ? [[...own, ...head.slice(own.length).fill("")]] : [];
    return inParts(strips, day.parts).map((scene) => {
      const { place, set, time, eighths } = sceneFactsOf(scene);
      const pages = eighths === undefined ? "" : writtenEighths(eighths);
      return [...own, sceneNumber(scene), place, set, time, pages, castOf(scene)];
    });
  };
  const rows = await visit.each(byDate(days), rowsOf);
  await sendCsv(visit, "board.csv", [head, ...rows.flat()]);
}
