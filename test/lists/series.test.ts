// Lists of a series: which episode a scene is of, and a list of one episode that touches that episode alone.
// Thorough: only --all runs it.
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { listOfProduction } from "../../src/features/lists/exporters.ts";
import { openImports } from "../support/import.ts";

type Row = Record<string, any>;

const numbers = (count: number) => Array.from({ length: count }, (_, at) => String(at + 1));
const scenes = ["101", "102", "1", "2"].flatMap((episode) =>
  numbers(3).map((number) => ({
    ...{ number, episode, slugline: `INT. ROOM ${number} - DAY` },
    assets: ["NORA", ...(number === "2" ? ["PIET"] : [])],
  })),
);
const series = (): object => ({
  document: "tallylight production",
  document_version: 1,
  production: { title: "Low Tide", format: "episodic", season_number: 1 },
  episodes: ["101", "102", "1", "2"].map((code) => ({ code, title: code })),
  scenes,
  assets: [
    { label: "NORA", kind: "character" },
    { label: "PIET", kind: "character" },
  ],
});

const open = async () => {
  const made = await openImports(series());
  const list = (text: string, flags: Row = {}) =>
    made.import({ name: "list.csv", text }, { as: "schedule", ...flags } as Row);
  const refused = async (text: string, flags: Row = {}): Promise<string> => {
    const problems = await made.problems({ name: "list.csv", text }, { as: "schedule", ...flags });
    return problems.join("\n");
  };
  const days = async () => {
    const { schedule } = (await made.export()) as Row;
    return (schedule ?? []).map(({ unit, day_number, scenes = [] }: Row) =>
      `${unit ?? ""} ${day_number}: ${scenes.join(" ")}`.trim(),
    );
  };
  return { ...made, list, refused, days };
};

const test = suite("scenes of a series in lists");

test("a range is one of the episode that the row names, a prefix names another one, and what has two readings is refused", async () => {
  const { list, refused, days } = await open();
  await list("Day,Date,Ep,Sc\n1,2026-12-01,2,1-3");
  assert.equal(await days(), ["1: 2/1 2/2 2/3"]);
  await list('Day,Date,Sc\n1,2026-12-01,"101/2, 3"\n2,2026-12-02,EP101-1\n3,2026-12-03,102/1-102/3\n4,2026-12-04,2.1');
  assert.equal(await days(), ["1: 101/2 101/3", "2: 101/1", "3: 102/1 102/2 102/3", "4: 2/1"]);
  assert.match(await refused("Day,Date,Sc\n1,2026-12-01,1-3"), /"1-3" may be scene 1\/3 or scenes 101\/1 to 101\/3/);
  assert.match(
    await refused("Day,Date,Ep,Sc\n1,2026-12-01,101,102/1"),
    /"102\/1" is of episode 102, and the row or the file of episode 101/,
  );
  assert.match(
    await refused("Day,Date,Ep,Sc\n1,2026-12-01,109,1"),
    /there is no episode 109; episodes are 101, 102, 1 and 2/,
  );
  assert.match(await refused("Day,Date,Sc\n1,2026-12-01,109/1"), /there is no episode 109/);
  assert.match(await refused("Day,Date,Ep,Sc\n1,2026-12-01,101,3-1"), /runs backwards/);
  assert.match(
    await refused("Day,Date,Ep,Sc\n1,2026-12-01,101,1", { episode: "102" }),
    /the row is of episode 101, and the file of episode 102/,
  );
});

test("a schedule of one episode leaves the strips and days of the others", async () => {
  const { list, days, store, production_id } = await open();
  await list(
    'Day,Date,Ep,Sc\n1,2026-12-01,101,"1, 2"\n1,2026-12-01,102,"1, 2"\n2,2026-12-02,101,3\n2,2026-12-02,102,3\n3,2026-12-03,,\n',
  );
  const plan = await list('Day,Date,Ep,Sc\n1,2026-12-05,102,1\n4,2026-12-06,102,"2, 3"', { episode: "102" });
  assert.equal(await days(), ["1: 101/1 101/2 102/1", "2: 101/3", "3:", "4: 102/2 102/3"]);
  assert.match(plan.warnings.join("\n"), /day 1 is also of episode 101; set for all: date/);
  const taken = await list("Day,Date,Ep,Sc\n1,2026-12-05,102,1");
  assert.match(taken.warnings.join("\n"), /day 1 loses 101\/1, 101\/2; with --episode/);
  await list("Day,Ep,Sc,Banner\n1,102,2,\n1,101,2,\n1,,,COMPANY MOVE\n1,102,1,\n1,101,1,");
  const mixed = await days();
  assert.equal(mixed[0], "1: 102/2 101/2 102/1 101/1");
  for (const episode of ["101", "102"])
    await list(listOfProduction(store, production_id, "schedule", { episode }), { episode });
  assert.equal(await days(), mixed, "what it says already stays in its place");
});

