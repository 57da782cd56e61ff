// Lists in the forms of other programs: headings, cast numbers, day breaks and rows of text as these programs print
// them.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { documentOf, names, problemsOf, warningsOf } from "../support/lists.ts";

const things = [
  { label: "Mara", kind: "character", cast_number: "1" },
  { label: "Tom", kind: "character", cast_number: "2" },
  { label: "Nurse", kind: "character", cast_number: "3" },
  { label: "Boy", kind: "character", cast_number: "1-A" },
  { label: "Guest", kind: "character", cast_number: "7a.9" },
  { label: "Coach", kind: "character", cast_number: "IC" },
];
const known = names({ scenes: ["1", "2", "3", "3A", "4"], assets: things });
const linked = (kind: "breakdown" | "schedule", text: string) =>
  (documentOf(kind, text, { known }).scenes ?? []).map(({ number, assets, elements }) => [number, assets, elements]);

const cast = suite("a column of the cast");

const castOf = (cell: string) => {
  const text = `Day,Date,Scene,Cast\n1,2026-05-04,1,"${cell}"\n`;
  const [scene] = documentOf("schedule", text, { known }).scenes ?? [];
  return [scene?.assets, scene?.elements?.cast, warningsOf("schedule", text, { known })];
};
const warningOf = (text: string) => [`no character has the cast ${text}; import a cast list first`];

cast("has numbers, ranges of numbers, and numbers of a character with a dash, a point or letters", () => {
  assert.equal(castOf("1-3"), [["Mara", "Tom", "Nurse"], undefined, []]);
  assert.equal(castOf("1–2, 7A.9"), [["Mara", "Tom", "Guest"], undefined, []]);
  assert.equal(castOf("1-A"), [["Boy"], undefined, []]);
  assert.equal(castOf("C: 1, 3"), [["Mara", "Nurse"], undefined, []]);
  assert.equal(castOf("01 2/3 & ic"), [["Mara", "Tom", "Nurse", "Coach"], undefined, []]);
  assert.equal(castOf("1. MARA; 7a.9 GUEST"), [undefined, ["MARA", "GUEST"], []]);
});

cast("names the numbers that no character has, and takes no number apart", () => {
  assert.equal(castOf("1.9, 2.9"), [undefined, undefined, warningOf("numbers 1.9, 2.9")]);
  assert.equal(castOf("2-4"), [["Tom", "Nurse"], undefined, warningOf("number 4")]);
  for (const number of ["3-1", "1-9999", "2-B"])
    assert.equal(castOf(number), [undefined, undefined, warningOf(`number ${number}`)]);
});

cast("with ranges of more numbers than any production has is refused", () => {
  const row = `1,2026-05-04,1,"${"1-100,".repeat(300)}"\n`;
  assert.match(
    problemsOf("schedule", `Day,Date,Scene,Cast\n${row.repeat(10)}`, { known })[0] as string,
    /names scenes and elements more than 200,000 times, the maximum$/,
  );
});

cast.run();

const breakdown = suite("a breakdown of another program");

breakdown("has a scene in each row under the headings of Lemon Schedule", () => {
  const text = `"Scene #","Pages","Script Day","I/E","Set","D/N","Description","Cast","Notes","Background Actors","Makeup & Hair","SFX","Animals & Wranglers","Weapons","Art Dept"
"1","1 2/8","D1","INT","HUT","DAY","They meet","1, 2","Slow","10 Fishermen, Wet children","Scar","Fog","Dog, Cat","Axe","Map"
`;
  assert.equal(linked("breakdown", text), [
    [
      ...["1", ["Mara", "Tom", "Scar", "Fog", "Dog", "Cat", "Map"]],
      {
        pages: "1 2/8",
        script_day: "D1",
        background_actors: ["10 Fishermen", "Wet children"],
        weapons: ["Axe"],
      },
    ],
  ]);
  assert.equal(warningsOf("breakdown", text, { known }), [
    'the columns "I/E", "Set", "D/N", "Description" and "Notes" were ignored: a breakdown has no place for it',
  ]);
});

breakdown(
  "has the fields and categories of a Movie Magic sheet: the script page is no length, the cast are ids",
  () => {
    const text = `Sheet Number,Scene(s),Int/Ext,Day/Night,Set,Synopsis,Script Page(s),Script Day,Page Count,Cast IDs,Special Equipment,Miscellaneous
1,"2, 3",INT,Day,Hut,They meet,112,2,1 4/8,1-2,Crane,Rain cover
2,3A,EXT,Night,Quay,They part,113,2,3/8,"3
1-A",,
`;
    assert.equal(linked("breakdown", text), [
      ["2", ["Mara", "Tom", "Crane"], { miscellaneous: ["Rain cover"] }],
      ["3", ["Mara", "Tom", "Crane"], { miscellaneous: ["Rain cover"] }],
      ["3A", ["Nurse", "Boy"], { pages: "3/8", script_day: "2" }],
    ]);
    assert.match(warningsOf("breakdown", text, { known }).join("\n"), /"Synopsis" and "Script Page\(s\)" were ignored/);
  },
);

