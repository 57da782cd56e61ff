// Whatever a reader of schedules sees is taken or named: in random and in damaged files, with a script and without.
import * as fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FormatError } from "../../src/features/paperwork/findings.ts";
import type { PaperReading, ReadOptions } from "../../src/features/paperwork/partial.ts";
import { readMsd } from "../../src/features/schedules/msd.ts";
import { readSex } from "../../src/features/schedules/sex.ts";
import { readUss } from "../../src/features/schedules/uss.ts";
import { assertCounted } from "../support/counted.ts";
import { names as namesOfProduction, noNames, script } from "../support/lists.ts";
import { assertProperty, sampling } from "../support/sampling.ts";
import { encodeEpsf, encodeSex, sexRecord } from "../support/scheduling.ts";

type Read = (bytes: Uint8Array, options: ReadOptions) => PaperReading;
const withScript = script("1", "2", "3", "4");

/** Asserts the rule of a file, with a script and without, unless it is refused. Answers the first reading. */
function assertRead(read: Read, bytes: Uint8Array): PaperReading | undefined {
  const readings = [{ known: noNames }, withScript].map((options) => {
    try {
      const reading = read(bytes, options);
      assertCounted(reading);
      return reading;
    } catch (error) {
      if (error instanceof FormatError) return undefined;
      throw error;
    }
  });
  return readings[0];
}

const damages = fc.array(fc.tuple(fc.nat(10_000), fc.nat(255)), { maxLength: 4 });
function damaged(bytes: Buffer, changes: readonly (readonly [number, number])[]): Buffer {
  const copy = Buffer.from(bytes);
  for (const [at, value] of changes) copy[at % copy.length] = value;
  return copy;
}

const scenes = fc.constantFrom("1", "2", "3", "4", "2, 4", "1-3", "3PT1", "", ",");
const names = fc.constantFrom("INT", "EXT", "Kitchen", "ANNA", "(V.O.)", "Night", "D1", "", "Key");

const uss = suite("a Universal Schedule");

const categories = [0, 1, 2, 3, 6, 100, 104].map((ucid) => ({ id: `c${ucid}`, ucid, name: `Category ${ucid}` }));
const categoryId = fc.constantFrom(...categories.map(({ id }) => id), "none");
const ids = fc.array(
  fc.nat(12).map((id) => `e${id}`),
  { maxLength: 6 },
);
const breakdown = fc.record({
  type: fc.constantFrom("scene", "scene", "day", "banner"),
  scene: fc.option(scenes),
  pages: fc.option(fc.constantFrom(0.5, 1.25, 0)),
  description: fc.option(fc.constantFrom("They meet", "")),
  bannerText: fc.option(fc.constantFrom("MOVE", "")),
  elements: ids,
});
const date = fc.option(fc.constantFrom("2026-02-09T08:00:00.000Z", "soon"));
const schedule = fc
  .record({
    elements: fc.array(fc.tuple(names, categoryId, fc.option(fc.constantFrom("1", "2"))), { maxLength: 12 }),
    breakdowns: fc.array(breakdown, { maxLength: 8 }),
    strips: fc.array(
      fc.nat(9).map((id) => `b${id}`),
      { maxLength: 12 },
    ),
    isByDay: fc.boolean(),
    dates: fc.array(date, { maxLength: 3 }),
    daysOff: fc.constantFrom([0, 6], ["Sat"], []),
  })
  .map(({ elements, breakdowns, strips, isByDay, dates, daysOff }) => ({
    categories,
    elements: elements.map(([name, category, elementId], at) => ({ id: `e${at}`, name, category, elementId })),
    breakdowns: breakdowns.map((one, at) => ({ id: `b${at}`, ...one })),
    stripboards: [
      {
        name: "First",
        calendar: "k",
        boards: [{ name: "stripboard", breakdownIds: isByDay ? [strips.slice(0, 3), strips.slice(3)] : strips }],
      },
    ],
    calendars: [
      { id: "k", daysOff, events: dates.map((one, at) => ({ type: at === 0 ? "start" : "dayOff", date: one })) },
    ],
  }));