test("a list of one unit leaves what another unit has, and says it", async () => {
  const { list, days } = await open();
  await list(
    'Ep,Sc,Pages\n101,1,1 4/8\n"End of Day 1 - Tuesday, December 1, 2026 -- Total Pages: 1 4/8",,\n102,3,1\n"End of 2nd Unit Day 1 - Tuesday, December 1, 2026 -- Total Pages: 1",,\n',
  );
  assert.equal(await days(), ["1: 101/1", "2nd Unit 1: 102/3"]);
  const plan = await list('Day,Date,Sc\n1,2026-12-01,"101/1, 102/3"');
  assert.ok(plan.warnings.includes("102/3 is also on 2nd Unit 1"), plan.warnings.join("\n"));
  assert.equal(await days(), ["1: 101/1 102/3", "2nd Unit 1: 102/3"]);
  await list("Day,Unit,Date,Sc\n2,Second Unit,2026-12-02,102/3");
  assert.equal(await days(), ["1: 101/1 102/3", "2nd Unit 1:", "2nd Unit 2: 102/3"]);
});

test("a cast list of one episode leaves the scenes of the others; without it, what goes is said", async () => {
  const { list, export: document } = await open();
  const castOf = async () =>
    ((await document()) as Row).scenes.map(
      ({ episode, number, assets = [] }: Row) => `${episode}/${number} ${assets.join(" ")}`,
    );
  const before = await castOf();
  await list('No,Character,Performer,Scenes\n1,NORA,Ines Ward,"1, 3"\n2,PIET,Tom Okafor,2', {
    as: "cast",
    episode: "102",
  });
  assert.equal(
    (await castOf()).filter((line: string) => !line.startsWith("102")),
    before.filter((line: string) => !line.startsWith("102")),
  );
  assert.ok((await castOf()).includes("102/2 PIET"));
  const plan = await list("Character,Scenes\nPIET,102/2", { as: "cast", dry_run: true });
  assert.match(plan.warnings.join("\n"), /PIET loses 101\/2, 1\/2, 2\/2; with --episode/);
});

test("exact documents of one episode leave the others, and refuse what has no scenes", async () => {
  const { import: importFiles, problems, export: document } = await open();
  const whole = (await document()) as Row;
  const own = whole.scenes.filter(({ episode, number }: Row) => episode === "102" && number !== "3");
  const given = { name: "102.json", text: JSON.stringify({ scenes: own }) };
  const plan = await importFiles(given, { episode: "102", exact: true } as Row);
  assert.equal(
    plan.changes.map(({ key }) => key),
    ["102/3"],
  );
  const people = { name: "p.json", text: JSON.stringify({ people: [] }) };
  assert.match((await problems(people, { episode: "102", exact: true })).join("\n"), /people has no scenes/);
});

test("a column of episodes in a single production is named, and refused where it has two", async () => {
  const made = await openImports({
    document: "tallylight production",
    document_version: 1,
    production: { title: "Low Tide", format: "single" },
    scenes: numbers(3).map((number) => ({ number, slugline: `INT. ROOM ${number} - DAY` })),
  });
  const lists = [
    ["schedule", "Day,Date,Ep,Sc", (ep: string, sc: number) => `${sc},2026-12-0${sc},${ep},${sc}`],
    ["scenes", "Episode,Scene,Slugline", (ep: string, sc: number) => `${ep},${sc},INT. ROOM ${sc} - DAY`],
    ["cast", "Character,Ep,Scenes", (ep: string, sc: number) => `ACTOR ${sc},${ep},${sc}`],
    ["assets", "Asset,Kind,Ep,Scenes", (ep: string, sc: number) => `Thing ${sc},prop,${ep},${sc}`],
    ["breakdown", "Scene,Ep,Category,Element", (ep: string, sc: number) => `${sc},${ep},Props,Rope ${sc}`],
  ] as const;
  for (const [as, head, row] of lists) {
    const of = (...episodes: string[]) => ({
      name: `${as}.csv`,
      text: [head, ...episodes.map((ep, at) => row(ep, at + 1))].join("\n"),
    });
    const { warnings } = await made.import(of("101", "Ep 101", ""), { as });
    const named = warnings.filter((text: string) => text.includes("the production is no series"));
    assert.equal(named.length, 1, `${as}: ${warnings.join("\n")}`);
    assert.match(named[0] ?? "", /line 2: .*"101" and was ignored.*episodes begin 101 --production/);
    const problems = await made.problems(of("101", "102"), { as });
    assert.match(problems.join("\n"), /line 3: the row is of episode "102", and others of "101"/, as);
    assert.equal(
      (await made.import(of("", ""), { as })).warnings.filter((text: string) => /series/.test(text)),
      [],
    );
  }
});

