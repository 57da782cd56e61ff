// Reads and writes the CSV list of scenes. It never orders them.
import type { ProductionDocument } from "../documents/sections/schema.ts";
import { Repeats } from "../paperwork/findings.ts";
import { ScriptScenes, sceneKey } from "../paperwork/scenes.ts";
import { nodeStatusWords } from "./assets.ts";
import { oneOfCell, plainText, textCell } from "./cells.ts";
import { column, defineList, type WrittenRow } from "./list.ts";
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
  status: column("Status, State", oneOfCell({ ...nodeStatusWords, omitted: "omit, cut, deleted" })),
  revision_color: column("Revision, Revision Color, Revision Colour, Color, Colour", textCell(100)),
  int_ext: read(int_ext),
  set: read(set),
  time_of_day: read(time_of_day),
  pages,
  script_day,
  cast,
};

export const sceneList = defineList({
  title: "a list of scenes",
  columns,
  needs: [["number", "slugline"], ["number"]],
  build(building) {
    const { entries, options, findings } = building;
    const script = new ScriptScenes(options);
    const repeats = new Repeats(findings);
    const rows = entries.flatMap(({ line, values: { number, status, revision_color, ...values } }) => {
      if (number === undefined) return [];
      const { episode = options.episode } = values;
      const given = episode === undefined || number.startsWith(`${episode}/`) ? number : `${episode}/${number}`;
      const reference = script.find(number, episode) ?? given;
      const statusFields = { ...(status && { status }), ...(revision_color && { revision_color }) };
      return repeats.isFirst(reference, number, line) ? [{ line, values, reference, statusFields }] : [];
    });
    const strips = rows.map(({ reference, ...row }) => ({ ...row, scenes: [{ reference, part: false }] }));
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