const ussOf = (universalScheduleStandard: unknown): Buffer =>
  Buffer.from(JSON.stringify({ universalScheduleStandard }));

uss("of any breakdowns, elements and strips is counted", () => {
  assertProperty(
    fc.property(schedule, damages, (given, changes) => {
      const bytes = ussOf(given);
      const reading = assertRead(readUss, bytes);
      assertRead(readUss, damaged(bytes, changes));
      if (reading === undefined) return;
      const elements = given.breakdowns.reduce((sum, one) => sum + one.elements.length, 0);
      assert.is(reading.counts.element?.seen ?? 0, elements);
      const sheets = given.breakdowns.filter(({ type }) => type === "scene").length;
      assert.is(reading.counts.sheet?.seen ?? 0, sheets);
    }),
    sampling(400, 4),
  );
});

uss("names what banners and days have, elements that no breakdown has, and dates that are none", () => {
  const one = (changes: object) => ({
    categories,
    elements: [{ id: "e0", name: "Key", category: "c104" }],
    breakdowns: [{ id: "b0", type: "scene", scene: "1", elements: ["e0"] }],
    ...changes,
  });
  const sentences = (changes: object) =>
    readUss(ussOf(one(changes)), { known: noNames }).warnings.map(({ sentence }) => sentence);
  const banner = { id: "b1", type: "banner", bannerText: "MOVE", elements: ["e0"] };
  const breakdowns = [{ id: "b0", type: "scene", scene: "1", elements: ["e0"] }, banner];
  assert.equal(sentences({}), []);
  assert.equal(sentences({ breakdowns }), ['elements of the banner breakdowns[1] were ignored: "Key"']);
  const empty = [{ id: "b0", type: "scene", scene: "1", elements: [] }];
  assert.equal(sentences({ breakdowns: empty }), ["the file has 1 element, and no breakdown names one"]);
  const calendars = [{ id: "k", daysOff: ["Sat"], events: [{ type: "start", date: "soon" }] }];
  const stripboards = [{ calendar: "k", boards: [{ name: "stripboard", breakdownIds: [["b0"]] }] }];
  assert.equal(sentences({ calendars, stripboards }), [
    'dates of the calendar were ignored: "soon"',
    'days off that are no weekday from 0 to 6 were ignored: "Sat"',
    "the board has no calendar that gives each of its days a date; its days were ignored",
  ]);
});

uss("names lists that are none, ids that are there twice, texts of days, and what no breakdown names", () => {
  const sentences = (root: object) => readUss(ussOf(root), { known: noNames }).warnings.map(({ sentence }) => sentence);
  const elements = [
    { id: "e0", name: "Key", category: "c104" },
    { id: "e0", name: "Lamp", category: "c104" },
    { id: "e1", name: "Rope", category: "c104" },
  ];
  const breakdowns = [
    { id: "b0", scene: "1", description: "They meet", elements: ["e0"] },
    { id: "b1", scene: "1", description: "They part", elements: "e0" },
    { id: "d", type: "day", description: "Late", elements: [] },
  ];
  assert.equal(sentences({ categories, elements, breakdowns, stripboards: { name: "S" }, calendars: ["k"] }), [
    'elements have ids twice, of which the last counts: "e0"',
    "calendars has 1 entry that is no object",
    "stripboards is no list and was ignored",
    "elements that are no list were ignored: breakdowns[1]",
    'no breakdown names 1 element: "Rope"',
    'the text of the day breakdowns[2] was ignored: "Late"',
    "breakdowns[1] is another one of scene 1: its synopsis was ignored",
  ]);
});

