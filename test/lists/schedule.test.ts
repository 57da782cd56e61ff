import { suite } from "uvu";
import * as assert from "uvu/assert";
import { documentOf, names, problemsOf, readList, readTruncated, script, warningsOf } from "../support/lists.ts";

const film = script("1", "2", "3", "12", "14A", "150C", "151");
const daysOf = (text: string, options = {}) => documentOf("schedule", text, { ...film, ...options }).schedule;
const board = (text: string, options = {}) =>
  (daysOf(text, options) ?? []).map(({ day_number, date, scenes }) => [day_number, date, scenes?.join(" ")]);

const breaks = suite("day breaks");

breaks("end days in the form that scheduling programs print", () => {
  const text = `Scene,Set,Pages
1,Hall,1 7/8
"END OF DAY 3 - Friday, May 8, 2026 - Total Pages: 1 7/8",,
--- COMPANY MOVE ---,,
2,Yard,4/8
3,Yard,1
"End Day # 4 Monday, May 11, 2026 -- Total Pages: 1 4/8",,`;
  assert.equal(board(text), [
    [3, "2026-05-08", "1"],
    [4, "2026-05-11", "2 3"],
  ]);
});

breaks("and what stands between scenes come in as words, without the rules around them", () => {
  const text = "Scene\n1\n--- COMPANY MOVE ---\n2\n*** LUNCH ***\n3\n-----\nEnd of Day 1 - 2026-05-08";
  assert.equal(daysOf(text)?.[0]?.banners, [
    { before: "2", text: "COMPANY MOVE" },
    { before: "3", text: "LUNCH" },
  ]);
});

breaks("may begin above the headings of the columns, where no column has days", () => {
  const text = "Day 1 - 8 May 2026,\nSc,Pages\n1,1\n2,1\nDay 2 - 9 May 2026,\n3,1\n";
  assert.equal(board(text), [
    [1, "2026-05-08", "1 2"],
    [2, "2026-05-09", "3"],
  ]);
  assert.equal(warningsOf("schedule", text, film), []);
  assert.equal(board("Day 7 - 8 May 2026,\nDay,Date,Sc\n1,2026-05-04,1\n"), [[1, "2026-05-04", "1"]]);
});

breaks("begin days if a heading is above them", () => {
  const text = "Sc,Cast\nDAY 1 OF 2 - 8 May 2026 - CALL 7:00 AM,\n1,\nLUNCH,\n2,\nShoot Day # 2 Sat 9 May 2026,\n3,\n";
  assert.equal(daysOf(text), [
    {
      day_number: 1,
      status: "scheduled",
      general_call: "07:00",
      date: "2026-05-08",
      scenes: ["1", "2"],
      banners: [{ before: "2", text: "LUNCH" }],
    },
    { day_number: 2, status: "scheduled", date: "2026-05-09", scenes: ["3"], banners: [] },
  ]);
});

breaks("are before and after a day in some one-liners", () => {
  const text = "Sc\n*** DAY 1 - 8 May 2026 ***\n1\nEND OF DAY 1\nDAY 2 - 9 May 2026\n2\nEND OF DAY 2\n";
  assert.equal(board(text), [
    [1, "2026-05-08", "1"],
    [2, "2026-05-09", "2"],
  ]);
  assert.match(
    problemsOf("schedule", text.replace("END OF DAY 2", "END OF DAY 3"), film)[0] as string,
    /^line 7: day 2 begins on line 5, and day 3 ends here$/,
  );
});

breaks("that do not say END end the strips above them if no strips follow the last one", () => {
  assert.equal(
    board("Sc\n1\n2\nDAY 1 8 May 2026\n3\nDAY 2 9 May 2026\n").map(([, , scenes]) => scenes),
    ["1 2", "3"],
  );
});

breaks("without a number continue the count", () => {
  const known = names({
    scenes: ["1", "2"],
    schedule: [
      { day_number: 1, date: "2026-05-08" },
      { day_number: 2, date: "2026-05-09" },
    ],
  });
  assert.equal(board("Sc\n1\n--- DAY BREAK ---\n2\nDAYBREAK\n", { known }), [
    [1, undefined, "1"],
    [2, undefined, "2"],
  ]);
});

