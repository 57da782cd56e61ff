import { readFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { problemText } from "../../src/features/documents/refusals.ts";
import { readUss } from "../../src/features/schedules/uss.ts";
import { faultsOf, names, noNames, readTruncated, refusalOf, script } from "../support/lists.ts";

type Json = Record<string, unknown>;

const categories = [
  { id: "c0", catId: 0, name: "Set", elements: ["hall"] },
  { id: "c1", ucid: 1, name: "I/E", elements: ["int"] },
  { id: "c2", name: "Day/Night", elements: ["night"] },
  { id: "c3", ucid: 3, name: "Script Day", elements: ["d1"] },
  { id: "c100", ucid: 100, name: "Talent", elements: ["ann", "bo"] },
  { id: "c104", ucid: 104, name: "Props", elements: ["key"] },
];
const elements = Object.entries({
  hall: "Great Hall",
  int: "INT",
  night: "Night",
  d1: "D1",
  ann: "ANN (V.O.)",
  bo: "BO",
  key: "Key",
  lost: "Lost",
}).map(([id, name]) => ({ id, name }));
const breakdowns = [
  {
    id: "b1",
    type: "scene",
    scene: "1",
    pages: 0.25,
    description: "They meet",
    elements: ["int", "hall", "night", "d1", "ann", "key", "lost"],
  },
  {
    id: "b2",
    type: "strip",
    scene: "2",
    pages: 1.875,
    description: "They part",
    comments: "At night",
    elements: ["int", "hall", "bo"],
  },
  { id: "b3", type: "scene", scene: "3PT1", pages: 1, elements: ["hall"] },
  { id: "day1", type: "day" },
  { id: "day2", type: "day" },
  { id: "move", type: "banner", description: "COMPANY MOVE" },
];
const calendar = {
  id: "cal",
  daysOff: [0, 6],
  events: [
    { type: "start", name: null, date: "2026-05-08T07:00:00.000Z" },
    { type: "event", name: "holiday", date: "2026-05-11T07:00:00.000+0000" },
  ],
};
const board = (breakdownIds: unknown[]) => ({
  name: "First Pass",
  calendar: "cal",
  boards: [
    { name: "boneyard", breakdownIds: ["b3"] },
    { name: "stripboard", breakdownIds },
  ],
});
const stripboards = [{ ...board([]), name: "Script Order" }, board(["b2", "move", "day1", "b1", "day2"])];
const file = (changes: Json = {}): Buffer =>
  Buffer.from(
    JSON.stringify({
      universalScheduleStandard: {
        scriptColor: "Yellow",
        breakdowns,
        categories,
        elements,
        stripboards,
        calendars: [calendar],
        ...changes,
      },
    }),
  );
const read = (bytes: Uint8Array, options = { known: noNames }) => readUss(bytes, options);

const uss = suite("a Universal Schedule (.uss)");

uss("becomes scenes with the content of their breakdowns", () => {
  const { document } = read(file());
  assert.equal(document.scenes?.[0], {
    number: "1",
    slugline: "INT. GREAT HALL - NIGHT",
    synopsis: "They meet",
    status: "planned",
    revision_color: "yellow",
    elements: {
      int_ext: "INT",
      set: "Great Hall",
      time_of_day: "NIGHT",
      pages: "2/8",
      script_day: "D1",
      cast: ["ANN"],
      props: ["Key"],
    },
  });
  assert.equal(
    document.scenes?.map(({ number, elements }) => [number, elements?.pages]),
    [
      ["1", "2/8"],
      ["2", "1 7/8"],
      ["3", undefined],
    ],
  );
});

uss("has the days of the stripboard with the most days, dated by its calendar", () => {
  const { document, warnings } = read(file());
  assert.equal(document.schedule, [
    { day_number: 1, status: "scheduled", date: "2026-05-08", scenes: ["2"], banners: [{ text: "COMPANY MOVE" }] },
    { day_number: 2, status: "scheduled", date: "2026-05-12", scenes: ["1"], banners: [] },
  ]);
  assert.ok(warnings.map(problemText).includes('the stripboard "First Pass" was read; ignored: "Script Order"'));
});

uss("has the locations of a day at its scenes, or at the day itself, and calls in banners", () => {
  const places = [{ id: "c6", ucid: 6, name: "Where", elements: ["pier", "stage"] }, ...categories];
  const named = [...elements, { id: "pier", name: "Pier" }, { id: "stage", name: "Stage 2" }];
  const located = breakdowns.map((each) =>
    ["b1", "b2", "day2"].includes(each.id)
      ? { ...each, elements: [...(each.elements ?? []), each.id === "day2" ? "stage" : "pier"] }
      : each,
  );
  const call = { id: "call", type: "banner", description: "General Call: 7:30 am" };
  const days = board(["b2", "day1", "call", "b1", "day2"]);
  const { document } = read(
    file({ breakdowns: [...located, call], categories: places, elements: named, stripboards: [days] }),
  );
  assert.equal(
    document.schedule?.map(({ location, general_call, banners }) => [location, general_call, banners]),
    [
      ["Pier", undefined, undefined],
      ["Stage 2", "07:30", undefined],
    ],
  );
  assert.equal(document.scenes?.[0]?.elements?.where, ["Pier"]);
});

uss("links its cast if it numbers the cast: a number goes to a character that has none, and moves from nobody", () => {
  const ids: Json = { ann: "1", bo: "12A" };
  const numbered = (changes: Json) =>
    file({ elements: elements.map((each) => ({ ...each, ...changes, elementId: ids[each.id] ?? "" })) });
  const fresh = read(numbered({})).document;
  assert.equal(fresh.assets, [
    { label: "ANN", kind: "character", status: "planned", cast_number: "1" },
    { label: "BO", kind: "character", status: "planned", cast_number: "12A" },
  ]);
  assert.equal(
    fresh.scenes?.map(({ number, assets, elements }) => [number, assets, elements?.cast]),
    [
      ["1", ["ANN"], ["ANN"]],
      ["2", ["BO"], ["BO"]],
      ["3", undefined, undefined],
    ],
  );
  assert.equal(faultsOf(fresh), []);
  const things = [
    { label: "Ann", kind: "character", cast_number: "7" },
    { label: "Bo", kind: "character" },
    { label: "Cy", kind: "character", cast_number: "1" },
  ];
  const known = names({ scenes: ["1", "2", "3"], assets: things });
  const { document, warnings } = read(numbered({}), { known });
  assert.equal(document.assets, [{ label: "Bo", cast_number: "12A" }]);
  assert.equal(
    document.scenes?.map(({ assets }) => assets),
    [["Ann"], ["Bo"]],
  );
  assert.ok(
    warnings
      .map(problemText)
      .includes(
        'the cast numbers 1 of "Ann" were ignored: the character or the number is taken; a cast list changes it',
      ),
  );
});

uss("may have its days as lists, as in version 1.0", () => {
  const boards = [
    {
      name: "stripboard",
      breakdownArrays: [
        ["b1", "move"],
        ["b2", "b3"],
      ],
    },
  ];
  const { document } = read(file({ stripboards: [{ name: "A", calendar: "cal", boards }] }));
  assert.equal(
    document.schedule?.map(({ scenes }) => scenes),
    [["1"], ["2", "3"]],
  );
});

uss('may have day strips above their scenes, and "effect" instead of "type" in its calendar', () => {
  const events = [
    { effect: "start", type: null, date: "2026-05-08T07:00:00.000Z" },
    { effect: "dayOff", type: "holiday", date: "2026-05-11T07:00:00Z" },
  ];
  const { document } = read(
    file({ stripboards: [board(["day1", "b1", "day2", "b2"])], calendars: [{ ...calendar, events }] }),
  );
  assert.equal(
    document.schedule?.map(({ date, scenes }) => [date, scenes]),
    [
      ["2026-05-08", ["1"]],
      ["2026-05-12", ["2"]],
    ],
  );
});

uss("begins on the local day of its start, east or west of Greenwich", () => {
  for (const date of ["2026-05-07T22:00:00.000Z", "2026-05-08T00:00:00.000Z", "2026-05-08T08:00:00.000Z"]) {
    const { document } = read(file({ calendars: [{ ...calendar, events: [{ type: "start", date }] }] }));
    assert.is(document.schedule?.[0]?.date, "2026-05-08", date);
  }
});

uss("keeps the scenes of breakdowns that have no id", () => {
  const bare = breakdowns.map(({ id, ...each }) => each);
  assert.equal(
    read(file({ breakdowns: bare, stripboards: null })).document.scenes?.map(({ number }) => number),
    ["1", "2", "3"],
  );
});

uss("may be a breakdown without a schedule", () => {
  assert.equal(Object.keys(read(file({ stripboards: null, calendars: null })).document), ["scenes"]);
});

uss("adds elements to the script's scenes", () => {
  const { document } = read(file(), script("1", "2", "3"));
  assert.equal(document.scenes?.[1], { number: "2", elements: { pages: "1 7/8", comments: "At night", cast: ["BO"] } });
});

uss("belongs to the episode that it names", () => {
  const known = names({ episodes: ["101", "102"] });
  assert.is(read(file({ episode: "102" }), { known }).document.scenes?.[0]?.episode, "102");
  assert.match(refusalOf(() => read(file(), { known }))[0] as string, /add --episode$/);
});

uss("is valid by the schema of whole documents", () => {
  assert.equal(faultsOf(read(file()).document), []);
});

uss.run();

const newer = suite("a Universal Schedule of version 1.0");

newer("gives the same as one of version 0.1, which lists elements in their categories", () => {
  const own = Buffer.from(readFileSync(new URL("uss-1.0.uss", import.meta.url)));
  const { universalScheduleStandard: root } = JSON.parse(own.toString());
  for (const category of root.categories)
    category.elements = root.elements.filter((one: Json) => one.category === category.id).map(({ id }: Json) => id);
  for (const breakdown of root.breakdowns) breakdown.description ??= breakdown.bannerText;
  const former = Buffer.from(JSON.stringify({ universalScheduleStandard: root }));
  const [one, other] = [read(own), read(former)];
  assert.equal(one.document, other.document);
  assert.equal(one.document.scenes?.[0]?.elements?.cast, ["INES"]);
  assert.match(JSON.stringify(one.document), "COMPANY MOVE TO THE NET LOFT");
});

newer("may name the category of an element in place of its id, and call categories what other languages do", () => {
  const own = Buffer.from(readFileSync(new URL("uss-1.0.uss", import.meta.url)));
  const changed = (change: (root: Record<string, Json[]>) => void) => {
    const value = JSON.parse(own.toString());
    change(value.universalScheduleStandard);
    return read(Buffer.from(JSON.stringify(value))).document;
  };
  for (const key of ["ucid", "name"] as const) {
    const document = changed(({ categories: all, elements: named }) => {
      for (const one of named ?? []) one.category = all?.find(({ id }) => id === one.category)?.[key];
    });
    assert.equal(document, read(own).document, key);
  }
  const words = ["Motiv", "Innen/Außen", "Tageszeit", "Darsteller", "Props"];
  const german = changed(({ categories: all }) => {
    for (const [at, one] of (all ?? []).entries()) [one.name, one.ucid] = [words[at], null];
  });
  assert.equal(german, read(own).document);
});

newer("whose elements, strips or calendar the file does not have is read with a warning that names them", () => {
  const { warnings } = read(
    file({
      elements: elements.map((one) => ({ ...one, category: "gone" })),
      categories: [],
      calendars: [],
      stripboards: [board(["b1", "nowhere", "day1"])],
    }),
  );
  const said = warnings.map(problemText).join("\n");
  assert.match(
    said,
    '11 elements of breakdowns have no name or no category in the file and were ignored: "int" of breakdowns[0]',
  );
  assert.match(said, 'the boards name 1 breakdown that the file does not have: "nowhere"');
  assert.match(said, 'the calendar "cal" of the stripboard is not in the file: its days have no dates');
});

newer.run();

const damaged = suite("a damaged .uss");

damaged("is refused with what is wrong", () => {
  const cases: [Buffer, RegExp][] = [
    [Buffer.from("{"), /^the file is not JSON: /],
    [Buffer.from('{"schedule": []}'), /no object "universalScheduleStandard"/],
    [file({ breakdowns: {} }), /breakdowns must be a list/],
    [
      file({ breakdowns: [{ ...breakdowns[0], pages: 0.3 }] }),
      /^breakdowns\[0\]: "0.3" is not a number of pages in eighths/,
    ],
    [Buffer.from([0xff, 0x7b]), /not UTF-8 text/],
  ];
  for (const [bytes, sentence] of cases) assert.match(refusalOf(() => read(bytes))[0] as string, sentence);
});

damaged("gives a document or a message wherever it is cut off, and whatever its parts are", () => {
  readTruncated(file(), read);
  for (const odd of [null, 7, "x", [null, 7, "x", {}, []], {}])
    for (const part of ["breakdowns", "elements", "categories", "stripboards", "calendars"])
      readTruncated(file({ [part]: odd }), (bytes) => read(bytes), 1);
});

damaged("may be a hundred thousand lists deep", () => {
  assert.match(
    refusalOf(() => read(Buffer.from(`${"[".repeat(100_000)}${"]".repeat(100_000)}`)))[0] as string,
    /universalScheduleStandard|not JSON/,
  );
});

damaged.run();