uss("names fields, categories, boards, events and descriptions that are not read", () => {
  const calendars = [
    {
      id: "k",
      daysOff: [],
      events: [
        { effect: "start", date: "2026-02-09T08:00:00.000Z" },
        { effect: "event", type: "travel", date: "2026-02-10T08:00:00.000Z" },
        { effect: "dayOff", type: "holiday", name: "Carnival", date: "2026-02-11T08:00:00.000Z" },
      ],
    },
  ];
  const root = {
    description: "Second pass",
    categories: [
      { id: "p", ucid: 104, name: "Props", elements: ["e0"] },
      { id: "w", ucid: 105, name: "Wardrobe", elements: ["e0"] },
    ],
    elements: [{ id: "e0", name: "Cape", linkedElements: [], notes: "red" }],
    breakdowns: [
      { id: "b0", scene: "1", scriptPage: "4", time: 5700000, elements: ["e0"] },
      { id: "b1", type: "banner", bannerText: "MOVE", description: "by boat", scriptPage: "4" },
    ],
    stripboards: [
      {
        calendar: "k",
        boards: [
          { name: "stripboard", breakdownIds: [["b1", "b0"]] },
          { name: "second unit", breakdownIds: ["b0"] },
        ],
      },
    ],
    calendars,
  };
  assert.equal(
    readUss(ussOf(root), { known: noNames }).warnings.map(({ sentence }) => sentence),
    [
      'what the file says in these fields was not read: description ("Second pass"), scriptPage of breakdowns ("4" and 1 more), time of breakdowns ("5700000"), notes of elements ("red")',
      'elements are in several categories, of which the first was read: "Cape" in "Props"',
      'the banner breakdowns[1] is "MOVE"; ignored: "by boat"',
      'the board "stripboard" of the stripboard was read; ignored: "second unit"',
      '1 event of the calendar is no start and no day off and was ignored: "travel" on 2026-02-10',
      'notes of special days were ignored: "Carnival" on 2026-02-11',
    ],
  );
});

uss("names headings and synopses that are not those of the script", () => {
  const written = (synopsis: string) => ({
    known: namesOfProduction({ scenes: [{ number: "1", slugline: "INT. HALL - DAY", synopsis }] }),
  });
  const file = ussOf({
    categories,
    elements: [
      { id: "e0", name: "INT", category: "c1" },
      { id: "e1", name: "Hall", category: "c0" },
      { id: "e2", name: "Day", category: "c2" },
    ],
    breakdowns: [{ id: "b0", scene: "1", description: "They meet", elements: ["e0", "e1", "e2"] }],
  });
  const sentences = (known: ReturnType<typeof written>) =>
    readUss(file, known).warnings.map(({ sentence }) => sentence);
  assert.equal(sentences(written("They meet.")), []);
  assert.equal(sentences(written("They part.")), [
    "the synopsis of 1 sheet is not that of the script and was ignored: scene 1",
  ]);
  const other = { known: namesOfProduction({ scenes: [{ number: "1", slugline: "EXT. HALL - DAY" }] }) };
  assert.equal(sentences(other), [
    "the heading of 1 sheet is not that of the script and was ignored: scene 1",
    "the synopsis of 1 sheet is not that of the script and was ignored: scene 1",
  ]);
});

uss.run();

const sex = suite("a scheduling export");

