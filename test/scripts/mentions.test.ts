// Small files that name many things: every reader counts what it names, and refuses more than any production needs.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listOfKind } from "../../src/features/lists/lists.ts";
import { FormatError } from "../../src/features/paperwork/findings.ts";
import { readMsd } from "../../src/features/schedules/msd.ts";
import { readSex } from "../../src/features/schedules/sex.ts";
import { readUss } from "../../src/features/schedules/uss.ts";
import { noNames, script } from "../support/lists.ts";
import { encodeMsd, encodeSex } from "../support/scheduling.ts";
import { readFdx } from "../support/script_readers.ts";

const scenes = Array.from({ length: 64 }, (_, at) => String(at + 1));
const many = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

function refuses(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    assert.instance(error, FormatError);
    assert.match((error as FormatError).message, /names scenes and elements more than 200,000 times, the maximum/);
    return;
  }
  throw new Error("the file was not refused");
}

const mentions = suite("a file that names scenes and elements too often");

const msd = (sheets: number) =>
  encodeMsd({
    sheets: many(sheets).map((id) => ({ id: String(id), scenes: "1-64", attributes: {}, elements: [] })),
    boards: { Board: { days: [], unplaced: [] } },
    active: "Board",
    calendars: {},
  });

mentions("is refused as .msd: a range of scenes for each sheet", () => {
  assert.is(readMsd(msd(100), script(...scenes)).document.scenes?.length, 0);
  refuses(() => readMsd(msd(3200), script(...scenes)));
});

mentions("is refused as .uss: the same element again and again, or many new scenes with many elements", () => {
  const file = (scene: string, elements: number, sheets: number) =>
    Buffer.from(
      JSON.stringify({
        universalScheduleStandard: {
          elements: [{ id: "a", name: "ANN" }],
          categories: [{ id: "c", ucid: 100, name: "Cast", elements: ["a"] }],
          breakdowns: many(sheets).map((id) => ({
            id: `b${id}`,
            type: "scene",
            scene,
            pages: 1,
            elements: many(elements).map(() => "a"),
          })),
        },
      }),
    );
  assert.is(readUss(file("1", 10, 10), { known: noNames }).document.scenes?.length, 1);
  refuses(() => readUss(file("1", 20_001, 10), { known: noNames }));
  refuses(() => readUss(file(scenes.join(","), 100, 40), { known: noNames }));
});

mentions("is refused as .sex: many new scenes with many elements", () => {
  const elements = many(200).map((at): [number, string] => [0, `E${at}`]);
  const file = (count: number) =>
    encodeSex(
      ["Cast Members"],
      many(count).map(() => ({ number: scenes.join(","), slugline: "INT. A - DAY", eighths: 1, elements })),
    );
  assert.is(readSex(file(1), { known: noNames }).document.scenes?.length, 64);
  refuses(() => readSex(file(20), { known: noNames }));
});

mentions("is refused as .fdx: tags of many definitions in many scenes", () => {
  const file = (count: number, definitions: number) => {
    const ids = many(definitions);
    return Buffer.from(
      `<FinalDraft Version="5"><Content>${many(count)
        .map(
          () =>
            `<Paragraph Type="Scene Heading"><Text TagNumber="1,1 1">INT. A - DAY</Text><Text TagNumber="1"> X</Text></Paragraph>`,
        )
        .join(
          "",
        )}</Content><TagData><TagCategories><TagCategory Id="c" Name="Props"/></TagCategories><TagDefinitions>${ids
        .map((id) => `<TagDefinition Id="${id}" CatId="c" Label="L${id}"/>`)
        .join("")}</TagDefinitions><Tags><Tag Number="1">${ids
        .map((id) => `<DefId>${id}</DefId>`)
        .join("")}</Tag></Tags></TagData></FinalDraft>`,
    );
  };
  assert.is(readFdx(file(100, 1000)).scenes.length, 100, "a tag of a scene counts once, however often it marks it");
  refuses(() => readFdx(file(201, 1000)));
});

mentions("is refused as a schedule: a range in every row", () => {
  const file = (rows: number) => Buffer.from(`Day,Date,Scene\n${"1,2026-03-01,1-64\n".repeat(rows)}`);
  refuses(() => listOfKind("schedule").read(file(3200), script(...scenes)));
});

mentions("is refused as a breakdown and as a cast list: a range in every row, or many elements of many scenes", () => {
  const own = script(...scenes);
  const rows = (count: number, row: (at: number) => string) => many(count).map(row).join("\n");
  const breakdown = (text: string) => listOfKind("breakdown").read(Buffer.from(text), own);
  assert.is(
    breakdown(`Scene,Category,Element\n${rows(100, (at) => `1-64,Props,P${at}`)}`).document.assets?.length,
    100,
  );
  refuses(() => breakdown(`Scene,Category,Element\n${rows(1600, (at) => `1-64,Props,P${at}`)}`));
  refuses(() => breakdown(`Scene,Props\n1-64,${rows(3200, (at) => `P${at};`).replaceAll("\n", "")}`));
  refuses(() => listOfKind("cast").read(Buffer.from(`Character,Scenes\n${rows(3200, (at) => `C${at},1-64`)}`), own));
  refuses(() => listOfKind("assets").read(Buffer.from(`Asset,Scenes\n${rows(3200, (at) => `C${at},1-64`)}`), own));
});

mentions.run();