breaks("leave scenes after the last one on no day, with a warning", () => {
  const text = "Sc\n1\nEND OF DAY 1 8 May 2026\n2\n3\n";
  assert.equal(board(text), [[1, "2026-05-08", "1"]]);
  assert.equal(warningsOf("schedule", text, film), ["line 4: 2 scenes are here, but on no shoot day"]);
});

breaks("may be in any column", () => {
  assert.equal(board("Sc,Set,Pages\n1,Hall,1\n,END OF DAY 1 - 8 May 2026,1\n"), [[1, "2026-05-08", "1"]]);
});

breaks("have dates in digits that are read together", () => {
  const text = (second: string) => `Sc\n1\nEND OF DAY 1 - 03/04/26\n2\nEND OF DAY 2 - ${second}\n`;
  assert.equal(
    board(text("13/04/26")).map(([, date]) => date),
    ["2026-04-03", "2026-04-13"],
  );
  assert.equal(problemsOf("schedule", text("04/04/26"), film), [
    "line 3: 03/04/26 could be two dates; add --dates dmy or mdy",
  ]);
  assert.equal(
    board(text("04/04/26"), { dates: "mdy" }).map(([, date]) => date),
    ["2026-03-04", "2026-04-04"],
  );
});

breaks.run();

const columns = suite("days in a column");

columns("name several scenes with the word for and in several languages", () => {
  const known = names({ scenes: ["1", "2", "3"] });
  for (const cell of ["1 and 2", "1 und 2", "1 et 2", "1 y 2"])
    assert.equal(documentOf("schedule", `Day,Scene,Date\n1,${cell},2026-05-08\n`, { known }).schedule?.[0]?.scenes, [
      "1",
      "2",
    ]);
});

columns("take date, call and status from their rows", () => {
  const text =
    "Day,Date,Call,Day Status,Scene\nDay 2,8 May 2026,0630,wrapped,1\n2 of 9,8 May 2026,,,2\n1,7 May 2026,6:30 pm,,3\n";
  assert.equal(daysOf(text), [
    { day_number: 1, status: "scheduled", date: "2026-05-07", general_call: "18:30", scenes: ["3"] },
    { day_number: 2, status: "wrapped", date: "2026-05-08", general_call: "06:30", scenes: ["1", "2"] },
  ]);
});

columns("are filled down if cells are merged", () => {
  assert.equal(board("Day,Date,Scene\n1,8 May 2026,1\n,,2\n2,9 May 2026,3\n"), [
    [1, "2026-05-08", "1 2"],
    [2, "2026-05-09", "3"],
  ]);
});

columns("that are filled down name the first such line in a warning", () => {
  assert.equal(warningsOf("schedule", "Day,Date,Scene\n1,8 May 2026,1\n,,2\n2,9 May 2026,3\n", film), [
    "line 3: from this row on, rows without a day were put on the day of the row above them",
  ]);
});

columns("that repeat their days leave a scene without one on no day", () => {
  const text = "Day,Date,Scene\n1,8 May 2026,1\n1,8 May 2026,2\n,,3\n";
  assert.equal(board(text), [[1, "2026-05-08", "1 2"]]);
  assert.match(warningsOf("schedule", text, film)[0] as string, /^line 4: a scene is here, but on no shoot day$/);
});

columns("may have only dates: those of the production, or in the order of the file", () => {
  const text = "Date,Scene\n8 May 2026,1\n9 May 2026,2\n";
  const known = names({
    scenes: ["1", "2"],
    schedule: [
      { day_number: 7, date: "2026-05-09" },
      { day_number: 6, date: "2026-05-08" },
    ],
  });
  assert.equal(
    board(text).map(([day]) => day),
    [1, 2],
  );
  assert.equal(
    board(text, { known }).map(([day]) => day),
    [6, 7],
  );
  assert.equal(problemsOf("schedule", "Date,Scene\n10 May 2026,1\n", { known }), [
    "line 2: 2026-05-10 is not a shoot day of the production; add a column Day",
  ]);
});

columns("that contradict each other are refused", () => {
  assert.equal(problemsOf("schedule", "Day,Date,Scene\n1,8 May 2026,1\n1,9 May 2026,2\n", film), [
    "line 3: day 1 has two dates: 2026-05-08 on line 2 and 2026-05-09 here",
  ]);
});

columns("keep the status of a day that the production has", () => {
  const known = names({ scenes: ["1"], schedule: [{ day_number: 1, date: "2026-05-08" }] });
  assert.equal(daysOf("Day,Scene\n1,1\n", { known }), [{ day_number: 1, scenes: ["1"] }]);
});