sex("of any records is counted, and names records of unknown types", () => {
  const scene = fc.record({
    number: fc.constantFrom("1", "2", "2, 4", ""),
    slugline: fc.constantFrom("INT. A - DAY", ""),
    elements: fc.array(fc.tuple(fc.nat(4), names), { maxLength: 5 }),
  });
  assertProperty(
    fc.property(fc.array(scene, { maxLength: 6 }), damages, (given, changes) => {
      const file = encodeSex(["Cast Members", "Props", "Notes"], given);
      const reading = assertRead(readSex, file);
      assertRead(readSex, damaged(file, changes));
      if (reading === undefined) return;
      assert.is(
        reading.counts.element?.seen ?? 0,
        given.reduce((sum, { elements }) => sum + elements.length, 0),
      );
    }),
    sampling(300, 4),
  );
  const said = (...parts: Buffer[]) =>
    readSex(Buffer.concat(parts), { known: noNames }).warnings.map(({ sentence }) => sentence);
  const one = { number: "1", slugline: "INT. A" };
  assert.equal(said(encodeSex(["Props"], [one]), sexRecord(7, Buffer.from("abcd"))), [
    "1 record of the unknown type 7 was not read",
  ]);
  assert.equal(said(encodeSex(["Props"], [one]), Buffer.alloc(9)), []);
  const pages = [
    { ...one, page: "4", slugline: "INT. A\tD1" },
    { number: "2", slugline: "INT. B", page: "5", elements: [[0, "Rope\0wet"] as const] },
  ];
  assert.equal(said(encodeSex(["Props"], pages), Buffer.from("end")), [
    "the last 3 bytes of the file are no record and were not read",
    'what the file says in these fields was not read: the script page of scenes ("4" and 1 more), further fields of scenes ("D1"), further bytes of elements ("wet")',
  ]);
});

sex.run();

const msd = suite("a Movie Magic Scheduling file");

const attribute = (name: string, text: string | null): string => (text === null ? "" : ` ${name}="${text}"`);
const categoryName = fc.constantFrom("Cast Members", "Props", "Set", "Location", "Script Day", "Synopsis", "");
const sheet = fc
  .record({
    scenes,
    set: fc.option(names),
    elements: fc.array(fc.tuple(categoryName, names), { maxLength: 5 }),
  })
  .map(({ scenes, set, elements }) => (id: number) => {
    const refs = elements.map(([category, name]) => `<ElementRef CategoryName="${category}" ElementName="${name}"/>`);
    const own = `BDSID="${id}" SheetNumber="${id}" Scenes="${scenes}"${attribute("Set", set)}`;
    return { xml: `<BreakdownSheet ${own}>${refs.join("")}</BreakdownSheet>`, count: elements.length };
  });
const strip = fc.oneof(
  fc.nat(5).map((id) => `<BDSStrip BDSID="${id}"/>`),
  fc.constantFrom("Move", "").map((text) => `<BannerStrip Text="${text}"/>`),
);
const strips = fc.array(strip, { maxLength: 5 }).map((list) => list.join(""));
const special = fc.option(fc.constantFrom("02/09/2026", "2026-02-09", "soon"));

msd("of any sheets, strips and dates is counted", () => {
  assertProperty(
    fc.property(
      fc.array(sheet, { maxLength: 6 }),
      fc.array(strips, { maxLength: 3 }),
      strips,
      special,
      special,
      damages,
      (sheets, days, unplaced, start, off, changes) => {
        const made = sheets.map((make, at) => make(at));
        const calendar = `<Calendar Name="C"><ScheduleDate Name="ProductionStartDate"${attribute("Date", start)}/><SpecialDay Off="1"${attribute("Date", off)}/></Calendar>`;
        const file = encodeEpsf([
          `<BreakdownSheetMgr><ElementRef ElementName="Spare"/>${made.map(({ xml }) => xml).join("")}</BreakdownSheetMgr>`,
          `<StripBoardMgr><StripBoard Name="B" CalendarName="C">${days.map((day) => `<ScheduleDay>${day}</ScheduleDay>`).join("")}${unplaced}</StripBoard></StripBoardMgr>`,
          `<CalendarMgr>${calendar}</CalendarMgr>`,
        ]);
        const reading = assertRead(readMsd, file);
        assertRead(readMsd, damaged(file, changes));
        if (reading === undefined) return;
        assert.is(
          reading.counts.element?.seen ?? 0,
          made.reduce((sum, { count }) => sum + count, 0),
        );
        assert.is(reading.counts.sheet?.seen, sheets.length);
        assert.is(reading.counts.strip?.seen ?? 0, (days.join("") + unplaced).split("Strip ").length - 1);
      },
    ),
    sampling(300, 4),
  );
});

