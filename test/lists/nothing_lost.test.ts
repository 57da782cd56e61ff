// Nothing of a list is lost in silence: each row and column of a file is read, named in a warning, or refused, in
// sound, random and damaged files.
import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { csvText } from "../../src/features/csv/csv.ts";
import type { ListKind } from "../../src/features/documents/kinds.ts";
import { problemText } from "../../src/features/documents/refusals.ts";
import { knownKinds, listOfKind } from "../../src/features/lists/lists.ts";
import { FormatError } from "../../src/features/paperwork/findings.ts";
import { assertCounted } from "../support/counted.ts";
import { openImports } from "../support/import.ts";
import { documentOf, fixture, names, problemsOf, readList, silverButton, warningsOf } from "../support/lists.ts";
import { assertProperty, sampling } from "../support/sampling.ts";

const rule = suite("the rows and columns of a list");

/** Reads a file, and asserts that its counts agree with one another and with its table. */
function assertRead(kind: ListKind, table: readonly (readonly string[])[], text = csvText(table)): void {
  const [header = [], ...rows] = table;
  try {
    const reading = readList(kind, text, { week: "2026-01-05" });
    assertCounted(reading, kind);
    const { row, column } = reading.counts;
    // Counted anew, without the reader.
    const filled = rows.filter((cells) => cells.some((cell) => cell.trim() !== ""));
    const repeated = filled.filter((cells) => JSON.stringify(cells) === JSON.stringify(header));
    assert.is(row?.seen, filled.length - repeated.length, text);
    const width = filled.reduce((most, { length }) => Math.max(most, length), header.length);
    const columns = Array.from({ length: width }, (_, at) => at).filter(
      (at) => (header[at] ?? "").trim() !== "" || filled.some((cells) => (cells[at] ?? "").trim() !== ""),
    );
    assert.is(column?.seen, columns.length, text);
    const lines = new Set(reading.warnings.map(({ line }) => line));
    assert.ok((row?.named ?? 0) === 0 || lines.size > 0 || reading.warnings.length >= 100, text);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    assert.ok(error.problems.length > 0);
  }
}

const tables = knownKinds.flatMap((kind) => {
  const table = listOfKind(kind).table?.(silverButton);
  return table === undefined ? [] : [{ kind, table: table.slice(0, 40) }];
});

rule("are all read of what the program exports, and of the samples", () => {
  for (const { kind, table } of tables) assertRead(kind, table);
  const samples = [
    ["schedule", "one-liner.csv"],
    ["people", "crew-list.csv"],
    ["cost-report", "cost-report.csv"],
    ["purchase-orders", "purchase-orders.csv"],
  ] as const;
  for (const [kind, name] of samples)
    assertCounted(readList(kind, fixture(`paperwork/${name}`), { week: "2026-01-05", dates: "dmy" }), name);
});

rule("are named where a row has nothing in the columns that are read, and where a column has no heading", () => {
  const said = (kind: ListKind, text: string) => readList(kind, text).warnings.map(problemText);
  assert.equal(
    said("vendors", "Vendor,Shoe size,\nNorth,3,x\n,4,\n"),
    [
      "column 3 has no heading and was ignored".replace(/^/, "line 1: "),
      "line 3: this row has nothing that such a list keeps, and was ignored",
      'the column "Shoe size" was ignored: the header is not known; --map says what it means',
    ].toSorted((one, other) => Number(one.startsWith("line")) - Number(other.startsWith("line"))),
  );
  assert.equal(said("departments", "Department,Cluster\nNets,Sea\n,Land\n"), [
    "line 3: this row has nothing that such a list keeps, and was ignored",
  ]);
});