columns("without a date for a new day, or without any days, are refused", () => {
  assert.equal(problemsOf("schedule", "Day,Scene\n1,1\n", film), ["line 2: day 1 has no date"]);
  assert.match(
    problemsOf("schedule", "Scene,Pages\n1,1\n", film)[0] as string,
    /no day breaks and no column Day or Date$/,
  );
});

columns.run();

const strips = suite("strips");
const scenesOf = (rows: string) => documentOf("schedule", `Day,Date,Scene,Pages,Cast,Set\n${rows}`, film).scenes;

strips("give a scene its length and its cast", () => {
  assert.equal(scenesOf('1,8 May 2026,1,1 7/8,"1. DAVID, 2. ALAN; 14A MR. RIACH",Hall\n'), [
    { number: "1", elements: { cast: ["DAVID", "ALAN", "MR. RIACH"], pages: "1 7/8" } },
  ]);
});

strips("of several scenes give no length, which is said, and that of a part is the part's", () => {
  const text = 'Day,Date,Scene,Pages\n1,8 May 2026,"1, 2",1 4/8\n1,8 May 2026,3 pt,2/8\n1,8 May 2026,4,3/8\n';
  const options = { known: names({ scenes: ["1", "2", "3", "4"] }) };
  assert.equal(documentOf("schedule", text, options).scenes, [{ number: "4", elements: { pages: "3/8" } }]);
  assert.equal(warningsOf("schedule", text, options), [
    "the lengths of 2 scenes were ignored: the file has one length for several scenes, or several lengths for one scene",
  ]);
});

strips("give no cast if it is only numbers, and read decimals of pages", () => {
  assert.equal(scenesOf('1,8 May 2026,1,.875,"1, 2, 5A",Hall\n'), [{ number: "1", elements: { pages: "7/8" } }]);
  assert.equal(scenesOf("1,8 May 2026,1,2 3/8 pgs,1.2.5,Hall\n"), [{ number: "1", elements: { pages: "2 3/8" } }]);
});

strips("for a part of a scene, or for a scene on two days, give no length", () => {
  const text = "Day,Date,Scene,Pages\n1,8 May 2026,1 pt,4/8\n2,9 May 2026,2,1\n3,10 May 2026,2,1\n";
  assert.equal(documentOf("schedule", text, film).scenes, undefined);
  assert.equal(warningsOf("schedule", text, film), [
    "the length of a scene was ignored: the file has one length for several scenes, or several lengths for one scene",
  ]);
  const parts =
    "Day,Date,Scene,Pages\n1,8 May 2026,1 pt1,4/8\n1,8 May 2026,1 pt2,1\n2,9 May 2026,2 pt1,1\n2,9 May 2026,2 pt2,\n3,10 May 2026,3,1\n4,11 May 2026,3 pt2,1\n";
  const { scenes, schedule } = documentOf("schedule", parts, film);
  assert.equal(scenes, undefined, "a part beside the whole scene leaves its length open");
  assert.equal(
    schedule?.flatMap((day) => day.parts ?? []),
    [
      { scene: "1", text: "pt1, pt2", pages: "1 4/8" },
      { scene: "2", text: "pt1, pt2" },
      { scene: "3", text: "pt2", pages: "1" },
    ],
  );
  assert.equal(warningsOf("schedule", parts, film), [
    "the length of a scene was ignored: the file has one length for several scenes, or several lengths for one scene",
    "the length of 2 pt1, pt2 on day 2 was ignored: one of these parts has none",
  ]);
});

strips("for several scenes put each on the day and give no elements", () => {
  const text = 'Day,Date,Scene,Pages,Cast\n1,8 May 2026,"12, 14A pt",2,DAVID\n';
  assert.equal(documentOf("schedule", text, film), {
    schedule: [
      {
        ...{ day_number: 1, status: "scheduled", date: "2026-05-08", scenes: ["12", "14A"] },
        parts: [{ scene: "14A", text: "pt" }],
      },
    ],
  });
});