msd("names elements and attributes that it does not know, and ids that are there twice", () => {
  const sheets = `<BreakdownSheet BDSID="1" SheetNumber="1" Scenes="1" EstTime="2"><Prop Name="Key"/></BreakdownSheet><BreakdownSheet BDSID="1" SheetNumber="2" Scenes="2" Comments=""/>`;
  const board = `<StripBoard Name="B"><NoteStrip Text="Late"/><NoteStrip Text="Later"/></StripBoard>`;
  const file = encodeEpsf([
    `<BreakdownSheetMgr>${sheets}</BreakdownSheetMgr>`,
    `<StripBoardMgr>${board}</StripBoardMgr>`,
  ]);
  assert.equal(
    readMsd(file, { known: noNames }).warnings.map(({ sentence }) => sentence),
    [
      "1 element Prop was not read",
      "2 elements NoteStrip were not read",
      'what the file says in these fields was not read: EstTime of BreakdownSheet ("2")',
      'sheets have ids twice, of which the last is on the stripboard: "1"',
    ],
  );
});

msd("names texts, attributes and special days that have no place", () => {
  const sheets = `<BreakdownSheet BDSID="1" SheetNumber="1" Scenes="1">Wet down<Notes><Note Text="Rain"/></Notes><ElementRef CategoryName="Props" ElementName="Key" Count="2"/></BreakdownSheet>`;
  const board = `<StripBoard Name="B" CalendarName="C"><ScheduleDay Note="Late"><BDSStrip BDSID="1"/><BannerStrip Text="Move" Time="9:00"/></ScheduleDay></StripBoard>`;
  const dates = `<ScheduleDate Name="ProductionStartDate" Date="02/09/2026"/><ScheduleDate Name="ProductionWrapDate" Date="03/09/2026"/>`;
  const days = `<SpecialDay Date="02/10/2026" Off="1" Note="Fair"/><SpecialDay Date="02/11/2026" Off="0"/>`;
  const file = encodeEpsf([
    `<BreakdownSheetMgr>${sheets}</BreakdownSheetMgr>`,
    `<StripBoardMgr>${board}</StripBoardMgr>`,
    `<CalendarMgr><Calendar Name="C">${dates}${days}<Phase Name="Prep"/></Calendar></CalendarMgr>`,
  ]);
  const fields = [
    ...['the text in BreakdownSheet ("Wet down")', 'Count of ElementRef ("2")', 'Note of ScheduleDay ("Late")'],
    ...['Time of BannerStrip ("9:00")', 'ProductionWrapDate ("03/09/2026")', 'Note of SpecialDay ("Fair")'],
    'special days that are not off ("2026-02-11")',
  ];
  assert.equal(
    readMsd(file, { known: noNames }).warnings.map(({ sentence }) => sentence),
    [
      "1 element Note was not read",
      "1 element Phase was not read",
      `what the file says in these fields was not read: ${fields.join(", ")}`,
    ],
  );
});

msd.run();

const cast = suite("the cast of a scene in a schedule");