rule("are named by line and column where a fault is found only beside what is stored", async () => {
  const production = await openImports({
    document: "tallylight production",
    document_version: 1,
    production: { title: "Late" },
    people: [{ name: "Ada Lund", role: "Producer" }],
    scenes: [{ number: "1", slugline: "INT. A - DAY" }],
  });
  for (const [as, text, ...found] of [
    [
      "people",
      "Name,Role\nBo,Grip\nPaуl,Grip\n",
      "3",
      "Name",
      'must not mix letters of Latin and Cyrillic in one word, as "Paуl" does',
    ],
    ["people", "Vorname,Nachname,Funktion\nBo,Ek,Grip\nPaуl,Lee,Grip\n", "3", undefined, "must not mix letters"],
    [
      "assets",
      "Asset,Kind,External ID\nHat,prop,e1\nCap,prop,e2\nBag,prop,e1\n",
      "2",
      "External ID",
      'and "Bag" has it',
    ],
    ["approvals", "Approval,Approver\nLook,Ada Lund\nSet,Ada Lund; Zoe\n", "3", "Approver", 'names no person: "Zoe"'],
    ["scenes", "Scene,Set\n1,A\n3,C\n", "3", undefined, "slugline is required"],
  ] as const) {
    const [line, column, sentence] = found;
    const [problem = ""] = await production.problems({ name: "list.csv", text }, { as });
    const place = `list.csv, line ${line}${column === undefined ? "" : `, column ${column}`}: `;
    assert.ok(problem.startsWith(place), problem);
    assert.match(problem, sentence);
  }
});

rule("may have first names alone, which is said", () => {
  const { document, warnings } = readList("people", "First Name,Role\nAda,Grip\nBo,Gaffer\n");
  assert.equal(
    document.people?.map(({ name }) => name),
    ["Ada", "Bo"],
  );
  assert.equal(warnings.map(problemText), [
    'the column "First Name" is the only one with names: people have their first names alone',
  ]);
});

rule("are named where a part of them has no place, or may mean something else", () => {
  const series = names({ scenes: ["101/1", "102/1"], episodes: ["101", "102"] });
  const lists: readonly (readonly [kind: ListKind, text: string, ...said: string[]])[] = [
    [
      "approvals",
      "Approval,Approver,Status,Note\nLook,,approved,dark\n",
      "line 2: the row names nobody who approves: its status and note were ignored",
    ],
    [
      "approvals",
      "Approval,Approver,Due,Mode\nLook,Ada,2026-05-01,\nLook,Ben,2026-06-01,chain\n",
      'line 3: "Look" has rows that differ, of which the first counts: due was ignored',
    ],
    [
      "approvals",
      "Approval,Approver\nA; B,Ada; Ben\n",
      `line 2: "A; B" ${"is read as one name; if it names several, each needs a row of its own"}`,
    ],
    ["assets", "Asset,Kind,Episode\nHat,prop,102\n", 'line 2: the episode "102" was ignored: the row has no scenes'],
    ["cast", "Character,Episode,Scenes\nNora,102,\n", 'line 2: the episode "102" was ignored: the row has no scenes'],
    ["vendors", "SUPPLIERS,May\nVendor,\nNorth,\n", 'the row above the headings was not read: "SUPPLIERS May"'],
    [
      "schedule",
      "Day,Date,Scene\n1,2026-05-01,101/1\nDay,Date,Scene,Unit\n2,2026-05-02,102/1,\n",
      'the 2 rows above the headings were not read: "Day Date Scene", "1 2026-05-01 101/1"',
    ],
    [
      "schedule",
      "Day,Date,Scene,Location,Script Day\n1,2026-05-01,101/1,,\n1,2026-05-01,,Yard,D1\n",
      "line 3: this row has no scene: its script day was ignored",
    ],
    [
      "cost-report",
      "Account,Dept,Budget\n1000,Sea,\n1001,Sea,5\n",
      '1 row has no amount and was read as a heading: "1000 sea"',
      'the production gets "Sea" as a new department',
    ],
    [
      "cast",
      "Character,Performer\nNora,Ada; Ben\n",
      'line 2: "Ada; Ben" is read as one name; if it names several, each needs a row of its own',
    ],
    [
      "deliveries",
      "Title,To\nReel,North; South\n",
      'line 2: "North; South" is read as one name; if it names several, each needs a row of its own',
    ],
    [
      "purchase-orders",
      "PO No,Vendor,Description,Account,Amount,Status,Date\nP1,North; South,x,100,5.00,open,2026-05-01\n",
      'line 2: "North; South" is read as one name; if it names several, each needs a row of its own',
    ],
  ];
  for (const [kind, text, ...said] of lists)
    assert.equal(readList(kind, text, { known: series, week: "2026-01-05" }).warnings.map(problemText), said, text);
  // All scenes of a cell are read, however many are in it.
  const scenes = Array.from({ length: 40 }, (_, at) => String(100 + at));
  const { document } = readList("schedule", `Day,Date,Scene\n1,2026-05-01,${scenes.join(" ")}\n`, {
    known: names({ scenes }),
  });
  assert.equal(document.schedule?.[0]?.scenes, scenes);
});

