// One-liners with what a call sheet needs: cast numbers, calls, locations, banners and company moves.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { documentOf, names, problemsOf, warningsOf } from "../support/lists.ts";

const known = names({
  scenes: [{ number: "1", assets: ["Lantern"] }, "2", "3", "3A", "4"],
  people: ["Isla Rae"],
  departments: [{ slug: "camera", name: "Camera" }],
  assets: [
    { label: "Mara", kind: "character", cast_number: "1" },
    { label: "Tom", kind: "character", cast_number: "2" },
    { label: "Lantern", kind: "prop" },
  ],
});
const read = (text: string) => documentOf("schedule", text, { known });
const breaks = `Scenes,Set,Pages,Cast ID
DAY 1 - Monday 4 May 2026 - Call: 7:00 AM - Location: Harbour House
1,HUT,1 2/8,"1, 2"
COMPANY MOVE,to the quay,,
2,QUAY,2/8,1
LUNCH,,,
3,QUAY,3/8,2
,end of the week,,
END OF DAY 1 - Total Pages: 1 7/8
4,SEA,4/8,"1,9"
DAY 2 - Tuesday 5 May 2026 - Location: Pier north end
`;

const oneLiner = suite("a one-liner with day breaks");

oneLiner("has the location, the call and the banners of each day", () => {
  const { schedule } = read(breaks.replace("DAY 2 -", "END OF DAY 2 -").replace("\nDAY 1", "\nSTART OF DAY 1"));
  assert.equal(schedule, [
    {
      day_number: 1,
      status: "scheduled",
      date: "2026-05-04",
      general_call: "07:00",
      scenes: ["1", "2", "3"],
      location: "Harbour House",
      banners: [
        { before: "2", text: "COMPANY MOVE to the quay" },
        { before: "3", text: "LUNCH" },
        { text: "end of the week" },
      ],
    },
    { day_number: 2, status: "scheduled", date: "2026-05-05", scenes: ["4"], location: "Pier north end", banners: [] },
  ]);
});

oneLiner("links the characters whose cast numbers it has, and names the numbers that no character has", () => {
  const { scenes = [] } = read(breaks);
  assert.equal(
    scenes.map(({ number, assets }) => [number, assets]),
    [
      ["1", ["Lantern", "Mara", "Tom"]],
      ["2", ["Mara"]],
      ["3", ["Tom"]],
      ["4", ["Mara"]],
    ],
  );
  assert.ok(scenes.every(({ elements }) => !("cast" in (elements ?? {}))));
  assert.match(
    warningsOf("schedule", breaks, { known }).join("\n"),
    /no character has the cast number 9; import a cast list first/,
  );
});

oneLiner.run();

const board = suite("a schedule with a column for the day");

board("has the day's location, notes, wrap, calls and banners in columns", () => {
  const text = `Day,Date,Scene,Location,Day Notes,Wrap,Calls,Banners
1,2026-05-04,1,Harbour House,Boots.,7:30 pm,"07:00 Mara (make-up first)
Tom: 6.30
O/C Isla Rae
camera dept 05:45
Divers 0800","1: RAIN COVER
WRAP DRINKS"
1,2026-05-04,2,Quay,,,,
,,LUNCH,,,,,
1,2026-05-04,3,Quay,,,,
2,2026-05-05,4,,,,,
`;
  assert.equal(read(text).schedule, [
    {
      day_number: 1,
      status: "scheduled",
      date: "2026-05-04",
      wrap: "19:30",
      scenes: ["1", "2", "3"],
      location: "Harbour House; Quay",
      notes: "Boots.",
      calls: [
        { who: "Mara", time: "07:00", note: "make-up first" },
        { who: "Tom", time: "06:30" },
        { who: "Isla Rae", time: "O/C" },
        { who: "camera", time: "05:45" },
        { who: "Divers", time: "08:00" },
      ],
      banners: [{ before: "1", text: "RAIN COVER" }, { text: "WRAP DRINKS" }, { before: "3", text: "LUNCH" }],
    },
    { day_number: 2, status: "scheduled", date: "2026-05-05", scenes: ["4"], banners: [] },
  ]);
});