test("a scene that is shot in parts has a strip with its part and length on each day, and is no clash", async () => {
  const { list, refused, days, import: importFiles, problems, export: document, store, production_id } = await open();
  const parts = async () =>
    ((await document()) as Row).schedule.flatMap(({ unit = "", day_number, parts: of = [] }: Row) =>
      of.map(({ scene, text, pages }: Row) => `${unit}${day_number}: ${scene} ${text} ${pages ?? ""}`.trim()),
    );
  const clashes = (warnings: readonly string[]) => warnings.filter((text) => /^(?:scene )?101\/1 is/.test(text));
  const first = await list('Day,Date,Ep,Sc,Pages\n1,2026-12-01,101,1 pt1,3/8\n2,2026-12-02,101,"1 (part 2)",1 1/8\n');
  assert.equal(await days(), ["1: 101/1", "2: 101/1"]);
  assert.equal(await parts(), ["1: 101/1 pt1 3/8", "2: 101/1 part 2 1 1/8"]);
  assert.equal(clashes(first.warnings), []);

  const schedule = listOfProduction(store, production_id, "schedule", { episode: "101" });
  assert.match(schedule, /Scene,Part,/);
  assert.equal((await importFiles({ name: "again.csv", text: schedule }, { as: "schedule" })).changes, []);

  const moved = await list("Day,Date,Ep,Sc,Part,Pages\n3,2026-12-03,101,1,Pt 2,1 1/8\n");
  assert.equal([await days(), clashes(moved.warnings)], [["1: 101/1", "2:", "3: 101/1"], []]);
  assert.equal(await parts(), ["1: 101/1 pt1 3/8", "3: 101/1 Pt 2 1 1/8"]);
  const twice = await list("Day,Unit,Date,Sc\n1,2nd Unit,2026-12-03,101/1 pt2\n");
  assert.equal(clashes(twice.warnings), ["101/1 is also on day 3"], "another unit has the same part");
  const whole = await list("Day,Date,Sc\n1,2026-12-01,101/1\n");
  assert.equal(clashes(whole.warnings), ["101/1 is also on 2nd Unit 1"]);
  assert.equal(await days(), ["1: 101/1", "2nd Unit 1: 101/1", "2:", "3:"]);
  assert.equal(await parts(), ["2nd Unit1: 101/1 pt2"], "the whole scene takes the place of its parts");
  await list('Day,Date,Sc\n4,2026-12-04,"101/2 pt, 102/1 pt1, pt2"\n5,2026-12-05,101/2 pt\n');
  assert.equal((await parts()).slice(-3), ["4: 101/2 pt", "4: 102/1 pt1, pt2", "5: 101/2 pt"]);

  const put = (own: object[]) => ({
    name: "put.json",
    text: JSON.stringify({ schedule: [{ day_number: 5, scenes: ["101/2"], parts: own }] }),
  });
  const wrong = [
    { scene: "101/2", text: "pt1", pages: "x" },
    { scene: "101/2", text: "pt2" },
  ];
  const said = (await problems(put(wrong))).join("\n");
  assert.match(said, /parts\[0\]\.pages must be a length such as 1 3\/8, not "x"/);
  assert.match(said, /parts\[1\]/);
  const { warnings } = await importFiles(put([{ scene: "101/3", text: "pt1" }]));
  assert.match(warnings.join("\n"), /day 5 has a part of a scene that is not on it: 101\/3/);
  assert.match(await refused("Day,Date,Sc\n1,2026-12-01,101/9 pt1"), /scene 101\/9 is not in the script/);
});

test.run();