const strange = fc.constantFrom(
  "",
  " ",
  "x",
  "Total",
  "Page 3",
  "1",
  "12, 14",
  "2026-05-01",
  "07:00",
  "Σ",
  "END OF DAY 1",
  "—",
  "=1",
);
/** A change of a table: of one cell, of the places of two rows, of one row, or of a heading. */
const damage = fc.record({
  what: fc.constantFrom("cell", "swap", "empty", "double", "heading", "add", "cut"),
  row: fc.nat(40),
  other: fc.nat(40),
  column: fc.nat(12),
  text: strange,
});

function damaged(
  table: readonly (readonly string[])[],
  changes: readonly { what: string; row: number; other: number; column: number; text: string }[],
): string[][] {
  const copy = table.map((cells) => [...cells]);
  for (const { what, row, other, column, text } of changes) {
    const [at, second] = [1 + (row % (copy.length - 1)), 1 + (other % (copy.length - 1))];
    const [one = [], two = []] = [copy[at], copy[second]];
    if (what === "cell") one[column % (one.length + 1)] = text;
    else if (what === "swap") [copy[at], copy[second]] = [two, one];
    else if (what === "empty") copy[at] = one.map(() => "");
    else if (what === "double") copy.splice(at, 0, [...one]);
    else if (what === "add") copy.splice(at, 0, ["", text, "x"]);
    else if (what === "cut") copy[at] = one.slice(0, column);
    else if (copy[0] !== undefined) copy[0][column % copy[0].length] = text;
  }
  return copy.map((cells) => Array.from(cells, (cell) => cell ?? ""));
}

for (const { kind, table } of tables)
  rule(`are read, named or refused in damaged files: ${kind}`, () => {
    assertProperty(
      fc.property(fc.array(damage, { minLength: 1, maxLength: 6 }), (changes) => {
        const one = damaged(table, changes);
        // Where a heading goes, another row may be the first with headings: then the counts agree with one another
        // alone.
        const isHeaded = JSON.stringify(one[0]) === JSON.stringify(table[0]);
        if (isHeaded) assertRead(kind, one);
        else
          try {
            assertCounted(readList(kind, csvText(one), { week: "2026-01-05" }), kind);
          } catch (error) {
            if (!(error instanceof FormatError)) throw error;
          }
      }),
      sampling(60),
    );
  });

const said = (kind: ListKind, text: string, known = {}) =>
  readList(kind, text, { known: names(known), week: "2026-01-05" }).warnings.map(problemText);