const filmed = {
  known: namesOfProduction({
    scenes: [
      { number: "1", elements: { cast: ["MARA", "PETER"] } },
      { number: "2", elements: { cast: ["PETER"] } },
    ],
    assets: [{ label: "MARA", kind: "character" }],
  }),
};
/** A file of scene 1 with a cast, in each format. */
const withCast: readonly (readonly [place: string, Read, (names: readonly string[]) => Buffer])[] = [
  [
    "breakdowns[0]",
    readUss,
    (names) =>
      ussOf({
        categories,
        elements: names.map((name, at) => ({ id: `e${at}`, name, category: "c100", elementId: `${at + 1}` })),
        breakdowns: [{ id: "b0", type: "scene", scene: "1", elements: names.map((_, at) => `e${at}`) }],
      }),
  ],
  [
    "scene 1 of the file",
    readSex,
    (names) =>
      encodeSex(["Cast Members"], [{ number: "1", slugline: "INT. A", elements: names.map((name) => [0, name]) }]),
  ],
  [
    "sheet 1",
    readMsd,
    (names) => {
      const refs = names.map((name) => `<ElementRef CategoryName="Cast Members" ElementName="${name}"/>`);
      const sheet = `<BreakdownSheet BDSID="1" SheetNumber="1" Scenes="1">${refs.join("")}</BreakdownSheet>`;
      return encodeEpsf([`<BreakdownSheetMgr>${sheet}</BreakdownSheetMgr>`, "<StripBoardMgr></StripBoardMgr>"]);
    },
  ],
];

cast("names each name that nobody has, and stays where it is a known one misspelt", () => {
  for (const [place, read, fileOf] of withCast) {
    const readingOf = (...names: string[]) => {
      const { document, warnings } = read(fileOf(names), filmed);
      const added = (document.assets ?? []).flatMap(({ label, kind }) => (kind === "character" ? [label] : []));
      return [document.scenes?.[0]?.elements?.cast, added, warnings.map(({ sentence }) => sentence)];
    };
    const numbered = read === readUss;
    assert.equal(readingOf("PETER", "MARA"), [["MARA", "PETER"], numbered ? ["PETER"] : [], []]);
    assert.equal(readingOf("MARA", "Florentine"), [
      ["MARA", "Florentine"],
      numbered ? ["Florentine"] : [],
      [`${place}: "Florentine" is a new name in the cast of scene 1, which loses "PETER"`],
    ]);
    assert.equal(readingOf("MARAA"), [
      ["MARA", "PETER"],
      [],
      [
        `${place}: "MARAA" was left out of scene 1, whose cast stays: nobody of the cast has this name; nearest is "MARA"`,
      ],
    ]);
  }
});

cast.run();

const long = suite("a text that is longer than what is kept of it");

long("is cut and named, in each format", () => {
  const [name, text] = [`ROPE ${"X".repeat(400)}`, `They meet. ${"Y".repeat(2000)}`];
  const props = [{ id: "e0", name, category: "c100" }];
  const read = [
    readUss(
      ussOf({
        categories,
        elements: props,
        breakdowns: [{ id: "b0", scene: "1", description: text, comments: text.toUpperCase(), elements: ["e0"] }],
      }),
      { known: noNames },
    ),
    readSex(encodeSex(["Props", "Notes"], [{ number: "1", slugline: `INT. ${text}`, elements: [[0, name]] }]), {
      known: noNames,
    }),
    readMsd(
      encodeEpsf([
        `<BreakdownSheetMgr><BreakdownSheet SheetNumber="1" Scenes="1" Synopsis="${text}" Comments="${text.toUpperCase()}"><ElementRef CategoryName="Props" ElementName="${name}"/></BreakdownSheet></BreakdownSheetMgr>`,
        "<StripBoardMgr/>",
      ]),
      { known: noNames },
    ),
  ].map(({ warnings }) => warnings.map(({ sentence }) => sentence));
  const named = (begin: string, most: string) =>
    `${begin.slice(0, 57)}..." has more than ${most} characters and was cut`;
  assert.equal(read, [
    [
      `breakdowns[0]: "${named(text, "2,000")}`,
      `"${named(name, "300")}`,
      `breakdowns[0]: "${named(text.toUpperCase(), "2,000")}`,
    ],
    [`scene 1 of the file: "${named(`INT. ${text}`, "500")}`, `"${named(name, "300")}`],
    [`sheet 1: "${named(text, "2,000")}`, `sheet 1: "${named(text.toUpperCase(), "2,000")}`, `"${named(name, "300")}`],
  ]);
});

long.run();
