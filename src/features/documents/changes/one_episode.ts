// Keeps what belongs to other episodes as it is, where exact documents are those of one episode.
import { unprocessable } from "../../../core/errors.ts";
import { unitKey } from "../../../graph/units.ts";
import { idsOf, rawsOf, textsOf } from "../sections/form.ts";
import { type SectionName, sceneName, unitDayOf } from "../sections/sections.ts";
import type { Item, Update } from "./update.ts";

/**
 * The sections whose things have scenes, or are recorded. Complete lists of others would remove what no episode has.
 */
const withScenes = new Set<SectionName>([
  ...(["episodes", "scenes", "assets", "schedule", "deliveries", "approvals"] as const),
  ...(["department_notes", "notes", "script_changes", "jobs", "activity"] as const),
]);

/** Whether a scene is of the episode of the update; where the update is of none, every scene is. */
export function isOwn({ options: { episode }, names }: Update, scene: unknown): boolean {
  if (episode === undefined) return true;
  return typeof scene === "number" && names.nameOf("scene", scene)?.startsWith(`${episode}/`) === true;
}

/** Reports what the documents of one episode may not have: sections without scenes, and scenes of other episodes. */
export function refuseOthers(update: Update, episode: string): void {
  if (update.names.of("episode").find(episode) === undefined) throw unprocessable(`there is no episode ${episode}`);
  for (const { document, problems } of update.sources) {
    for (const section of Object.keys(document) as SectionName[]) // the sections of a document, and the production
      if (Array.isArray(document[section]) && !withScenes.has(section))
        problems.add(section, `has no scenes, so it cannot be exact for episode ${episode}`);
    for (const [at, scene] of rawsOf(document.scenes).entries())
      if (typeof scene.episode === "string" && update.names.of("episode").spelled(scene.episode) !== episode)
        problems.add(`scenes[${at}]`, `is of another episode than ${episode}`);
    for (const [at, day] of rawsOf(document.schedule).entries())
      for (const [place, scene] of textsOf(day.scenes).entries())
        if (!scene.startsWith(sceneName("", episode)) && !isStoredOn(update, at, scene, document.schedule ?? []))
          problems.add(`schedule[${at}].scenes[${place}]`, `is of another episode than ${episode}: ${scene}`);
  }
}

/** Whether the day of a list has a scene already. */
function isStoredOn(update: Update, at: number, scene: string, list: readonly unknown[]): boolean {
  const item = [...update.items("schedule").values()].find(({ places }) =>
    places.some((place) => place.at === at && place.source.document.schedule === list),
  );
  const id = update.names.of("scene").find(scene);
  return Array.isArray(item?.before?.scenes) && item.before.scenes.includes(id);
}

/**
 * The strips of other episodes stay on the days, before those of the episode. A day that is not listed loses the strips
 * of the episode, if it is of a unit of which one is listed.
 */
export function keepOtherStrips(update: Update): void {
  if (!update.touched.has("schedule")) return;
  const unitOf = ({ next = {} }: Item) => unitKey(unitDayOf(next).unit);
  const items = [...update.items("schedule", "all").values()].filter(({ next }) => next !== undefined);
  const units = new Set(items.filter(({ places }) => places.length > 0).map(unitOf));
  for (const item of items) {
    if (item.next === undefined || !units.has(unitOf(item))) continue;
    const others = idsOf(item.before?.scenes).filter((scene) => !isOwn(update, scene));
    const own = item.places.length === 0 ? [] : idsOf(item.next.scenes).filter((scene) => isOwn(update, scene));
    setScenes(item, [...others, ...own]);
  }
}

function setScenes(item: Item, scenes: readonly number[]): void {
  const stays = idsOf(item.next?.scenes);
  if (stays.length === scenes.length && stays.every((scene, at) => scene === scenes[at])) return;
  const { scenes: _, ...next } = item.next ?? {};
  item.next = { ...next, ...(scenes.length > 0 && { scenes: [...scenes] }) };
}
