// Reads and writes the CSV list of scenes. It never orders them.
import type { ProductionDocument } from "../documents/sections/schema.ts";
import { sceneName } from "../documents/sections/sections.ts";
import { EpisodeRefusal, splitEpisode } from "../paperwork/episodes.ts";
import { Repeats } from "../paperwork/findings.ts";
import { ScriptScenes, sceneKey } from "../paperwork/scenes.ts";
import { nodeStatusWords } from "./assets.ts";
import { oneOfCell, plainText, textCell } from "./cells.ts";
import { column, defineList, type ListBuilding, type WrittenRow } from "./list.ts";
import { castWriter, lengthOf, scheduleColumns } from "./schedule.ts";
import { gatheredOf } from "./schedule_building.ts";

const { episode, slugline, int_ext, set, time_of_day, synopsis, pages, script_day, cast } = scheduleColumns;
const texts = ["int_ext", "set", "time_of_day", "script_day"] as const;
const read = <C extends object>({ onlyMapped: _, ...column }: C & { onlyMapped?: true }) => column;

const columns = {
  number: column("Scene, Scenes, Sc, Scs, Scene No, Sc No, Number", textCell(100), { required: true }),
  episode,
  slugline: read(slugline),
  synopsis: read(synopsis),
  status: column("Status, State", oneOfCell({ ...nodeStatusWords, omitted: "omit, omt, cut, deleted" })),
  revision_color: column("Revision, Revision Color, Revision Colour, Color, Colour", textCell(100)),
  int_ext: read(int_ext),
  set: read(set),
  time_of_day: read(time_of_day),
  pages,
  script_day,
  cast,
};

/** The scene of a row, which may be a new one; undefined if its episode is refused. */
function referenceIn(
  script: ScriptScenes,
  number: string,
  {
    column,
    line,
    options,
    findings,
  }: { column: string | undefined; line: number } & Pick<Building, "options" | "findings">,
): string | undefined {
  const found = script.read(number, column, { line });
  const [scene, another] = found.scenes;
  if (scene !== undefined && another === undefined && found.unknown.length === 0) return scene.reference;
  const episode = script.episodeIn(column);
  const split = splitEpisode(options.known.episodes, number);
  const isRefused =
    episode instanceof EpisodeRefusal || (split !== undefined && episode !== undefined && split.episode !== episode);
  if (isRefused) for (const message of found.unknown) findings.problem(message, { line });
  if (isRefused) return undefined;
  return split !== undefined ? `${split.episode}/${split.rest}` : sceneName(number, episode);
}

type Building = ListBuilding<typeof columns, unknown>;

export const sceneList = defineList({
  title: "a list of scenes",
  columns,
  needs: [["number", "slugline"], ["number"]],
  build(building) {
    const { entries, options, findings, took } = building;
    const script = new ScriptScenes(options, findings);
    const repeats = new Repeats(findings);
    const rows = entries.flatMap(({ line, values: { number, status, revision_color, ...values } }) => {
      if (number === undefined) return [];
      const reference = referenceIn(script, number, { column: values.episode, line, options, findings });
      if (reference === undefined) return [];
      const statusFields = { ...(status && { status }), ...(revision_color && { revision_color }) };
      if (!repeats.isFirst(reference, number, line)) return [];
      took(line);
      return [{ line, values, reference, statusFields }];
    });
    const strips = rows.map(({ reference, ...row }) => ({ ...row, scenes: [{ reference, part: "" }] }));
    const gathered = gatheredOf(strips, building).finish(findings);
    return {
      scenes: rows.map(({ reference, statusFields }) => ({
        ...sceneKey(reference, options),
        ...statusFields,
        ...gathered.get(reference),
      })),
    };
  },
  rows(document: ProductionDocument): WrittenRow<typeof columns>[] {
    const castOf = castWriter(document);
    return document.scenes.map(({ elements, ...scene }) => ({
      ...scene,
      pages: lengthOf(elements),
      ...Object.fromEntries(texts.map((name) => [name, plainText(elements[name], 100)])),
      cast: castOf(elements),
    }));
  },
});