strips("leave slugline and set to the script, unless they are mapped", () => {
  const text = "Day,Date,Scene,Set\n1,8 May 2026,1,INT. HALL - DAY\n";
  assert.is(documentOf("schedule", text, film).scenes, undefined);
  assert.equal(documentOf("schedule", text, { ...film, map: { Set: "slugline" } }).scenes, [
    { number: "1", slugline: "INT. HALL - DAY" },
  ]);
  const interiors = "Day,Date,Scene,I/E\n1,8 May 2026,1,Innen\n1,8 May 2026,2,I/E\n1,8 May 2026,3,Space\n";
  const stored = { known: names({ scenes: ["1", { number: "2", elements: { int_ext: "I/E" } }, "3"] }) };
  assert.equal(
    documentOf("schedule", interiors, { ...stored, map: { "I/E": "int_ext" } }).scenes?.map(
      ({ elements }) => elements?.int_ext,
    ),
    ["INT", "I/E", "Space"],
  );
  assert.equal(documentOf("schedule", text, { ...film, map: { Set: "set" } }).scenes, [
    { number: "1", elements: { set: "INT. HALL - DAY" } },
  ]);
});

strips("put a scene on a day once, whatever its parts are", () => {
  assert.equal(board("Day,Date,Scene\n1,8 May 2026,12 pt1\n1,8 May 2026,12 pt2\n1,8 May 2026,1\n"), [
    [1, "2026-05-08", "12 1"],
  ]);
});

const peopled = {
  known: names({
    scenes: [
      { number: "1", elements: { cast: ["MARA", "PETER"] } },
      { number: "2", elements: { cast: ["PETER"] } },
    ],
    assets: [{ label: "Tom Finch", kind: "character" }],
  }),
};
const head = "Day,Date,Scene,Cast\n1,2026-05-08,";

strips("with a misspelt name leave the scene its cast, and name it", () => {
  const text = `${head}1,"MARAA, Tom Finch"\n`;
  assert.equal(documentOf("schedule", text, peopled).scenes, [
    { number: "1", elements: { cast: ["MARA", "PETER", "Tom Finch"] } },
  ]);
  assert.equal(warningsOf("schedule", text, peopled), [
    'line 2: "MARAA" was left out of scene 1, whose cast stays: nobody of the cast has this name; nearest is "MARA"',
  ]);
  const swapped = `${head}1,"PTEER, Tom Finch"\n`;
  assert.equal(documentOf("schedule", swapped, peopled).scenes?.[0]?.elements?.cast, ["MARA", "PETER", "Tom Finch"]);
  assert.equal(warningsOf("scenes", "Scene,Cast\n1,MARAA\n", peopled), [
    'line 2: "MARAA" was left out of scene 1, whose cast stays: nobody of the cast has this name; nearest is "MARA"',
  ]);
});

strips("with a number that no known name has bring a new name", () => {
  const numbered = { known: names({ scenes: [{ number: "1", elements: { cast: ["COP 1"] } }] }) };
  const text = `${head}1,"COP 1, COP 2"\n`;
  assert.equal(documentOf("schedule", text, numbered).scenes?.[0]?.elements?.cast, ["COP 1", "COP 2"]);
  assert.equal(warningsOf("schedule", text, numbered), ['line 2: "COP 2" is a new name in the cast of scene 1']);
});

strips("with a new name say so, and whom the scene loses", () => {
  const text = `${head}1,"MARA, Florentine"\n`;
  assert.equal(documentOf("schedule", text, peopled).scenes?.[0]?.elements?.cast, ["MARA", "Florentine"]);
  assert.equal(warningsOf("schedule", text, peopled), [
    'line 2: "Florentine" is a new name in the cast of scene 1, which loses "PETER"',
  ]);
  assert.equal(warningsOf("schedule", `${head}1,"PETER; Mara"\n`, peopled), []);
  assert.equal(warningsOf("schedule", `${head}1,Florentine\n`, film), []);
});

strips("of a day without a scene say which scenes the day loses", () => {
  const placed = {
    known: names({ scenes: ["1", "2"], schedule: [{ day_number: 1, date: "2026-05-08", scenes: ["1", "2"] }] }),
  };
  const text = "Day,Date,Scene,Status\n1,2026-05-08,,wrapped\n";
  assert.equal(warningsOf("schedule", text, placed), [
    "line 2: day 1 loses 1, 2: the file has the day and no scene on it",
  ]);
  assert.equal(warningsOf("schedule", text, film), []);
  assert.equal(warningsOf("schedule", "Day,Date,Scene,Status\n1,2026-05-08,1,wrapped\n", placed), []);
});