rule("name dates whose year is far from the schedule, or else from the other dates", () => {
  const far = (text: string, known = {}) =>
    said("deliveries", `Title,Due\n${text}`, known).filter((one) => /years from|unusual/.test(one));
  assert.equal(far("A,2026-12-24\nB,1926-12-01\nC,2027-01-02\nD,12 Dec 2062\n"), [
    "line 3, column Due: 1926-12-01 is more than 10 years from the other dates, such as 2027-01-02",
    "line 5, column Due: 2062-12-12 is more than 10 years from the other dates, such as 2027-01-02",
  ]);
  assert.equal(far("A,1926-12-01\n"), ["line 2, column Due: the year of 1926-12-01 is unusual"]);
  const schedule = [{ day_number: 1, date: "2026-11-30" }];
  assert.equal(far("A,2062-12-01\n", { schedule }), [
    "line 2, column Due: 2062-12-01 is more than 10 years from the shoot days, such as 2026-11-30",
  ]);
  assert.equal(far("A,1962-12-01\n", { schedule: [{ day_number: 1, date: "1962-11-30" }] }), []);
  assert.equal(far("A,1926-12-01\n", { schedule, deliveries: [{ title: "A", due: "1926-12-01" }] }), []);
  assert.equal(
    said(
      "schedule",
      "Sc,Set\n1,A\nEnd of Day 1 - Monday 30 November 2026\n2,B\nEnd of Day 2 - 1 December 1926\n3,C\nEnd of Day 3 - 2 December 2026\n",
      {
        scenes: ["1", "2", "3"],
      },
    ).filter((one) => one.includes("years from")),
    ["line 5: 1926-12-01 is more than 10 years from the other dates, such as 2026-11-30"],
  );
});

rule("are refused where the row that was taken for headings is one of things", () => {
  assert.match(
    problemsOf("assets", "Prop,Net,North\nCharacter,Keeper,South\n")[0] ?? "",
    /^the file has no row of headings: "Prop" and each cell below it are kinds/,
  );
  assert.equal(
    documentOf("assets", "Prop,Shelf\nNet,North\nCar,South\n").assets?.map(({ label, kind }) => [label, kind]),
    [
      ["Net", "prop"],
      ["Car", "prop"],
    ],
  );
});

rule("name dates that a spreadsheet wrote as numbers of days, where a column has nothing else", () => {
  const days = (...dates: string[]) =>
    ["Day,Date,Scenes", ...dates.map((date, at) => `${at + 1},${date},${at + 1}`)].join("\n");
  const known = names({ scenes: ["1", "2"] });
  const text = days("45992", "45993");
  assert.equal(
    documentOf("schedule", text, { known }).schedule?.map(({ date }) => date),
    ["2025-12-01", "2025-12-02"],
  );
  assert.equal(warningsOf("schedule", text, { known }), [
    "line 2, column Date: the dates here are numbers of days, as Excel counts them: 45992 is 2025-12-01",
  ]);
  assert.equal(problemsOf("schedule", days("45992", "2026-12-02"), { known }), [
    'line 2, column Date: "45992" is not a date',
  ]);
  const due = (...texts: string[]) =>
    documentOf("deliveries", ["Delivery,Due", ...texts.map((one, at) => `D${at},${one}`)].join("\n")).deliveries?.map(
      (one) => one.due,
    );
  assert.equal(due("46356", "46357"), ["2026-11-30", "2026-12-01"]);
  assert.equal(due("46356", "after the mix"), ["46356", "after the mix"]);
});

rule("name kinds, categories and departments that are likely misspelled", () => {
  assert.equal(
    said("assets", "Name,Type,Department\nRope,Prop,Props\nLamp,Porp,Porps\nOwl,Porp,Sound\nFog,SFX,VFX\n"),
    [
      'the production gets "Props", "Porps", "Sound" and "VFX" as new departments',
      'the departments "Props" and "Porps" are both new',
      'line 3, column Type: the kind "Porp" is new; it is nearly "prop"',
    ],
  );
  assert.equal(said("breakdown", "Scene,Props,Vehicels,Stunts\n1,Rope,Van,Fall\n1,,Bus,\n", { scenes: ["1"] }), [
    'the category "Vehicels" is a list of its scenes; it is nearly "vehicles"',
  ]);
});

rule("name a cell with commas where other cells of its column have semicolons", () => {
  const text = 'Scene,Props\n1,"Rope, Lamp"\n2,Knife; Saw\n';
  assert.equal(said("breakdown", text, { scenes: ["1", "2"] }), [
    '"Rope, Lamp" is read as one name, because other cells of its column have semicolons or lines between names',
  ]);
  assert.equal(said("breakdown", text, { scenes: ["1", "2"], assets: [{ label: "Rope, Lamp", kind: "prop" }] }), []);
});

rule.run();
