// npm run growth: doubles the size of a file for every reader three times. The processor time and the memory of the result must grow
// by at most 2.3 each time. A case that fails is measured again, up to five times, because other programs disturb a measurement.
import { documentOfPaperwork } from "../../src/document/read_partial.ts";
import { readFdx } from "../../src/formats/fdx.ts";
import { readFountain } from "../../src/formats/fountain.ts";
import { listOf } from "../../src/formats/lists.ts";
import { readMsd } from "../../src/formats/msd.ts";
import { readSex } from "../../src/formats/sex.ts";
import { readUss } from "../../src/formats/uss.ts";
import { parseJson } from "../../src/json.ts";
import { noNames, script } from "../support/lists.ts";
import { encodeMsd, encodeSex } from "../support/scheduling.ts";

const maxGrowth = 2.3;
const tries = 5;
const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at + 1));
const known = { known: noNames };

interface Case {
  /** The size of the smallest file. */
  size: number;
  /** Makes a file, and returns what reads it. */
  open(size: number): () => unknown;
}

const sheets = (size: number) =>
  many(size, (at) => ({ id: String(at), scenes: String(at), attributes: { Set: `Set ${at}` }, elements: [] }));
const cases: Record<string, Case> = {
  fountain: {
    size: 1500,
    open(size) {
      const bytes = Buffer.from(many(size, (at) => `INT. SET ${at} - DAY\n\nANN ${at}\nWords.\n`).join("\n"));
      return () => readFountain(bytes);
    },
  },
  fdx: {
    size: 1500,
    open(size) {
      const scene = (at: number) =>
        `<Paragraph Type="Scene Heading" Number="${at}"><Text TagNumber="${at}">INT. SET - DAY</Text></Paragraph>`;
      const tags = many(size, (at) => `<Tag Number="${at}"><DefId>${at}</DefId></Tag>`).join("");
      const definitions = many(size, (at) => `<TagDefinition Id="${at}" CatId="c" Label="L${at}"/>`).join("");
      const data = `<TagCategories><TagCategory Id="c" Name="Props"/></TagCategories><TagDefinitions>${definitions}</TagDefinitions><Tags>${tags}</Tags>`;
      const content = many(size, scene).join("");
      const bytes = Buffer.from(
        `<FinalDraft Version="5"><Content>${content}</Content><TagData>${data}</TagData></FinalDraft>`,
      );
      return () => readFdx(bytes);
    },
  },
  "csv people": {
    size: 3000,
    open(size) {
      const bytes = Buffer.from(`Name,Role\n${many(size, (at) => `Person ${at},Grip`).join("\n")}\n`);
      return () => listOf("people").read(bytes, known);
    },
  },
  "csv schedule": {
    size: 2000,
    open(size) {
      const options = script(...many(size, String));
      const bytes = Buffer.from(`Day,Date,Scene\n${many(size, (at) => `1,2026-03-01,${at}`).join("\n")}\n`);
      return () => listOf("schedule").read(bytes, options);
    },
  },
  msd: {
    size: 1000,
    open(size) {
      const loose = many(size, String);
      const bytes = encodeMsd({
        ...{ sheets: sheets(size), boards: { Board: { days: [], loose } }, active: "Board", calendars: {} },
      });
      return () => readMsd(bytes, known);
    },
  },
  sex: {
    size: 2000,
    open(size) {
      const scenes = many(size, (at) => ({ number: String(at), slugline: "INT. SET - DAY", eighths: 1 }));
      const bytes = encodeSex(["Props"], scenes);
      return () => readSex(bytes, known);
    },
  },
  uss: {
    size: 2000,
    open(size) {
      const breakdowns = many(size, (at) => ({ id: at, type: "scene", scene: String(at), pages: 1, elements: ["a"] }));
      const categories = [{ id: "c", ucid: 100, name: "Cast", elements: ["a"] }];
      const root = { breakdowns, categories, elements: [{ id: "a", name: "ANN" }] };
      const bytes = Buffer.from(JSON.stringify({ universalScheduleStandard: root }));
      return () => readUss(bytes, known);
    },
  },
  "json scenes": {
    size: 2000,
    open(size) {
      const text = JSON.stringify({ scenes: many(size, (at) => ({ number: String(at), slugline: "INT. SET - DAY" })) });
      return () => documentOfPaperwork(parseJson(text, { depth: 100, values: 1e9 }) as object, "given.json");
    },
  },
  "json scenes with problems": {
    size: 5000,
    open(size) {
      const text = JSON.stringify({ scenes: many(size, () => ({ no: 1 })) });
      return () => documentOfPaperwork(parseJson(text, { depth: 100, values: 1e9 }) as object, "given.json");
    },
  },
};

const { gc } = globalThis;
if (gc === undefined) throw new Error("run it with --expose-gc");

/** The processor time in milliseconds and the bytes of the result; the least of three. */
function measure(read: () => unknown): { time: number; memory: number } {
  const runs = many(3, () => {
    gc?.();
    const before = process.memoryUsage().heapUsed;
    const start = process.cpuUsage();
    const result = read();
    const { user, system } = process.cpuUsage(start);
    gc?.();
    const memory = process.memoryUsage().heapUsed - before;
    return { time: (user + system) / 1000, memory: result === undefined ? 0 : memory };
  });
  const least = (of: "time" | "memory") => Math.min(...runs.map((run) => run[of]));
  return { time: least("time"), memory: least("memory") };
}

let failed = 0;
for (const [name, { size, open }] of Object.entries(cases)) {
  let passed = false;
  for (let attempt = 1; attempt <= tries && !passed; attempt++) {
    measure(open(size)); // compiles
    const figures = [1, 2, 4, 8].map((factor) => measure(open(size * factor)));
    const growth = (of: "time" | "memory", least: number) =>
      figures.slice(1).map((figure, at) => Math.max(figure[of], least) / Math.max(figures[at]?.[of] ?? 0, least));
    const [time, memory] = [growth("time", 5), growth("memory", 2 ** 20)];
    passed = [...time, ...memory].every((one) => one <= maxGrowth);
    const shown = (ratios: readonly number[]) => ratios.map((one) => one.toFixed(2)).join(" ");
    console.log(`${passed ? "ok  " : "slow"} ${name}: time ${shown(time)}, memory ${shown(memory)}`);
  }
  if (!passed) failed++;
}
console.log(`${Object.keys(cases).length - failed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
