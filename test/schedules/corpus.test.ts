// Schedules as other programs write them, read by the program and by a second reader, field by field; and damaged.
// Thorough: only --all runs it.
import { readdirSync, readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { PaperReading } from "../../src/features/paperwork/partial.ts";
import { readMsd } from "../../src/features/schedules/msd.ts";
import { readSex } from "../../src/features/schedules/sex.ts";
import { readUss } from "../../src/features/schedules/uss.ts";
import { assertCounted, showCounts } from "../support/counted.ts";
import { assertCountedDamaged } from "../support/damaged_files.ts";
import { noNames } from "../support/lists.ts";
import { type SecondSchedule, secondMsd, secondSex, secondUss } from "../support/second_schedule_reader.ts";

const folder = new URL("./corpus/", import.meta.url);
const corpus = suite("a schedule of the corpus");

const readers = { uss: [readUss, secondUss], sex: [readSex, secondSex], msd: [readMsd, secondMsd] } as const;
/** What a scene has beside the names of its categories. */
const fields = new Set(["int_ext", "set", "time_of_day", "pages", "script_day", "cast"]);

function eighthsOf(pages: string | undefined): number | undefined {
  const [, whole = "0", eighths = "0"] = /^(?:(\d+)(?: |$))?(?:(\d)\/8)?$/.exec(pages ?? "x") ?? [];
  return pages === undefined ? undefined : Number(whole) * 8 + Number(eighths);
}

function comparable({ document: { scenes = [], schedule = [] } }: PaperReading): SecondSchedule {
  return {
    scenes: scenes.map(({ number = "", slugline = "", synopsis, elements = {} }) => ({
      number,
      slugline,
      synopsis: synopsis as string | undefined,
      eighths: eighthsOf(elements.pages as string | undefined),
      cast: (elements.cast ?? []) as string[],
      tags: Object.fromEntries(Object.entries(elements).filter(([key]) => !fields.has(key))) as Record<
        string,
        string[]
      >,
    })),
    days: schedule.map(({ day_number, date, scenes = [] }) => ({
      number: day_number as number,
      date: date as string,
      scenes: scenes as string[],
    })),
  };
}

for (const file of readdirSync(folder).sort()) {
  const [read, second] = readers[file.slice(-3) as keyof typeof readers];
  const bytes = readFileSync(new URL(file, folder));

  corpus(`has the same scenes, names, lengths and days in both readers: ${file}`, () => {
    const reading = read(bytes, { known: noNames });
    assertCounted(reading, file);
    showCounts(reading, file);
    const wanted = second(bytes);
    assert.ok(wanted.scenes.length > 2);
    assert.equal(comparable(reading), wanted);
    const elements = wanted.scenes.flatMap(({ cast, tags }) => [...cast, ...Object.values(tags).flat()]).length;
    assert.ok((reading.counts.element?.taken ?? 0) >= elements);
  });

  corpus(`is counted although it is damaged: ${file}`, () => {
    assertCountedDamaged((given) => read(given, { known: noNames }), bytes, file);
  });
}

corpus.run();
