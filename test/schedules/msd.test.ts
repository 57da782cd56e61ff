// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { problemText } from "../../src/features/documents/refusals.ts";
import { readMsd } from "../../src/features/schedules/msd.ts";
import { faultsOf, names, noNames, readTruncated, refusalOf, script } from "../support/lists.ts";
import { inProportion } from "../support/proportion.ts";
import { encodeEpsf, encodeMsd, type MsdSchedule, msdSections } from "../support/scheduling.ts";

const photo = Buffer.concat([Buffer.from("JFIF"), Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(600, 0x5a)]);

const sixDays = `<ScheduleDates><ScheduleDate Name="ProductionPrepStartDate" Date="04/01/2008"/><ScheduleDate Name="ProductionStartDate" Date="04/01/2009"/></ScheduleDates>
<DaysOff Sun="0" Mon="1" Tue="0" Wed="0" Thu="0" Fri="0" Sat="0"/>`;

const schedule: MsdSchedule = {
  sheets: [
    {
      id: "530",
      scenes: "1",
      attributes: {
        IE: "EXT",
        DN: "Night",
        Set: "Bedford Falls",
        NumScriptPages: "6",
        Synopsis: "Voice over prayers.",
        ScriptDay: "Present",
        Unit: "2nd Unit",
      },
      elements: [["Special Effects", "Snow"]],
    },
    {
      id: "531",
      scenes: "2, 4",
      attributes: { IE: "INT / EXT", DN: "Day", NumScriptPages: "18", Location: "Stage 3" },
      elements: [
        ["Set", "Drugstore"],
        ["Cast Members", "GEORGE (AGE 12)"],
        ["Cast Members", "MARY"],
      ],
    },
    {
      id: "532",
      scenes: "3",
      attributes: { IE: "INT", DN: "Day", Set: "Office", NumScriptPages: "21" },
      elements: [
        ["Cast Members", "GEORGE"],
        ["Makeup/Hair", "Scar"],
      ],
    },
  ],
  boards: {
    "Scene Order": { days: [], unplaced: ["530", "531", "532"] },
    "Actor Scenario": { calendar: "6 Day Week", days: [["531", "530"], ["532"]], unplaced: [] },
  },
  active: "Actor Scenario",
  calendars: { "6 Day Week": sixDays },
};
const file = encodeMsd(schedule);
const read = (bytes: Uint8Array, options = { known: noNames }) => readMsd(bytes, options);

const msd = suite("a Movie Magic Scheduling file (.msd)");

msd("becomes scenes with the content of their sheets", () => {
  const [one, two, three, four] = read(file).document.scenes ?? [];
  assert.equal(one, {
    number: "1",
    slugline: "EXT. BEDFORD FALLS - NIGHT",
    synopsis: "Voice over prayers.",
    status: "planned",
    revision_color: "white",
    elements: {
      int_ext: "EXT",
      set: "Bedford Falls",
      time_of_day: "NIGHT",
      pages: "6/8",
      script_day: "Present",
      unit: "2nd Unit",
      special_effects: ["Snow"],
    },
  });
  assert.equal([two?.slugline, four?.slugline], Array(2).fill("INT/EXT. DRUGSTORE - DAY"));
  assert.equal([two?.elements?.cast, four?.elements?.cast], Array(2).fill(["GEORGE", "MARY"]));
  assert.equal([two?.elements?.pages, three?.elements?.pages], [undefined, "2 1/8"]);
});

msd("has the days of its active stripboard, dated by the board's calendar", () => {
  const { document, warnings } = read(file);
  assert.equal(document.schedule, [
    {
      day_number: 1,
      status: "scheduled",
      date: "2009-04-01",
      scenes: ["2", "4", "1"],
      location: "Stage 3",
      banners: [{ before: "2", text: "Company Move" }],
    },
    {
      day_number: 2,
      status: "scheduled",
      date: "2009-04-02",
      scenes: ["3"],
      banners: [{ before: "3", text: "Company Move" }],
    },
  ]);
  assert.equal(warnings.map(problemText), [
    'what the file says in these fields was not read: ProductionPrepStartDate ("04/01/2008")',
    "the lengths of 2 scenes were ignored: the file has one length for several scenes, or several lengths for one scene",
    'the file has 2 stripboards; "Actor Scenario", the active one, was read',
  ]);
});

/**
 * Expected results of gabathanasiou/lemon_schedule: the demo's 55 days in weeks of six from 1 April 2009 end on 3 June.
 */
msd("counts its days without the weekly days off", () => {
  const days = Array.from({ length: 55 }, () => ["530"]);
  const long = { ...schedule, boards: { Board: { calendar: "6 Day Week", days } }, active: "Board" };
  assert.is(read(encodeMsd(long)).document.schedule?.at(-1)?.date, "2009-06-03");
});