strips("for several scenes name what is not said of each", () => {
  assert.equal(warningsOf("schedule", `${head}"1, 2","PETER, Tom Finch, MARA"\n`, peopled), [
    'line 2: "Tom Finch" was ignored: the row has several scenes',
  ]);
  const text = 'Day,Date,Scene,Script Day,Cast\n1,2026-05-08,"1, 2",D3,Tom Finch\n';
  assert.equal(warningsOf("schedule", text, peopled), [
    'line 2: script day, "Tom Finch" were ignored: the row has several scenes',
  ]);
});

strips("whose scene is no number are banners, which is said unless they are plain words", () => {
  const said = (cell: string) =>
    warningsOf("schedule", `Day,Date,Scene\n1,2026-05-08,1\n1,2026-05-08,"${cell}"\n`, film);
  assert.equal(said("X"), ['line 3: "X" is not in the script and was read as a banner']);
  assert.equal(said("??"), ['line 3: "??" is not in the script and was read as a banner']);
  assert.equal(said("2, LUNCH"), ['line 3: "2, LUNCH" was read as a banner, although it names 2']);
  assert.equal([...said("LUNCH"), ...said("-----")], []);
});

strips("that are on a day twice, and rows that have a day and no scene, are named", () => {
  const said = (...rows: string[]) => warningsOf("schedule", `Day,Date,Scene\n${rows.join("\n")}\n`, film);
  assert.equal(said("1,2026-05-08,1", "1,2026-05-08,1"), ["line 3: 1 is on day 1 more than once; it is kept once"]);
  assert.equal(said("1,2026-05-08,1 pt1", "1,2026-05-08,1 pt2", "2,2026-05-09,1"), []);
  assert.equal(said("1,2026-05-08,1", "2,2026-05-09,"), ["line 3: this row has no scene; it says nothing but its day"]);
});

strips("have all their problems reported at once, by line", () => {
  const text =
    "Day,Date,Scene,Pages\n1,8 May 2026,1,1 9/8\n1,8 May 2026,150D,1\nnight,9 May 2026,2,1\n1,03/04/26,3,1\n";
  assert.equal(problemsOf("schedule", text, film), [
    'line 2, column Pages: "1 9/8" is not a number of eighths',
    "line 3: scene 150D is not in the script; nearest are 150C and 151",
    'line 4, column Day: "night" is not the number of a shoot day',
    "line 5: 03/04/26 could be two dates; add --dates dmy or mdy",
  ]);
});

strips("without a number are skipped with a warning", () => {
  assert.match(
    warningsOf("schedule", "Day,Date,Scene,Pages\n1,8 May 2026,1,1\n,,,2\n", film)[0] as string,
    /^line 3: this row has no scene number/,
  );
});

strips("may have their episode in a column", () => {
  const known = names({ scenes: ["101/1", "102/1"], episodes: ["101", "102"] });
  const text = "Day,Date,Ep,Scene,Pages\n1,8 May 2026,102,1,1\n1,8 May 2026,,101/1,2\n";
  assert.equal(documentOf("schedule", text, { known }), {
    scenes: [
      { number: "1", episode: "102", elements: { pages: "1" } },
      { number: "1", episode: "101", elements: { pages: "2" } },
    ],
    schedule: [{ day_number: 1, status: "scheduled", date: "2026-05-08", scenes: ["102/1", "101/1"] }],
  });
});

strips("that are cut off anywhere give days or messages", () => {
  const text =
    'Scene,Pages,Cast\n1,1 7/8,"DAVID, ALAN"\n"END OF DAY 1 - Friday, May 8, 2026 - Total Pages: 1 7/8",,\n2,4/8,DAVID\nEND OF DAY 2 - 9 May 2026,,\n';
  assert.ok(readTruncated(Buffer.from(text), (bytes) => readList("schedule", bytes, film)) > 0);
});

strips("that name ten thousand scenes in every row are refused before they fill the memory", () => {
  const known = names({ scenes: Array.from({ length: 10_000 }, (_, at) => String(at + 1)) });
  const text = `Day,Date,Scene\n${"1,8 May 2026,1-10000\n".repeat(1000)}`;
  assert.match(
    problemsOf("schedule", text, { known })[0] as string,
    /names scenes and elements more than 200,000 times, the maximum$/,
  );
});

strips.run();