board("has the times of a call in brackets before its note, and a line for each label", () => {
  const cell = (calls: string, lines = "") =>
    read(`Day,Date,Scene,Calls,Lines\n1,2026-05-04,1,"${calls}","${lines}"\n`).schedule?.[0];
  assert.equal(cell("07:30 Mara (pick-up 05:45, make-up 06:15, costume 06:50, on set 08:00)")?.calls, [
    { who: "Mara", time: "07:30", pickup: "05:45", makeup: "06:15", costume: "06:50", on_set: "08:00" },
  ]);
  assert.equal(
    cell("07:30 Mara (pickup 5.45, on set TBC, wig, two)\n08:00 Tom (on set)\nO/C Isla Rae (costume is new)")?.calls,
    [
      { who: "Mara", time: "07:30", pickup: "05:45", on_set: "TBC", note: "wig, two" },
      { who: "Tom", time: "08:00", note: "on set" },
      { who: "Isla Rae", time: "O/C", note: "costume is new" },
    ],
  );
  assert.equal(cell("", "Base: Yard behind stage 2\nChannels: 1: production\nBase: Upper field")?.lines, [
    { label: "Base", text: "Yard behind stage 2" },
    { label: "Channels", text: "1: production" },
    { label: "Base", text: "Upper field" },
  ]);
  const text = 'Day,Date,Scene,Lines\n1,2026-05-04,1,"Yard"\n';
  assert.match(
    problemsOf("schedule", text, { known }).join(),
    /"Yard" has no label; write it as Base: Yard behind stage 2/,
  );
});

board("has a call twice if one cell has it twice, and once if rows repeat it", () => {
  const calls = (...cells: string[]) =>
    read(["Day,Date,Scene,Calls", ...cells.map((cell, at) => `1,2026-05-04,${at + 1},"${cell}"`)].join("\n"))
      .schedule?.[0]?.calls;
  const mara = { who: "Mara", time: "07:00" };
  assert.equal(calls("07:00 Mara\n07:00 Mara"), [mara, mara]);
  assert.equal(calls("07:00 Mara", "07:00 Mara\nTom: 6.30"), [mara, { who: "Tom", time: "06:30" }]);
});

board("with two calls of one person keeps both, and names both lines", () => {
  const text = 'Day,Date,Scene,Calls\n1,2026-05-04,1,07:00 Mara\n1,2026-05-04,2,"08:00 mara\n09:00 Camera"\n';
  assert.equal(read(text).schedule?.[0]?.calls, [
    { who: "Mara", time: "07:00" },
    { who: "Mara", time: "08:00" },
    { who: "camera", time: "09:00" },
  ]);
  assert.equal(warningsOf("schedule", text, { known }), [
    'line 3: "Mara" is called twice on day 1: 07:00 on line 2 and 08:00 here; both are kept, and a list of the cast shows the first',
  ]);
});

board("names the scene beside the note of a strip, and not beside that of the day", () => {
  const notes = (...cells: string[]) =>
    read(["Day,Date,Scene,Notes", ...cells.map((cell, at) => `1,2026-05-04,${at + 1},${cell}`)].join("\n"))
      .schedule?.[0]?.notes;
  assert.is(notes("Smoke", "Crane"), "1: Smoke\n2: Crane");
  assert.is(notes("", "Crane"), "2: Crane");
  assert.is(notes("Rain cover", ""), "Rain cover");
  assert.is(notes("Rain cover", "Rain cover"), "Rain cover");
});

board("has calls of cast by number and name, and no number of people or cast is a time", () => {
  const calls = (cell: string) => read(`Day,Date,Scene,Calls\n1,2026-05-04,1,"${cell}"\n`).schedule?.[0]?.calls;
  assert.equal(calls("1. Mara 07:00\n2: 6.30\n12 Divers 0800\n9 Horses"), [
    { who: "Mara", time: "07:00" },
    { who: "Tom", time: "06:30" },
    { who: "12 Divers", time: "08:00" },
    { who: "9 Horses", time: "O/C" },
  ]);
});

board("keeps a banner on the day that its row names, and drops sums and feet of pages", () => {
  const text = `Day,Date,Scene,What
1,2026-05-04,1,
1,2026-05-04,,Move to the hotel
2,2026-05-05,2,
,,,Total: 2 scenes
,,,Page 1 of 3
`;
  assert.equal(
    read(text).schedule?.map(({ banners }) => banners),
    [[{ text: "Move to the hotel" }], []],
  );
});

board("says nothing of banners if it has none, and names a wrap that is no time", () => {
  assert.equal(read("Day,Date,Scene\n1,2026-05-04,1\n").schedule, [
    { day_number: 1, status: "scheduled", date: "2026-05-04", scenes: ["1"] },
  ]);
  assert.equal(problemsOf("schedule", "Day,Date,Scene,Wrap\n1,2026-05-04,1,late\n", { known }), [
    'line 2, column Wrap: "late" is not a time of day',
  ]);
});

board("reads a range to the end of an episode's numbers", () => {
  const series = names({ scenes: ["101/1", "101/2", "101/2A", "102/1"], episodes: ["101", "102"] });
  const { schedule } = documentOf("schedule", "Day,Date,Scene\n1,2026-05-04,101/1-2A\n", { known: series });
  assert.equal(schedule?.[0]?.scenes, ["101/1", "101/2", "101/2A"]);
});

board.run();