breakdown("has an element in each row with its tag, or with its status", () => {
  const tags = `Scene Number,Scene Name,TAG,Tagged Resource Required,Surrounding Text,Start Line Index
1,INT. HUT,PROPS,Oars,They row,12
1,INT. HUT,SPFX,Fog,,13
`;
  assert.equal(linked("breakdown", tags), [["1", ["Oars", "Fog"], undefined]]);
  assert.equal(warningsOf("breakdown", tags, { known }), [
    'the column "Scene Name" was ignored: a breakdown has no place for it',
    '"Surrounding Text" and "Start Line Index" were ignored: the elements have a column of their own',
  ]);
  assert.equal(linked("breakdown", "Scene,Category,Element Name,Status,Locked\n4,Picture Cars,Van,detected,no\n"), [
    ["4", ["Van"], undefined],
  ]);
});

breakdown("names rows without a scene, and a column of categories without elements", () => {
  assert.equal(warningsOf("breakdown", "Scene,Type,Props\n1,Day,Oars\n,,Compass\n", { known }), [
    'the column "Type" was ignored: the file has no column of elements',
    "line 3: this row has no scene and was ignored",
  ]);
});

breakdown.run();

const oneLiner = suite("a one-liner of another program");
const daysOf = (text: string) => documentOf("schedule", text, { known }).schedule;

oneLiner("has the fields of a strip of Movie Magic's strip designer", () => {
  const text = `Scene #,I/E,Set,D/N,Script Day,ID List,Page 8th,Script Page,Location,Unit,Shoot Time,Shooting Date,Shooting Day,Comments
1,INT,HUT,DAY,D1,"1, 2",1 2/8,4,STAGE,Main,1:30,2026-05-04,1,Slow
2,INT,HUT,NIGHT,D2,1-A,3/8,5,STAGE,Main,0:45,2026-05-04,1,
`;
  assert.equal(linked("schedule", text), [
    ["1", ["Mara", "Tom"], { script_day: "D1", pages: "1 2/8" }],
    ["2", ["Boy"], { script_day: "D2", pages: "3/8" }],
  ]);
  assert.equal(
    daysOf(text)?.map(({ day_number, date, location, scenes }) => [day_number, date, location, scenes]),
    [[1, "2026-05-04", "STAGE", ["1", "2"]]],
  );
  assert.equal(linked("breakdown", text), [
    ["1", ["Mara", "Tom", "STAGE"], { script_day: "D1", pages: "1 2/8" }],
    ["2", ["Boy", "STAGE"], { script_day: "D2", pages: "3/8" }],
  ]);
});

oneLiner("has calls and locations in rows of text, and in the columns of its day breaks", () => {
  const text = `Scene,I/E,Set,Pages,Cast,Location,Call,Wrap
HARBOUR - Shoot 2 days,,,,,,,
Approximate Call Time: 730a,,,,,,,
1,INT,HUT,2 2/8,"1, 2",STAGE,,
CLOSED SET,,,,,,,
2,INT,HUT,1/8,1,STAGE,,
EQUIPMENT TRUCK MOVE,,,0,,,,
Location: Pier - north end,,,,,,,
3,EXT,QUAY,3/8,,,,
"-- End of Day # 1 -- Tuesday, October 21, 2025 -- Total Pgs: 2 6/8",,,,,,,
4,EXT,SEA,1,3,,,
End Day # 2 Wednesday 22 October 2025 -- Total Pages: 1,,,,,Open sea,6:00 am,18:30
`;
  assert.equal(daysOf(text), [
    {
      day_number: 1,
      status: "scheduled",
      date: "2025-10-21",
      general_call: "07:30",
      scenes: ["1", "2", "3"],
      location: "STAGE; Pier - north end",
      banners: [
        { before: "1", text: "HARBOUR - Shoot 2 days" },
        { before: "2", text: "CLOSED SET" },
        { before: "3", text: "EQUIPMENT TRUCK MOVE" },
      ],
    },
    {
      day_number: 2,
      status: "scheduled",
      date: "2025-10-22",
      general_call: "06:00",
      wrap: "18:30",
      scenes: ["4"],
      location: "Open sea",
      banners: [],
    },
  ]);
});