msd("skips holidays and days off, and counts exceptional workdays", () => {
  const special = `<ScheduleDates><ScheduleDate Name="ProductionStartDate" Date="04/03/2009"/></ScheduleDates><SpecialDays>
    <SpecialDay Date="04/06/2009" Holiday="1"/><SpecialDay Date="04/05/2009" ExceptionWorkday="1"/><SpecialDay Date="04/07/2009" CompanyTravel="1"/></SpecialDays>
    <DaysOff Sun="1" Sat="1"/>`;
  const days = [["530"], ["531"], ["532"]];
  const { document } = read(
    encodeMsd({ ...schedule, boards: { B: { calendar: "C", days } }, active: "B", calendars: { C: special } }),
  );
  assert.equal(
    document.schedule?.map(({ date }) => date),
    ["2009-04-03", "2009-04-05", "2009-04-08"],
  );
});

msd("has no days, with a warning, if no calendar dates them", () => {
  const { document, warnings } = read(encodeMsd({ ...schedule, calendars: {} }));
  assert.is(document.schedule, undefined);
  assert.ok(warnings.some(({ sentence }) => /has no calendar/.test(sentence)));
});

msd("may contain pictures, which are ignored", () => {
  const { document, warnings } = read(encodeEpsf([photo, ...msdSections(schedule)]));
  assert.is(document.scenes?.length, 4);
  assert.match(warnings[0]?.sentence ?? "", /^1 of the file's sections were not read/);
});

msd("adds elements to the script's scenes, and names the neighbours of an unknown one", () => {
  const { document } = read(file, script("1", "2", "3", "4"));
  assert.equal(
    document.scenes?.find(({ number }) => number === "3"),
    { number: "3", elements: { pages: "2 1/8", cast: ["GEORGE"], makeup_hair: ["Scar"] } },
  );
  assert.equal(
    refusalOf(() => read(file, script("1", "2", "3"))),
    ["scene 4 is not in the script; nearest is 3 (sheet 2)"],
  );
});

msd("adds nothing to scenes that share a sheet", () => {
  const { document } = read(file, script("1", "2", "3", "4"));
  assert.equal(
    document.scenes?.map(({ number }) => number),
    ["1", "3"],
  );
  assert.equal(document.schedule?.[0]?.scenes, ["2", "4", "1"]);
});

msd("needs an episode on an episodic production", () => {
  const known = names({ episodes: ["101", "102"], scenes: ["101/1"] });
  assert.match(
    refusalOf(() => read(file, { known }))[0] as string,
    /^scene 1 is in episode 101; write 101\/1, or add --episode/,
  );
  const { document } = readMsd(file, { known, episode: "102" });
  assert.equal(document.schedule?.[1]?.scenes, ["102/3"]);
  assert.is(document.scenes?.[0]?.episode, "102");
});

msd("is valid by the schema of whole documents", () => {
  assert.equal(faultsOf(read(file).document), []);
});

msd.run();

const damaged = suite("a damaged or hostile .msd");
const sections = msdSections(schedule);
const withSheets = (xml: string): Buffer => encodeEpsf([sections[0] as string, xml, sections[2] as string]);

damaged("is refused with what is wrong", () => {
  const cases: [Buffer, RegExp][] = [
    [Buffer.from("SSI*"), /does not begin with EPSF FILE/],
    [encodeEpsf(sections.slice(0, 2)), /the file has no section StripBoardMgr/],
    [
      withSheets("<BreakdownSheetMgr><BreakdownSheet></BreakdownSheetMgr>"),
      /not well-formed XML: .*unexpected close tag/,
    ],
    [withSheets('<!DOCTYPE a [<!ENTITY b "c">]><BreakdownSheetMgr/>'), /document type declaration/],
    [withSheets("<BreakdownSheetMgr>&b;</BreakdownSheetMgr>"), /not well-formed XML/],
    [withSheets("<a>".repeat(200)), /nested deeper than 100 levels/],
    [
      encodeMsd({ ...schedule, boards: { B: { days: [["999"]] } } }),
      /strip of sheet "999", which the file does not hold/,
    ],
  ];
  for (const [bytes, sentence] of cases) assert.match(refusalOf(() => read(bytes))[0] as string, sentence);
});

damaged("gives a document or a message wherever it is cut off", () => {
  readTruncated(file, read, 1000);
});

damaged("does not decompress a bomb or expand entities", () => {
  const bomb = `<BreakdownSheetMgr>${" ".repeat(64 * 2 ** 20)}</BreakdownSheetMgr>`;
  assert.match(refusalOf(() => read(withSheets(bomb)))[0] as string, /more than 48 MiB when it is decompressed/);
  const entities = `<!DOCTYPE l [<!ENTITY a "ha">${Array.from({ length: 20 }, (_, at) => `<!ENTITY a${at} "&a;&a;&a;">`).join("")}]><l>&a19;</l>`;
  assert.match(refusalOf(() => read(withSheets(entities)))[0] as string, /document type declaration/);
});

damaged("with a hundred thousand attributes is read in linear time", () =>
  inProportion("attributes", (scale) => {
    const attributes = Array.from({ length: scale * 80_000 }, (_, at) => ` a${at}="1"`).join("");
    const sheets = [530, 531, 532].map((id, at) => `<BreakdownSheet BDSID="${id}" Scenes="${at + 1}"/>`).join("");
    const sheetManager = `<BreakdownSheetMgr${attributes}>${sheets}</BreakdownSheetMgr>`;
    assert.is(read(withSheets(sheetManager)).document.scenes?.length, 3);
  }),
);

damaged.run();