oneLiner("has cast of strips of several scenes, and a day of text alone", () => {
  const text = `Scene,Pages,Cast
"1, 2",1 2/8,"1, 2"
3 pt,2/8,1
END OF DAY 1 4 May 2026,,
COMPANY OFF,,
Beach scenes to be written,,
END OF DAY 2 6 May 2026,,
`;
  const options = { known: names({ scenes: ["1", { number: "2", assets: ["Tom"] }, "3"], assets: things }) };
  const { scenes, schedule } = documentOf("schedule", text, options);
  assert.equal(scenes, [
    { number: "1", assets: ["Mara"] },
    { number: "2", assets: ["Tom", "Mara"] },
    { number: "3", assets: ["Mara"] },
  ]);
  assert.equal(schedule?.[1]?.banners, [{ text: "COMPANY OFF" }, { text: "Beach scenes to be written" }]);
});

oneLiner("of a series names the episode once for several scenes", () => {
  const series = names({ scenes: ["9/12", "9/13", "10/13"], episodes: ["9", "10"] });
  const text = 'Sc\n"9-12, 13"\nEND OF DAY 1 4 May 2026\n';
  assert.equal(documentOf("schedule", text, { known: series }).schedule?.[0]?.scenes, ["9/12", "9/13"]);
});

oneLiner("may have its days in headings that begin with the date, and what belongs to a day in rows of its own", () => {
  const text = `Sc,Location,Call,Day Notes
Wednesday 9 September 2026   SHOOT DAY 3   CALL 0800,,,
,Town hall,,Boots.
1,,,
Thu 10/09/2026 - Shoot Day #4,,,
2,,07:15,
`;
  assert.equal(daysOf(text), [
    {
      day_number: 3,
      status: "scheduled",
      date: "2026-09-09",
      general_call: "08:00",
      scenes: ["1"],
      location: "Town hall",
      notes: "Boots.",
    },
    { day_number: 4, status: "scheduled", date: "2026-09-10", general_call: "07:15", scenes: ["2"] },
  ]);
});

oneLiner("names a row that is on no day, and a wrap of a day break that is no time", () => {
  assert.match(
    warningsOf("schedule", "Day,Date,Sc,Location\n1,4 May 2026,1,\n1,4 May 2026,2,\n,,,Harbour\n", { known }).join(),
    /^line 4: this row is on no shoot day and was ignored$/,
  );
  assert.equal(problemsOf("schedule", "Sc,Set,Wrap\n1,,\nEND OF DAY 1 4 May 2026,,late\n", { known }), [
    'line 3: "late" is not a time of day',
  ]);
});

oneLiner("cuts locations that are too long together, with a warning", () => {
  const rows = Array.from(
    { length: 5 },
    (_, at) => `1,2026-05-04,${at < 3 ? at + 1 : "4"},${`Street ${at} `.repeat(20)}\n`,
  );
  const text = `Day,Date,Scene,Location\n${rows.join("")}`;
  assert.ok((daysOf(text)?.[0]?.location?.length ?? 0) <= 500);
  assert.match(
    warningsOf("schedule", text, { known }).join("\n"),
    /locations of day 1 together: .* has more than 500 characters and was cut/,
  );
});

oneLiner("keeps a second call as a banner", () => {
  const text = "Sc\nSTART OF DAY 1 4 May 2026 - CALL 0700\n1\nCall: 2p\n2\n";
  assert.equal(daysOf(text)?.[0]?.general_call, "07:00");
  assert.equal(daysOf(text)?.[0]?.banners, [{ before: "2", text: "Call: 2p" }]);
});

oneLiner.run();

const castList = suite("a cast list of another program");

castList("has the headings that SceneItAll reads", () => {
  const text = "Cast #,Cast Name,Character,Contract,Phone,Agent Email\n1,Cora Lind,Mara,Daily,1,a@b\n";
  assert.equal(documentOf("cast", text, { known }).assets, [
    { label: "Mara", cast_number: "1", performer: "Cora Lind" },
  ]);
  assert.equal(warningsOf("cast", text, { known }), [
    'the column "Contract" was ignored: the header is not known; --map says what it means',
    'the columns "Phone" and "Agent Email" were ignored: contact details are not stored',
  ]);
});

castList("leaves a cast number as it is stored, however the list writes it", () => {
  const numbersIn = (kind: "cast" | "assets", text: string) =>
    documentOf(kind, text, { known }).assets?.map(({ label, cast_number }) => [label, cast_number]);
  for (const [kind, head, middle] of [
    ["cast", "No,Character", ""],
    ["assets", "Cast ID,Asset,Kind", ",Character"],
  ] as const) {
    const text = `${head}\n01,Mara${middle}\n#2.,Tom${middle}\n31,Nurse${middle}\n08,Visitor${middle}\n`;
    assert.equal(numbersIn(kind, text), [
      ["Mara", "1"],
      ["Tom", "2"],
      ["Nurse", "31"],
      ["Visitor", "08"],
    ]);
  }
});

castList.run();
